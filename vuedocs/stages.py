"""Stage and run(): what the ingest and the query pipeline have in common.

A pipeline is an ordered table of stages; a stage is one async function over frozen state that sees its own config section only.

    result = await run(QUERY_STAGES, Search(query="what is a ref"), config, clients)
    result.state.passages
    result.milliseconds["search"]
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, MutableMapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from vuedocs.config import Config

State = TypeVar("State")
StageFunction = Callable[[State, Any, Any], Awaitable[State]]
Progress = Callable[[str, int, int], None]
"""Called with (stage name, stages done, stages in all) before each stage and once at the end."""


@dataclass(frozen=True, slots=True)
class Stage(Generic[State]):
    """A row of a pipeline's table: its name is its module's, its config section's and its report column's."""

    name: str
    function: StageFunction[State]


@dataclass(frozen=True, slots=True)
class Step(Generic[State]):
    """What one stage did: the state it returned, and the wall time it took."""

    stage: str
    state: State
    milliseconds: float
    reused: bool = False


@dataclass(frozen=True, slots=True)
class Result(Generic[State]):
    """The outcome of a run: the last state, and every step on the way to it."""

    state: State
    steps: tuple[Step[State], ...]

    @property
    def milliseconds(self) -> dict[str, float]:
        """Wall time by stage."""
        return {step.stage: step.milliseconds for step in self.steps}

    def after(self, stage: str) -> State:
        """The state that ``stage`` returned; KeyError when it did not run."""
        for step in self.steps:
            if step.stage == stage:
                return step.state
        raise KeyError(stage)


Reuse = MutableMapping[str, Step[State]]
"""Steps of earlier runs from the same start, by the fingerprint of all sections up to their stage: a sweep keeps one for each
question, so that only stages from the first changed one run again."""


async def run(
    stages: Sequence[Stage[State]],
    state: State,
    config: Config,
    clients: Any,
    *,
    skip: Sequence[str] = (),
    progress: Progress | None = None,
    reuse: Reuse[State] | None = None,
) -> Result[State]:
    """Runs ``stages`` in order, without those named in ``skip``.

    With ``reuse``, a stage whose section and whose predecessors' sections are as in an earlier run is not run again; the caller
    passes the same mapping only for runs that begin with an equal state and read the same index.
    Raises ValueError for a name in ``skip`` that is no stage.
    """
    unknown = set(skip) - {stage.name for stage in stages}
    if unknown:
        raise ValueError(f"no stage is called {sorted(unknown)[0]!r}; the stages are {', '.join(s.name for s in stages)}")
    chosen = [stage for stage in stages if stage.name not in skip]
    steps: list[Step[State]] = []
    for number, stage in enumerate(chosen):
        if progress:
            progress(stage.name, number, len(chosen))
        key = "" if reuse is None else config.fingerprint(s.name for s in chosen[: number + 1]) + "/" + stage.name
        step = None if reuse is None else reuse.get(key)
        if step is None:
            started = time.perf_counter()
            after = await stage.function(state, config.section(stage.name), clients)
            step = Step(stage.name, after, (time.perf_counter() - started) * 1000)
            if reuse is not None:
                reuse[key] = Step(stage.name, after, step.milliseconds, reused=True)
        steps.append(step)
        state = step.state
    if progress and chosen:
        progress(chosen[-1].name, len(chosen), len(chosen))
    return Result(state, tuple(steps))
