"""Sweep: one set of questions against many variants of a config, where only stages from the first changed one run again.

    sweep = Sweep(reader, questions)
    results = {weight: await sweep.run(config.override(f"search.sparse_weight={weight}")) for weight in (0.3, 0.5, 0.7)}

A variant that changes nothing before ``reconstruct`` costs a tenth of a first run.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, Protocol

from vuedocs.bench.questions import GoldenQuestion, Level
from vuedocs.bench.result import BenchResult, benchmark
from vuedocs.bench.runs import search_for
from vuedocs.clients.ledger import Entry
from vuedocs.config import Config
from vuedocs.records import Chunk, Manifest, Search
from vuedocs.stages import Result, Reuse, Step

KEPT = 40
"""Steps a question that are remembered, the latest used: some 1 MB. Each variant that changes the search adds five."""

ROUNDS = 3
"""Times that a query is put again where only its time counts."""


class Measured(NamedTuple):
    """What whole queries take under each setting: ``{name: {question id: ..}}``."""

    milliseconds: dict[str, dict[str, float]]
    usd: dict[str, dict[str, float]]
    """US dollars that paid services billed; empty where the price of one is not known."""


class ReusingReader(Protocol):
    """What a sweep needs of a reader: what the bench needs, and a search that takes steps of earlier ones."""

    @property
    def config(self) -> Config: ...

    @property
    def manifest(self) -> Manifest: ...

    @property
    def paid(self) -> Sequence[Entry]: ...

    async def search(
        self, search: Search, *, config: Config | None = None, skip: Sequence[str] = (), reuse: Reuse[Search] | None = None
    ) -> Result[Search]: ...

    async def chunks(self, source: str | None = None) -> tuple[Chunk, ...]: ...


class Steps(OrderedDict[str, Step[Search]]):
    """The steps of one question's searches; the least recently used go first."""

    def get(self, key: str, default: Step[Search] | None = None) -> Step[Search] | None:  # type: ignore[override]
        if key in self:
            self.move_to_end(key)
        return super().get(key, default)

    def __setitem__(self, key: str, step: Step[Search]) -> None:
        super().__setitem__(key, step)
        while len(self) > KEPT:
            self.popitem(last=False)


class Remembering:
    """A reader for the bench that remembers the steps of every search, while the index stays the same."""

    def __init__(self, reader: ReusingReader) -> None:
        self._reader = reader
        self._generation = reader.manifest.generation
        self._steps: dict[tuple[str, tuple[str, ...]], Steps] = {}
        self._chunks: dict[str | None, tuple[Chunk, ...]] = {}

    @property
    def config(self) -> Config:
        return self._reader.config

    @property
    def manifest(self) -> Manifest:
        return self._reader.manifest

    async def search(self, search: Search, *, config: Config | None = None, skip: Sequence[str] = ()) -> Result[Search]:
        self._forget_another_index()
        steps = self._steps.setdefault((search.query, search.sources), Steps())
        result = await self._reader.search(search, config=config, skip=skip, reuse=steps)
        if result.state.degraded:  # a stage failed: run again, it must be asked again
            steps.clear()
        return result

    async def chunks(self, source: str | None = None) -> tuple[Chunk, ...]:
        self._forget_another_index()
        if source not in self._chunks:
            self._chunks[source] = await self._reader.chunks(source)
        return self._chunks[source]

    def _forget_another_index(self) -> None:
        if self._reader.manifest.generation != self._generation:
            self._steps.clear()
            self._chunks.clear()
            self._generation = self._reader.manifest.generation


class Sweep:
    """Benchmarks of many configs on the same questions, at one level."""

    def __init__(
        self, reader: ReusingReader, questions: Sequence[GoldenQuestion], level: Level = "section", unscoped: bool = False
    ) -> None:
        self.questions = tuple(sorted(questions, key=lambda question: question.id))
        self.level: Level = level
        self.unscoped = unscoped
        self._plain = reader
        self._reader = Remembering(reader)
        self._warm = False

    @property
    def config(self) -> Config:
        """The reader's own: what variants are set against."""
        return self._reader.config

    @property
    def manifest(self) -> Manifest:
        """Of the index that is read."""
        return self._reader.manifest

    async def run(self, config: Config | None = None, skip: Sequence[str] = ()) -> BenchResult:
        """The benchmark of one config. Its numbers are those of :func:`vuedocs.bench.benchmark`.

        A query's latency is the sum of its stages' times, each as measured when it ran: what was not run again was not free.
        """
        if not self._warm and self.questions:  # the first query of a process opens files, and is nobody's latency
            await self._plain.search(search_for(self.questions[0], self.unscoped), config=config, skip=skip)
            self._warm = True
        result = await benchmark(self._reader, self.questions, self.level, self.unscoped, config, skip, progress=False)
        answers = tuple(replace(answer, milliseconds=sum(answer.stages.values())) for answer in result.answers)
        return replace(result, answers=answers)

    async def times(self, settings: Mapping[str, tuple[Config, Sequence[str]]], count: int) -> Measured:
        """Milliseconds and price of a whole warm query, over ``count`` questions spread over the set.

        Nothing is taken from earlier runs. Each question goes through all settings before the next, beginning with another one
        each time, and the best of some rounds counts: what else the machine does hits all alike, and seldom every round.
        """
        names = list(settings)
        step = max(1, len(self.questions) // count)
        found: dict[str, dict[str, float]] = {name: {} for name in names}
        usd: dict[str, dict[str, float]] = {name: {} for name in names}
        known = True
        for place, question in enumerate(self.questions[::step][:count]):
            search = search_for(question, self.unscoped)
            await self._plain.search(search)
            for turn in range(place, place + ROUNDS * len(names)):
                name = names[turn % len(names)]
                config, skip = settings[name]
                before = len(self._plain.paid)
                result = await self._plain.search(search, config=config, skip=skip)
                took = sum(result.milliseconds.values())
                found[name][question.id] = min(took, found[name].get(question.id, took))
                billed = [entry.usd for entry in self._plain.paid[before:]]
                known = known and None not in billed
                usd[name][question.id] = max(sum(each or 0.0 for each in billed), usd[name].get(question.id, 0.0))
        return Measured(found, usd if known else {})

    async def searches(self, config: Config | None = None, skip: Sequence[str] = ()) -> dict[str, Result[Search]]:
        """Every question's search with all its steps, by id: at no cost for a config that has just been run."""
        return {
            question.id: await self._reader.search(search_for(question, self.unscoped), config=config, skip=skip)
            for question in self.questions
        }
