"""Ledger and stored runs: a folder of facts, found again, and refused in words where it is damaged."""

from __future__ import annotations

import json
import re
import tomllib
from html.parser import HTMLParser
from pathlib import Path

import pytest
from fake_reader import FakeReader
from stored_fakes import GOOD, LOST, SECOND, kept, manifest, result_of

from vuedocs.bench.html import sentences
from vuedocs.bench.ledger import find_run, record, run_folders, run_id, slug
from vuedocs.bench.stored import read_stored, stored
from vuedocs.commands.runs import listed, shown
from vuedocs.errors import QuestionsError, StorageError


async def test_a_run_says_what_ran_on_what(tmp_path: Path) -> None:
    folder = await kept(tmp_path / "one", SECOND, overrides=["search.leg_depth=7"])
    facts = json.loads((folder / "run.json").read_text())
    assert facts["questions"].keys() >= {"digest", "file", "level", "n", "split", "unscoped"}
    assert facts["index"]["sources"][0]["commit"] == "c0ffee"
    assert facts["packages"].keys() >= {"python", "vuedocs", "numpy", "ranx"}
    assert facts["machine"]["cores"] > 0
    config = tomllib.loads((folder / "config.toml").read_text())
    assert config["search"]["leg_depth"] == 7
    read = read_stored(folder)
    assert read.values("ndcg@10")["q03"] == pytest.approx(0.6309, abs=1e-4)
    assert (read.qrels["q03"], read.facts, read.config) == ({"p3#a": 3}, facts, config)


async def test_a_repeated_run_gives_identical_numbers(tmp_path: Path) -> None:
    one, two = [read_stored(await kept(tmp_path / name, SECOND)).summary for name in ("one", "two")]
    assert one["digest"] == two["digest"]
    assert one["metrics"] == two["metrics"]


async def test_every_variant_has_a_folder_of_its_own(tmp_path: Path) -> None:
    results = {"whole pipeline": await result_of(GOOD), "BM25 alone": await result_of(SECOND)}
    configs = dict.fromkeys(results, FakeReader({}).config)
    record(tmp_path / "r", results, configs, manifest(), [Path("vue.jsonl")])
    assert find_run("r", tmp_path).facts["system"] == "whole pipeline"
    assert find_run("r/bm25-alone", tmp_path).facts["system"] == "BM25 alone"
    assert [path.name for path in run_folders(tmp_path)] == ["r"]
    assert slug("BM25 alone!") == "bm25-alone"


async def test_runs_are_found_by_id_beginning_folder_and_latest(tmp_path: Path) -> None:
    first = await kept(tmp_path / "20260101T000000Z-aaaa", GOOD)
    await kept(tmp_path / "20260102T000000Z-bbbb", GOOD)
    (tmp_path / "20260103T000000Z-cccc").mkdir()  # what notebooks left
    assert find_run("20260101", tmp_path).name == first.name
    assert find_run("latest", tmp_path).name == "20260102T000000Z-bbbb"
    assert find_run(str(first), tmp_path / "elsewhere").values("ndcg@10")["q01"] == 1
    with pytest.raises(QuestionsError, match="is the beginning of several runs"):
        find_run("2026", tmp_path)
    with pytest.raises(QuestionsError, match=r"there is no run 'x' in .*; the newest are: 20260101"):
        find_run("x", tmp_path)
    assert re.fullmatch(r"\d{8}T\d{6}Z-[0-9a-f]{4}", run_id())


async def test_a_listing_names_what_it_cannot_read(tmp_path: Path) -> None:
    assert "no run is kept" in listed(tmp_path)
    await kept(tmp_path / "one", GOOD)
    broken = await kept(tmp_path / "two", GOOD)
    (broken / "metrics.json").write_text("{")
    lines = listed(tmp_path).splitlines()
    assert lines[2].split()[:3] == ["one", "whole", "vue"]
    assert lines[3].startswith("not readable: run ")
    assert "ndcg@10" in shown(find_run("one", tmp_path))


@pytest.mark.parametrize(
    ("damage", "complaint"),
    [
        (lambda line: line.replace('"ndcg@10": 1.0', '"ndcg@10": NaN'), "per_question.jsonl:3: ndcg@10 of question q02 is nan"),
        (lambda line: line.replace('"recall@5": 1.0', '"recall@5": "1"'), "recall@5 of question q02 is 1, no number"),
        (lambda line: line.replace('"recall@5": 1.0, ', ""), "per_question.jsonl:3: question q02 has no recall@5"),
        (lambda line: line[:40], "per_question.jsonl:3: this is no question's result"),
        (lambda line: "[]", "per_question.jsonl:3: this is no question's result"),
        (lambda line: line.replace('"q02"', '"q01"'), "does not hold all 12 questions"),
    ],
)
async def test_a_damaged_line_is_named(tmp_path: Path, damage: object, complaint: str) -> None:
    path = (await kept(tmp_path / "one", GOOD)) / "per_question.jsonl"
    lines = path.read_text().splitlines()
    lines[2] = damage(lines[2])  # type: ignore[operator]
    path.write_text("\n".join(lines))
    with pytest.raises(QuestionsError, match=re.escape(complaint)):
        read_stored(tmp_path / "one")


@pytest.mark.parametrize(
    ("name", "text"), [("metrics.json", "[]"), ("run.json", "["), ("qrels.trec", "q1 0"), ("config.toml", "[[")]
)
async def test_a_damaged_file_is_refused(tmp_path: Path, name: str, text: str) -> None:
    await kept(tmp_path / "one", GOOD)
    (tmp_path / "one" / name).write_text(text)
    with pytest.raises(QuestionsError, match="cannot be read"):
        read_stored(tmp_path / "one")


async def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError, match="cannot be written"):
        await kept(tmp_path / "file" / "one", GOOD)


class Page(HTMLParser):
    """Collects what a page loads from elsewhere, and its pictures' words."""

    def __init__(self) -> None:
        super().__init__()
        self.loaded: list[str] = []
        self.words: list[str] = []
        self.metas: dict[str, str] = {}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.loaded += [given[name] for name in ("src", "href") if name in given]
        if tag == "svg":
            self.words.append(given["aria-label"])
        if tag == "meta":
            self.metas[given.get("name", "charset")] = given.get("content", "")


async def test_the_report_stands_alone_and_its_plots_are_words(tmp_path: Path) -> None:
    folder = await kept(tmp_path / "one", SECOND | {"q00": LOST["q00"]})
    text = (folder / "report.html").read_text()
    page = Page()
    page.feed(text)
    assert page.loaded == []
    assert "url(" not in text
    assert "device-width" in page.metas["viewport"]
    assert page.words[0].startswith("Metrics: ndcg@10 0.578 [")
    assert "p0#a (3): fused out" in text


async def test_the_report_opens_with_three_sentences() -> None:
    worse, better = await result_of(SECOND | {"q00": LOST["q00"]}), await result_of(GOOD)
    said = sentences(worse, [stored(worse, "this"), stored(better, "that")])
    assert len(said) == 3
    assert said[0].startswith("nDCG@10 is 0.578 [")
    assert said[1].startswith("Over 12 questions it is worse than that (-0.422 [")
    assert said[1].endswith("): differences in nDCG@10, told apart at p < 0.05 by Holm over 1.")
    assert said[2].startswith("Of 1 golden sections that were missed, most (1) were lost as “fused out”")
    both = sentences(worse, [stored(worse, "this"), stored(better, "that"), stored(await result_of(SECOND), "nearly")])[1]
    assert [both.count(words) for words in ("worse than that (", "not told apart from nearly (-0.053")] == [1, 1]
    assert sentences(better, [stored(better, "this")])[1:] == [
        "Nothing stands beside this run, so that it says how good, not whether better.",
        "No golden section was missed.",
    ]
