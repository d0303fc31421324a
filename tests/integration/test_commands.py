"""The command line as people use it, each command a process, over the sample docs."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from processes import Command

FIELDS = {
    "id", "source", "path", "route", "kind", "anchor", "url", "title", "heading_path", "position", "api_style", "since",
    "entities", "links", "text", "content_hash",
}  # fmt: skip
QUESTION = "how is a computed property cached"
ANSWER = "https://sample.vuedocs.example/guide/essentials/computed#caching"


def out(done: subprocess.CompletedProcess[str]) -> str:
    """What a command that succeeded printed."""
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout


def test_search_answers_with_the_section_and_its_address(command: Command, sample: Path) -> None:
    text = out(command("search", QUESTION, "--source", "sample", home=sample))
    assert "# Computed Properties (sample)" in text
    assert f"## [Caching]({ANSWER})" in text


def test_search_explains_every_stage(command: Command, sample: Path) -> None:
    text = out(command("search", QUESTION, "--source", "sample", "--explain", home=sample))
    heads = [line.split()[0] for line in text.split("\n\n")[0].splitlines() if not line.startswith(" ")]
    assert heads == ["detect", "search", "resolve", "expand", "rerank", "reconstruct", "total"]
    for words in ("dense:", "sparse:", "candidates", "not shown:", " ms"):
        assert words in text


def test_search_as_json(command: Command, sample: Path) -> None:
    asked = ("search", QUESTION, "--source", "sample", "--max-results", "2", "--max-tokens", "300", "--json")
    data = json.loads(out(command(*asked, home=sample)))
    assert ANSWER in [passage["url"] for passage in data["passages"]]
    assert len(data["passages"]) <= 2
    assert len(data["text"]) <= 4 * 300
    assert data["cursor"]


def test_search_takes_bytes_that_are_no_text(command: Command, sample: Path) -> None:
    assert ANSWER in out(command("search", f"{QUESTION} \udcff", "--source", "sample", "--json", home=sample))


def test_chunks_have_all_their_fields(command: Command, sample: Path) -> None:
    rows = [json.loads(line) for line in out(command("chunks", "sample", "--json", home=sample)).splitlines()]
    assert len(rows) > 200
    assert all(row.keys() == FIELDS for row in rows)
    assert len({row["id"] for row in rows}) == len(rows)
    assert [row["position"] for row in rows] == sorted(row["position"] for row in rows)
    assert {row["kind"] for row in rows} == {"page", "section", "subsection", "code"}


@pytest.mark.parametrize("name", ["guide/essentials/computed", "/guide/essentials/computed", ANSWER])
def test_chunks_of_a_page_by_path_route_and_url(inside: Command, sample: Path, name: str) -> None:
    rows = [json.loads(line) for line in out(inside("chunks", "sample", "--path", name, "--json", home=sample)).splitlines()]
    assert {row["path"] for row in rows} == {"guide/essentials/computed"}


def test_api_shows_the_section_that_defines_a_name(command: Command, sample: Path) -> None:
    text = out(command("api", "computed", "--source", "sample", home=sample))
    assert text.startswith("# computed (sample: reactivity API)")
    assert "Makes a ref whose value is calculated from others.\n\n- **Type**" in text
    assert "(https://sample.vuedocs.example/api/reactivity-core#computed): sample 0.1.0, indexed " in text


def test_an_api_that_is_none_is_refused_with_a_guess(inside: Command, sample: Path) -> None:
    done = inside("api", "computd", home=sample)
    assert done.returncode == 2
    assert "did you mean `computed`?" in done.stderr


def test_related(command: Command, sample: Path) -> None:
    text = out(command("related", "computed", home=sample))
    assert "APIs:\n- `" in text
    assert ANSWER in text


@pytest.mark.parametrize(
    "name", ["guide/essentials/computed", "sample/guide/essentials/computed", ANSWER.partition("#")[0] + ".html"]
)
def test_page_by_path_route_and_url(inside: Command, sample: Path, name: str) -> None:
    text = out(inside("page", name, home=sample))
    assert text.startswith("# Computed Properties\n")
    assert "## Caching" in text


def test_one_section_of_a_page(inside: Command, sample: Path) -> None:
    text = out(inside("page", "guide/essentials/computed#caching", home=sample))
    assert text.startswith("## Caching\n")
    assert f"Source: {ANSWER}" in text


def test_sources_and_status(command: Command, sample: Path) -> None:
    rows = [line.split() for line in out(command("sources", home=sample)).splitlines()]
    indexed = {row[0]: "not indexed" not in " ".join(row) for row in rows[2:]}
    assert indexed.pop("sample")
    assert indexed
    assert not any(indexed.values())
    text = out(command("status", home=sample))
    assert f"data folder: {sample}" in text
    assert "checks: data ok, database ok, qdrant ok" in text
    assert "\ndatabase at: /" in text


def test_only_a_gate_fails_because_of_a_baseline(inside: Command, sample: Path, project: Path, tmp_path: Path) -> None:
    asked = ("bench", "--questions", str(project / "evals" / "questions" / "sample.jsonl"), "--split", "dev")
    out(inside(*asked, "--out", str(tmp_path / "base"), home=sample))
    blind = (*asked, "--set", "search.dense_weight=0", "--set", "search.sparse_weight=0", "--baseline", str(tmp_path / "base"))
    told, gated = inside(*blind, home=sample), inside(*blind, "--gate", home=sample)
    assert "WORSE: ndcg@10 fell" in told.stderr
    assert (told.returncode, gated.returncode) == (0, 1)


def test_bench_repeats_bit_for_bit(command: Command, sample: Path, project: Path, tmp_path: Path) -> None:
    questions = str(project / "evals" / "questions" / "sample.jsonl")
    reports = []
    for name in ("first", "second"):
        folder = tmp_path / name
        asked = ("bench", "--questions", questions, "--split", "dev", "--out", str(folder))
        out(command(*asked, home=sample, NUMBA_DISABLE_JIT="1"))
        assert {file.name for file in folder.iterdir()} == {
            "metrics.json", "run.trec", "qrels.trec", "per_question.jsonl", "passages.jsonl",
            "run.json", "config.toml", "report.html",
        }  # fmt: skip
        reports.append(json.loads((folder / "metrics.json").read_text()))
    assert reports[0]["digest"] == reports[1]["digest"]
    assert reports[0]["n"] >= 20
    assert reports[0]["tokens"]["p95"] <= 2000
    for name in ("run.trec", "passages.jsonl", "per_question.jsonl"):
        assert (tmp_path / "first" / name).read_bytes() == (tmp_path / "second" / name).read_bytes()


def test_bench_takes_questions_about_several_sources(inside: Command, home: Path, docs: Path, tmp_path: Path) -> None:
    out(inside("ingest", "vue", "pinia", "--docs", str(docs), home=home))
    pages = {"vue": "guide/computed", "pinia": "guide/stores"}
    lines = [
        {
            "id": f"{source}-1",
            "source": source,
            "question": "how?",
            "kind": "howto",
            "relevant": {page: 3},
            "apis": [],
            "split": "test",
        }
        for source, page in pages.items()
    ]
    (tmp_path / "both.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    run = tmp_path / "run"
    assert "ndcg@10 by source" in out(inside("bench", "--questions", str(tmp_path / "both.jsonl"), "--out", str(run), home=home))
    assert {f"{source}/{page}" for source, page in pages.items()} <= set((run / "qrels.trec").read_text().split())


def test_bench_all_is_every_indexed_source_that_has_questions(command: Command, sample: Path, tmp_path: Path) -> None:
    digests = []
    for source in ("sample", "all"):
        out(command("bench", "--source", source, "--split", "dev", "--out", str(tmp_path / source), home=sample))
        digests.append(json.loads((tmp_path / source / "metrics.json").read_text())["digest"])
        assert json.loads((tmp_path / source / "run.json").read_text())["questions"]["file"] == "sample.jsonl"
    assert digests[0] == digests[1]


def test_an_unchanged_source_is_ingested_again_in_no_time(inside: Command, home: Path, docs: Path) -> None:
    first = out(inside("ingest", "vue", "--docs", str(docs), home=home))
    assert "published g000001" in first
    again = out(inside("ingest", "vue", "--docs", str(docs), home=home))
    assert "texts embedded: 0;" in again
    assert "nothing has changed: g000001 stays published" in again
    page = docs / "vue" / "guide" / "watchers.md"
    page.write_text(page.read_text().replace("walks through", "visits"))
    edited = out(inside("ingest", "vue", "--docs", str(docs), home=home))
    assert "texts embedded: 1;" in edited
    assert "published g000002" in edited
