"""A small index in memory that stands where the reader would."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from vuedocs.config import Config, load
from vuedocs.errors import DatabaseError, NotIndexedError, VuedocsError
from vuedocs.query.library import Library
from vuedocs.records import Bm25Model, Chunk, Entity, Link, LoggedQuery, Manifest, Omitted, Page, Passage, Search, SourceManifest
from vuedocs.records.watch import Hold, Watched, Watcher, Watching
from vuedocs.serving.service import Service
from vuedocs.stages import Result, Step

FAKE_SERVER = Path(__file__).parent / "fake_server.py"
"""A script that serves this index as server.py serves the real one."""
SLOW = "take your time"
"""A query that takes a second."""
HANGING = "do not come back"
"""A query that holds a thread for a minute."""
URL = "https://vuejs.org/guide/essentials/computed.html"
INDEXED = "2026-10-25T12:00:00+00:00"


def source(name: str, version: str, pages: int = 2, points: int = 10) -> SourceManifest:
    return SourceManifest(
        source=name, commit="0123456789abcdef", version=version, date="2026-10-20T08:00:00+00:00", indexed=INDEXED,
        origin="folder docs", pages=pages, chunks=4, entities=2, points=points, licence="CC BY 4.0",
    )  # fmt: skip


MANIFEST = Manifest(
    generation="g000001", created=INDEXED, fingerprint="abc", embedder="fake", dims=3, points=20,
    sources=(source("vue", "3.5.13"), source("vue-router", "4.5.0")),
)  # fmt: skip


def chunk(path: str, anchor: str, title: str, place: int, text: str, source: str = "vue", **more: Any) -> Chunk:
    kind = more.pop("kind", "section" if anchor else "page")
    page = "Computed Properties" if path.endswith("computed") else "Reactivity API"
    ending = f"#{anchor}" if anchor else ""
    below = (*more.pop("above", ()), title) if anchor else ()
    site = {"vue": "vuejs.org", "vue-router": "router.vuejs.org"}[source]
    return Chunk(
        id=f"{source}/{path}{ending}", source=source, path=path, route=path, kind=kind, anchor=anchor,
        url=f"https://{site}/{path}.html{ending}", title=title, heading_path=(page, *below),
        position=(0, place), text=text, content_hash="0" * 64, **more,
    )  # fmt: skip


COMPUTED = "guide/essentials/computed"
CORE = "api/reactivity-core"
ROUTER = "api/index"
CHUNKS = (
    chunk(COMPUTED, "", "Computed Properties", 0, "# Computed Properties\n\nDerived state."),
    chunk(COMPUTED, "caching", "Caching vs. Methods", 1, "## Caching vs. Methods\n\nA computed property is cached.",
          entities=("computed",), links=(Link(f"{CORE}#computed", "computed()", "high"),)),
    chunk(COMPUTED, "why", "Why", 2, "### Why\n\nIt is cheaper.", kind="subsection", above=("Caching vs. Methods",)),
    chunk(CORE, "", "Reactivity API", 0, "# Reactivity API\n\nAll of it."),
    chunk(CORE, "computed", "computed()", 1,
          "## computed() {#computed}\n\nTakes a getter.\n\n```ts\nfunction computed<T>(getter: () => T): Ref<T>\n```\n",
          entities=("computed", "ref"), links=(Link(f"{COMPUTED}#caching", "Guide", "high"),)),
    chunk(CORE, "watch", "watch()", 2, "## watch() {#watch}\n\nWatches a source of state."),
    chunk(ROUTER, "watch", "watch()", 0, "## watch() {#watch}\n\nWatches the route.", "vue-router"),
)  # fmt: skip
ENTITIES = (
    Entity("computed", "global API", "vue", f"vue/{CORE}#computed", ("computed property",), since="3.0", description="A getter."),
    Entity("ref", "global API", "vue", f"vue/{CORE}", description="A box."),
    Entity("watch", "global API", "vue", f"vue/{CORE}#watch", description="Watches a source of state."),
    Entity("watch", "function", "vue-router", f"vue-router/{ROUTER}#watch", description="Watches the route."),
    Entity("$emit", "instance member", "vue", f"vue/{CORE}", description="Triggers an event."),
    Entity("app.config.globalProperties", "application API", "vue", f"vue/{CORE}"),
    Entity("KeepAlive", "component", "vue", f"vue/{CORE}", aliases=("keep-alive",)),
)
PAGES = tuple(
    Page(source, path, path, f"https://{site}/{path}.html", title, group, place, "A page.", f"# {title}", "0" * 64)
    for place, (source, site, path, title, group) in enumerate(
        [
            ("vue", "vuejs.org", COMPUTED, "Computed Properties", "Essentials"),
            ("vue", "vuejs.org", CORE, "Reactivity API", "Reactivity"),
            ("vue-router", "router.vuejs.org", ROUTER, "Router API", ""),
        ]
    )
)


def passage(number: int, text: str) -> Passage:
    return Passage(
        chunk_id=f"vue/{COMPUTED}#s{number}", source="vue", title=f"Section {number}",
        heading_path=("Computed Properties", f"Section {number}"), url=f"{URL}#s{number}",
        version="3.5.13", indexed=INDEXED, text=text, tokens=len(text) // 4, scores={"dense": 0.5, "fused": 0.87654321},
        found_by=("dense", "question: why cache?"), since="3.4",
        api_style="composition",
    )  # fmt: skip


class FakeDatabase:
    """Chunks and pages in tuples, of whatever generation."""

    def __init__(self) -> None:
        self.queries = FakeQueries()

    async def watched(self) -> Watching:
        held = Hold("judge", "abc", ("pages fell from 4 to 1",), "2026-11-30T02:00:00+00:00")
        night = datetime(2026, 11, 29, 2, tzinfo=UTC)
        return Watcher("a machine", 86_400.0, night, night), (
            Watched("vue", succeeded=night, failures=2, error="down"), Watched("pinia", held=held),
        )  # fmt: skip

    async def chunks(self, generation: str, ids: Sequence[str]) -> dict[str, Chunk]:
        return {chunk.id: chunk for chunk in CHUNKS if chunk.id in ids}

    async def page_chunks(self, generation: str, source: str, path: str) -> tuple[Chunk, ...]:
        return tuple(chunk for chunk in CHUNKS if (chunk.source, chunk.path) == (source, path))

    async def all_chunks(self, generation: str, source: str | None = None) -> tuple[Chunk, ...]:
        return tuple(chunk for chunk in CHUNKS if source in (None, chunk.source))

    async def pages(self, generation: str, source: str | None = None) -> tuple[Page, ...]:
        return tuple(page for page in PAGES if source in (None, page.source))


def small_library() -> Library:
    """The library of this index."""
    return Library(FakeDatabase(), MANIFEST, ENTITIES, (Bm25Model("vue", 1, 3.0, ("cach", "cache", "watch")),))  # type: ignore[arg-type]


@dataclass
class FakeQueries:
    """Keeps what was asked in a list, unless the database is down."""

    kept: list[LoggedQuery] = field(default_factory=list)
    down: bool = False

    async def write(self, queries: Sequence[LoggedQuery]) -> None:
        if self.down:
            raise DatabaseError("down")
        self.kept += queries

    async def forget(self, before: datetime) -> int:
        young = [entry for entry in self.kept if entry.asked >= before]
        forgotten = len(self.kept) - len(young)
        self.kept[:] = young
        return forgotten


@dataclass
class FakeReader:
    """Answers every query with sections of ``section_characters`` up to the budget, of 20 that it has."""

    manifest: Manifest = MANIFEST
    section_characters: int = 400
    checks: dict[str, str] = field(default_factory=lambda: {"data": "ok", "database": "ok", "qdrant": "ok"})
    error: Exception | None = None
    searches: list[Search] = field(default_factory=list)
    newer: list[Manifest] = field(default_factory=list)
    lost: list[VuedocsError] = field(default_factory=list)
    checked: int = 0
    held: int = 0
    config: Config = field(default_factory=load)
    closed: bool = False
    database: FakeDatabase = field(default_factory=lambda: FakeDatabase())
    library: Library = field(default_factory=small_library)

    async def search(self, search: Search, *, progress: Any = None, **_: Any) -> Result[Search]:
        self.searches.append(search)
        if self.error:
            raise self.error
        if search.query == SLOW:
            await asyncio.sleep(1)
        if search.query == HANGING:
            await asyncio.to_thread(time.sleep, 60)
        for done, stage in enumerate(("detect", "search")):
            progress(stage, done, 2)
            await asyncio.sleep(0)
        progress("search", 2, 2)
        print("a stray print")
        return Result(self.answer(search), (Step("search", search, 1.0),))

    def answer(self, search: Search) -> Search:
        assert search.max_results is not None
        assert search.max_tokens is not None
        fitting = max(1, min(search.max_results, search.max_tokens * 4 // self.section_characters, 20 - search.skip))
        passages = tuple(passage(search.skip + n, "x" * self.section_characters) for n in range(fitting))
        shown = search.skip + fitting
        omitted = tuple(Omitted(f"vue/s{n}", f"Section [{n}]", f"{URL}#s{n}", "budget") for n in range(shown, 20))
        return replace(
            search,
            passages=passages,
            omitted=(
                *omitted[:3],
                Omitted("vue/z", "Hardly it", "https://vuejs.org/z.html", "below the floor"),
                Omitted("vue/x", "Elsewhere", "https://vuejs.org/x.html", "see also"),
            ),
            text="\n\n".join(f"## [{p.title}]({p.url})\n\n{p.text}" for p in passages),
            cursor=str(shown) if shown < 20 else "",
            notes=("the scope was widened",) if search.scope == "nowhere" else (),
            degraded=("rerank",) if search.scope == "degraded" else (),
        )

    @contextlib.asynccontextmanager
    async def steady(self) -> AsyncIterator[FakeReader]:
        self.held += 1
        try:
            yield replace(self)
        finally:
            self.held -= 1

    async def refresh(self, seconds: float = 0.0) -> bool:
        if self.lost:
            raise self.lost.pop()
        if not self.newer:
            await asyncio.sleep(0.01)
            return False
        self.manifest = self.newer.pop(0)
        return True

    async def check(self) -> dict[str, str]:
        self.checked += 1
        return self.checks

    async def aclose(self) -> None:
        self.closed = True


def service_over(reader: FakeReader | None) -> Service:
    """A service that opens ``reader``, or finds no index where it is None."""

    async def open_reader() -> FakeReader:
        if reader is None:
            raise NotIndexedError("Nothing is indexed yet.")
        return reader

    return Service(open_reader, retry=0.01)
