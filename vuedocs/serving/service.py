"""The service behind the protocol: opens the published generation in the background and follows newer ones.

Calls wait for it; nothing else does. Where there is no index yet, it keeps looking, so that an index made later is served
without a restart.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import AsyncIterator
from contextvars import ContextVar
from typing import TYPE_CHECKING

from vuedocs.errors import NotIndexedError, StorageError, VuedocsError
from vuedocs.serving.observing import CallLog, Observer
from vuedocs.serving.query_log import QueryLog
from vuedocs.serving.readers import Following, ObservedReading, OpenReader
from vuedocs.serving.readers import Reading as Reading

if TYPE_CHECKING:
    from vuedocs.config import Config
    from vuedocs.query.reader import Reader
    from vuedocs.records import Manifest
    from vuedocs.settings import Settings

logger = logging.getLogger(__name__)

WAIT_SECONDS = 30.0
"""Longest time that a call waits for the index to open."""
LOOK_SECONDS = 60.0
"""Between looks for a newer generation where no notice of one arrives."""
CLOSE_SECONDS = 1.0
"""Longest time that closing may take: a client that has gone expects the process to end within two seconds."""


class NotReadyError(VuedocsError):
    """The index is still being opened."""


_steady: ContextVar[Steady | None] = ContextVar("vuedocs_steady", default=None)


class Steady:
    """What one request reads: the generation that was served when it first asked, kept open until it ends."""

    def __init__(self, stack: contextlib.AsyncExitStack) -> None:
        self._stack = stack
        self._reading: Reading | None = None

    async def of(self, reader: Following) -> Reading:
        """The request's generation of ``reader``."""
        if self._reading is None:
            self._reading = await self._stack.enter_async_context(reader.steady())
        return self._reading


class Service:
    """One reader for the life of the server. ``retry`` is the seconds between tries while nothing can be opened or listened to,
    ``delay`` those before the first opening, which leave the processor to the client's first requests."""

    def __init__(
        self, open_reader: OpenReader, *, query_log: QueryLog | None = None, retry: float = 1.0, delay: float = 0.0
    ) -> None:
        self._open_reader = open_reader
        self._retry = retry
        self._delay = delay
        self._reader: Following | None = None
        self.observers: list[Observer] = [CallLog(), *([query_log] if query_log else [])]
        self._query_log = query_log
        self._wanted = asyncio.Event()
        self._settled = asyncio.Event()
        self.failure: VuedocsError | None = None
        """Why there is no reader; None while it is open or still being opened."""
        self.started = time.monotonic()

    @property
    def opened(self) -> Following | None:
        """The reader, where it is open by now."""
        return self._reader

    async def reader(self) -> Reading:
        """The open reader; waits while it is being opened. Raises what kept it from opening, or NotReadyError.

        Within :meth:`steady` it stays with one generation; elsewhere it moves on when a newer one is published.
        """
        self._wanted.set()
        if self._reader is None and self.failure is None:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._settled.wait(), WAIT_SECONDS)
        if self._reader is not None:
            steady = _steady.get()
            return ObservedReading(await steady.of(self._reader) if steady else self._reader, self.observers)
        raise self.failure or NotReadyError("The index is still being opened; ask again in a few seconds.")

    @contextlib.asynccontextmanager
    async def steady(self) -> AsyncIterator[None]:
        """All that is read in the context is of one generation, which is not closed before the context ends."""
        async with contextlib.AsyncExitStack() as stack:
            token = _steady.set(Steady(stack))
            try:
                yield
            finally:
                _steady.reset(token)

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[Service]:
        """Opens and follows in the background for as long as the context lasts."""
        background = [asyncio.create_task(self._supervise(), name="vuedocs-supervise")]
        if self._query_log:
            keeping = self._query_log.keep(lambda: self._reader.database.queries if self._reader else None)
            background.append(asyncio.create_task(keeping, name="vuedocs-query-log"))
        try:
            yield self
        finally:
            for task in background:
                task.cancel()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(CLOSE_SECONDS):
                    await asyncio.wait(background)
                    if self._query_log and self._reader:
                        await self._query_log.write(self._reader.database.queries)
                    await self._close()

    async def _supervise(self) -> None:
        """Follows for ever: a crash is logged and said to callers, and following begins again."""
        while True:
            follower = asyncio.create_task(self._follow(), name="vuedocs-follow")
            try:
                await asyncio.wait([follower])
            finally:
                follower.cancel()
            logger.error("following the index crashed", exc_info=follower.exception())
            self.failure = StorageError("The index cannot be opened because of an internal error; the server's log says more.")
            self._settled.set()
            await asyncio.sleep(self._retry)

    async def _follow(self) -> None:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._wanted.wait(), self._delay)
        while self._reader is None:
            await self._open()
            await asyncio.sleep(self._retry)
        told = ""
        while True:
            try:
                if await self._reader.refresh(LOOK_SECONDS):
                    self._tell(self._reader.manifest, first=False)
                told = ""
            except VuedocsError as error:
                if str(error) != told:
                    logger.warning("no newer generation can be taken up: %s: %s", type(error).__name__, error)
                told = str(error)
                await asyncio.sleep(self._retry)

    async def _open(self) -> None:
        try:
            self._reader = await self._open_reader()
        except VuedocsError as error:
            if str(error) != str(self.failure):
                logger.warning("no index is open: %s: %s", type(error).__name__, error)
            self.failure = error
        else:
            self.failure = None
            self._tell(self._reader.manifest, first=True)
        self._settled.set()

    def _tell(self, manifest: Manifest, first: bool) -> None:
        for observer in self.observers:
            observer.generation_opened(manifest, first)

    async def _close(self) -> None:
        reader, self._reader = self._reader, None
        self._settled.clear()
        if reader is not None:
            await reader.aclose()


def service(config: Config, settings: Settings, *, delay: float = 0.0) -> Service:
    """The service over the published index, with the query log where the settings ask for it."""
    days = settings.server.query_log_days
    return Service(opener(config, settings), query_log=QueryLog(days) if days else None, delay=delay)


def opener(config: Config, settings: Settings) -> OpenReader:
    """Opens the project's own reader; its imports (models, index, database) run in a thread, beside the first requests."""

    def load() -> type[Reader]:
        from vuedocs.query.reader import Reader

        return Reader

    async def open_reader() -> Following:
        reader_class = await asyncio.to_thread(load)
        return await reader_class.open(config, settings, interactive=True)

    return open_reader


def how_to_index(error: NotIndexedError) -> str:
    """The error's own words, with the remedy where they do not hold it."""
    text = str(error)
    remedy = "Run `vuedocs ingest vue` to make an index; it is served as soon as it is there."
    return text if "vuedocs ingest" in text else f"{text} {remedy}"
