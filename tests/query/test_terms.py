"""IDF of the sources that are searched, with the arithmetic shown."""

from __future__ import annotations

import math

import pytest

from vuedocs.query.terms import Terms, frequency
from vuedocs.records import Bm25Model

VUE = Bm25Model("vue", 10, 50.0, ("proxy", "ref", "vapor"), (1, 9, 2))
VITE = Bm25Model("vite", 30, 50.0, ("plugin", "proxy"), (20, 12))
TERMS = Terms([VUE, VITE])


def idf(documents: int, frequency: int) -> float:
    return math.log(1 + (documents - frequency + 0.5) / (frequency + 0.5))


def test_a_term_counts_as_it_is_rare_where_it_is_searched() -> None:
    assert TERMS.weight("ref", ["vue"]) == pytest.approx(idf(10, 9) / idf(40, 9))
    assert TERMS.weight("ref", ["vue"]) < 1, "in Vue's own docs nearly every section says ref"
    assert TERMS.weight("proxy", ["vue"]) > 1


def test_several_sources_count_as_one() -> None:
    guide = Bm25Model("guide", 5, 50.0, ("ref",), (1,))
    assert Terms([VUE, VITE, guide]).weight("ref", ["vue", "guide"]) == pytest.approx(idf(15, 10) / idf(45, 10))


def test_all_sources_are_what_the_index_knows() -> None:
    assert TERMS.weight("ref", []) == 1.0
    assert TERMS.weight("ref", ["vue", "vite"]) == pytest.approx(1.0)


def test_an_unknown_term_and_an_unknown_source_are_no_error() -> None:
    assert TERMS.weight("zzqx", ["vue"]) > 0
    assert TERMS.weight("ref", ["nuxt"]) == 1.0
    assert [frequency(VUE, term) for term in ("", "ref", "zz")] == [0, 9, 0]


def test_an_index_that_is_older_than_frequencies_keeps_its_own() -> None:
    assert Terms([VUE, Bm25Model("vite", 30, 50.0, ("plugin",))]).weight("ref", ["vue"]) == 1.0
