"""The records that every stage shares: frozen, typed, compared by value.

Names are the field's: a *page* is a file of documentation, a *chunk* the indexed unit, a *window* the piece of a chunk that is
embedded, a *question* a hypothetical one that a chunk answers (HyPE), a *candidate* a chunk under consideration for a query, a
*passage* what the reader receives. A *section key* is ``<path>#<anchor>``, or ``<path>`` for a page's own text before its first
H2; a chunk id is ``<source>/<section key>``, followed by ``~code-<n>`` for the n-th example of a section.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

Vector = npt.NDArray[np.float32]
"""A dense vector, shape (dims,), unit length."""

ChunkKind = Literal["page", "section", "subsection", "code"]
PointKind = Literal["window", "code", "question"]
ApiStyle = Literal["options", "composition", "both"]
LinkPriority = Literal["high", "medium", "low"]


@dataclass(frozen=True, slots=True)
class Checkout:
    """One source's documentation on disk, and what is known of its state."""

    source: str
    folder: Path
    """The docs folder itself: paths of pages are relative to it."""
    site: Path | None
    """The folder that holds the site's own config (``.vitepress/``), where there is one."""
    commit: str
    """Commit hash; ``sha256:...`` of the contents where the folder is no checkout."""
    version: str
    date: datetime | None
    origin: str
    """In words for people: ``git https://... at v3.5`` or ``folder ../docs/vue``."""


@dataclass(frozen=True, slots=True)
class Link:
    """A link out of a chunk to another page of the same source, or to one of its sections."""

    target: str
    """Section key, ``path#anchor`` or ``path``."""
    text: str
    priority: LinkPriority


@dataclass(frozen=True, slots=True)
class Page:
    """One file of documentation, as its reader would see it."""

    source: str
    path: str
    """The file in the docs folder without its suffix, as it is named: ``guide/essentials/computed``."""
    route: str
    """The path on the site: ``guide/essentials/computed``; ``""`` for a site's root."""
    url: str
    title: str
    section: str
    """The navigation group that names the page; ``""`` where none does."""
    position: int
    """Place in the order of reading, from 0."""
    description: str
    """The page's first sentence of prose (or its front matter's description)."""
    text: str
    """The page as plain Markdown."""
    content_hash: str
    """sha256 of the file's normalised text, 64 hex digits: a CRLF twin has the same one."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """The indexed unit: a page's own text, a section, a subsection, or one code example."""

    id: str
    source: str
    path: str
    route: str
    kind: ChunkKind
    anchor: str
    """URL fragment without ``#``; ``""`` for a page."""
    url: str
    title: str
    """The heading's own text; for code, the title of the section it belongs to."""
    heading_path: tuple[str, ...]
    """Page title first, the chunk's own title last."""
    position: tuple[int, int]
    """(page position in the order of reading, place on the page), both from 0."""
    text: str
    """The chunk's own text as Markdown, its heading line first, without its subsections' text."""
    content_hash: str
    """sha256 of ``text``, 64 hex digits."""
    api_style: ApiStyle = "both"
    since: str = ""
    """The version of the heading's badge: ``3.5``."""
    links: tuple[Link, ...] = ()
    entities: tuple[str, ...] = ()
    """Names of entities that the chunk speaks of, the most frequent first."""
    context: str = ""
    """Set by enrich: what to say before the text so that it stands alone. Embedded, never shown."""

    @property
    def section(self) -> str:
        """The section key: ``path#anchor``, or ``path`` for a page's own text."""
        return f"{self.path}#{self.anchor}" if self.anchor else self.path

    @property
    def section_id(self) -> str:
        """The id of the chunk that holds this one's text: its own, or for code that of the section around it."""
        return self.id.split("~code-")[0]


@dataclass(frozen=True, slots=True)
class Entity:
    """An API name, with the section that defines it."""

    name: str
    """As the docs write it: ``computed``, ``v-model``, ``KeepAlive``, ``app.config.globalProperties``."""
    type: str
    """``lifecycle hook``, ``composable``, ``directive``, ``component``, ``compiler macro``, ``option``, ..."""
    source: str
    chunk_id: str
    aliases: tuple[str, ...] = ()
    """Other spellings: ``keep-alive`` for ``KeepAlive``."""
    signature: str = ""
    since: str = ""
    deprecated: bool = False
    description: str = ""

    @property
    def key(self) -> str:
        """Unique over all sources: ``vue:computed``."""
        return f"{self.source}:{self.name}"


@dataclass(frozen=True, slots=True)
class Question:
    """A hypothetical question that a chunk answers (HyPE), kept as a point of its own."""

    chunk_id: str
    text: str
    origin: str
    """Who wrote it: ``rule``, ``pack``, or a model's name."""


@dataclass(frozen=True, slots=True)
class Sparse:
    """A sparse vector: term ids (unsigned 32 bit, ascending) and their weights."""

    indices: tuple[int, ...]
    values: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class Point:
    """What the index holds: a window of a chunk, a code example or a question, with its vectors."""

    id: str
    """UUID made from chunk id, kind and number: the same text keeps the same id."""
    chunk_id: str
    """The section it stands for (for code, the section around the example)."""
    source: str
    kind: PointKind
    number: int
    """From 0 within chunk and kind; window 0 carries the chunk's sparse vector."""
    text: str
    scopes: tuple[str, ...]
    """All folders of the route: ``("guide", "guide/components")``."""
    dense: Vector | None = None
    sparse: Sparse | None = None


@dataclass(frozen=True, slots=True)
class Bm25Model:
    """The length statistics that a source's BM25 weights were made with."""

    source: str
    documents: int
    average_length: float
    """Tokens a document."""
    vocabulary: tuple[str, ...] = ()
    """The distinct tokens, sorted: what is not among them may be a misspelling."""


@dataclass(frozen=True, slots=True)
class SourceManifest:
    """What one source contributes to a generation."""

    source: str
    commit: str
    version: str
    date: str
    """Of the docs' last commit, ISO 8601; ``""`` where unknown."""
    indexed: str
    """When it was ingested, ISO 8601 with offset."""
    origin: str
    pages: int
    chunks: int
    entities: int
    points: int
    licence: str = ""


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a generation holds, and the ingest settings that made it."""

    generation: str
    """``g000001``, ascending."""
    created: str
    fingerprint: str
    """Of the ingest sections of the config; a query with another one is refused."""
    embedder: str
    dims: int
    sources: tuple[SourceManifest, ...]
    points: int
    details: Mapping[str, Any] = field(default_factory=dict)
    """The ingest sections of the config in full, to name both sides when they differ."""

    def source(self, name: str) -> SourceManifest | None:
        """The entry of one source, or None where it is not indexed."""
        return next((entry for entry in self.sources if entry.source == name), None)


@dataclass(frozen=True, slots=True)
class Ingest:
    """The state that the ingest stages pass on: everything read so far, each record naming its source."""

    sources: tuple[str, ...]
    docs: Path | None = None
    """A folder of checkouts or exports named by source; None means clone."""
    checkouts: tuple[Checkout, ...] = ()
    pages: tuple[Page, ...] = ()
    chunks: tuple[Chunk, ...] = ()
    entities: tuple[Entity, ...] = ()
    questions: tuple[Question, ...] = ()
    points: tuple[Point, ...] = ()
    bm25: tuple[Bm25Model, ...] = ()
    manifest: Manifest | None = None
    """Set by store: the generation that is now published."""
    reports: tuple[str, ...] = ()
    """What a person should know: dead links, directives that name missing files, pages that no navigation names."""
    counts: Mapping[str, int] = field(default_factory=dict)
    """``embedded``, ``remembered``, ``pages``, ...: what the run did."""

    def count(self, **counts: int) -> Ingest:
        """The same state with these counts set."""
        return replace(self, counts={**self.counts, **counts})

    def report(self, *reports: str) -> Ingest:
        """The same state with these reports added."""
        return replace(self, reports=(*self.reports, *reports))


@dataclass(frozen=True, slots=True)
class Candidate:
    """A chunk under consideration, with the score of each signal that spoke for it."""

    chunk_id: str
    scores: Mapping[str, float]
    """``dense`` (own text), ``question``, ``sparse``, ``fused``, ``rerank``: raw, each on its own scale."""
    found_by: tuple[str, ...] = ()
    """In words: ``dense``, ``sparse``, ``question: how do I ...``, ``link from guide/...``."""
    chunk: Chunk | None = None
    """Set by resolve."""

    @property
    def order(self) -> float:
        """The score that ranks: ``rerank`` where there is one, else ``fused``."""
        return self.scores.get("rerank", self.scores["fused"])


@dataclass(frozen=True, slots=True)
class Hit:
    """One point that a leg returned."""

    point_id: str
    chunk_id: str
    kind: PointKind
    number: int
    score: float
    """Raw, on the leg's own scale: cosine, or BM25."""
    text: str = ""
    """The question's wording, for a question."""
    share: float = 0.0
    """What the hit adds to its chunk: set by search, scaled within its leg (minmax) or fused by the index (rrf, dbsf)."""


@dataclass(frozen=True, slots=True)
class Mention:
    """An entity that a query names, and how it was recognised."""

    entity: Entity
    how: Literal["exact", "bigram", "synonym", "typo"]
    words: str
    """The words of the query that name it."""


@dataclass(frozen=True, slots=True)
class Passage:
    """One section as the reader receives it."""

    chunk_id: str
    source: str
    title: str
    heading_path: tuple[str, ...]
    url: str
    version: str
    indexed: str
    text: str
    tokens: int
    """Estimated, see vuedocs.tokens."""
    scores: Mapping[str, float]
    found_by: tuple[str, ...]
    api_style: ApiStyle = "both"
    since: str = ""
    cut: bool = False
    """Whether the text ends before the section does."""


@dataclass(frozen=True, slots=True)
class Omitted:
    """A section that was found but is not in the answer, and why."""

    chunk_id: str
    title: str
    url: str
    reason: str
    """``budget``, ``max_results``, ``below the floor`` or ``see also``."""


@dataclass(frozen=True, slots=True)
class Search:
    """The state that the query stages pass on."""

    query: str
    sources: tuple[str, ...] = ()
    """Empty: all."""
    scope: str = "all"
    max_results: int | None = None
    """None: as the config says."""
    max_tokens: int | None = None
    skip: int = 0
    """Sections of the order that earlier pages of the answer have shown (the cursor)."""
    dense: Vector | None = None
    sparse: Sparse | None = None
    mentions: tuple[Mention, ...] = ()
    legs: Mapping[str, tuple[Hit, ...]] = field(default_factory=dict)
    """``dense`` (windows and code), ``question`` and ``sparse``, each best first."""
    candidates: tuple[Candidate, ...] = ()
    """Best first."""
    passages: tuple[Passage, ...] = ()
    """In reading order."""
    omitted: tuple[Omitted, ...] = ()
    text: str = ""
    """The answer as one small Markdown document."""
    cursor: str = ""
    """Where the rest begins; ``""`` when nothing is left."""
    notes: tuple[str, ...] = ()
    """What the reader must be told: a widened scope, a spelling that was guessed."""
    degraded: tuple[str, ...] = ()
    """Names of stages that failed and were gone round."""

    def note(self, *notes: str) -> Search:
        """The same state with these notes added."""
        return replace(self, notes=(*self.notes, *notes))
