"""The sections of a config, one a stage: their keys, types and ranges. The values stand in TOML files, never here."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator

from vuedocs.config.prompts import prompt_version

Weight = Annotated[float, Field(ge=0.0, le=1.0)]
Count = Annotated[int, Field(ge=0)]
Positive = Annotated[int, Field(ge=1)]


class Section(BaseModel):
    """One stage's settings: immutable, and strict about names, types and ranges."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    def shaping(self) -> dict[str, Any]:
        """What of the section shapes an index."""
        return self.model_dump()


class Fetch(Section):
    """Getting a source's documentation onto this machine."""

    timeout: Annotated[float, Field(gt=0, le=3600)]
    """Seconds that a git command may take."""


class Parse(Section):
    """From files to chunks."""

    code_chunks: bool
    """Whether each example is a chunk of its own beside its section."""
    code_min_lines: Positive
    """Shorter examples stay in their section only."""


class Entities(Section):
    """From headings and conventions to API names."""

    max_per_chunk: Positive
    """Names that a chunk remembers, the most frequent first."""


class Written(Section):
    """A stage whose texts a language model may write; its model and how it thinks are one choice."""

    method: str
    model: str
    """Of Gemini's; read by the method ``gemini`` alone."""
    thinking: int | Literal["minimal", "low", "medium", "high"]
    """Tokens of thought for a 2.5 model (0: none), a level for all later ones: each refuses the other's."""
    max_failed: Weight
    """Share of the sections that may be left to the rules because no answer could be used; above it the ingest stops."""

    @field_validator("thinking")
    @classmethod
    def _fits_the_model(cls, thinking: int | str, others: ValidationInfo) -> int | str:
        model = others.data.get("model", "")
        if ("2.5" in model) != isinstance(thinking, int):
            raise ValueError(f"{model} takes {'a number of tokens' if '2.5' in model else 'a level: minimal, low, medium, high'}")
        return thinking

    def prompts(self) -> tuple[str, ...]:
        """Names of the prompts that the model is given."""
        return ("system",)

    def shaping(self) -> dict[str, Any]:
        """Without what only says when to stop; what the model was asked counts where it is asked."""
        data = self.model_dump(exclude={"max_failed"})
        if self.method == "gemini":
            return data | {"prompt": prompt_version(*self.prompts())}
        return {key: value for key, value in data.items() if key not in ("model", "thinking", "written")}


class Enrich(Written):
    """What is said before a chunk's text so that it stands alone."""

    method: Literal["local", "gemini"]
    """``gemini`` writes the sentence of context where no pack fits."""
    packs: bool
    """Whether a written context sentence is used where its content hash still fits."""
    first_sentence: bool
    """Whether the page's first sentence follows the breadcrumb, where nothing else was written."""

    def prompts(self) -> tuple[str, ...]:
        """Names of the prompts that the model is given."""
        return ("system", "context")


class Hype(Written):
    """Hypothetical questions that a chunk answers."""

    method: Literal["local", "gemini", "none"]
    """``gemini`` writes them where no pack fits."""
    written: Annotated[int, Field(ge=1, le=20)]
    """Questions that the model is asked to write for a section."""
    packs: bool
    """Whether written questions are used where their content hash still fits."""
    rules: Literal["always", "without_pack", "never"]
    """When questions are made from headings and entities."""
    max_per_chunk: Positive

    def prompts(self) -> tuple[str, ...]:
        """Names of the prompts that the model is given."""
        return ("system", "questions")


class Embed(Section):
    """Vectors: dense by the embedder, sparse by BM25."""

    embedder: Literal[
        "vuedocs-minilm",
        "minilm",
        "jina-embeddings-v3",
        "jina-embeddings-v4",
        "jina-embeddings-v5-text-small",
        "jina-embeddings-v5-text-nano",
    ]
    dims: Positive
    window_tokens: Annotated[int, Field(ge=32, le=8192)]
    """Longest piece of text that becomes one vector, in the embedder's tokens, breadcrumb included."""
    window_overlap: Count
    """Tokens that neighbouring windows share."""
    code: bool
    """Whether examples are embedded as points of their own."""
    k1: Annotated[float, Field(gt=0, le=10)]
    b: Weight
    breadcrumb_repeats: Count
    """How often the heading path is counted in a section's BM25 document."""
    question_repeats: Count
    """How often the questions that a section answers are counted in its BM25 document (document expansion); 0 for never."""
    context_in_bm25: bool
    """Whether a section's sentence of context joins its BM25 document."""

    @field_validator("window_overlap")
    @classmethod
    def _half_a_window_at_most(cls, overlap: int, others: ValidationInfo) -> int:
        """A larger one leaves no step from window to window beside a long context, and text would be lost."""
        if overlap > others.data.get("window_tokens", overlap * 2) // 2:
            raise ValueError("must be at most half of embed.window_tokens")
        return overlap


class Store(Section):
    """Building and publishing a generation."""

    keep: Annotated[int, Field(ge=1, le=100)]
    """Generations that stay on disk, the published one included."""
    batch: Positive
    """Points an upload."""
    quantisation: Literal["none", "turbo8", "int8"]
    """How dense vectors are kept. ``none``: as they are, 4 bytes a number. ``turbo8``: rotated and rounded to one byte, in either
    engine; a server needs Qdrant 1.20. ``int8``: by a server alone, for more than about 50,000 chunks: it searches int8 copies
    through a graph and scores the best again by the originals (QDRANT_ON_DISK then keeps those out of memory)."""

    def shaping(self) -> dict[str, Any]:
        """How vectors are kept; the rest says only how much at a time, and for how long."""
        return self.model_dump(include={"quantisation"})


class Detect(Section):
    """What the query is made of."""

    max_query_chars: Positive
    fuzzy_cutoff: Annotated[float, Field(ge=0, le=100)]
    """rapidfuzz ratio from which a word is taken for a misspelt API name."""
    fuzzy_min_length: Positive
    """Shorter words are never corrected."""
    max_mentions: Positive
    idf: Literal["searched", "all"]
    """Whose IDF weighs the query's words: that of the sources that are searched, or of all that the index holds."""
    without_embedder: Literal["error", "lexical"]
    """What a failed embedder means: an error, or a search by words alone, marked as degraded."""


class SearchSection(Section):
    """The hybrid query."""

    fusion: Literal["rrf", "dbsf", "minmax"]
    leg_depth: Annotated[int, Field(ge=1, le=1000)]
    """Points that each leg returns."""
    rrf_k: Positive
    """RRF = weight / (k + rank), rank from 0: the paper's k = 60 is 61 here (Cormack et al., SIGIR 2009)."""
    dense_weight: Weight
    sparse_weight: Weight
    name_weight: Weight
    """What a query that is nothing but an API's name adds to the section that defines it; 0 switches that off."""


class Resolve(Section):
    """From points to chunks."""

    question_weight: Weight
    """Share of the question score in a chunk's dense score; the rest is its own text's. 0 switches HyPE off."""
    source_weight: Weight
    """In a search of several sources, how much a chunk loses that is of an unlikely one; 0 for nothing."""
    source_top: Positive
    """Of how many of its best chunks a source's mean counts for how likely it is."""
    source_temperature: Annotated[float, Field(gt=0, le=10)]
    """How far a source may stay behind the likeliest: by this much, it is 1/e as likely."""
    page_weight: Annotated[float, Field(ge=0, le=2)]
    """How much of the mean score of a page's best chunks each of its chunks gains; 0 for nothing."""
    page_top: Positive
    """Of how many chunks that mean is; a page that has fewer counts as if the rest had scored 0."""
    limit: Annotated[int, Field(ge=1, le=50)]
    """Candidates that go on."""


class Expand(Section):
    """One hop along links."""

    enabled: bool
    medium_top: Count
    """Medium links are followed from this many of the best candidates."""
    low_top: Count
    max_added: Count


class Rerank(Section):
    """A second look at the best candidates."""

    method: Literal["none", "rocchio", "jina"]
    top: Positive
    """Best candidates of whose mean ``rocchio`` makes its second query."""
    temperature: Annotated[float, Field(gt=0, le=10)]
    """How far below the best score one of these still counts: by exp(-distance / temperature)."""
    dense_weight: Annotated[float, Field(ge=0, le=10)]
    """Of the cosine to that mean, in vectors."""
    sparse_weight: Annotated[float, Field(ge=0, le=10)]
    """Of the cosine to that mean, in words."""
    model: Literal["jina-reranker-v3", "jina-reranker-v3.5"]
    depth: Annotated[int, Field(ge=1, le=64)]
    """Candidates that a reranker sees, Jina's in one call; the rest stay behind them. Its window holds 64."""
    min_score: Annotated[float, Field(ge=-1, le=1)]
    """Candidates below it are left out, where the reranker has scored them. On the reranker's own scale (Jina: a cosine): the
    published -0.5 practically never fires, the makers advise a positive one that is tuned on one's own questions."""
    page_weight: Weight
    """Lambda of page aggregation, for the order of pages in page-level evaluation; 0: a page is as good as its best section."""


class Reconstruct(Section):
    """From candidates to one small document."""

    max_results: Positive
    max_tokens: Positive
    section_tokens: Positive
    """Longest share of one section; cut at a block."""
    floor: Weight
    """Sections below this share of the best one's fused score are left out."""
