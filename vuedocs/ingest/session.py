"""One ingest from start to end: what the CLI and the demo call, and the clients that notebooks open for single stages."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from vuedocs.clients import Progress
from vuedocs.clients.engines import open_builder, open_database, open_embedder, open_writers
from vuedocs.clients.ledger import Ledger, Total, new_run, totals
from vuedocs.clients.services import Services
from vuedocs.config import Config
from vuedocs.errors import UsageError
from vuedocs.ingest import INGEST_STAGES
from vuedocs.ingest.clients import IngestClients
from vuedocs.ingest.fetch import docs_in
from vuedocs.ingest.store import check_fits
from vuedocs.records import Ingest
from vuedocs.settings import Settings
from vuedocs.sources import find
from vuedocs.stages import Result, run


def silent(words: str, done: int, total: int) -> None:
    """A progress that nobody sees."""


@asynccontextmanager
async def ingest_clients(config: Config, settings: Settings, progress: Progress = silent) -> AsyncIterator[IngestClients]:
    """The engines that ingest stages use, closed at the end."""
    database = await open_database(settings)
    services = Services(settings, Ledger(new_run("ingest"), database.enter_spending, settings.max_cost))
    try:
        builder = await open_builder(settings, database, config.store.quantisation)
        embedder = await asyncio.to_thread(open_embedder, config.embed, settings, services)
        try:
            yield IngestClients(
                embedder=embedder,
                database=database,
                builder=builder,
                home=settings.home,
                fingerprint=config.shape(),
                details=config.shaping(),
                progress=progress,
                writers=await asyncio.to_thread(open_writers, config, settings, services),
                ledger=services.ledger,
            )
        finally:
            await embedder.aclose()
            await services.aclose()
            await builder.aclose()
    finally:
        await database.aclose()


def begin(sources: Sequence[str], docs: Path | None) -> Ingest:
    """The state that ingest starts from; SourceError for a source that the registry does not know or that ``docs`` lacks."""
    if not sources:
        raise UsageError("name at least one source to ingest, such as `vuedocs ingest vue`; `vuedocs sources` lists them")
    for source in map(find, sources):
        if docs is not None and not source.bundled:
            docs_in(source, docs)
    return Ingest(sources=tuple(dict.fromkeys(find(source).name for source in sources)), docs=docs)


async def ingest(
    sources: Sequence[str],
    config: Config,
    settings: Settings,
    *,
    progress: Progress = silent,
) -> Result[Ingest]:
    """Ingests sources and publishes a generation; what was published before serves until then."""
    return (await ingest_paid(sources, config, settings, progress=progress))[0]


async def ingest_paid(
    sources: Sequence[str],
    config: Config,
    settings: Settings,
    *,
    progress: Progress = silent,
) -> tuple[Result[Ingest], list[Total]]:
    """As :func:`ingest`, with what was paid for it by provider, model and stage."""
    start = begin(sources, settings.docs)
    async with ingest_clients(config, settings, progress) as clients:
        check_fits(await clients.database.published(), clients, start.sources)
        await clients.builder.ready()
        result = await run(INGEST_STAGES, start, config, clients)
        return result, totals(clients.ledger.entries if clients.ledger else ())
