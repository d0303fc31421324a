"""The state that the ingest stages pass on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from vuedocs.records.docs import Checkout, Chunk, Entity, Page, Question
from vuedocs.records.index import Bm25Model, Manifest, Point


@dataclass(frozen=True, slots=True, repr=False)
class Ingest:
    """The state that the ingest stages pass on: everything read so far, each record naming its source."""

    sources: tuple[str, ...]
    docs: Path | None = None
    """A folder of checkouts or exports named by source; None means clone."""
    refs: Mapping[str, str] = field(default_factory=dict)
    """The commit to clone of a source, where it is not the registry's pinned one."""
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
    left_out: tuple[tuple[str, str], ...] = ()
    """(source, why) of each file that should be a page and could not be read; these stand in ``reports`` too."""
    counts: Mapping[str, int] = field(default_factory=dict)
    """``embedded``, ``remembered``, ``pages``, ...: what the run did."""

    def count(self, **counts: int) -> Ingest:
        """The same state with these counts set."""
        return replace(self, counts={**self.counts, **counts})

    def report(self, *reports: str) -> Ingest:
        """The same state with these reports added."""
        return replace(self, reports=(*self.reports, *reports))

    def __repr__(self) -> str:
        """The numbers only: asyncio writes out a task's result when it ends, and a state holds a whole site."""
        sizes = {name: len(getattr(self, name)) for name in ("pages", "chunks", "entities", "questions", "points")}
        return f"Ingest(sources={self.sources}, " + ", ".join(f"{name}: {size:,}" for name, size in sizes.items()) + ")"
