"""The plain hybrid: two legs fused by rank, from the legs of a run of the whole pipeline."""

from __future__ import annotations

from dataclasses import replace

import pytest
from fake_reader import FakeReader, golden

from vuedocs.bench import benchmark
from vuedocs.bench.comparison import gains_by
from vuedocs.bench.hybrid import NAME, hybrid_rrf, rrf
from vuedocs.bench.lost import Trace
from vuedocs.bench.result import BenchResult
from vuedocs.errors import UsageError


def test_ranks_are_fused_by_hand() -> None:
    # a: 1/61 + 1/63; b: 1/62 + 1/61, the best; c: 1/62 alone.
    fused = rrf([["a", "b"], ["b", "c", "a"]])
    assert list(fused) == ["b", "a", "c"]
    assert fused["a"] == pytest.approx(1 / 61 + 1 / 63)
    assert fused["c"] == pytest.approx(1 / 62)
    assert list(rrf([["y"], ["x"]])) == ["x", "y"]  # ties by key


async def whole(legs: dict[str, tuple[str, ...]], level: str = "section") -> BenchResult:
    """Two questions whose right section the pipeline puts first, found by ``legs``."""
    questions = [golden("q1", {"p#a": 3}, kind="howto"), golden("q2", {"p#a": 3}, kind="api")]
    found = {id: [("vue/p#a", 0.9), ("vue/x#b", 0.8)] for id in ("q1", "q2")}
    result = await benchmark(FakeReader(found), questions, level, progress=False)  # type: ignore[arg-type]
    trace = Trace(legs, (), (), frozenset(), frozenset(), {})
    return replace(result, answers=tuple(replace(answer, trace=trace) for answer in result.answers))


async def test_questions_and_names_do_not_count() -> None:
    result = await whole({"dense": ("x#b", "p#a"), "sparse": ("x#b",), "question": ("p#a",), "name": ("p#a",)})
    plain = hybrid_rrf(result)
    assert list(plain.run["q1"]) == ["x#b", "p#a"]
    assert result.metrics["ndcg@10"].mean == 1
    table = gains_by({"whole": result, NAME: plain}, "whole", "kind")
    assert [line.split("|")[1].strip() for line in table.splitlines()[2:5]] == ["all", "howto", "api"]
    assert "+0.369 [+0.369, +0.369] p=0.5000" in table.splitlines()[2]  # of four tosses two are as far from 0
    assert table.splitlines()[-1] == "level section, split dev; Holm over 2"


async def test_a_page_is_as_good_as_its_best_section() -> None:
    plain = hybrid_rrf(await whole({"dense": ("x#b", "p#a", "p#c"), "sparse": ("x#b", "p#c")}, "page"))
    assert list(plain.run["q1"]) == ["x", "p"]


async def test_a_result_without_legs_is_refused() -> None:
    with pytest.raises(UsageError, match="question q1 has no dense and no sparse leg"):
        hybrid_rrf(await whole({"name": ("p#a",)}))
