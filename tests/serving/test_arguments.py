"""What callers mean: invented names, several sources in one text, cursors."""

from __future__ import annotations

import pytest

from vuedocs.errors import QueryError, SourceError, UsageError
from vuedocs.serving.arguments import make_cursor, read_cursor, understand, wanted_sources

KNOWN = ["query", "source", "scope", "max_results", "max_tokens", "cursor"]
INDEXED = ["vue", "vue-router"]


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
    with pytest.raises(UsageError, match=r"no argument 'max_result'; did you mean max_results\? its arguments are query, source"):
        understand("docs_search", {"query": "x", "max_result": 3}, KNOWN)


def test_two_names_for_one_argument_are_refused() -> None:
    with pytest.raises(UsageError, match="given query twice"):
        understand("docs_search", {"query": "x", "question": "y"}, KNOWN)


def canonical(name: str) -> str:
    known = {"router": "vue-router", "nuxt": "nuxt"}
    if name not in known:
        raise SourceError(f"There is no source {name!r}.")
    return known[name]


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
    ],
)
def test_sources_are_found_by_what_people_call_them(given: str | list[str], sources: tuple[str, ...]) -> None:
    assert wanted_sources(given, INDEXED, canonical) == sources


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("nuxt", "'nuxt' is known but not indexed"),
        ("reactt", "There is no source 'reactt'"),
        ("vue,nuxt", "not indexed"),
        (" ", "empty"),
    ],
)
def test_a_source_that_is_not_indexed_is_refused_with_those_that_are(given: str, said: str) -> None:
    with pytest.raises(SourceError) as refused:
        wanted_sources(given, INDEXED, canonical)
    assert said in str(refused.value)
    assert "Indexed: vue, vue-router" in str(refused.value)


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
