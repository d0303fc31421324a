"""Feedback as a reranker: what resembles the best sections moves up."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from vuedocs.config import load
from vuedocs.query.rerank import rerank
from vuedocs.query.rocchio import SectionVectors, feedback, section_vectors
from vuedocs.records import Candidate, Search, Window

SECTION = load().override("rerank.method=rocchio", "rerank.top=1").rerank
MEANING = load().override("rerank.top=1", "rerank.sparse_weight=0").rerank
WORDS = load().override("rerank.top=1", "rerank.dense_weight=0").rerank


def vectors(dense: Sequence[float], terms: Sequence[int] = (1,)) -> SectionVectors:
    return SectionVectors(np.array(dense, np.float32), np.array(terms, np.uint32), np.ones(len(terms), np.float32))


def window(chunk: str, dense: Sequence[float], terms: Sequence[int] = ()) -> Window:
    return Window(chunk, np.array(dense, np.float32), np.array(terms, np.uint32), np.ones(len(terms)))


BEST, TWIN, STRANGER = vectors([1, 0], [1, 2]), vectors([0.8, 0.6], [2, 3]), vectors([0, 1], [4, 5])


def test_a_section_gains_by_its_cosine_to_the_best() -> None:
    assert feedback([0.9, 0.5, 0.5], [BEST, STRANGER, TWIN], MEANING) == pytest.approx([1.9, 0.5, 1.3])


def test_a_section_gains_by_the_words_that_it_shares_with_the_best() -> None:
    best, stranger, twin = feedback([0.9, 0.5, 0.5], [BEST, STRANGER, TWIN], WORDS)
    assert best == pytest.approx(1.9)
    assert stranger == pytest.approx(0.5)
    assert 0.5 < twin < 1.5


def test_words_that_all_candidates_have_say_little() -> None:
    own = [vectors([1, 0], terms) for terms in ([1, 2], [1, 3], [1, 4], [2, 5])]
    _, common, other, rare = feedback([0.9, 0.5, 0.5, 0.5], own, WORDS)
    assert common == pytest.approx(other)
    assert rare > common


def test_near_the_best_score_several_are_the_best() -> None:
    section = load().override("rerank.top=2", "rerank.temperature=0.1", "rerank.sparse_weight=0").rerank
    own = [vectors([1, 0]), vectors([0, 1])]
    equal, clear = feedback([0.9, 0.9], own, section), feedback([0.9, 0.1], own, section)
    assert equal == pytest.approx([0.9 + 0.5**0.5] * 2)
    assert clear == pytest.approx([1.9, 0.1], abs=1e-3)


def test_nothing_found_stays_nothing() -> None:
    assert feedback([], [], SECTION) == []


def test_a_section_is_the_mean_of_its_windows_and_the_words_of_its_first() -> None:
    found = section_vectors([window("a", [1, 0], [7, 9]), window("a", [0, 1]), window("b", [0, 1], [8])])
    assert found["a"].dense == pytest.approx([0.5**0.5, 0.5**0.5])
    assert found["a"].terms.tolist() == [7, 9]
    assert found["b"].dense.tolist() == [0, 1]


async def test_the_stage_reorders_and_leaves_links_behind() -> None:
    class Clients:
        class library:
            @staticmethod
            async def vectors(ids: list[str]) -> dict[str, SectionVectors]:
                return {id: own for id, own in {"a": BEST, "b": STRANGER, "c": TWIN, "link": BEST}.items() if id in ids}

    scores = {"a": 0.9, "b": 0.5, "c": 0.45, "unread": 0.44}
    found = [Candidate(id, {"fused": score}, found_by=("words",)) for id, score in scores.items()]
    linked = Candidate("link", {"fused": 0.0}, found_by=("link from 1",))
    after = await rerank(Search("q", candidates=(*found, linked)), SECTION, Clients())  # type: ignore[arg-type]
    assert [candidate.chunk_id for candidate in after.candidates] == ["a", "c", "b", "unread", "link"]
    assert after.candidates[0].scores["fused"] == 0.9
    assert after.candidates[0].scores["rerank"] == pytest.approx(2.9)
    assert after.candidates[3].scores["rerank"] == 0.44


async def test_a_namesake_that_resembles_nothing_keeps_its_place() -> None:
    class Clients:
        class library:
            @staticmethod
            async def vectors(ids: list[str]) -> dict[str, SectionVectors]:
                return {"vue/watch": BEST, "vue/twin": TWIN, "vitest/watch": STRANGER}

    named = [Candidate(id, {"name": 1.0, "fused": 0.9}, found_by=("name",)) for id in ("vue/watch", "vitest/watch")]
    twin = Candidate("vue/twin", {"fused": 0.8}, found_by=("meaning",))
    after = await rerank(Search("watch", candidates=(*named, twin)), SECTION, Clients())  # type: ignore[arg-type]
    assert [candidate.chunk_id for candidate in after.candidates] == ["vitest/watch", "vue/watch", "vue/twin"]


async def test_no_reranking_leaves_the_order() -> None:
    state = Search("q", candidates=(Candidate("a", {"fused": 0.9}),))
    assert await rerank(state, load().override("rerank.method=none").rerank, None) is state  # type: ignore[arg-type]
