"""watch: keeps the sources of an index fresh, night after night, without anybody.

A round reads each source whose turn it is, judges what it found against what is published, and publishes all that is new in one
generation. What fails is tried again after a while that doubles; what looks wrong is held back. All of that stands in the
database (:class:`vuedocs.clients.watchbook.Watchbook`), so that rounds are shared by all machines that watch it.
"""

from __future__ import annotations

import asyncio
import os
import platform
import random
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from functools import reduce

from vuedocs.clients.engines import open_database
from vuedocs.clients.watchbook import Watchbook
from vuedocs.config import Config
from vuedocs.errors import SourceError, StorageError, UsageError, VuedocsError
from vuedocs.ingest import INGEST_STAGES
from vuedocs.ingest.clients import IngestClients
from vuedocs.ingest.fetch import newest
from vuedocs.ingest.judge import Content, suspicions
from vuedocs.ingest.schedule import backoff, due, jitter, scheduled, wait
from vuedocs.ingest.session import ingest_clients
from vuedocs.ingest.store import prune, store_locked
from vuedocs.records import Hold, Ingest, Manifest, Watched
from vuedocs.settings import Settings
from vuedocs.sources import find
from vuedocs.stages import run

READING = tuple(stage for stage in INGEST_STAGES if stage.name != "store")

NAP = 900.0
"""Longest sleep in seconds: after it the book is read again, so that a clock that jumped or a machine that slept is noticed."""

MOST_SAID = 10
"""Files of a source that could not be read that a round names."""

Say = Callable[[str], None]
OpenClients = Callable[[Config, Settings], AbstractAsyncContextManager[IngestClients]]


@dataclass
class Round:
    """What one round came to, by source."""

    read: dict[str, Ingest] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    held: dict[str, tuple[str, ...]] = field(default_factory=dict)
    published: str = ""
    """The generation that the round published; ``""`` where nothing was new."""


class Watch:
    """The watcher. ``sources`` empty means all that are indexed; ``chance`` gives numbers from 0 to 1 for the jitter.

    ``open_clients`` gives the engines of one round, which are closed after it: between rounds no model is in memory.
    """

    def __init__(
        self,
        config: Config,
        settings: Settings,
        sources: Sequence[str] = (),
        every: float = 86_400.0,
        say: Say = print,
        chance: Callable[[], float] = random.random,
        open_clients: OpenClients = ingest_clients,
    ) -> None:
        self._config = config
        self._settings = settings
        self._sources = tuple(dict.fromkeys(find(source).name for source in sources))
        self._every = every
        self._say = say
        self._chance = chance
        self._open_clients = open_clients
        self._failures = 0

    async def run(self) -> None:
        """Watches until it is cancelled. What keeps all of it from working is said, and tried again later and later."""
        delay = jitter(self._every, self._chance()) if await self._serves() else 0.0
        self._say(f"watching every {self._every:g} s; the first look is in {delay:.0f} s")
        await asyncio.sleep(delay)
        while True:
            try:
                await self._follow()
            except StorageError as error:
                self._failures += 1
                pause = backoff(self._failures, self._every)
                self._say(f"no source can be looked at: {error}; next try in {pause:.0f} s")
                await asyncio.sleep(pause)

    async def _serves(self) -> bool:
        """Whether anything is published: where nothing is, somebody waits for the first round."""
        try:
            database = await open_database(self._settings)
        except StorageError:
            return False  # the first round says why
        try:
            return await database.published() is not None
        finally:
            await database.aclose()

    async def once(self, accept: bool = False) -> Round:
        """One round over all sources, whether their turn has come or not; with ``accept`` nothing is held back."""
        database = await open_database(self._settings)
        try:
            book = Watchbook(database.connections)
            async with book.turn():
                names = await self._names(await database.published())
                await book.begin(names, await book.clock())
                return await self._round(book, names, accept)
        finally:
            await database.aclose()

    async def _follow(self) -> None:
        database = await open_database(self._settings)
        machine = f"{platform.node()}, process {os.getpid()}"
        try:
            book = Watchbook(database.connections)
            while True:
                async with book.turn():
                    names = await self._names(await database.published())
                    entries, now = await book.entries(), await book.clock()
                    turn = due(names, entries, self._every, now)
                    if turn:
                        early = set(turn) - set(scheduled(turn, entries, self._every, now))
                        await book.begin([name for name in turn if name not in early], now)
                        await book.begin(sorted(early), None)
                        await self._round(book, turn)
                    pause = wait(names, await book.entries(), self._every, await book.clock())
                    await book.announce(machine, self._every, pause)
                self._failures = 0
                await asyncio.sleep(min(max(pause, min(1.0, self._every)), NAP))
        finally:
            await database.aclose()

    async def _names(self, published: Manifest | None) -> list[str]:
        """The sources to watch. UsageError where none is named and none is indexed."""
        indexed = [entry.source for entry in published.sources] if published else []
        if not self._sources and not indexed:
            raise UsageError("nothing is indexed yet, so that nothing can be watched; name sources: `vuedocs watch vue pinia`")
        return list(self._sources) or indexed

    async def _round(self, book: Watchbook, names: Sequence[str], accept: bool = False) -> Round:
        """Reads ``names`` one by one, publishes what is new, and writes down what came of each."""
        outcome = Round()
        entries = {entry.source: entry for entry in await book.entries()}
        async with self._open_clients(self._config, self._settings) as clients:
            published = await clients.database.published()
            for name in names:
                entry = entries.get(name, Watched(name))
                if entry.held and entry.held.by == "rollback" and not accept:
                    outcome.held[name] = entry.held.reasons
                    self._say(held_words(name, entry.held.reasons))
                    continue
                try:
                    await self._read(name, clients, published, entry.held if accept else None, outcome, accept)
                except VuedocsError as error:
                    await self._failed(book, outcome, [name], entries, error)
                else:
                    if name in outcome.held:
                        await book.hold_back(name, outcome.read.pop(name).checkouts[0].commit, outcome.held[name])
                        self._say(held_words(name, outcome.held[name]))
            await self._publish(book, clients, outcome, entries)
        return outcome

    async def _read(
        self, name: str, clients: IngestClients, published: Manifest | None, held: Hold | None, outcome: Round, accept: bool
    ) -> None:
        """Reads one source into ``outcome``, with what looks wrong about it. Raises VuedocsError, whatever its docs hold."""
        source = find(name)
        refs = {}
        if self._settings.docs is None and not source.bundled:
            commit = held.commit if held else ""
            refs = {name: commit or await newest(source, self._config.fetch.timeout)}
        start = Ingest((name,), self._settings.docs, refs)
        try:
            state = (await run(READING, start, self._config, clients)).state
        except VuedocsError:
            raise
        except Exception as error:  # whatever one source's docs bring about, the others have their turn
            raise SourceError(f"reading {name} crashed: {type(error).__name__}: {error}; report it, with its docs") from error
        outcome.read[name] = state
        for line in left_out_words(state):
            self._say(line)
        if published and published.source(name) and not accept:
            old = Content.of(
                await clients.database.pages(published.generation, name),
                await clients.database.all_chunks(published.generation, name),
                (entity for entity in await clients.database.entities(published.generation) if entity.source == name),
            )
            if found := suspicions(old, Content.of(state.pages, state.chunks, state.entities)):
                outcome.held[name] = found

    async def _publish(self, book: Watchbook, clients: IngestClients, outcome: Round, entries: dict[str, Watched]) -> None:
        section = self._config.store
        try:
            async with clients.database.lock_ingest():  # under which a rollback works too: it comes before all of this, or after
                self._leave_out(await book.entries(), outcome, entries)
                if not outcome.read:
                    return
                state = await store_locked(merged(list(outcome.read.values())), section, clients)
                await book.succeed(list(outcome.read))
            reports = state.reports if state.counts["published"] else await prune(section, clients)
        except VuedocsError as error:
            failed = list(outcome.read)
            outcome.read.clear()
            await self._failed(book, outcome, failed, entries, error)
            return
        names = list(outcome.read)
        assert state.manifest is not None, "store sets the manifest"
        if state.counts["published"]:
            outcome.published = state.manifest.generation
            self._say(f"published {state.manifest.generation}: {', '.join(names)}")
        else:
            self._say(f"nothing has changed: {', '.join(names)}")
        for report in reports:
            self._say(report)

    def _leave_out(self, now: Sequence[Watched], outcome: Round, before: dict[str, Watched]) -> None:
        """Takes out what somebody rolled back while the round read it: to publish it would undo that."""
        for entry in now:
            held, known = entry.held, before.get(entry.source, Watched(entry.source)).held
            if entry.source in outcome.read and held and held.by == "rollback" and held != known:
                del outcome.read[entry.source]
                outcome.held[entry.source] = held.reasons
                self._say(held_words(entry.source, held.reasons))

    async def _failed(
        self, book: Watchbook, outcome: Round, names: Sequence[str], entries: dict[str, Watched], error: VuedocsError
    ) -> None:
        for name in names:
            outcome.failed[name] = str(error)
            success = entries.get(name, Watched(name)).succeeded
            last = success.isoformat(timespec="seconds") if success else "never"
            self._say(f"{name}: failed, what is published of it stays (last success: {last}): {error}")
        await book.fail(names, str(error))


def merged(states: Sequence[Ingest]) -> Ingest:
    """Several sources' states as the state of one ingest; without their reports, which nobody reads at night."""
    return reduce(
        lambda one, other: Ingest(
            sources=one.sources + other.sources,
            docs=one.docs,
            refs={**one.refs, **other.refs},
            checkouts=one.checkouts + other.checkouts,
            pages=one.pages + other.pages,
            chunks=one.chunks + other.chunks,
            entities=one.entities + other.entities,
            questions=one.questions + other.questions,
            points=one.points + other.points,
            bm25=one.bm25 + other.bm25,
            left_out=one.left_out + other.left_out,
        ),
        states,
        Ingest(()),
    )


def left_out_words(state: Ingest) -> list[str]:
    """What is said of files that should be pages and could not be read; the first of many."""
    lines = [f"{source}: {why}" for source, why in state.left_out[:MOST_SAID]]
    more = len(state.left_out) - len(lines)
    return [*lines, f"... and {more} more; `vuedocs sources --check` names all"] if more else lines


def held_words(source: str, reasons: Sequence[str]) -> str:
    """What is said of a source that is held back."""
    return f"{source}: held back ({'; '.join(reasons)}); what is published stays until `vuedocs watch --accept {source}`"
