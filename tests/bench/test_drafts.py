"""Drafts of questions: spread over the pages, marked as what they are, and never mixed in silently."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from fake_reader import chunk_of

from vuedocs.bench import load
from vuedocs.bench.drafts import drafts, is_draft, load_drafts, write_drafts
from vuedocs.errors import QuestionsError, StorageError
from vuedocs.records import Entity

CHUNKS = [replace(chunk_of(f"tulip/guide/{page}#s{n}", "Text."), title=f"S{n}") for page in "abc" for n in range(4)]
ENTITIES = [Entity("useSun", "composable", "tulip", "tulip/guide/a#s0")]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "drafts.jsonl"
    write_drafts(drafts("tulip", CHUNKS, ENTITIES, 12), path)
    return path


def reworded(path: Path, id: str, **changes: object) -> None:
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    path.write_text("".join(json.dumps({**row, **(changes if row["id"] == id else {})}) + "\n" for row in rows))


def test_drafts_are_spread_over_the_pages_and_a_page_stays_in_one_split() -> None:
    found = drafts("tulip", CHUNKS, ENTITIES, 6)
    assert Counter(draft.about.split("#")[0] for draft in found) == {"guide/a": 2, "guide/b": 2, "guide/c": 2}
    assert len({(draft.about.split("#")[0], draft.split) for draft in found}) == 3
    assert drafts("tulip", CHUNKS[::-1], ENTITIES, 6) == found


def test_a_section_that_defines_an_api_asks_for_it() -> None:
    [draft] = [draft for draft in drafts("tulip", CHUNKS, ENTITIES, 12) if draft.about == "guide/a#s0"]
    assert (draft.kind, draft.apis, draft.question) == ("api", ("useSun",), "What does useSun do?")


def test_the_bench_refuses_a_file_of_drafts(file: Path) -> None:
    with pytest.raises(QuestionsError, match="1: this is a draft, no golden question"):
        load(file)
    assert is_draft(file)
    assert not is_draft(file.with_name("none.jsonl"))


def test_only_drafts_that_somebody_reworded_are_judged(file: Path) -> None:
    with pytest.raises(QuestionsError, match="none of the 12 was reworded"):
        load_drafts(file)
    reworded(file, "tulip-d003", question="my plants get no light, what now", kind="debug")
    [question] = load_drafts(file)
    assert (question.id, question.kind, dict(question.relevant)) == ("tulip-d003", "debug", {})


def test_a_broken_draft_is_named(file: Path) -> None:
    reworded(file, "tulip-d002", kind="wish")
    with pytest.raises(QuestionsError, match=r"drafts\.jsonl:2: this is no draft"):
        load_drafts(file)


def test_drafts_never_go_over_a_file_that_is_there(file: Path) -> None:
    with pytest.raises(StorageError, match="may hold questions that somebody wrote"):
        write_drafts([], file)
