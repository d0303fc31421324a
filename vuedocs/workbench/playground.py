"""The playground: a question, two configs side by side, and what each makes of it as their sliders move.

    play = await Playground.open(reader, config, "how do I watch a ref", "vue")
    play.show()

Only stages from the first changed one run again, so that a slider answers while it is moved.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from typing import Any

import ipywidgets as widgets
import numpy as np

from vuedocs.bench.space import override, value_of
from vuedocs.bench.sweep import ReusingReader, Steps
from vuedocs.config import Config
from vuedocs.errors import VuedocsError
from vuedocs.records import Search
from vuedocs.stages import Result
from vuedocs.workbench.sides import answer_html, candidates_table, comparison_table, explain_html, limits, notice, verdict_html
from vuedocs.workbench.tables import Card, Cards, Findings, Table

SLIDERS = (
    "search.dense_weight",
    "search.sparse_weight",
    "resolve.question_weight",
    "search.leg_depth",
    "rerank.dense_weight",
    "rerank.sparse_weight",
    "reconstruct.floor",
    "reconstruct.max_tokens",
)
WAIT = 150
"""Milliseconds in which a moved slider should have answered."""


class Side:
    """One config: its sliders, a line for other overrides, and what came of the question."""

    def __init__(self, name: str, config: Config, overrides: str, keys: Sequence[str]) -> None:
        self.name = name
        self.base = config
        self.result: Result[Search] | None = None
        self.overrides = widgets.Text(overrides, description="overrides", placeholder="search.fusion=rrf; rerank.method=none")
        self.overrides.continuous_update = False
        start = config.override(*_parts(overrides))
        self.sliders = {key: _slider(start, key) for key in keys}
        self.verdict = widgets.HTML()
        self.answer, self.stages, self.candidates = widgets.HTML(), widgets.HTML(), widgets.HTML()
        self.wanted = self.shown = 0
        self.running = False

    def config(self) -> Config:
        """What the side is set to now: base, overrides, then the sliders that were moved. ConfigError for a wrong override."""
        config = self.base.override(*_parts(self.overrides.value))
        moved = [override(key, slider.value) for key, slider in self.sliders.items() if slider.value != slider.start]
        return config.override(*moved) if moved else config

    def view(self) -> widgets.Widget:
        """The side as a column."""
        tabs = widgets.Tab([self.answer, self.candidates, self.stages], titles=("Answer", "Candidates", "Stages"))
        controls = [widgets.HTML(f"<b>{self.name}</b>"), self.overrides, *self.sliders.values()]
        return widgets.VBox(
            [*controls, self.verdict, tabs], layout=widgets.Layout(width="50%", min_width="24em", padding="0 .8em 0 0")
        )


class Playground:
    """A question box over two sides."""

    def __init__(self, reader: ReusingReader, sides: Sequence[Side], query: str, source: str) -> None:
        self._reader = reader
        self._steps: dict[tuple[str, tuple[str, ...]], Steps] = {}
        self._loop = asyncio.get_running_loop()
        self._tasks: set[asyncio.Task[None]] = set()
        self.sides = list(sides)
        self.query = widgets.Text(query, description="question", layout=widgets.Layout(width="98%"))
        self.query.continuous_update = False
        indexed = reader.manifest.source_names
        self.source = widgets.Dropdown(options=["all", *indexed], value=source, description="source")
        self.comparison = widgets.HTML()
        self.waits: dict[str, float] = {}
        """Slider to its p95 in milliseconds, once measured."""
        for control in (self.query, self.source):
            control.observe(lambda change: self._moved(*self.sides), names="value")
        for side in self.sides:
            for control in (side.overrides, *side.sliders.values()):
                control.observe(lambda change, side=side: self._moved(side), names="value")

    @classmethod
    async def open(
        cls,
        reader: ReusingReader,
        config: Config,
        query: str,
        source: str = "all",
        left: Mapping[str, Any] | None = None,
        right: Mapping[str, Any] | None = None,
        keys: Sequence[str] = SLIDERS,
    ) -> Playground:
        """The playground with its first answers; ``left`` and ``right``: config keys to values, on one side only.

        ConfigError for overrides that cannot be used, UsageError for an unknown key.
        """
        given = ["; ".join(override(key, value) for key, value in (side or {}).items()) for side in (left, right)]
        sides = [Side(name, config, text, keys) for name, text in zip("AB", given, strict=True)]
        play = cls(reader, sides, query, source)
        play._moved(*sides)
        await play.settled()
        return play

    def show(self) -> widgets.Widget:
        """The widgets; shown in as many places as they are asked for, they move together."""
        top = widgets.VBox([self.query, self.source])
        columns = widgets.HBox([side.view() for side in self.sides], layout=widgets.Layout(flex_flow="row wrap"))
        return widgets.VBox([top, columns, self.comparison])

    async def settled(self) -> None:
        """Returns when every change that was made is shown."""
        while self._tasks or any(side.shown != side.wanted for side in self.sides):
            await asyncio.sleep(0)
            await asyncio.gather(*self._tasks)

    async def move(self, name: str, key: str, value: Any) -> float:
        """Moves a slider of side ``name`` as a hand would, and returns the milliseconds until its answer is shown."""
        side = next(side for side in self.sides if side.name == name)
        started = time.perf_counter()
        side.sliders[key].value = value
        await self.settled()
        return (time.perf_counter() - started) * 1000

    async def measure(self, places: int = 8) -> Table:
        """Moves each slider of the last side over its range and back; how long the answers took, in milliseconds."""
        side, rows = self.sides[-1], []
        self.waits = {}
        for key, slider in side.sliders.items():
            start = slider.value
            wanted = [type(start)(round(value, 2)) for value in np.linspace(slider.min, slider.max, places)]
            times = [await self.move(side.name, key, value) for value in wanted if value != slider.value]
            await self.move(side.name, key, start)
            self.waits[key] = float(np.percentile(times, 95))
            rows.append((key, len(times), float(np.median(times)), self.waits[key], max(times)))
        return Table(("slider", "moves", "p50 ms", "p95 ms", "slowest ms"), rows, "From a slider's move to the shown answer")

    def differences(self) -> Table:
        """The sections of both sides with their places."""
        return comparison_table(*(self._result(side) for side in self.sides))

    def answers(self) -> Cards:
        """Both answers as text, for a notebook that is read and not played with."""
        results = [(side, self._result(side)) for side in self.sides]
        return Cards([Card(f"Side {side.name}", notice(result), result.state.text) for side, result in results], lines=24)

    def findings(self) -> Findings:
        """Whether sliders answered in time, and whether the sides differ."""
        slow = [key for key, wait in self.waits.items() if wait > WAIT]
        said = f"every slider answered within {WAIT} ms" if not slow else f"slower than {WAIT} ms at p95: {', '.join(slow)}"
        first, second = ([passage.chunk_id for passage in self._result(side).state.passages] for side in self.sides)
        same = "the same sections" if first == second else f"{len(set(first) & set(second))} sections in common"
        return Findings(
            [f"Of {len(self.waits)} sliders, {said} (p95).", f"Side A shows {len(first)} sections, B {len(second)}: {same}."]
        )

    def _result(self, side: Side) -> Result[Search]:
        if side.result is None:
            raise VuedocsError(f"side {side.name} has no answer: {side.verdict.value}")
        return side.result

    def _moved(self, *sides: Side) -> None:
        """Called by widgets, from whichever thread the kernel handles them in."""
        for side in sides:
            side.wanted += 1
        self._loop.call_soon_threadsafe(self._start, sides)

    def _start(self, sides: Sequence[Side]) -> None:
        for side in sides:
            if not side.running and side.shown != side.wanted:
                side.running = True
                task = self._loop.create_task(self._follow(side))
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)

    async def _follow(self, side: Side) -> None:
        """Answers until what is shown is what is wanted: moves that came meanwhile are answered together."""
        try:
            while side.shown != side.wanted:
                turn = side.wanted
                await self._search(side)
                side.shown = turn
        finally:
            side.running = False

    async def _search(self, side: Side) -> None:
        search = Search(self.query.value, sources=() if self.source.value == "all" else (self.source.value,))
        steps = self._steps.setdefault((search.query, search.sources), Steps())
        started = time.perf_counter()
        try:
            result = await self._reader.search(search, config=side.config(), reuse=steps)
        except VuedocsError as error:
            side.result = None
            side.verdict.value = verdict_html(str(error), wrong=True)
            return
        took = (time.perf_counter() - started) * 1000
        side.result = result
        side.verdict.value = verdict_html(f"{took:.0f} ms · {notice(result)}")
        side.answer.value = answer_html(result)
        side.candidates.value = candidates_table(result)._repr_html_()
        side.stages.value = explain_html(result)
        results = [other.result for other in self.sides if other.result is not None]
        self.comparison.value = comparison_table(*results)._repr_html_() if len(results) == 2 else ""


def _slider(config: Config, key: str) -> Any:
    """A slider for a key, at the config's value, over the range that the config allows or a sensible part of it."""
    value = value_of(config, key)
    low, high = limits(config, key)
    kind = widgets.IntSlider if isinstance(value, int) else widgets.FloatSlider
    step = 1 if isinstance(value, int) else 0.01  # the browser moves what lies between two steps, also the present value
    slider = kind(value=value, min=low, max=high, step=step, description=key, style={"description_width": "15em"})
    slider.layout.width = "95%"
    slider.start = value
    return slider


def _parts(overrides: str) -> list[str]:
    return [part.strip() for part in overrides.split(";") if part.strip()]
