"""The playground without a browser: its controls are moved as the browser would, and what they show is read."""

from __future__ import annotations

import asyncio

import pytest
from sweep_fakes import StagedReader

from vuedocs.config import load
from vuedocs.errors import ConfigError, UsageError
from vuedocs.workbench.playground import Playground, Side
from vuedocs.workbench.sides import limits

KEYS = ["search.sparse_weight", "reconstruct.max_tokens"]


@pytest.fixture
async def play() -> Playground:
    return await Playground.open(
        StagedReader({"how?": ["p#x", "q#x", "r#x"]}), load(), "how?", right={"search.sparse_weight": 0}, keys=KEYS
    )


def side(play: Playground, name: str) -> Side:
    return next(side for side in play.sides if side.name == name)


def rows(play: Playground) -> list[list[str]]:
    return [[str(cell) for cell in row] for row in play.differences().rows]


async def test_both_sides_answer_the_question_with_their_own_config(play: Playground) -> None:
    assert rows(play) == [["vue/p#x", "1", "3"], ["vue/q#x", "2", "2"], ["vue/r#x", "3", "1"]]
    assert "3 sections" in side(play, "A").verdict.value
    assert [card.title for card in play.answers().cards] == ["Side A", "Side B"]


async def test_a_moved_slider_changes_its_side_only(play: Playground) -> None:
    before = side(play, "B").answer.value
    took = await play.move("A", "reconstruct.max_tokens", 800)
    assert took > 0
    assert rows(play) == [["vue/p#x", "1", "3"], ["vue/q#x", "2, not shown", "2"], ["vue/r#x", "3, not shown", "1"]]
    assert side(play, "B").answer.value == before


async def test_moves_that_come_faster_than_answers_end_with_the_last(play: Playground) -> None:
    slider = side(play, "A").sliders["reconstruct.max_tokens"]
    for value in (500, 1500, 700, 3000):
        slider.value = value
    await play.settled()
    assert len(play.differences().rows) == 3
    assert side(play, "A").config().reconstruct.max_tokens == 3000


async def test_only_stages_from_the_moved_key_run_again() -> None:
    reader = StagedReader({"how?": ["p#x"]})
    play = await Playground.open(reader, load(), "how?", keys=KEYS)
    reader.ran.clear()
    await play.move("B", "reconstruct.max_tokens", 800)
    assert reader.ran == {"reconstruct": 1}


async def test_a_wrong_override_is_said_and_the_other_side_stays(play: Playground) -> None:
    side(play, "B").overrides.value = "search.fusoin=rrf"
    await play.settled()
    assert "no key &#x27;fusoin&#x27;" in side(play, "B").verdict.value
    assert "3 sections" in side(play, "A").verdict.value
    side(play, "B").overrides.value = ""
    await play.settled()
    assert "3 sections" in side(play, "B").verdict.value


async def test_a_new_question_goes_to_both_sides(play: Playground) -> None:
    play.query.value = "what?"
    await play.settled()
    assert [len(card.text) for card in play.answers().cards] == [0, 0]
    assert "nothing was found" in side(play, "B").answer.value


async def test_measuring_moves_every_slider_and_puts_it_back(play: Playground) -> None:
    table = await play.measure(places=4)
    assert [row[0] for row in table.rows] == KEYS
    assert side(play, "B").sliders["reconstruct.max_tokens"].value == 2000
    assert "every slider answered within 150 ms" in play.findings().sentences[0]


async def test_what_cannot_be_a_slider_is_refused() -> None:
    reader = StagedReader({})
    with pytest.raises(UsageError, match="only numbers have sliders"):
        await Playground.open(reader, load(), "how?", keys=["search.fusion"])
    with pytest.raises(UsageError, match=r"no key 'search\.weight'"):
        await Playground.open(reader, load(), "how?", keys=["search.weight"])
    with pytest.raises(ConfigError):
        await Playground.open(reader, load(), "how?", left={"search.fusion": "magic"})


def test_a_slider_goes_as_far_as_the_config_allows() -> None:
    assert limits(load(), "search.dense_weight") == (0.0, 1.0)
    assert limits(load(), "search.leg_depth") == (1, 400)
    assert limits(load(), "reconstruct.max_tokens") == (1, 8000)


async def test_a_page_is_shown_never_rendered(play: Playground) -> None:
    play.query.value = "<img src=x onerror=alert(1)>"
    side(play, "A").overrides.value = "<b>"
    await asyncio.sleep(0)
    await play.settled()
    assert "<b>" not in side(play, "A").verdict.value.replace("<b>A</b>", "")
