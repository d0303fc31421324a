"""Gate and comparison: a planted regression fails, a result against itself passes."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from fake_reader import FakeReader, golden

from vuedocs.bench import benchmark, gate, write
from vuedocs.bench.comparison import compare, differences
from vuedocs.bench.lost import Lost
from vuedocs.bench.result import BenchResult
from vuedocs.errors import QuestionsError

COUNT = 12
QUESTIONS = tuple(golden(f"q{i:02}", {f"p{i}#a": 3}) for i in range(COUNT))
GOOD = {f"q{i:02}": [(f"vue/p{i}#a", 0.9), ("vue/x", 0.8)] for i in range(COUNT)}
SECOND = {f"q{i:02}": [("vue/x", 0.9), (f"vue/p{i}#a", 0.8)] for i in range(COUNT)}
LOST = {f"q{i:02}": [("vue/x", 0.9)] for i in range(COUNT)}
ALL = [f"vue/p{i}#a" for i in range(COUNT)]


async def bench(found: dict[str, list[tuple[str, float]]], count: int = COUNT, level: str = "section") -> BenchResult:
    return await benchmark(FakeReader(found, extra=ALL), QUESTIONS[:count], level, progress=False)  # type: ignore[arg-type]


async def test_a_result_passes_against_itself_and_against_worse(tmp_path: Path) -> None:
    write(await bench(SECOND), tmp_path)
    assert gate(await bench(SECOND), tmp_path) == ()
    assert gate(await bench(GOOD), tmp_path / "metrics.json") == ()


async def test_a_lower_place_fails_on_ndcg_alone(tmp_path: Path) -> None:
    write(await bench(GOOD), tmp_path)
    (failure,) = gate(await bench(SECOND), tmp_path)
    # One place lower: 1 / log2(3) = .631 for all; p = 1 / 2^12, times three by Holm: no question of these names an API.
    assert failure.startswith("ndcg@10 fell from 1.000 to 0.631: -0.369 [-0.369, -0.369], one-sided paired test p=0.0007 (Holm)")


async def test_lost_sections_fail_on_all(tmp_path: Path) -> None:
    write(await bench(GOOD), tmp_path)
    failures = gate(await bench(LOST), tmp_path)
    assert [failure.split(" fell")[0] for failure in failures] == ["ndcg@10", "recall@5", "delivered"]


async def test_an_answer_that_holds_less_fails_though_the_ranking_is_the_same(tmp_path: Path) -> None:
    result = await bench(GOOD)
    write(result, tmp_path)
    cut = {question.id: (Lost(f"p{i}#a", 3, "budget", 1, {}, ""),) for i, question in enumerate(QUESTIONS)}
    (failure,) = gate(replace(result, lost=cut), tmp_path)
    assert failure.startswith("delivered fell from 1.000 to 0.000: -1.000 [-1.000, -1.000]")


async def test_one_question_in_twelve_is_no_evidence(tmp_path: Path) -> None:
    write(await bench(GOOD), tmp_path)
    assert gate(await bench(GOOD | {"q00": LOST["q00"]}), tmp_path) == ()


async def test_a_baseline_of_other_questions_or_another_level_is_refused(tmp_path: Path) -> None:
    write(await bench(GOOD), tmp_path)
    with pytest.raises(QuestionsError, match="its questions is"):
        gate(await bench(GOOD, 11), tmp_path)
    with pytest.raises(QuestionsError, match="its level is 'section', this result's is 'page'"):
        gate(await bench(GOOD, level="page"), tmp_path)


async def test_a_damaged_baseline_is_refused(tmp_path: Path) -> None:
    result = await bench(GOOD)
    with pytest.raises(QuestionsError, match=r"metrics\.json is not there"):
        gate(result, tmp_path)
    write(result, tmp_path)
    with pytest.raises(QuestionsError, match="mistyped is not there"):
        gate(result, tmp_path / "mistyped")
    lines = (tmp_path / "per_question.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "per_question.jsonl").write_text("".join(lines[1:]))
    with pytest.raises(QuestionsError, match="does not hold all 12 questions"):
        gate(result, tmp_path)
    (tmp_path / "per_question.jsonl").write_text("".join(lines[:-1]) + json.dumps({"id": "q11", "metrics": {}}))
    with pytest.raises(QuestionsError, match="question q11 has no ndcg@10"):
        gate(result, tmp_path)
    (tmp_path / "metrics.json").write_text("[]")
    with pytest.raises(QuestionsError, match="cannot be read"):
        gate(result, tmp_path)


async def test_systems_are_set_beside_a_baseline() -> None:
    results = {"pipeline": await bench(GOOD), "BM25 alone": await bench(SECOND), "same": await bench(SECOND)}
    found = differences(results, "BM25 alone", "ndcg@10")
    assert found["pipeline"].mean == pytest.approx(1 - 0.6309, abs=1e-4)
    assert found["pipeline"].p == pytest.approx(2 * 2 / 2**12, rel=0.1)  # both sides; the smaller of two p-values is doubled
    assert found["same"].p == 1
    lines = compare(results, "BM25 alone").splitlines()
    assert lines[2].startswith("| pipeline   | 1.000 [1.000, 1.000] |")
    assert [line.split("|")[-2].strip().split(" ")[0] for line in lines[2:5]] == ["+0.369", "-", "+0.000"]
    assert lines[-1].startswith("n=12, level section, split dev;")


async def test_systems_that_answered_other_questions_are_not_compared() -> None:
    with pytest.raises(QuestionsError, match="'a' beside 'b' cannot be compared"):
        compare({"a": await bench(GOOD), "b": await bench(GOOD, 5)}, "a")
