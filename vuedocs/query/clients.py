"""What query stages may use."""

from __future__ import annotations

from dataclasses import dataclass

from vuedocs.clients import Embedder, Reranker, VectorIndex
from vuedocs.query.library import Library
from vuedocs.settings import PATIENT, Deadlines


@dataclass(frozen=True, slots=True)
class QueryClients:
    """The engines and the open generation that a search reads."""

    embedder: Embedder
    index: VectorIndex
    library: Library
    reranker: Reranker | None = None
    """None when config.rerank.method needs no service."""
    deadlines: Deadlines = PATIENT
