"""Alignment: stored runs by question id; what else changed is said before any number."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from fake_reader import golden
from stored_fakes import GOOD, LOST, QUESTIONS, SECOND, kept, manifest

from vuedocs.bench.alignment import changed_basis, comparison, mean_tokens, same_questions
from vuedocs.bench.stored import StoredRun, read_stored
from vuedocs.errors import QuestionsError

PINIA = {"source": "pinia", "commit": "beef"}


async def run(tmp_path: Path, name: str, *given: object, **options: object) -> StoredRun:
    return read_stored(await kept(tmp_path / name, *given, **options))  # type: ignore[arg-type]


async def test_two_runs_side_by_side(tmp_path: Path) -> None:
    good = await run(tmp_path, "good", GOOD)
    worse = await run(tmp_path, "worse", SECOND | {"q00": LOST["q00"]}, overrides=["search.fusion=rrf"])
    lines = comparison([good, worse], top=1).splitlines()
    assert lines[0] == "worse: search.fusion = 'rrf' (was 'minmax')"
    assert "n=12, level section, split test" in lines
    (row,) = [line for line in lines if line.startswith("| worse ") and "p=" in line]
    assert row.split("|")[2].strip().startswith("-0.422 [")
    assert "worse: nDCG@10 of 12 questions fell, of 0 rose (by 0.05 or more)" in lines
    assert lines[-1] == "  -1.000  1.000 -> 0.000  q00: q00"


async def test_questions_of_several_sources_are_compared_source_by_source(tmp_path: Path) -> None:
    others = [golden(f"r{i}", {f"p{i}#a": 3}, source="pinia", split="test") for i in range(3)]
    right = {question.id: [(f"pinia/p{i}#a", 0.9), ("pinia/x", 0.8)] for i, question in enumerate(others)}
    wrong = {question.id: [("pinia/x", 0.9), (f"pinia/p{i}#a", 0.8)] for i, question in enumerate(others)}
    asked = [*QUESTIONS, *others]
    good = await run(tmp_path, "good", {**GOOD, **right}, asked)
    worse = await run(tmp_path, "worse", {**GOOD, **wrong}, asked)
    lines = comparison([good, worse], top=0).splitlines()
    heading = next(number for number, line in enumerate(lines) if line.startswith("| nDCG@10 by source"))
    rows = {cells[1].strip(): cells for cells in (line.split("|") for line in lines[heading + 2 : heading + 5])}
    assert [rows[source][2].strip() for source in ("all", "vue", "pinia")] == ["15", "12", "3"]
    assert rows["vue"][4].strip().startswith("+0.000")
    assert rows["pinia"][4].strip().startswith("-0.369 [-0.369, -0.369]"), "second instead of first: 1 - 1/log2(3)"
    assert "differences to good; Holm over 2" in lines
    assert "by source" not in comparison([await run(tmp_path, "a", GOOD), await run(tmp_path, "b", SECOND)])


async def test_a_changed_question_set_is_said_before_any_number(tmp_path: Path) -> None:
    one = await run(tmp_path, "one", GOOD)
    judged = replace(QUESTIONS[0], relevant={"p0#a": 3, "p0#b": 2})
    worded = replace(QUESTIONS[1], question="other words")
    other = await run(tmp_path, "other", SECOND, [judged, worded, *QUESTIONS[2:11]])
    assert same_questions([one, other]) == [f"q{i:02}" for i in range(2, 11)]
    first = comparison([one, other]).splitlines()[0]
    assert first.startswith("CHANGED QUESTIONS between other and one: 0 only in the first, 1 only in the second, 2 with other")
    assert "over the 9 that are the same" in first


async def test_only_what_changes_a_number_makes_another_question(tmp_path: Path) -> None:
    one = await run(tmp_path, "one", GOOD)
    more = [replace(QUESTIONS[0], irrelevant=("p0#b",)), replace(QUESTIONS[1], apis=("ref",)), *QUESTIONS[2:]]
    other = await run(tmp_path, "other", GOOD, more)
    assert same_questions([one, other]) == [f"q{i:02}" for i in range(12) if i != 1]


async def test_tokens_are_those_of_the_questions_that_are_compared(tmp_path: Path) -> None:
    one = await run(tmp_path, "one", GOOD)
    rows = {id: {**row, "tokens": 1000 if id == "q00" else 10} for id, row in one.rows.items()}
    less = replace(one, rows=rows, name="less")
    assert mean_tokens(less, ["q01", "q02"]) == 10
    before = replace(one, rows={id: {k: v for k, v in row.items() if k != "tokens"} for id, row in rows.items()})
    assert mean_tokens(before, ["q01", "q02"]) is None
    assert mean_tokens(before, list(before.rows)) == one.summary["tokens"]["mean"]


async def test_a_changed_index_or_scope_is_said(tmp_path: Path) -> None:
    one = await run(tmp_path, "one", GOOD)
    other = await run(tmp_path, "other", GOOD, index=manifest("decade"))
    assert changed_basis(one, one) == []
    assert changed_basis(other, one) == ["CHANGED INDEX between other and one: f (vue decade) and f (vue c0ffee)"]
    # What a run did not search is nothing to it; unscoped, all sources are read.
    more = {**one.facts, "index": {**one.facts["index"], "sources": [*one.facts["index"]["sources"], PINIA]}}
    assert changed_basis(replace(one, name="more", facts=more), one) == []
    wide = [replace(run, summary={**run.summary, "unscoped": True}) for run in (replace(one, name="more", facts=more), one)]
    assert changed_basis(*wide) == ["CHANGED INDEX between more and one: f (vue c0ffee, pinia beef) and f (vue c0ffee)"]
    skipped = replace(one, name="skipped", summary={**one.summary, "skip": ["rerank"]})
    assert changed_basis(skipped, one) == ["CHANGED STAGES between skipped and one: skip is ['rerank'] and []"]


async def test_what_cannot_be_compared_is_refused(tmp_path: Path) -> None:
    one = await run(tmp_path, "one", GOOD)
    with pytest.raises(QuestionsError, match="named twice"):
        comparison([one, one])
    with pytest.raises(QuestionsError, match="one is at level page, the other at section"):
        comparison([one, replace(one, name="page", summary={**one.summary, "level": "page"})])
    other = await run(tmp_path, "other", {"z": GOOD["q00"]}, [replace(QUESTIONS[0], id="z", question="z")])
    with pytest.raises(QuestionsError, match="no question in common"):
        comparison([one, other])


async def test_judgements_that_are_not_kept_are_not_trusted(tmp_path: Path) -> None:
    one = await run(tmp_path, "one", GOOD)
    forgetful = replace(one, name="old", qrels={}, summary={**one.summary, "questions": "other"})
    with pytest.raises(QuestionsError, match="no question in common"):
        changed_basis(forgetful, one)
