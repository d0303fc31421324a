"""Config: one section a stage, every number that affects ranking.

No section has a default here: the values live in ``evals/configs/base.toml`` and in the files laid over it, so that what runs
can be read in one place. Keys, URLs and folders are never here (see vuedocs.settings).

    >>> config = load()                                     # base.toml, then evals/tuned.toml where there is one
    >>> config = config.override("search.fusion=rrf", "reconstruct.max_tokens=3000")
    >>> config.fingerprint()                                # 12 hex digits over everything
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import tomlkit
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from vuedocs.errors import ConfigError

Weight = Annotated[float, Field(ge=0.0, le=1.0)]
Count = Annotated[int, Field(ge=0)]
Positive = Annotated[int, Field(ge=1)]


SHAPING = ("parse", "entities", "enrich", "hype", "embed")
"""The sections that shape what an index holds; a query needs an index that was made with the same."""


class Section(BaseModel):
    """One stage's settings: immutable, and strict about names, types and ranges."""

    model_config = ConfigDict(frozen=True, extra="forbid")


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


class Enrich(Section):
    """What is said before a chunk's text so that it stands alone."""

    method: Literal["local"]
    packs: bool
    """Whether a written context sentence is used where its content hash still fits."""
    first_sentence: bool
    """Whether the page's first sentence follows the breadcrumb."""


class Hype(Section):
    """Hypothetical questions that a chunk answers."""

    method: Literal["local", "none"]
    packs: bool
    """Whether written questions are used where their content hash still fits."""
    rules: bool
    """Whether questions are made from headings and entities."""
    max_per_chunk: Positive


class Embed(Section):
    """Vectors: dense by the embedder, sparse by BM25."""

    embedder: Literal["minilm"]
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
    questions_in_bm25: bool
    """Whether a chunk's questions join its BM25 document (document expansion)."""


class Store(Section):
    """Building and publishing a generation."""

    keep: Annotated[int, Field(ge=1, le=100)]
    """Generations that stay on disk, the published one included."""
    batch: Positive
    """Points an upload."""


class Detect(Section):
    """What the query is made of."""

    max_query_chars: Positive
    fuzzy_cutoff: Annotated[float, Field(ge=0, le=100)]
    """rapidfuzz ratio from which a word is taken for a misspelt API name."""
    fuzzy_min_length: Positive
    """Shorter words are never corrected."""
    max_mentions: Positive


class SearchSection(Section):
    """The hybrid query."""

    fusion: Literal["rrf", "dbsf", "minmax"]
    leg_depth: Annotated[int, Field(ge=1, le=1000)]
    """Points that each leg returns."""
    rrf_k: Positive
    """RRF = weight / (k + rank), rank from 0: the paper's k = 60 is 61 here (Cormack et al., SIGIR 2009)."""
    dense_weight: Weight
    sparse_weight: Weight


class Resolve(Section):
    """From points to chunks."""

    question_weight: Weight
    """Share of the question score in a chunk's dense score; the rest is its own text's. 0 switches HyPE off."""
    limit: Annotated[int, Field(ge=1, le=50)]
    """Candidates that go on."""


class Expand(Section):
    """One hop along links."""

    enabled: bool
    medium_top: Count
    """Medium links are followed from this many of the best candidates."""
    low_top: Count
    max_added: Count
    to_reranker: bool
    """Whether targets compete in rerank; otherwise they are shown as "see also" only."""


class Rerank(Section):
    """A second look at the best candidates."""

    method: Literal["none"]
    page_weight: Weight
    """Lambda of page aggregation, for the order of pages in page-level evaluation."""


class Reconstruct(Section):
    """From candidates to one small document."""

    max_results: Positive
    max_tokens: Positive
    section_tokens: Positive
    """Longest share of one section; cut at a block."""
    floor: Weight
    """Sections below this share of the best one's fused score are left out."""


class Config(BaseModel):
    """All sections; load it with :func:`load`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    fetch: Fetch
    parse: Parse
    entities: Entities
    enrich: Enrich
    hype: Hype
    embed: Embed
    store: Store
    detect: Detect
    search: SearchSection
    resolve: Resolve
    expand: Expand
    rerank: Rerank
    reconstruct: Reconstruct

    def section(self, stage: str) -> Section:
        """The section of one stage, by the stage's name."""
        section: Section = getattr(self, stage)
        return section

    def shaping(self) -> dict[str, Any]:
        """The sections that shape an index, as nested dicts; a generation's manifest keeps them."""
        return {stage: self.section(stage).model_dump() for stage in SHAPING}

    def shape(self) -> str:
        """Fingerprint of :meth:`shaping`: what an index is made with."""
        return self.fingerprint(SHAPING)

    def override(self, *assignments: str) -> Config:
        """A copy with ``section.key=value`` assignments laid over it; values are read as TOML, or else as text.

        Raises ConfigError for an unknown section or key, a value of the wrong type, or one out of range.
        """
        data = self.model_dump()
        for assignment in assignments:
            name, equals, text = assignment.partition("=")
            section, dot, key = name.strip().partition(".")
            if not (equals and dot and section and key):
                raise ConfigError(f"{assignment!r} is no assignment; write section.key=value, such as search.fusion=rrf")
            lay_over(data, {section: {key: toml_value(text.strip())}}, f"--set {assignment}")
        return validate(data, "--set " + " ".join(assignments))

    def dump(self) -> str:
        """The whole config as TOML."""
        return tomlkit.dumps(self.model_dump())

    def fingerprint(self, stages: Iterable[str] | None = None) -> str:
        """12 hex digits that are equal when the named stages' sections (all, by default) are equal."""
        return digest({stage: self.section(stage).model_dump() for stage in stages or type(self).model_fields})


def digest(data: Mapping[str, Any]) -> str:
    """The first 12 hex digits of the sha256 of ``data`` as canonical JSON."""
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()[:12]


def differences(there: Mapping[str, Any], here: Mapping[str, Any]) -> str:
    """In words, the keys in which two nested configs differ: ``embed.k1 is 1.2 there and 1.5 here``."""
    words = []
    for section in sorted(there.keys() | here.keys()):
        old, new = there.get(section, {}), here.get(section, {})
        words += [
            f"{section}.{key} is {old.get(key, 'unset')} there and {new.get(key, 'unset')} here"
            for key in sorted(old.keys() | new.keys())
            if old.get(key) != new.get(key)
        ]
    return "; ".join(words)


def base_path() -> Path:
    """``base.toml``: in the checkout's evals folder, or inside an installed package."""
    package = Path(__file__).parent
    checkout = package.parent / "evals" / "configs" / "base.toml"
    return checkout if checkout.exists() else package / "configs" / "base.toml"


def tuned_path() -> Path:
    """``tuned.toml``, which promotion writes beside the folder of ``base.toml``; it need not exist."""
    return base_path().parent.parent / "tuned.toml"


def load(path: Path | None = None, overrides: Iterable[str] = ()) -> Config:
    """The base config, with the tuned values, then ``path``, then ``section.key=value`` overrides laid over it.

    Raises ConfigError, which names the file, the key, the reason and what is allowed.
    """
    data = read(base_path())
    tuned = tuned_path()
    layers = ([tuned] if tuned.exists() else []) + ([path] if path else [])
    for layer in layers:
        lay_over(data, read(layer), str(layer))
    config = validate(data, " + ".join(str(layer) for layer in [base_path(), *layers]))
    return config.override(*overrides) if overrides else config


def read(path: Path) -> dict[str, Any]:
    """A TOML file as nested dicts."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ConfigError(f"config {path} is not there; give the path of a TOML file such as {base_path()}") from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"config {path} cannot be read: {error}") from error


def toml_value(text: str) -> Any:
    """``text`` as a TOML value; what is no TOML value is a string."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


def lay_over(data: dict[str, Any], layer: Mapping[str, Any], origin: str) -> None:
    """Writes ``layer`` into ``data``, section by section; an unknown name is refused with the known ones."""
    for section, values in layer.items():
        if section not in data:
            raise ConfigError(f"{origin}: there is no section {section!r}; the sections are {', '.join(data)}")
        if not isinstance(values, Mapping):
            raise ConfigError(f"{origin}: {section} is a section; write {section}.<key>, one of {', '.join(data[section])}")
        unknown = [key for key in values if key not in data[section]]
        if unknown:
            raise ConfigError(f"{origin}: {section} has no key {unknown[0]!r}; its keys are {', '.join(data[section])}")
        data[section] = {**data[section], **values}


def validate(data: Mapping[str, Any], origin: str) -> Config:
    """``data`` as a Config; the first thing wrong with it as a ConfigError."""
    try:
        return Config.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"])
        given = "" if first["type"] == "missing" else f" (given: {first['input']!r})"
        raise ConfigError(f"{origin}: {key}: {first['msg']}{given}") from error
