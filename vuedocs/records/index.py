"""What an index holds: points with their vectors, the statistics they were made with, and the manifest of a generation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

Vector = npt.NDArray[np.float32]
"""A dense vector, shape (dims,), unit length."""

PointKind = Literal["window", "code", "question"]


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
    dense: Vector | None = field(default=None, repr=False)
    sparse: Sparse | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True, eq=False)
class Window:
    """A window's vectors alone: what a search needs of the sections that it found."""

    chunk_id: str
    dense: Vector
    terms: npt.NDArray[np.uint32]
    """Ids of the chunk's terms, each once; none but on its first window."""
    weights: npt.NDArray[np.float64]
    """BM25 weights of these, without IDF."""


@dataclass(frozen=True, slots=True)
class Bm25Model:
    """The length statistics that a source's BM25 weights were made with."""

    source: str
    documents: int
    average_length: float
    """Tokens a document."""
    vocabulary: tuple[str, ...] = ()
    """The distinct tokens, sorted: what is not among them may be a misspelling."""
    frequencies: tuple[int, ...] = ()
    """In how many documents each of them is; empty in indexes that are older than this field."""


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
    left_out: int = 0
    """Files that should be pages and could not be read."""

    @property
    def state(self) -> str:
        """What was indexed, in short: the version, or the commit where it has none."""
        return self.version or self.commit[:12]


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
    engines: Mapping[str, str] = field(default_factory=dict)
    """What made it: the vector ``index`` with its version, the ``embedder``, and the language models of ``enrich`` and ``hype``
    where they wrote for it. Empty in generations that are older than this field."""

    @property
    def source_names(self) -> list[str]:
        """What it holds, in its order."""
        return [entry.source for entry in self.sources]

    def source(self, name: str) -> SourceManifest | None:
        """The entry of one source, or None where it is not indexed."""
        return next((entry for entry in self.sources if entry.source == name), None)
