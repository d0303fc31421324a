"""What notebook 10 shows of failures."""

from __future__ import annotations

import pytest
from fake_reader import chunk_of, golden
from sweep_fakes import StagedReader

from vuedocs.bench import BenchResult, benchmark
from vuedocs.workbench import errors


@pytest.fixture
async def result() -> BenchResult:
    questions = [golden("low?", {"guide/p#x": 3}), golden("gone?", {"guide/p#x": 3}), golden("fine?", {"guide/p#x": 3})]
    found = {"low?": ["guide/p#y", "api/q#z", "guide/p#x"], "fine?": ["guide/p#x"]}
    return await benchmark(StagedReader(found), questions, progress=False)


async def test_a_miss_says_what_was_lost_where_and_what_to_do(result: BenchResult) -> None:
    first, second = errors.misses(result, top=10).rows
    assert "gone?" in str(first[2])
    assert "low?" in str(second[2])
    assert "1 guide/p#y\n2 api/q#z" in str(second[5])
    assert str(second[6]).startswith("1. 2 of the first 3 were never judged")


async def test_the_passages_stand_beside_the_gold(result: BenchResult) -> None:
    chunks = [chunk_of("vue/guide/p#x", "The gold."), chunk_of("vue/guide/p#y", "The other. " * 200)]
    row = errors.beside(result, chunks, top=10).rows[1]
    assert str(row[1]) == "guide/p#x"
    assert "The gold." in str(row[2])
    assert "The other." in str(row[3])
    assert len(str(row[3])) < 1000


async def test_sections_that_nobody_judged_are_counted(result: BenchResult) -> None:
    assert [list(row)[:2] for row in errors.unjudged(result).rows] == [["api/q#z", 1], ["guide/p#y", 1]]


async def test_the_plot_and_the_table_hold_every_failure(result: BenchResult) -> None:
    assert sum(int(row[2]) for row in errors.kinds(result).rows) == 2
    figure = errors.by_stage(result)
    assert sum(int(text.get_text()) for text in figure.axes[0].texts) == 2


async def test_findings_of_a_set_without_failures(result: BenchResult) -> None:
    fine = await benchmark(StagedReader({"fine?": ["guide/p#x"]}), [golden("fine?", {"guide/p#x": 3})], progress=False)
    assert errors.findings(fine).sentences == ["No question of 1 is below nDCG@10 0.7."]
    assert errors.findings(result).sentences[0].startswith("2 of 3 (67%) questions are below")
