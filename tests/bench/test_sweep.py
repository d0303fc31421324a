"""A sweep: the numbers are the bench's own, and only stages from the first changed one run again."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from fake_reader import golden
from sweep_fakes import NAMES, StagedReader

from vuedocs.bench import benchmark
from vuedocs.bench.sweep import KEPT, Steps, Sweep
from vuedocs.errors import ProviderError
from vuedocs.records import Search
from vuedocs.stages import Step

QUESTIONS = [golden("a", {"p#x": 3, "p#y": 2}), golden("b", {"q#x": 3}), golden("c", {"p#y": 3})]
FOUND = {"a": ["p#x", "q#x", "p#y"], "b": ["p#x", "q#x"], "c": ["q#x"]}


@pytest.fixture
def reader() -> StagedReader:
    return StagedReader(FOUND)


async def test_the_numbers_are_those_of_the_bench(reader: StagedReader) -> None:
    sweep = Sweep(reader, QUESTIONS)
    for overrides in ((), ("search.sparse_weight=0",), ("reconstruct.max_tokens=1000",)):
        config = reader.config.override(*overrides)
        swept, plain = await sweep.run(config), await benchmark(StagedReader(FOUND), QUESTIONS, config=config, progress=False)
        assert swept.metrics == plain.metrics
        assert swept.run == plain.run
        assert [answer.tokens for answer in swept.answers] == [answer.tokens for answer in plain.answers]
        assert swept.config == plain.config


@pytest.mark.parametrize(
    ("override", "again"), [("reconstruct.floor=0", 1), ("expand.enabled=false", 3), ("search.sparse_weight=0", 5)]
)
async def test_only_stages_from_the_first_changed_one_run_again(reader: StagedReader, override: str, again: int) -> None:
    sweep = Sweep(reader, QUESTIONS)
    await sweep.run()
    reader.ran.clear()
    await sweep.run(reader.config.override(override))
    assert reader.ran == dict.fromkeys(NAMES[-again:], len(QUESTIONS))
    await sweep.run()
    assert reader.ran["detect"] == 0


async def test_a_stage_that_is_left_out_changes_what_comes_after(reader: StagedReader) -> None:
    sweep = Sweep(reader, QUESTIONS)
    await sweep.run()
    reader.ran.clear()
    assert (await sweep.run(skip=["expand"])).skip == ("expand",)
    assert reader.ran == {"rerank": 3, "reconstruct": 3}


async def test_another_index_is_read_anew(reader: StagedReader) -> None:
    sweep = Sweep(reader, QUESTIONS)
    await sweep.run()
    reader.manifest = replace(reader.manifest, generation="g000008")
    reader.found = {"a": ["p#x", "p#y", "q#x"], "b": ["q#x", "p#x"], "c": ["p#y"]}
    result = await sweep.run()
    assert result.index == "g000008"
    assert result.metrics["ndcg@10"].mean == 1


async def test_what_was_remembered_still_counts_as_time(reader: StagedReader) -> None:
    sweep = Sweep(reader, QUESTIONS)
    first, second = await sweep.run(), await sweep.run()
    assert [answer.milliseconds for answer in second.answers] == [answer.milliseconds for answer in first.answers]
    assert all(answer.milliseconds == sum(answer.stages.values()) > 0 for answer in second.answers)


async def test_times_are_of_whole_queries_under_every_setting(reader: StagedReader) -> None:
    sweep = Sweep(reader, QUESTIONS)
    await sweep.run()
    reader.ran.clear()
    settings = {"as it is": (reader.config, ()), "short": (reader.config, ("rerank",))}
    times, usd = await sweep.times(settings, count=2)
    assert usd == {name: {"a": 0.0, "b": 0.0} for name in settings}
    assert {name: list(by_id) for name, by_id in times.items()} == {"as it is": ["a", "b"], "short": ["a", "b"]}
    assert reader.ran["detect"] == 2 * (1 + 2 * 3)
    assert reader.ran["rerank"] == 2 * (1 + 3)


async def test_the_searches_of_a_run_are_at_hand(reader: StagedReader) -> None:
    sweep = Sweep(reader, QUESTIONS)
    await sweep.run()
    reader.ran.clear()
    searches = await sweep.searches()
    assert [passage.chunk_id for passage in searches["b"].state.passages] == ["vue/p#x", "vue/q#x"]
    assert not reader.ran


def test_the_steps_used_last_are_kept() -> None:
    steps = Steps()
    for number in range(KEPT):
        steps[str(number)] = Step("search", None, 0.0)  # type: ignore[arg-type]
    assert steps.get("0")
    steps["new"] = Step("search", None, 0.0)  # type: ignore[arg-type]
    assert steps.get("0")
    assert steps.get("1") is None
    assert len(steps) == KEPT


async def test_a_stage_that_failed_is_asked_again() -> None:
    class Failing(StagedReader):
        failing = True

        def _stage(self, name: str) -> Any:
            async def rerank(state: Search, section: Any, clients: object) -> Search:
                return replace(state, degraded=("rerank",)) if self.failing else state

            return rerank if name == "rerank" else super()._stage(name)

    reader = Failing(FOUND)
    sweep = Sweep(reader, QUESTIONS)
    with pytest.raises(ProviderError, match="question a cannot be scored: rerank failed"):
        await sweep.run()
    reader.failing = False
    assert (await sweep.run()).n == 3
