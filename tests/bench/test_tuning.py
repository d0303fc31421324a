"""A search over many keys: shared through the database, resumed, and honest about what it looked at."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from fake_reader import golden
from sweep_fakes import StagedReader

from vuedocs.bench.sweep import Measured, Sweep
from vuedocs.bench.tuning import Plan, check, name_of, open_study
from vuedocs.config import load
from vuedocs.errors import ConfigError, DatabaseError, UsageError
from vuedocs.settings import Settings

QUESTIONS = [golden(f"q{number}", {"p#x": 3}) for number in range(8)]
SPACE = {"search.sparse_weight": [0.0, 0.25, 0.5], "reconstruct.max_tokens": [500, 1500]}
PLAN = Plan(SPACE, ("ndcg@10", "tokens"), trials=12)


@pytest.fixture(scope="module")
def settings() -> Iterator[Settings]:
    """An empty data folder that the database's own user can enter, which pytest's are not where root runs it."""
    folder = Path(tempfile.mkdtemp(prefix="vuedocs-test-", dir="/tmp"))
    folder.chmod(0o755)
    yield Settings(home=folder)
    shutil.rmtree(folder)


@pytest.fixture
def sweep() -> Sweep:
    """The gold comes last, unless BM25 is switched off."""
    return Sweep(StagedReader({question.question: ["q#x", "q#y", "p#x"] for question in QUESTIONS}), QUESTIONS)


async def test_a_study_finds_the_better_config_and_goes_on_where_it_was(settings: Settings, sweep: Sweep) -> None:
    async with open_study(settings, sweep, sweep.config, replace(PLAN, trials=3)) as study:
        await study.search()
        assert len(study.outcomes()) == 3
        assert "search.sparse_weight=0.5" in study.outcomes()[0].overrides  # the present value comes first
    async with open_study(settings, sweep, sweep.config, PLAN) as study:
        assert len(study.outcomes()) == 3
        await study.search()
        winner = study.winner()
        assert len(study.outcomes()) == 12
        assert "search.sparse_weight=0" in winner.overrides
        assert winner.means["ndcg@10"] == 1
        assert winner.values == dict.fromkeys((question.id for question in QUESTIONS), 1.0)


async def test_two_machines_work_on_one_study(settings: Settings, sweep: Sweep) -> None:
    plan = replace(PLAN, space={"reconstruct.max_tokens": [500, 1500]}, trials=8)

    async def machine(seed: int) -> int:
        async with open_study(settings, sweep, sweep.config, replace(plan, seed=seed)) as study:
            await study.search()
            return len(study.outcomes())

    counts = await asyncio.gather(machine(1), machine(2))
    assert all(8 <= count <= 9 for count in counts)  # the last may be begun by both


async def test_looking_at_test_is_remembered(settings: Settings, sweep: Sweep) -> None:
    async with open_study(settings, sweep, sweep.config, replace(PLAN, trials=4)) as study:
        await study.search()
        present, won = await study.confirm(sweep)
        assert won.metrics["ndcg@10"].mean >= present.metrics["ndcg@10"].mean
    async with open_study(settings, sweep, sweep.config, PLAN) as study:
        assert study.confirmed() == [study.winner().number]


async def test_other_questions_index_or_config_are_another_study(sweep: Sweep) -> None:
    name = name_of(sweep, sweep.config, PLAN)
    assert name_of(sweep, sweep.config, replace(PLAN, trials=99, seed=5)) == name
    reader = StagedReader({})
    assert name_of(Sweep(reader, QUESTIONS[1:]), sweep.config, PLAN) != name
    assert name_of(Sweep(reader, QUESTIONS, "page"), sweep.config, PLAN) != name
    assert name_of(sweep, sweep.config.override("search.rrf_k=61"), PLAN) != name
    reader.manifest = replace(reader.manifest, fingerprint="other")
    assert name_of(Sweep(reader, QUESTIONS), sweep.config, PLAN) != name


@pytest.mark.parametrize(
    ("plan", "error", "words"),
    [
        (Plan({}), UsageError, "needs a key in its space"),
        (Plan(SPACE, trials=0), UsageError, "1 trial or more"),
        (Plan({"search.sprase_weight": [0, 1]}), UsageError, "no key 'search.sprase_weight'"),
        (Plan({"search.sparse_weight": [0.5]}), UsageError, "leaves nothing to search"),
        (Plan({"search.sparse_weight": [0.5, 1.5]}), ConfigError, "search.sparse_weight"),
        (Plan({"search.fusion": ["rrf", "magic"]}), ConfigError, "search.fusion"),
    ],
)
def test_a_plan_that_cannot_be_searched_is_refused_before_anything_runs(plan: Plan, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        check(plan, load())


async def test_an_unknown_objective_names_those_that_exist(settings: Settings, sweep: Sweep) -> None:
    async with open_study(settings, sweep, sweep.config, replace(PLAN, objectives=("beauty",))) as study:
        with pytest.raises(UsageError, match="no objective 'beauty' here; there are ndcg@10"):
            await study.search()


async def test_times_are_those_of_the_first_trial_whatever_the_machine_does_since(settings: Settings, sweep: Sweep) -> None:
    minutes = iter([(10.0, 10.0), (80.0, 120.0)])  # the machine is eight times as slow when the second trial runs

    async def times(given: object, count: int) -> Measured:
        present, tried = next(minutes)
        return Measured({"present": {"q0": present}, "tried": {"q0": tried}}, {})

    sweep.times = times  # type: ignore[method-assign,assignment]
    plan = replace(PLAN, objectives=("ndcg@10", "latency_ms"), trials=2)
    async with open_study(settings, sweep, sweep.config, plan) as study:
        await study.search()
        assert [outcome.means["latency_ms"] for outcome in study.outcomes()] == [10, 15]
        assert study.reference == 10


async def test_an_objective_that_no_question_has_is_refused(settings: Settings, sweep: Sweep) -> None:
    async with open_study(settings, sweep, sweep.config, replace(PLAN, objectives=("ndcg@10", "api_recall@3"))) as study:
        with pytest.raises(UsageError, match="no objective 'api_recall@3' here"):
            await study.search()


async def test_a_database_that_is_not_there_is_said(sweep: Sweep) -> None:
    settings = Settings(home=Path("/nowhere"), database_url="postgresql://user:secret@127.0.0.1:1/none")
    with pytest.raises(DatabaseError) as caught:
        async with open_study(settings, sweep, sweep.config, PLAN):
            pass
    assert "secret" not in str(caught.value)
