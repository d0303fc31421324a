"""Searches for somebody who waits: with deadlines, and with the answers of the last minutes, so that asking again is free.

What several ask at the same moment is searched, and paid, once.
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from vuedocs.clients.pacing import within
from vuedocs.config import Config
from vuedocs.query import QUERY_STAGES
from vuedocs.query.clients import QueryClients
from vuedocs.records import Search
from vuedocs.settings import Deadlines
from vuedocs.stages import Progress, Result, run

ANSWERS = 128
"""Kept at most, the least recently used go first: about 10 MB."""
SECONDS = 300.0


def key_of(generation: str, config: Config, search: Search, skip: Sequence[str]) -> tuple[object, ...]:
    """What an answer depends on."""
    asked = (search.query, search.sources, search.scope, search.max_results, search.max_tokens, search.skip)
    return (generation, config.fingerprint(), *asked, tuple(skip))


class Recent:
    """What was answered; an answer with a stage that failed is not kept."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._answers: OrderedDict[tuple[object, ...], tuple[float, Result[Search]]] = OrderedDict()

    def get(self, key: tuple[object, ...]) -> Result[Search] | None:
        """The answer, its steps marked as reused, or None."""
        at, result = self._answers.get(key, (0.0, None))
        if result is None or self._clock() - at > SECONDS:
            return None
        self._answers.move_to_end(key)
        return again(result)

    def put(self, key: tuple[object, ...], result: Result[Search]) -> None:
        """Keeps an answer."""
        if result.state.degraded:
            return
        self._answers[key] = (self._clock(), result)
        self._answers.move_to_end(key)
        while len(self._answers) > ANSWERS:
            self._answers.popitem(last=False)


def again(result: Result[Search]) -> Result[Search]:
    """A result for somebody else: its steps cost nothing and are marked as reused."""
    return Result(result.state, tuple(replace(step, milliseconds=0.0, reused=True) for step in result.steps))


@dataclass(slots=True, eq=False)
class Waiting:
    """A search under way, and how many wait for it."""

    task: asyncio.Task[Result[Search]]
    number: int = 0


class UnderWay:
    """The searches that are being made."""

    def __init__(self) -> None:
        self._searches: dict[tuple[object, ...], Waiting] = {}

    async def result(self, key: tuple[object, ...], search: Callable[[], Coroutine[Any, Any, Result[Search]]]) -> Result[Search]:
        """What ``search`` finds, or the error that it ends with; one that is under way for ``key`` already is waited for instead.

        Whoever is cancelled leaves it to the others. With the last of them it ends, before this does: what it reads is theirs.
        """
        mine, joined = self._searches.get(key), True
        if mine is None:
            mine, joined = Waiting(asyncio.create_task(search(), name="vuedocs-search")), False
            self._searches[key] = mine
        mine.number += 1
        try:
            result = await asyncio.shield(mine.task)
        finally:
            mine.number -= 1
            if not mine.number:
                del self._searches[key]
                mine.task.cancel()  # one that is done stays as it is
                await asyncio.gather(mine.task, return_exceptions=True)
        return again(result) if joined else result


@dataclass(frozen=True, slots=True)
class Interactive:
    """How searches are made for somebody who waits."""

    deadlines: Deadlines
    recent: Recent
    under_way: UnderWay = field(default_factory=UnderWay)

    async def search(
        self, search: Search, config: Config, clients: QueryClients, skip: Sequence[str], progress: Progress | None
    ) -> Result[Search]:
        """The answer, out of memory where it was given just now. ProviderError when the whole takes too long."""
        key = key_of(clients.library.manifest.generation, config, search, skip)
        known = self.recent.get(key)
        if known is not None:
            return known
        clients = replace(clients, deadlines=self.deadlines)

        async def made() -> Result[Search]:
            async with within(self.deadlines.total, "the search"):
                result = await run(QUERY_STAGES, search, config, clients, skip=skip, progress=progress)
            self.recent.put(key, result)
            return result

        return await self.under_way.result((id(clients.library), *key), made)  # a generation opened twice is held twice
