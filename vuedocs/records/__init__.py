"""The records that every stage shares: frozen, typed, compared by value.

Names are the field's: a *page* is a file of documentation, a *chunk* the indexed unit, a *window* the piece of a chunk that is
embedded, a *question* a hypothetical one that a chunk answers (HyPE), a *candidate* a chunk under consideration for a query, a
*passage* what the reader receives. A *section key* is ``<path>#<anchor>``, or ``<path>`` for a page's own text before its first
H2; a chunk id is ``<source>/<section key>``, followed by ``~code-<n>`` for the n-th example of a section.
"""

from __future__ import annotations

from vuedocs.records.docs import ApiStyle, Checkout, Chunk, ChunkKind, Entity, Link, LinkPriority, Page, Question, scopes_of
from vuedocs.records.index import Bm25Model, Manifest, Point, PointKind, SourceManifest, Sparse, Vector, Window
from vuedocs.records.ingest import Ingest
from vuedocs.records.queries import LoggedQuery
from vuedocs.records.search import Candidate, Hit, Mention, Omitted, Passage, Search
from vuedocs.records.watch import Hold, Watched, Watcher

__all__ = [
    "ApiStyle",
    "Bm25Model",
    "Candidate",
    "Checkout",
    "Chunk",
    "ChunkKind",
    "Entity",
    "Hit",
    "Hold",
    "Ingest",
    "Link",
    "LinkPriority",
    "LoggedQuery",
    "Manifest",
    "Mention",
    "Omitted",
    "Page",
    "Passage",
    "Point",
    "PointKind",
    "Question",
    "Search",
    "SourceManifest",
    "Sparse",
    "Vector",
    "Watched",
    "Watcher",
    "Window",
    "scopes_of",
]
