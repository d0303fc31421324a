"""Reader: a published generation, open for searching; what the bench, the server, the CLI and the notebooks share."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager

from vuedocs.clients import Database, Embedder, IndexBuilder, Lease, VectorIndex
from vuedocs.clients.engines import open_builder, open_database, open_embedder, open_reranker
from vuedocs.clients.ledger import Entry, Ledger, new_run
from vuedocs.clients.services import Services
from vuedocs.config import Config
from vuedocs.errors import NotIndexedError, QueryError, VuedocsError
from vuedocs.query import QUERY_STAGES
from vuedocs.query.checks import outcomes
from vuedocs.query.clients import QueryClients
from vuedocs.query.fitting import check_embedder, check_fits, check_sources, fitting
from vuedocs.query.library import Library
from vuedocs.query.recent import Interactive, Recent
from vuedocs.records import Chunk, Manifest, Page, Search
from vuedocs.settings import Settings
from vuedocs.stages import Progress, Result, Reuse, run

CHECK_SECONDS = 2.0
"""Longest time that a check of :meth:`Reader.check` may take."""


class Generation:
    """An open generation, held against pruning; closed when it has been left and the last search on it has ended."""

    def __init__(self, index: VectorIndex, library: Library, lease: Lease) -> None:
        self.index = index
        self.library = library
        self.lease = lease
        self._readers = 0
        self._left = False
        self._closing: asyncio.Task[None] | None = None

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[Generation]:
        """Keeps the generation open meanwhile."""
        self._readers += 1
        try:
            yield self
        finally:
            self._readers -= 1
            await self._close_if_unused()

    async def leave(self) -> None:
        """No new search will come."""
        self._left = True
        await self._close_if_unused()

    async def _close_if_unused(self) -> None:
        if self._left and self._readers == 0 and self._closing is None:
            self._closing = asyncio.create_task(self._close())
            await asyncio.shield(self._closing)  # goes on where the last reader was cancelled

    async def _close(self) -> None:
        try:
            await self.index.aclose()
        finally:
            await self.lease.aclose()


class Reading:
    """The query pipeline over one generation."""

    def __init__(
        self,
        config: Config,
        generation: Generation,
        embedder: Embedder,
        services: Services | None = None,
        interactive: Interactive | None = None,
    ) -> None:
        self.config = config
        self._generation = generation
        self._embedder = embedder
        self._services = services
        self._interactive = interactive

    @property
    def library(self) -> Library:
        """The text of the generation."""
        return self._generation.library

    @property
    def manifest(self) -> Manifest:
        """Of the generation."""
        return self.library.manifest

    @property
    def embedder(self) -> Embedder:
        """What queries are embedded by."""
        return self._embedder

    async def search(
        self,
        search: Search,
        *,
        config: Config | None = None,
        skip: Sequence[str] = (),
        reuse: Reuse[Search] | None = None,
        progress: Progress | None = None,
    ) -> Result[Search]:
        """Runs the six stages. NotIndexedError for a source that the index does not hold, QueryError for a bad query.

        ``config`` replaces the reader's own for this search; it must fit the index.
        """
        chosen = config or self.config
        async with self._generation.reading() as generation:
            manifest = generation.library.manifest
            check_fits(manifest, chosen)
            check_sources(manifest, search.sources)
            if search.max_results is not None and search.max_results < 1:
                raise QueryError(f"max_results is {search.max_results}; it must be 1 or more")
            if search.max_tokens is not None and search.max_tokens < 1:
                raise QueryError(f"max_tokens is {search.max_tokens}; it must be 1 or more")
            reranker = open_reranker(chosen.rerank, self._services)
            clients = QueryClients(self._embedder, generation.index, generation.library, reranker)
            if self._interactive is None:
                return await run(QUERY_STAGES, search, chosen, clients, skip=skip, progress=progress, reuse=reuse)
            return await self._interactive.search(search, chosen, clients, skip, progress)

    @property
    def paid(self) -> Sequence[Entry]:
        """The paid calls of this reader's searches so far; of an interactive one none, the database has them."""
        return self._services.ledger.entries if self._services else ()

    async def pages(self, source: str | None = None) -> tuple[Page, ...]:
        """All pages of a source, or of all, in reading order."""
        return await self.library.pages(source)

    async def chunks(self, source: str | None = None) -> tuple[Chunk, ...]:
        """All chunks of a source, or of all, in reading order."""
        return await self.library.all_chunks(source)


class Reader(Reading):
    """The query pipeline over the published generation; moves to a newer one by :meth:`refresh`."""

    def __init__(
        self,
        config: Config,
        database: Database,
        builder: IndexBuilder,
        embedder: Embedder,
        generation: Generation,
        services: Services | None = None,
        interactive: Interactive | None = None,
    ) -> None:
        super().__init__(config, generation, embedder, services, interactive)
        self.database = database
        self._builder = builder
        self._refreshing = asyncio.Lock()

    @classmethod
    async def open(cls, config: Config, settings: Settings, *, interactive: bool = False) -> Reader:
        """Opens what is published. NotIndexedError when nothing is, MismatchError when the config does not fit it.

        ``interactive`` is for people who wait: searches have deadlines, and one that is repeated soon is answered from memory.
        Without it, as for measuring, every search is made and rate limits are waited for.
        """
        async with AsyncExitStack() as opened:
            database = await open_database(settings)
            opened.push_async_callback(database.aclose)
            manifest = fitting(await database.published(), config)
            ledger = Ledger(new_run("query"), database.enter_spending, settings.max_cost, endless=interactive)
            services = Services(settings, ledger)
            loading = asyncio.create_task(asyncio.to_thread(open_embedder, config.embed, settings, services))
            opened.push_async_callback(_close_loaded, loading)
            builder = await open_builder(settings, database)
            opened.push_async_callback(builder.aclose)
            generation = await open_generation(manifest, config, database, builder)  # beside the model: either takes its time
            opened.push_async_callback(generation.leave)
            embedder = await loading
            check_embedder(manifest, embedder)
            opened.pop_all()
        manner = Interactive(settings.deadlines, Recent()) if interactive else None
        return cls(config, database, builder, embedder, generation, services, manner)

    @asynccontextmanager
    async def steady(self) -> AsyncIterator[Reading]:
        """The generation that is read now, which stays open and the same meanwhile, whatever is published."""
        async with self._generation.reading() as generation:
            yield Reading(self.config, generation, self._embedder, self._services, self._interactive)

    async def refresh(self, seconds: float = 0.0) -> bool:
        """Moves to the published generation if it is another one, or as soon as another is published within so many ``seconds``;
        searches that run finish on the old one. True if it moved.

        Where the other one cannot be opened, the old one is read on, and goes on being held against pruning.
        """
        async with self._refreshing:
            published = await self.database.wait_published(self.manifest.generation, 0)
            if published is None:
                await self._generation.lease.renew()
                published = await self.database.wait_published(self.manifest.generation, seconds)
            if published is None:
                return False
            old = self._generation
            try:
                check_embedder(published, self._embedder)
                self._generation = await open_generation(published, self.config, self.database, self._builder)
            except VuedocsError:
                await old.lease.renew()
                raise
            await old.leave()
            return True

    async def check(self) -> dict[str, str]:
        """Whether data, database and vector index can be read right now: ``ok``, or the name of the error.

        The three are asked at the same time; what does not answer within CHECK_SECONDS is not well.
        """
        return await outcomes(
            {"data": self._check_data(), "database": self.database.ping(), "qdrant": self._check_index()}, CHECK_SECONDS
        )

    async def _check_data(self) -> None:
        if await self.database.published() is None:
            raise NotIndexedError("nothing is published")

    async def _check_index(self) -> None:
        async with self._generation.reading() as generation:
            await generation.index.count()

    async def aclose(self) -> None:
        """Closes index, model and database."""
        await self._generation.leave()
        await self._builder.aclose()
        await self._embedder.aclose()
        if self._services is not None:
            await self._services.aclose()
        await self.database.aclose()


async def open_generation(manifest: Manifest | None, config: Config, database: Database, builder: IndexBuilder) -> Generation:
    manifest = fitting(manifest, config)
    holding = asyncio.create_task(database.hold(manifest.generation))
    opening = asyncio.create_task(builder.open(manifest.generation, manifest.dims))
    reading = asyncio.create_task(Library.open(database, manifest))
    parts = holding, opening, reading  # at the same time: who serves meanwhile is busy
    try:
        await asyncio.wait(parts)
        lease, index, library = holding.result(), opening.result(), reading.result()
        return Generation(index, library, lease)
    except BaseException:
        for part in parts:
            part.cancel()
        for opened in await asyncio.gather(holding, opening, return_exceptions=True):
            if not isinstance(opened, BaseException):
                await opened.aclose()
        raise


async def _close_loaded(loading: asyncio.Task[Embedder]) -> None:
    (embedder,) = await asyncio.gather(loading, return_exceptions=True)
    if not isinstance(embedder, BaseException):
        await embedder.aclose()
