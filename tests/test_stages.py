"""run(): order, skipping, reuse in sweeps, progress."""

from __future__ import annotations

from typing import Any

import pytest

from vuedocs.config import load
from vuedocs.stages import Reuse, Stage, run

calls: list[str] = []


def stage(name: str) -> Stage[str]:
    async def function(state: str, section: Any, clients: Any) -> str:
        calls.append(name)
        return f"{state}>{name}"

    return Stage(name, function)


STAGES = tuple(stage(name) for name in ("detect", "search", "resolve"))


@pytest.fixture(autouse=True)
def no_calls() -> None:
    calls.clear()


async def test_stages_run_in_order_and_each_is_timed() -> None:
    result = await run(STAGES, "q", load(), None)
    assert result.state == "q>detect>search>resolve"
    assert list(result.milliseconds) == ["detect", "search", "resolve"]
    assert result.after("search") == "q>detect>search"


async def test_a_skipped_stage_does_not_run() -> None:
    assert (await run(STAGES, "q", load(), None, skip=["search"])).state == "q>detect>resolve"


async def test_an_unknown_stage_cannot_be_skipped() -> None:
    with pytest.raises(ValueError, match="no stage is called 'serch'; the stages are detect, search, resolve"):
        await run(STAGES, "q", load(), None, skip=["serch"])


async def test_a_sweep_runs_again_only_from_the_first_changed_stage() -> None:
    reuse: Reuse[str] = {}
    await run(STAGES, "q", load(), None, reuse=reuse)
    calls.clear()
    again = await run(STAGES, "q", load().override("search.leg_depth=7"), None, reuse=reuse)
    assert calls == ["search", "resolve"]
    assert [step.reused for step in again.steps] == [True, False, False]
    calls.clear()
    await run(STAGES, "q", load(), None, reuse=reuse)
    assert calls == [], "the first variant is still remembered"


async def test_progress_is_reported_before_each_stage_and_at_the_end() -> None:
    seen: list[tuple[str, int, int]] = []
    await run(STAGES, "q", load(), None, progress=lambda *report: seen.append(report))
    assert seen == [("detect", 0, 3), ("search", 1, 3), ("resolve", 2, 3), ("resolve", 3, 3)]
