"""Lost: each way in which a golden section can be missed, made up stage by stage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest
from fake_reader import FakeReader, chunk_of, golden, passage_of

from vuedocs.bench import benchmark
from vuedocs.bench.explanation import explanation
from vuedocs.bench.lost import REMEDIES, Lost, counted, lost, trace_of
from vuedocs.bench.report import per_question
from vuedocs.records import Candidate, Hit, Omitted, Search
from vuedocs.stages import Result, Step

KEYS = [f"p#{n:02}" for n in range(20)]


def candidates(keys: Sequence[str], found_by: str = "meaning") -> tuple[Candidate, ...]:
    return tuple(
        Candidate(f"vue/{key}", {"fused": 1 - n / 100}, (found_by,), chunk_of(f"vue/{key}")) for n, key in enumerate(keys)
    )


def hits(keys: Sequence[str]) -> tuple[Hit, ...]:
    return tuple(Hit(f"vue/{key}", "window", n, 1.0) for n, key in enumerate(keys))


def searched(
    legs: Mapping[str, Sequence[str]],
    fused: Sequence[str],
    ranking: Sequence[str] | None = None,
    answer: Sequence[str] = (),
    omitted: Mapping[str, str] | None = None,
    linked: Sequence[str] = (),
) -> Result[Search]:
    """A search whose stages ended with these sections."""
    state = Search("q", legs={leg: hits(keys) for leg, keys in legs.items()})
    resolved = replace(state, candidates=candidates(fused))
    ranked = replace(state, candidates=candidates(ranking or fused) + candidates(linked, "link from X"))
    left = tuple(Omitted(f"vue/{key}", "", "", reason) for key, reason in (omitted or {}).items())
    passages = tuple(passage_of(chunk_of(f"vue/{key}"), "") for key in answer)
    answered = replace(ranked, passages=passages, omitted=left)
    states = {"search": state, "resolve": resolved, "rerank": ranked, "reconstruct": answered}
    return Result(answered, tuple(Step(stage, after, 1.0) for stage, after in states.items()))


def only(key: str, result: Result[Search], known: Sequence[str] = KEYS) -> Lost:
    (found,) = lost({key: 3}, trace_of(result, "vue"), known)
    return found


def test_what_is_among_the_ten_and_in_the_answer_is_not_lost() -> None:
    result = searched({"dense": KEYS[:3]}, KEYS[:3], answer=KEYS[:2])
    assert lost({KEYS[1]: 3, KEYS[0]: 2}, trace_of(result, "vue"), KEYS) == ()


def test_grade_1_is_not_looked_for() -> None:
    assert lost({"p#99": 1}, trace_of(searched({"dense": KEYS}, KEYS), "vue"), KEYS) == ()


def test_a_section_that_the_index_does_not_hold_was_not_parsed() -> None:
    found = only("p#99", searched({"dense": KEYS}, KEYS))
    assert (found.stage, found.rank, found.legs) == ("not parsed", None, {})


def test_a_section_that_no_leg_returned() -> None:
    found = only("p#19", searched({"dense": KEYS[:5], "sparse": KEYS[2:9]}, KEYS[:9]))
    assert (found.stage, found.rank) == ("not in any leg", None)
    assert "(dense 5, sparse 7)" in found.why


def test_a_section_that_only_a_link_led_to() -> None:
    found = only("p#19", searched({"dense": KEYS[:5]}, KEYS[:5], linked=["p#19"]))
    assert (found.stage, found.rank) == ("not in any leg", 6)
    assert "a link led to it, place 6" in found.why


def test_a_section_below_the_limit_was_fused_out() -> None:
    found = only("p#04", searched({"dense": KEYS[:5], "question": ["p#04"]}, KEYS[:4]))
    assert (found.stage, found.rank, found.legs) == ("fused out", None, {"dense": 5, "question": 1})
    assert found.why == "found in place dense 5, question 1, below the 4 candidates by its blended score"


def test_a_candidate_below_the_tenth_place_was_cut() -> None:
    found = only("p#14", searched({"sparse": KEYS}, KEYS))
    assert (found.stage, found.rank) == ("cut", 15)
    assert found.why == "place 15 when fused, 15 in the end (sparse 15)"


def test_a_reranker_that_moves_it_out_of_the_ten_reranked_it_down() -> None:
    ranking = [*KEYS[1:], KEYS[0]]
    assert only(KEYS[0], searched({"dense": KEYS}, KEYS, ranking)).stage == "reranked down"
    # Already below the tenth place before: not the reranker's doing.
    assert only("p#12", searched({"dense": KEYS}, KEYS, [*KEYS[:12], *KEYS[13:], "p#12"])).stage == "cut"


@pytest.mark.parametrize(
    ("reason", "stage"), [("budget", "budget"), ("max_results", "cut"), ("below the floor", "cut"), ("", "cut")]
)
def test_one_of_the_ten_that_the_answer_leaves_out(reason: str, stage: str) -> None:
    result = searched({"dense": KEYS}, KEYS, answer=KEYS[:1], omitted={"p#02": reason} if reason else {})
    found = only("p#02", result)
    assert (found.stage, found.rank) == (stage, 3)
    assert (reason or "it holds other sections") in found.why or stage == "budget"


def test_examples_and_windows_stand_for_their_section() -> None:
    result = searched({"dense": ["p#00", "p#00", "p#01~code-2"]}, ["p#00"])
    assert trace_of(result, "vue").legs == {"dense": ("p#00", "p#01")}


def test_pages_stand_for_their_sections() -> None:
    result = searched({"dense": ["a#1", "a#2", "b#1"]}, ["a#1", "a#2", "b#1"], answer=["a#2"], omitted={"b#1": "budget"})
    assert [one.section for one in lost({"a": 3, "b": 3}, trace_of(result, "vue").pages(), ["a", "b"])] == ["b"]


def test_stages_that_were_left_out_have_nothing_to_say() -> None:
    result = searched({"dense": KEYS}, KEYS)
    without = Result(result.state, tuple(step for step in result.steps if step.stage in ("rerank", "reconstruct")))
    assert only("p#14", without).stage == "cut"
    assert only("p#14", Result(Search("q"), ())).stage == "fused out"


def test_losses_are_counted_in_the_order_of_the_stages() -> None:
    losses = [lost({"p#99": 3, "p#14": 2}, trace_of(searched({"dense": KEYS}, KEYS), "vue"), KEYS)]
    assert [one.section for one in losses[0]] == ["p#99", "p#14"]
    assert counted(losses) == {"not parsed": 1, "cut": 1}
    assert counted([]) == {}


async def test_every_question_says_what_it_lost() -> None:
    found = {"q1": [("vue/p#a", 0.9), ("vue/p#b", 0.8)], "q2": [("vue/p#a", 0.5)]}
    questions = [golden("q1", {"p#a": 3, "p#z": 2}), golden("q2", {"p#a": 3})]
    reader = FakeReader(found, extra=["vue/p#z"])
    result = await benchmark(reader, questions, progress=False)
    rows = {row["id"]: row["lost"] for row in per_question(result)}
    assert [(one["section"], one["stage"]) for one in rows["q1"]] == [("p#z", "fused out")]
    assert rows["q2"] == []
    by_page = await benchmark(reader, questions, "page", progress=False)
    assert [row["lost"] for row in per_question(by_page)] == [[], []]


async def test_an_explanation_names_gold_places_and_remedies() -> None:
    reader = FakeReader({"q1": [("vue/p#a", 0.9)]}, extra=["vue/p#z"])
    result = await benchmark(reader, [golden("q1", {"p#a": 1, "p#z": 3})], progress=False)
    text = explanation(result, await reader.search(Search("q1")))
    assert "  3    -  p#z  LOST: fused out" in text
    assert REMEDIES["fused out"] in text
    assert "  1    1  p#a  only helps: not looked for" in text
    assert "   1  1  p#a" in text
