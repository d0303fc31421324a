"""What went wrong with a question, what came instead, and which kinds of failure there are."""

from __future__ import annotations

import pytest
from fake_reader import golden
from sweep_fakes import StagedReader

from vuedocs.bench import BenchResult, benchmark
from vuedocs.bench.failures import Failure, clusters, cost, failures, instead_of

QUESTIONS = [
    golden("a fine one", {"guide/p#x": 3}),
    golden("another section first", {"guide/p#x": 3, "guide/p#y": 1}),
    golden("the reference first", {"guide/p#x": 3}),
    golden("nothing", {"guide/p#x": 3}),
]
FOUND = {
    "a fine one": ["guide/p#x", "guide/p#y"],
    "another section first": ["guide/p#y", "guide/q#z", "guide/p#x"],
    "the reference first": ["api/r#x", "guide/q#z", "api/r#y", "guide/p#x"],
}


@pytest.fixture
async def result() -> BenchResult:
    return await benchmark(StagedReader(FOUND), QUESTIONS, progress=False)


async def test_failures_come_worst_first_and_without_the_good_ones(result: BenchResult) -> None:
    assert [failure.question.id for failure in failures(result)] == ["nothing", "the reference first", "another section first"]


async def test_a_failure_says_what_came_instead_and_what_nobody_judged(result: BenchResult) -> None:
    by_id: dict[str, Failure] = {failure.question.id: failure for failure in failures(result)}
    assert by_id["the reference first"].instead == "API for guide"
    assert by_id["the reference first"].unjudged == 3
    assert by_id["another section first"].instead == "same page"
    assert by_id["another section first"].unjudged == 1
    assert by_id["nothing"].instead == "nothing"
    assert by_id["nothing"].first == ()


async def test_every_failure_has_something_to_do(result: BenchResult) -> None:
    for failure in failures(result):
        assert failure.remedies
    reference = next(failure for failure in failures(result) if failure.question.id == "the reference first")
    assert reference.remedies[0] == "3 of the first 3 were never judged: do that first"


async def test_kinds_are_ordered_by_what_they_cost(result: BenchResult) -> None:
    groups = clusters(failures(result))
    costs = [cost(members) for members in groups.values()]
    assert costs == sorted(costs, reverse=True)
    assert sum(map(len, groups.values())) == 3
    assert cost(groups[next(iter(groups))]) == 1  # the question that found nothing


async def test_keys_of_several_sources_are_read_as_their_files_write_them() -> None:
    questions = [golden("q", {"guide/p#x": 3}), golden("r", {"guide/p#x": 3}, source="pinia")]
    reader = StagedReader({"q": ["guide/p#y", "guide/q", "guide/p#x"], "r": []})
    both = BenchResult(**{**vars(await benchmark(reader, questions[:1], progress=False)), "questions": tuple(questions)})
    run = {"q": {"vue/guide/p#y": 1.0, "pinia/guide/p": 0.5}, "r": {}}
    values = {"ndcg@10": {"q": 0.5, "r": 0.0}}
    found = failures(BenchResult(**{**vars(both), "run": run, "values": values}))
    assert found[1].first == ("guide/p#y", "pinia/guide/p")
    assert found[1].instead == "same page"


@pytest.mark.parametrize(
    ("gold", "first", "kind"),
    [
        ("guide/a#x", "guide/a#y", "same page"),
        ("guide/a#x", "guide/a", "same page"),
        ("guide/a#x", "guide/b#x", "same folder"),
        ("guide/a/b#x", "guide/c/d#x", "elsewhere"),
        ("guide/a#x", "api/b#x", "API for guide"),
        ("docs/api/b#x", "docs/guide/a#x", "guide for API"),
    ],
)
def test_what_came_instead(gold: str, first: str, kind: str) -> None:
    assert instead_of(gold, [first]) == kind
