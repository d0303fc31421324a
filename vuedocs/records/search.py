"""The state that the query stages pass on, and what it is made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

from vuedocs.records.docs import ApiStyle, Chunk, Entity
from vuedocs.records.index import PointKind, Sparse, Vector


class Hit(NamedTuple):
    """One point that a leg returned; a tuple, because a query makes hundreds. Chunk, kind and number name the point."""

    chunk_id: str
    kind: PointKind
    number: int
    score: float
    """Raw, on the leg's own scale: cosine, or BM25."""
    text: str = ""
    """The question's wording, for a question."""
    share: float = 0.0
    """What the hit adds to its chunk: set by search, scaled within its leg (minmax) or fused by the index (rrf, dbsf)."""

    def sharing(self, share: float) -> Hit:
        """The same hit with this share; ``_replace`` takes four times as long, which hundreds of hits make a millisecond."""
        return Hit(self.chunk_id, self.kind, self.number, self.score, self.text, share)


@dataclass(frozen=True, slots=True)
class Mention:
    """An entity that a query names, and how it was recognised."""

    entity: Entity
    how: Literal["exact", "bigram", "synonym", "typo"]
    words: str
    """The words of the query that name it."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A chunk under consideration, with the score of each signal that spoke for it."""

    chunk_id: str
    scores: Mapping[str, float]
    """``dense`` (own text), ``question``, ``sparse``, ``name``, ``fused``, ``page``, ``rerank``: raw, each on its own scale."""
    found_by: tuple[str, ...] = ()
    """In words: ``meaning``, ``words``, ``name``, ``example``, ``question: how do I ...``, ``link from <title>``."""
    chunk: Chunk | None = None
    """Set by resolve."""

    @property
    def order(self) -> float:
        """The score that ranks: ``rerank`` where there is one, else ``fused`` and what its ``page`` adds."""
        return self.scores.get("rerank", self.scores["fused"] + self.scores.get("page", 0.0))


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


@dataclass(frozen=True, slots=True, repr=False)
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
    """``dense`` (windows and code), ``question`` and ``sparse``, each best first; ``name`` where the query is an API's name."""
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

    def __repr__(self) -> str:
        """The question and how far it has come."""
        return f"Search({self.query!r}, {len(self.candidates)} candidates, {len(self.passages)} passages)"
