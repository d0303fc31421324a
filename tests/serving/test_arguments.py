"""What callers mean: invented names, several sources in one text, cursors."""

from __future__ import annotations

import pytest

from vuedocs.errors import QueryError, SourceError, UsageError
from vuedocs.serving.arguments import make_cursor, read_cursor, understand, wanted_sources

KNOWN = ["query", "source", "scope", "max_results", "max_tokens", "cursor"]
INDEXED = {"vue": "01e098a96795", "vue-router": "4.5.0"}
CALLED = {"vue": ("Vue", "vue 3"), "vue-router": ("Vue Router", "router")}


@pytest.mark.parametrize(
    ("invented", "argument"),
    [
        ("query", "query"),
        ("question", "query"),
        ("userQuery", "query"),
        ("user_query", "query"),
        ("searchQuery", "query"),
        ("q", "query"),
        ("Query", "query"),
        ("library", "source"),
        ("framework", "source"),
        ("sources", "source"),
        ("libraryName", "source"),
        ("limit", "max_results"),
        ("topK", "max_results"),
        ("top_k", "max_results"),
        ("maxResults", "max_results"),
        ("numResults", "max_results"),
        ("maxTokens", "max_tokens"),
        ("nextCursor", "cursor"),
    ],
)
def test_a_name_that_models_invent_is_understood(invented: str, argument: str) -> None:
    assert understand("docs_search", {invented: "x"}, KNOWN) == {argument: "x"}


def test_null_counts_as_not_given() -> None:
    assert understand("docs_search", {"query": "x", "cursor": None, "whatever": None}, KNOWN) == {"query": "x"}


def test_an_unknown_name_is_refused_with_the_right_one() -> None:
    with pytest.raises(UsageError, match=r"no argument 'max_result'; did you mean max_results\? Its arguments are query, source"):
        understand("docs_search", {"query": "x", "max_result": 3}, KNOWN)


def test_two_names_for_one_argument_are_refused() -> None:
    with pytest.raises(UsageError, match="given query twice"):
        understand("docs_search", {"query": "x", "question": "y"}, KNOWN)


def canonical(name: str) -> str:
    known = {
        "router": "vue-router",
        "vue-router": "vue-router",
        "vue router": "vue-router",
        "nuxt": "nuxt",
        "vue": "vue",
        "vue 3": "vue",
    }
    if name.lower() not in known:
        raise SourceError(f"there is no source {name!r}")
    return known[name.lower()]


@pytest.mark.parametrize(
    ("given", "sources"),
    [
        ("vue", ("vue",)),
        ("Vue", ("vue",)),
        ("Vue Router", ("vue-router",)),
        ("vueRouter", ("vue-router",)),
        ("router", ("vue-router",)),
        ("vue, vue-router", ("vue", "vue-router")),
        (["vue", "Vue Router", "vue"], ("vue", "vue-router")),
        ("all", ()),
        ("vue,ALL", ()),
        ("Vue 3", ("vue",)),
        ("vue@3.5", ("vue",)),
        ("vue@latest", ("vue",)),
        ("Vue Router v4", ("vue-router",)),
        ("vue-router@4.5.0", ("vue-router",)),
    ],
)
def test_sources_are_found_by_what_people_call_them(given: str | list[str], sources: tuple[str, ...]) -> None:
    assert wanted_sources(given, INDEXED, canonical, CALLED) == sources


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("nuxt", "'nuxt' is known but not indexed"),
        ("nuxt 4", "'nuxt' is known but not indexed"),
        ("react", "there is no source 'react'"),
        ("vue-route", "there is no source 'vue-route'; did you mean vue-router? Indexed"),
        ("vue,nuxt", "not indexed"),
        (" ", "empty"),
        ("1" * 20_000 + "x", "longer than any list of names"),
        ("vue 3," * 1000, "longer than any list of names"),
    ],
)
def test_a_source_that_is_not_indexed_is_refused_with_those_that_are(given: str, said: str) -> None:
    with pytest.raises(SourceError) as refused:
        wanted_sources(given, INDEXED, canonical, CALLED)
    assert said in str(refused.value)
    assert "Indexed: vue, vue-router" in str(refused.value)


@pytest.mark.parametrize("given", ["Vue 2.7", "vue@2", "vue-router 3"])
def test_a_version_that_is_not_indexed_is_refused_with_the_one_that_is(given: str) -> None:
    with pytest.raises(
        SourceError, match=r"(vue|vue-router) [\d.]+ is not indexed; (vue|vue-router) is indexed as (01e098a96795|4.5.0)"
    ):
        wanted_sources(given, INDEXED, canonical, CALLED)


def test_read_page_takes_the_source_in_front_of_its_path() -> None:
    known = ["path", "section", "cursor"]
    assert understand("read_page", {"source": "vue", "path": "/guide/x"}, known) == {"path": "vue/guide/x"}
    assert understand("read_page", {"source": "vue", "path": "vue/guide/x"}, known) == {"path": "vue/guide/x"}
    assert understand("read_page", {"source": "vue", "path": "https://vuejs.org/x"}, known) == {"path": "https://vuejs.org/x"}
    assert understand("read_page", {"source": "Vue Router", "path": "vue-router/x"}, known) == {"path": "vue-router/x"}
    assert understand("read_page", {"source": ["vue"], "path": "Vue/guide/x"}, known) == {"path": "Vue/guide/x"}
    assert understand("read_page", {"source": ["vue"], "path": "guide/x"}, known) == {"path": "vue/guide/x"}
    assert understand("read_page", {"source": "all", "path": "guide/x"}, known) == {"path": "guide/x"}


def test_a_tool_without_arguments_takes_whatever_a_client_fills_in() -> None:
    assert understand("list_sources", {"random_string": "x"}, []) == {}


def test_a_cursor_continues_its_own_request_only() -> None:
    cursor = make_cursor("8", "why", ("vue",), "g000001")
    assert read_cursor(cursor, "why", ("vue",), "g000001") == 8
    assert read_cursor(None, "why") == 0
    with pytest.raises(QueryError, match="another query"):
        read_cursor(cursor, "why", ("vue",), "g000002")


@pytest.mark.parametrize("cursor", ["8", "x-1234", "-1", "99999999999999-12345678", "８-12345678", "'"])
def test_a_made_up_cursor_is_refused(cursor: str) -> None:
    with pytest.raises(QueryError, match="was not made by this server"):
        read_cursor(cursor, "why")
