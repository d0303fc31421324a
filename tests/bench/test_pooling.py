"""Pooling: the best of several systems, those judged already, and nothing that says who found what."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import pytest
from fake_reader import FakeReader, chunk_of, golden

from vuedocs.bench.pooling import SYSTEMS, PoolEntry, pool, sheet, write_sheet
from vuedocs.bench.result import VARIANTS
from vuedocs.config import Config, load
from vuedocs.errors import StorageError
from vuedocs.records import Search
from vuedocs.stages import Result

LEXICAL = {"q1": [("vue/w#1", 0.9), ("vue/w#2", 0.8), ("vue/both#x", 0.7)]}
SEMANTIC = {"q1": [("vue/both#x", 0.9), ("vue/m#1", 0.8), ("vue/m#2", 0.7)]}


@dataclass
class TwoSystems(FakeReader):
    """Answers from SEMANTIC where the words' leg is off."""

    async def search(self, search: Search, *, config: Config | None = None, skip: tuple[str, ...] = ()) -> Result[Search]:  # type: ignore[override]
        assert config is not None
        found = SEMANTIC if config.search.sparse_weight == 0 else LEXICAL
        return await FakeReader(found).search(search, config=config, skip=skip)


async def pooled(**options: object) -> tuple[PoolEntry, ...]:
    systems = {"words": (), "meaning": ("search.sparse_weight=0",)}
    question = golden("q1", {"m#1": 3, "judged#only": 1})
    return await pool(TwoSystems({}), [question], systems, 2, progress=False, **options)  # type: ignore[arg-type]


async def test_the_best_of_each_system_and_what_is_judged_are_pooled_once() -> None:
    (entry,) = await pooled()
    assert sorted(entry.sections) == ["both#x", "judged#only", "m#1", "w#1", "w#2"]
    assert (await pooled())[0] == entry
    (entry,) = await pooled(unjudged=True)
    assert sorted(entry.sections) == ["both#x", "w#1", "w#2"]


async def test_the_order_differs_from_question_to_question_and_from_the_ranking() -> None:
    found = [(f"vue/p#{n}", 1 - n / 10) for n in range(9)]
    reader = FakeReader({"q1": found, "q2": found})
    one, two = await pool(reader, [golden("q1", {"p#0": 3}), golden("q2", {"p#0": 3})], {"only": ()}, progress=False)
    assert sorted(one.sections) == sorted(two.sections) == [f"p#{n}" for n in range(9)]
    assert len({one.sections, two.sections, tuple(f"p#{n}" for n in range(9))}) == 3


async def test_a_sheet_shows_text_and_nothing_of_grades_or_finders(tmp_path: Path) -> None:
    entries = await pooled()
    chunks = [replace(chunk_of("vue/m#1"), text="## Title\n\nText"), replace(chunk_of("vue/m#1~code-1"), text="code")]
    (row,) = sheet(entries, chunks)
    shown = {candidate["section"]: candidate for candidate in row.candidates}
    assert shown["m#1"] == {"section": "m#1", "heading": "m › 1", "url": "https://docs.example/m#1", "text": "## Title\n\nText"}
    assert shown["w#1"]["text"] == ""
    assert asdict(row).keys() == {"id", "source", "question", "candidates"}
    write_sheet([row], tmp_path / "pool.jsonl")
    assert json.loads((tmp_path / "pool.jsonl").read_text())["candidates"] == list(row.candidates)
    with pytest.raises(StorageError, match="give another file with --out"):
        write_sheet([row], tmp_path / "no" / "pool.jsonl")


def test_a_question_with_nothing_to_judge_is_left_out() -> None:
    assert sheet([PoolEntry(golden("q1", {"p#a": 3}), ())], []) == []


def test_the_systems_differ() -> None:
    config = FakeReader({}).config
    assert len({config.override(*overrides).fingerprint() for overrides in SYSTEMS.values()}) == len(SYSTEMS) == 5


@pytest.mark.parametrize("name", ["BM25 alone", "dense alone"])
def test_a_leg_alone_is_not_reranked(name: str) -> None:
    assert load(overrides=["rerank.method=jina", *VARIANTS[name]]).rerank.method == "none"
