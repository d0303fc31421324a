"""What serving needs of the query pipeline's reader, and how its searches are observed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Protocol

from vuedocs.serving.observing import Observer

if TYPE_CHECKING:
    from vuedocs.clients import Database
    from vuedocs.config import Config
    from vuedocs.query.library import Library
    from vuedocs.records import Manifest, Search
    from vuedocs.stages import Progress, Result, Reuse


class Reading(Protocol):
    """What a call needs of :class:`vuedocs.query.reader.Reader`."""

    @property
    def config(self) -> Config: ...

    @property
    def manifest(self) -> Manifest: ...

    @property
    def library(self) -> Library: ...

    async def search(
        self,
        search: Search,
        *,
        config: Config | None = None,
        skip: Sequence[str] = (),
        reuse: Reuse[Search] | None = None,
        progress: Progress | None = None,
    ) -> Result[Search]: ...


class Following(Reading, Protocol):
    """A reader that can be moved to a newer generation, and says when there is one."""

    @property
    def database(self) -> Database: ...

    def steady(self) -> AbstractAsyncContextManager[Reading]: ...

    async def refresh(self, seconds: float = 0.0) -> bool: ...

    async def check(self) -> Mapping[str, str]: ...

    async def aclose(self) -> None: ...


OpenReader = Callable[[], Awaitable[Following]]


class ObservedReading:
    """A reading whose searches the observers are told of."""

    def __init__(self, reading: Reading, observers: Sequence[Observer]) -> None:
        self._reading = reading
        self._observers = observers

    @property
    def config(self) -> Config:
        """With which it searches."""
        return self._reading.config

    @property
    def manifest(self) -> Manifest:
        """Of the generation."""
        return self._reading.manifest

    @property
    def library(self) -> Library:
        """Its text."""
        return self._reading.library

    async def search(
        self,
        search: Search,
        *,
        config: Config | None = None,
        skip: Sequence[str] = (),
        reuse: Reuse[Search] | None = None,
        progress: Progress | None = None,
    ) -> Result[Search]:
        """Searches, and tells."""
        result = await self._reading.search(search, config=config, skip=skip, reuse=reuse, progress=progress)
        for observer in self._observers:
            observer.searched(result, self.manifest.generation, config or self.config)
        return result
