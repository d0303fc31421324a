"""The gate's verdict: quality and budgets against a baseline, in Markdown."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from stored_fakes import COUNT, GOOD, LOST, kept, manifest, result_of

from vuedocs.bench.baselines import ALPHA, BUDGETS, costs, judge, one_sided
from vuedocs.bench.result import BenchResult


async def test_a_result_passes_against_itself(tmp_path: Path) -> None:
    verdict = judge(await result_of(GOOD), await kept(tmp_path / "base", GOOD), manifest())
    assert verdict.worse == ()
    assert verdict.summary.startswith("### Retrieval: not worse than the baseline by more than noise\n")


async def test_a_planted_regression_fails_and_every_question_that_fell_is_listed(tmp_path: Path) -> None:
    verdict = judge(await result_of(LOST), await kept(tmp_path / "base", GOOD), manifest())
    assert [words.split(" fell")[0] for words in verdict.worse] == ["ndcg@10", "recall@5", "delivered"]
    assert verdict.summary.startswith("### Retrieval: WORSE than the baseline\n")
    assert f"this run: nDCG@10 of {COUNT} questions fell, of 0 rose" in verdict.summary
    assert "-1.000  1.000 -> 0.000  q00: q00" in verdict.summary


async def test_a_larger_index_breaks_its_budget(tmp_path: Path) -> None:
    base = await kept(tmp_path / "base", GOOD, index=manifest(points=100))
    assert judge(await result_of(GOOD), base, manifest(points=125)).worse == ()
    (words,) = judge(await result_of(GOOD), base, manifest(points=126)).worse
    assert words.startswith("points of the index rose from 100.00 to 126.00, over its budget of 1.25")


async def test_longer_answers_and_slower_queries_break_theirs(tmp_path: Path) -> None:
    def with_costs(result: BenchResult, tokens: int, milliseconds: float) -> BenchResult:
        stages = {"detect": 10.0, "search": milliseconds - 10}
        answers = tuple(replace(a, tokens=tokens, milliseconds=milliseconds, stages=stages) for a in result.answers)
        return replace(result, answers=answers)

    from vuedocs.bench import write

    result = await result_of(GOOD)
    write(with_costs(result, 100, 20), tmp_path)
    # Twice as slow a machine, and the same pipeline: both numbers double.
    assert judge(with_costs(result, 110, 30), tmp_path, manifest()).worse == ()
    broken = judge(with_costs(result, 111, 31), tmp_path, manifest()).worse
    assert [words.split(" rose")[0] for words in broken] == ["tokens an answer", "p95 of a query / p95 of detect"]


def test_points_are_those_of_the_sources_that_were_asked_about() -> None:
    summary = {"tokens": {"mean": 1}, "latency_ms": {"p95": 9, "stages": {}}, "by_source": {"vue": {}}}
    assert costs(summary, manifest(points=7)) == {"tokens an answer": 1.0, "points of the index": 7.0}
    assert costs(summary, None) == {"tokens an answer": 1.0}
    assert costs(summary, None).keys() <= BUDGETS.keys()


@pytest.mark.parametrize(("effect", "least"), [(0.0, 0), (-0.08, 17)])
def test_alarms_of_twenty_changes(effect: float, least: int) -> None:
    """Twenty changes that move a fifth of the questions by chance raise two alarms at most; a real loss of .08 nearly always."""
    questions = 60
    chance = np.random.default_rng(7)
    ids = [f"q{i:03}" for i in range(questions)]
    base = dict(zip(ids, np.clip(chance.normal(0.7, 0.2, questions), 0, 1), strict=True))
    alarms = 0
    for _ in range(20):
        noise = chance.normal(0, 0.1, questions) * (chance.random(questions) < 0.2) + effect
        alarms += alarm(base, {id: base[id] + moved for id, moved in zip(ids, noise, strict=True)})
    assert alarms >= least
    assert effect or alarms <= 2


async def test_a_fall_that_is_sure_and_that_nobody_would_feel_passes(tmp_path: Path) -> None:
    result = await result_of(GOOD)
    base = await kept(tmp_path / "base", GOOD)
    for fall, count in ((0.004, 0), (0.006, 1)):
        less = {id: value - fall for id, value in result.values["ndcg@10"].items()}
        verdict = judge(replace(result, values={**result.values, "ndcg@10": less}), base, manifest())
        assert "p=0.0007" in verdict.summary  # 1 / 2^12, times three by Holm
        assert len(verdict.worse) == count


def alarm(base: dict[str, float], values: dict[str, float]) -> bool:
    """Whether the gate is raised when nDCG@10 and recall@5 both move as given."""
    tests = one_sided({"ndcg@10": values, "recall@5": values}, {"ndcg@10": base, "recall@5": base})
    return any(test.mean < 0 and test.p < ALPHA for test in tests.values())
