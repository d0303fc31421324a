"""Runs: what the bench takes from the pipeline's result, and how sections fold to pages."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import pytest
from fake_reader import FakeReader, chunk_of, golden

from vuedocs.bench import runs
from vuedocs.config import Config
from vuedocs.errors import ProviderError
from vuedocs.records import Candidate, Search
from vuedocs.stages import Result


def candidate(id: str, **scores: float) -> Candidate:
    return Candidate(id, scores, ("dense",), chunk_of(id))


def test_a_section_counts_once_with_its_best_candidate() -> None:
    found = [candidate("vue/p#a~code-1", fused=0.9), candidate("vue/q", fused=0.8), candidate("vue/p#a", fused=0.7)]
    assert runs.ranking_of(found, "vue") == {"p#a": 0.9, "q": 0.8}


def test_the_order_of_the_pipeline_stands() -> None:
    # The reranker's scores count where they are; what stands behind does not overtake, on whichever scale its score is.
    found = [candidate("vue/p#a", fused=0.1, rerank=0.4), candidate("vue/p#b", fused=0.9)]
    assert list(runs.ranking_of(found, "vue").items()) == [("p#a", 0.4), ("p#b", 0.4)]


def test_keys_of_other_sources_name_them() -> None:
    found = [candidate("vue/p#a", fused=0.9), candidate("pinia/p#a", fused=0.8)]
    assert runs.ranking_of(found, "vue") == {"p#a": 0.9, "pinia/p#a": 0.8}
    assert runs.ranking_of(found, "") == {"vue/p#a": 0.9, "pinia/p#a": 0.8}


def test_a_page_is_its_best_section_and_a_falling_share_of_the_others() -> None:
    ranking = {"p#b": 0.2, "p#a": 0.5, "q#x": 0.6, "p": 0.4, "r": 0.55}
    # p: 0.5 + 0.3 * 0.4 + 0.09 * 0.2 = 0.638
    pages = runs.fold_pages(ranking, 0.3)
    assert pages == {"p": pytest.approx(0.638), "q": 0.6, "r": 0.55}
    assert list(pages) == ["p", "q", "r"]
    assert list(runs.fold_pages(ranking, 0.0)) == ["q", "r", "p"]


def test_a_further_section_never_lowers_its_page() -> None:
    assert runs.fold_pages({"p#a": 0.5, "p#b": -3.0, "q": -1.0}, 0.3) == {"p": 0.5, "q": -1.0}


def test_nan_is_not_folded_away() -> None:
    assert math.isnan(runs.fold_pages({"p#a": 0.5, "p#b": math.nan}, 0.3)["p"])


def test_a_page_has_the_best_grade_of_its_sections() -> None:
    assert runs.fold_grades({"p#a": 1, "p": 2, "q#x": 3, "p#b": 1}) == {"p": 2, "q": 3}


def test_a_section_of_no_help_says_nothing_of_its_page() -> None:
    question = golden("q1", {"p#a": 3}, irrelevant=("p#b", "r#c"))
    assert runs.qrels_of([question], "section") == {"q1": {"p#a": 3, "p#b": 0, "r#c": 0}}
    assert runs.qrels_of([question], "page") == {"q1": {"p": 3}}


async def test_questions_are_asked_in_their_source_one_by_one_after_a_warm_up() -> None:
    reader = FakeReader({"a": [("vue/p#a", 0.9)]})
    answers = await runs.run(reader, [golden("b", {"p#a": 3}), golden("a", {"p#a": 3})], progress=False)
    assert [answer.id for answer in answers] == ["a", "b"]
    assert [search.query for search in reader.asked] == ["a", "a", "b"]
    assert {search.sources for search in reader.asked} == {("vue",)}
    assert answers[0].ranking == {"p#a": 0.9}
    assert answers[1].ranking == {}
    assert answers[0].stages == {"search": 1.0, "rerank": 2.0, "reconstruct": 3.0}
    assert answers[0].milliseconds > 0


async def test_unscoped_questions_are_asked_of_all_sources() -> None:
    reader = FakeReader({"a": [("vite/p", 0.9), ("vue/p", 0.8)]})
    (answer,) = await runs.run(reader, [golden("a", {"p": 3})], unscoped=True, progress=False)
    assert {search.sources for search in reader.asked} == {()}
    assert answer.ranking == {"vite/p": 0.9, "p": 0.8}
    assert answer.pages == {"vite/p", "p"}


async def test_passages_come_best_first_with_their_headings() -> None:
    texts = {"vue/z#1": "zed", "vue/a#2": "ay", "vue/m": "em"}
    reader = FakeReader({"a": [("vue/z#1", 0.9), ("vue/a#2", 0.8), ("vue/m", 0.7)]}, texts)
    (answer,) = await runs.run(reader, [golden("a", {"m": 3})], progress=False)
    assert answer.text == "ay\nem\nzed"
    assert answer.tokens == 3
    assert answer.passages == ("Page › Section\n\nzed", "Page › Section\n\nay", "Page › Section\n\nem")
    assert answer.pages == {"z", "a", "m"}


async def test_without_rerank_the_last_order_before_the_answer_counts() -> None:
    reader = FakeReader({"a": [("vue/p#a", 0.9)]})
    (answer,) = await runs.run(reader, [golden("a", {"p#a": 3})], skip=("rerank", "reconstruct"), progress=False)
    assert answer.ranking == {"p#a": 0.9}
    assert answer.stages == {"search": 1.0}


def test_judgements_of_several_sources_do_not_mix() -> None:
    mixed = [golden("a", {"p": 3}), golden("b", {"p#x": 2, "p#y": 1}, source="pinia")]
    assert runs.qrels_of(mixed, "section") == {"a": {"vue/p": 3}, "b": {"pinia/p#x": 2, "pinia/p#y": 1}}
    assert runs.qrels_of(mixed[1:], "page") == {"b": {"p": 2}}


def test_a_candidate_that_was_not_resolved_is_refused() -> None:
    with pytest.raises(ValueError, match="vue/p has no chunk"):
        runs.ranking_of([Candidate("vue/p", {"fused": 1.0})], "vue")


async def test_a_search_that_went_round_a_stage_is_not_scored() -> None:
    class Degraded(FakeReader):
        async def search(self, search: Search, *, config: Config | None = None, skip: Sequence[str] = ()) -> Result[Search]:
            result = await super().search(search, config=config, skip=skip)
            return replace(result, state=replace(result.state, degraded=("detect", "rerank")))

    with pytest.raises(ProviderError, match=r"question a cannot be scored: detect, rerank failed .* run it again, what was paid"):
        await runs.run(Degraded({"a": [("vue/p#a", 0.9)]}), [golden("a", {"p#a": 3})], progress=False)
