"""Mining: logged questions whose answer is suspected, and what becomes of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from fake_reader import FakeReader, golden

from vuedocs.bench.drafts import load_drafts, write_drafts
from vuedocs.bench.mining import Asked, asked_drafts, counted, grouped, mine, reworded
from vuedocs.config import Config
from vuedocs.records import LoggedQuery, Search
from vuedocs.stages import Result

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


def logged(
    query: str, minutes: float = 0, client: str = "c", sections: tuple[str, ...] = ("vue/p#a",), **more: object
) -> LoggedQuery:
    entry = LoggedQuery(NOON + timedelta(minutes=minutes), query, ("vue",), "", "f", "g1", sections, {}, client)
    return replace(entry, **more)  # type: ignore[arg-type]


@dataclass
class Book:
    entries: tuple[LoggedQuery, ...]

    async def read(self, since: datetime, limit: int) -> tuple[LoggedQuery, ...]:
        return self.entries


class NearReader(FakeReader):
    """Every question has one candidate, as near as ``found`` says."""

    async def search(self, search: Search, *, config: Config | None = None, skip: object = ()) -> Result[Search]:
        result = await super().search(search)
        near = tuple(replace(one, scores={"dense": one.scores["fused"]}) for one in result.state.candidates)
        return Result(replace(result.state, candidates=near), ())


def test_a_question_is_one_however_it_is_written_and_its_last_answer_counts() -> None:
    [asked] = grouped([logged("Use a  Store?", 9, sections=()), logged("use a store", sections=("vue/p#a",))], "vue")
    assert asked == Asked("Use a  Store?", "vue", 2, NOON + timedelta(minutes=9), (), ("nothing",))


def test_only_what_was_asked_of_the_source_counts() -> None:
    entries = [logged("a", sources=()), logged("b", sources=("pinia", "vue")), logged("c", sources=("pinia",))]
    assert [asked.query for asked in grouped(entries, "vue")] == ["a", "b"]


@pytest.mark.parametrize(
    ("second", "again"),
    [
        (logged("keep a tab's state when switching", 2), True),
        (logged("keep tab state", 2, client="another"), False),
        (logged("keep tab state", 6), False),
        (logged("Keep the state of a tab?", 1), False),  # the same question
        (logged("what is a slot", 1), False),
    ],
)
def test_asked_again_in_other_words_by_the_same_client_within_minutes(second: LoggedQuery, again: bool) -> None:
    assert list(reworded([logged("keep the state of a tab"), second])) == (["keep the state of a tab"] if again else [])


async def test_far_off_is_what_no_text_is_near_to_beside_golden_questions() -> None:
    own = [golden(f"q{n}", {"p#a": 3}, question=f"golden {n}") for n in range(10)]
    near = {f"golden {n}": [("vue/p#a", 0.8 + n / 100)] for n in range(10)}
    reader = NearReader({**near, "near": [("vue/p#a", 0.85)], "far": [("vue/p#a", 0.4)]})
    book = Book((logged("near"), logged("far", 20), logged("Golden 3?", 40, sections=())))
    asked, found = await mine(reader, book, "vue", own, days=30)
    assert asked == 3  # one is golden already, and needs no draft
    assert [(one.query, one.reasons, one.nearness) for one in found] == [("far", ("far off",), 0.4)]
    assert await mine(reader, Book(()), "vue", own, days=30) == (0, [])


def test_drafts_are_in_the_words_that_were_typed_and_can_be_judged_at_once(tmp_path: Path) -> None:
    found = [
        Asked("keep  tab?", "vue", 2, NOON, ("pinia/x", "vue/p#a~code-1"), ("nothing", "asked again")),
        Asked("y", "vue", 1, NOON, (), ("nothing",)),
    ]
    drafts = asked_drafts(found)
    assert [draft.about for draft in drafts] == ["p#a", ""]
    assert asked_drafts([replace(found[0], query="Keep tab")])[0].id == drafts[0].id
    write_drafts(drafts, tmp_path / "drafts.jsonl")
    assert [question.question for question in load_drafts(tmp_path / "drafts.jsonl")] == ["keep tab?", "y"]
    assert counted(found) == {"nothing": 2, "asked again": 1}
