"""The service behind the protocol: opens the published generation in the background and follows newer ones.

Calls wait for it; nothing else does. Where there is no index yet, it keeps looking, so that an index made later is served
without a restart.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from vuedocs.errors import NotIndexedError, StorageError, VuedocsError

if TYPE_CHECKING:
    from vuedocs.config import Config
    from vuedocs.query.reader import Reader
    from vuedocs.records import Chunk, Entity, Manifest, Page, Search
    from vuedocs.settings import Settings
    from vuedocs.stages import Progress, Result, Reuse

logger = logging.getLogger(__name__)

WAIT_SECONDS = 30.0
"""Longest time that a call waits for the index to open."""
CLOSE_SECONDS = 1.0
"""Longest time that closing may take: a client that has gone expects the process to end within two seconds."""


class NotReadyError(VuedocsError):
    """The index is still being opened."""


class Texts(Protocol):
    """What serving needs of :class:`vuedocs.query.library.Library`."""

    @property
    def names(self) -> Mapping[str, tuple[Entity, ...]]: ...

    async def chunks(self, ids: Sequence[str]) -> dict[str, Chunk]: ...

    async def page_chunks(self, source: str, path: str) -> tuple[Chunk, ...]: ...


class Reading(Protocol):
    """What serving needs of :class:`vuedocs.query.reader.Reader`."""

    @property
    def manifest(self) -> Manifest: ...

    @property
    def library(self) -> Texts: ...

    async def search(
        self,
        search: Search,
        *,
        config: Config | None = None,
        skip: Sequence[str] = (),
        reuse: Reuse[Search] | None = None,
        progress: Progress | None = None,
    ) -> Result[Search]: ...

    async def pages(self, source: str | None = None) -> tuple[Page, ...]: ...

    async def refresh(self) -> bool: ...

    async def check(self) -> Mapping[str, str]: ...

    async def aclose(self) -> None: ...


OpenReader = Callable[[], Awaitable[Reading]]


class Service:
    """One reader for the life of the server. ``poll`` is the seconds between looks for a newer generation, ``delay`` those
    before the first opening, which leave the processor to the client's first requests."""

    def __init__(self, open_reader: OpenReader, *, poll: float = 1.0, delay: float = 0.0) -> None:
        self._open_reader = open_reader
        self._poll = poll
        self._delay = delay
        self._reader: Reading | None = None
        self._wanted = asyncio.Event()
        self._settled = asyncio.Event()
        self.failure: VuedocsError | None = None
        """Why there is no reader; None while it is open or still being opened."""
        self.started = time.monotonic()

    @property
    def opened(self) -> Reading | None:
        """The reader, where it is open by now."""
        return self._reader

    async def reader(self) -> Reading:
        """The open reader; waits while it is being opened. Raises what kept it from opening, or NotReadyError."""
        self._wanted.set()
        if self._reader is None and self.failure is None:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._settled.wait(), WAIT_SECONDS)
        if self._reader is not None:
            return self._reader
        raise self.failure or NotReadyError("The index is still being opened; ask again in a few seconds.")

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[Service]:
        """Opens and follows in the background for as long as the context lasts."""
        supervisor = asyncio.create_task(self._supervise(), name="vuedocs-supervise")
        try:
            yield self
        finally:
            supervisor.cancel()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(CLOSE_SECONDS):
                    await asyncio.wait([supervisor])
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
            await asyncio.sleep(self._poll)

    async def _follow(self) -> None:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._wanted.wait(), self._delay)
        while self._reader is None:
            await self._open()
            await asyncio.sleep(self._poll)
        while True:
            await self._refresh(self._reader)
            await asyncio.sleep(self._poll)

    async def _open(self) -> None:
        try:
            self._reader = await self._open_reader()
        except VuedocsError as error:
            if str(error) != str(self.failure):
                logger.warning("no index is open: %s: %s", type(error).__name__, error)
            self.failure = error
        else:
            self.failure = None
            logger.info("serving generation %s", self._reader.manifest.generation)
        self._settled.set()

    async def _close(self) -> None:
        reader, self._reader = self._reader, None
        self._settled.clear()
        if reader is not None:
            await reader.aclose()

    async def _refresh(self, reader: Reading) -> None:
        try:
            if await reader.refresh():
                logger.info("serving generation %s", reader.manifest.generation)
        except VuedocsError as error:
            logger.warning("no newer generation can be looked for: %s", type(error).__name__)


def opener(config: Config, settings: Settings) -> OpenReader:
    """Opens the project's own reader; its imports (models, index, database) run in a thread, beside the first requests."""

    def load() -> type[Reader]:
        from vuedocs.query.reader import Reader

        return Reader

    async def open_reader() -> Reading:
        reader_class = await asyncio.to_thread(load)
        return await reader_class.open(config, settings)

    return open_reader


def how_to_index(error: NotIndexedError) -> str:
    """The error's own words, with the remedy where they do not hold it."""
    text = str(error)
    remedy = "Run `vuedocs ingest vue` to make an index; it is served as soon as it is there."
    return text if "vuedocs ingest" in text else f"{text} {remedy}"
