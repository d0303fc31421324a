"""Benchmark and report: the numbers of a small set, the files, and that they repeat."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from fake_reader import FakeReader, golden

from vuedocs.bench import VARIANTS, benchmark, metrics_document, table, write
from vuedocs.bench.questions import GoldenQuestion
from vuedocs.bench.result import BenchResult
from vuedocs.errors import QuestionsError, StorageError

QUESTIONS = (
    golden("q1", {"p#a": 3, "p#b": 1}, apis=("ref",)),
    golden("q2", {"q": 3}, kind="debug", split="test"),
    golden("q3", {"r#x": 2, "r#y": 3}, kind="debug"),
)
FOUND = {
    "q1": [("vue/p#b", 0.9), ("vue/p#a", 0.9), ("vue/q", 0.1)],
    "q2": [("vue/p#a", 0.5), ("vue/q", 0.4)],
    "q3": [("vue/r#y", 0.8), ("vue/r#x", 0.7), ("vue/p#a", 0.6)],
}
TEXTS = {"vue/p#a": "ref() holds a value", "vue/p#b": "b", "vue/q": "q" * 40}


async def bench(questions: tuple[GoldenQuestion, ...] = QUESTIONS, level: str = "section", **options: object) -> BenchResult:
    return await benchmark(FakeReader(FOUND, TEXTS), questions, level, progress=False, **options)  # type: ignore[arg-type]


async def test_the_document_says_what_was_measured_on_what() -> None:
    document = metrics_document(await bench())
    assert {key: document[key] for key in ("n", "level", "split", "unscoped", "skip", "index")} == {
        "n": 3, "level": "section", "split": "all", "unscoped": False, "skip": [], "index": "g000007",
    }  # fmt: skip
    assert document["config"] == FakeReader(FOUND).config.fingerprint()
    # right@1: the tie of q1 goes to p#a, q2 has a wrong one first, q3 a right one.
    assert document["metrics"]["right@1"]["mean"] == pytest.approx(2 / 3, abs=1e-6)
    assert document["metrics"]["api_recall@3"] == {"mean": 1.0, "ci95": [1.0, 1.0], "n": 1}
    assert document["by_kind"]["debug"]["n"] == 2
    assert document["by_kind"]["debug"]["metrics"]["mrr@10"]["mean"] == 0.75
    assert "api_recall@3" not in document["by_kind"]["debug"]["metrics"]
    assert document["by_source"]["vue"]["n"] == 3
    assert document["tokens"]["mean"] > 0
    assert document["latency_ms"]["stages"]["rerank"] == {"p50": 2.0, "p95": 2.0}


async def test_page_level_folds_judgements_and_run() -> None:
    result = await bench(level="page")
    assert result.qrels == {"q1": {"p": 3}, "q2": {"q": 3}, "q3": {"r": 3}}
    assert list(result.run["q1"]) == ["p", "q"]
    weight = FakeReader(FOUND).config.rerank.page_weight
    assert result.run["q1"]["p"] == pytest.approx(0.9 + weight * 0.9)
    assert (await bench(QUESTIONS[1:2])).split == "test"


async def test_a_repeated_or_shuffled_benchmark_differs_in_latency_only(tmp_path: Path) -> None:
    write(await bench(), tmp_path / "one")
    write(await bench(QUESTIONS[::-1]), tmp_path / "two")
    for name in ("run.trec", "qrels.trec", "per_question.jsonl", "passages.jsonl"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    one, two = (json.loads((tmp_path / folder / "metrics.json").read_text()) for folder in ("one", "two"))
    one.pop("latency_ms")
    two.pop("latency_ms")
    assert one == two


async def test_the_digest_covers_answers_and_rankings() -> None:
    digest = metrics_document(await bench())["digest"]
    result = await bench()
    changed = replace(result, answers=(replace(result.answers[0], text="other"), *result.answers[1:]))
    assert metrics_document(result)["digest"] == digest
    assert metrics_document(changed)["digest"] != digest
    assert metrics_document(await bench(QUESTIONS[:2]))["digest"] != digest


async def test_trec_files_have_six_and_four_columns_and_rank_from_1(tmp_path: Path) -> None:
    write(await bench(), tmp_path)
    run = [line.split(" ") for line in (tmp_path / "run.trec").read_text().splitlines()]
    assert [row[:4] for row in run[:3]] == [["q1", "Q0", "p#a", "1"], ["q1", "Q0", "p#b", "2"], ["q1", "Q0", "q", "3"]]
    assert {len(row) for row in run} == {6}
    assert float(run[0][4]) > float(run[1][4]) > float(run[2][4])
    assert (tmp_path / "qrels.trec").read_text().splitlines()[:2] == ["q1 0 p#a 3", "q1 0 p#b 1"]


async def test_per_question_and_passages_hold_one_line_a_question(tmp_path: Path) -> None:
    result = await bench()
    write(result, tmp_path)
    rows = [json.loads(line) for line in (tmp_path / "per_question.jsonl").read_text().splitlines()]
    assert [row["id"] for row in rows] == ["q1", "q2", "q3"]
    assert rows[0]["top"] == ["p#a", "p#b", "q"]
    assert rows[1]["metrics"]["ndcg@10"] == result.values["ndcg@10"]["q2"]
    assert "api_recall@3" not in rows[1]["metrics"]
    passages = [json.loads(line) for line in (tmp_path / "passages.jsonl").read_text().splitlines()]
    assert passages[1] == {"id": "q2", "text": "ref() holds a value\n" + "q" * 40, "tokens": 15}


async def test_the_table_names_n_level_split_and_intervals() -> None:
    text = table(await bench())
    assert "n=3  level=section  split=all  scoped" in text
    assert "ndcg@10" in text
    assert "[" in text
    assert "rerank" in text


async def test_a_key_that_the_index_does_not_hold_is_refused_before_anything_is_asked() -> None:
    reader = FakeReader(FOUND)
    with pytest.raises(QuestionsError, match="'p#gone' does not exist"):
        await benchmark(reader, [golden("q1", {"p#gone": 3})], progress=False)
    assert reader.asked == []


async def test_left_out_stages_and_another_config_are_reported() -> None:
    reader = FakeReader(FOUND)
    other = reader.config.override("rerank.page_weight=0.5")
    result = await benchmark(reader, QUESTIONS, config=other, skip=("rerank",), progress=False)
    assert reader.skipped[-1] == ("rerank",)
    assert metrics_document(result)["skip"] == ["rerank"]
    assert result.config == other.fingerprint() != reader.config.fingerprint()


def test_the_variants_are_overrides_that_the_config_knows() -> None:
    config = FakeReader(FOUND).config
    fingerprints = {config.override(*overrides).fingerprint() for overrides in VARIANTS.values()}
    assert len(fingerprints) == len(VARIANTS)
    assert config.override(*VARIANTS["whole pipeline"]) == config


async def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError, match=r"file/out: .*; give another folder with --out"):
        write(await bench(), tmp_path / "file" / "out")
