"""The tools as a client sees them, over a small index in memory."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import pytest
from mcp import Client
from mcp.types import CallToolResult, ResourceLink, TextContent
from serving_fakes import COMPUTED, INDEXED, FakeReader, passage, service_over

from vuedocs.config import load
from vuedocs.errors import DatabaseError, QueryError
from vuedocs.records import Search
from vuedocs.serving.server import INSTRUCTIONS, DocsServer, build_server, without_links


def text_of(result: CallToolResult) -> str:
    block, *links = result.content
    assert all(isinstance(link, ResourceLink) for link in links)
    assert isinstance(block, TextContent)
    return block.text


def error_of(result: CallToolResult) -> str:
    assert result.is_error
    text = text_of(result)
    assert "Traceback" not in text
    assert "pydantic" not in text
    return text


async def test_the_tools_are_few_read_only_and_described(server: DocsServer) -> None:
    async with Client(server) as client:
        tools = (await client.list_tools()).tools
    assert [tool.name for tool in tools] == ["docs_search", "api_lookup", "get_related", "read_page", "list_sources"]
    for tool in tools:
        assert re.fullmatch(r"[a-z][a-z0-9_]{0,40}", tool.name)
        assert tool.annotations
        assert tool.annotations.read_only_hint
        assert tool.output_schema
        assert len((tool.description or "").encode()) < 1536
    assert len(INSTRUCTIONS.encode()) < 2048


async def test_defaults_are_the_configs(server: DocsServer, reader: FakeReader) -> None:
    async with Client(server) as client:
        await client.call_tool("docs_search", {"query": "why cache"})
    (search,) = reader.searches
    assert (search.query, search.sources, search.scope) == ("why cache", ("vue",), "all")
    assert (search.max_results, search.max_tokens, search.skip) == (8, 2000, 0)


async def test_an_answer_has_a_structured_form_with_provenance(server: DocsServer) -> None:
    async with Client(server) as client:
        result = await client.call_tool("docs_search", {"query": "why cache", "max_results": 1})
    answer = result.structured_content
    assert answer
    assert answer["passages"] == [
        {
            "title": "Section 0",
            "heading_path": ["Computed Properties", "Section 0"],
            "url": "https://vuejs.org/guide/essentials/computed.html#s0",
            "source": "vue",
            "version": "3.5.13",
            "indexed": INDEXED,
            "text": "x" * 400,
            "tokens": 100,
            "found_by": ["dense", "question: why cache?"],
            "scores": {"dense": 0.5, "fused": 0.8765},
            "api_style": "composition",
            "since": "3.4",
            "cut": False,
        }
    ]
    assert answer["omitted"][0] == {
        "title": "Section [1]",
        "url": "https://vuejs.org/guide/essentials/computed.html#s1",
        "reason": "budget",
    }
    assert (answer["notes"], answer["degraded"]) == ([], [])


async def test_an_answer_reads_as_a_document_with_links(server: DocsServer) -> None:
    async with Client(server) as client:
        text = text_of(await client.call_tool("docs_search", {"query": "Vue 2.7 filters", "scope": "nowhere", "max_results": 2}))
    notes, rest = text.split("## [Section 0](https://vuejs.org/guide/essentials/computed.html#s0)")
    assert "vue 2.7 is not indexed" in notes
    assert "> **Note:** the scope was widened.\n" in notes
    assert "From vue 3.5.13, indexed 2026-10-25." in rest
    assert "- [Elsewhere](https://vuejs.org/x.html)" in rest.split("**See also**")[1]
    assert r"- [Section \[2\]](https://vuejs.org/guide/essentials/computed.html#s2)" in rest.split("not shown**")[1]
    assert "Hardly it" not in rest, "what answers much worse than the best is not worth the reader's tokens"


@pytest.mark.parametrize("scope", ["Guide", "/guide/", "guide"])
async def test_a_scope_is_known_whatever_its_case_and_slashes(server: DocsServer, reader: FakeReader, scope: str) -> None:
    async with Client(server) as client:
        await client.call_tool("docs_search", {"query": "computed", "scope": scope})
    assert reader.searches[0].scope == "guide"


async def test_what_the_question_names_and_was_not_searched_is_said(server: DocsServer) -> None:
    async with Client(server) as client:
        result = await client.call_tool("docs_search", {"query": "Vue Router guards and FormKit forms"})
    assert result.structured_content
    assert [note.split(",")[0] for note in result.structured_content["notes"]][:2] == [
        "the question names Vue Router",
        "FormKit is not indexed here",
    ]


class OfOnePage(FakeReader):
    """Answers every query with a section that its library has."""

    def answer(self, search: Search) -> Search:
        known = replace(passage(0, "x"), chunk_id=f"vue/{COMPUTED}#caching")
        return replace(search, passages=(known,), text="x")


async def test_an_answer_links_to_the_pages_it_is_from() -> None:
    async with Client(build_server(service_over(OfOnePage()), load())) as client:
        result = await client.call_tool("docs_search", {"query": "x"})
    assert [link.uri for link in result.content[1:] if isinstance(link, ResourceLink)] == [f"vuedocs://vue/pages/{COMPUTED}"]


async def test_a_client_of_an_older_protocol_gets_no_links(server: DocsServer) -> None:
    async with Client(server, mode="legacy") as client:
        assert len((await client.call_tool("api_lookup", {"name": "computed"})).content) == 2
    old = CallToolResult(content=[TextContent(type="text", text="x"), ResourceLink(uri="vuedocs://sources", name="sources")])
    stripped = without_links(old)
    assert isinstance(stripped, CallToolResult)
    assert [block.type for block in stripped.content] == ["text"]


async def test_a_degraded_stage_is_said(server: DocsServer) -> None:
    async with Client(server) as client:
        result = await client.call_tool("docs_search", {"query": "x", "scope": "degraded"})
    assert "rerank failed" in text_of(result)
    assert result.structured_content
    assert result.structured_content["degraded"] == ["rerank"]


async def test_the_rest_comes_by_cursor(server: DocsServer) -> None:
    titles: list[str] = []
    arguments: dict[str, Any] = {"query": "x"}
    async with Client(server) as client:
        while True:
            result = await client.call_tool("docs_search", arguments)
            answer = result.structured_content
            assert answer
            titles += [passage["title"] for passage in answer["passages"]]
            if answer["cursor"] is None:
                break
            assert f"cursor='{answer['cursor']}'" in text_of(result)
            arguments["cursor"] = answer["cursor"]
        foreign = await client.call_tool("docs_search", {**arguments, "query": "y"})
    assert titles == [f"Section {n}" for n in range(20)]
    assert "another query" in error_of(foreign)


@pytest.mark.parametrize("section_characters", [400, 3000, 40_000])
async def test_no_answer_is_longer_than_clients_take(server: DocsServer, reader: FakeReader, section_characters: int) -> None:
    reader.section_characters = section_characters
    async with Client(server) as client:
        result = await client.call_tool("docs_search", {"query": "x", "max_results": 50, "max_tokens": 10_000})
    if section_characters < 40_000:
        assert len(text_of(result)) <= 40_000
        assert len(json.dumps(result.structured_content)) <= 40_000


@pytest.mark.parametrize(
    "arguments",
    [
        {"question": "why"},
        {"userQuery": "why"},
        {"q": "why", "limit": 3},
        {"query": "why", "max_results": "3"},
        {"query": "why", "topK": 3},
        {"query": "why", "top_k": "3"},
        {"query": "why", "library": "Vue"},
        {"query": "why", "framework": "vue"},
        {"query": "why", "source": ["vue"]},
        {"query": "why", "source": '["vue"]'},
        {"query": "why", "cursor": None},
    ],
)
async def test_invented_arguments_are_understood(server: DocsServer, reader: FakeReader, arguments: dict[str, Any]) -> None:
    async with Client(server) as client:
        result = await client.call_tool("docs_search", arguments)
    assert not result.is_error, text_of(result)
    assert reader.searches[0].query == "why"
    assert reader.searches[0].sources == ("vue",)
    assert reader.searches[0].max_results == (3 if {"limit", "topK", "top_k", "max_results"} & set(arguments) else 8)


@pytest.mark.parametrize("source", ["Vue Router", "vue-router", "router", "vueRouter"])
async def test_a_source_is_found_by_what_people_call_it(server: DocsServer, reader: FakeReader, source: str) -> None:
    async with Client(server) as client:
        await client.call_tool("docs_search", {"query": "guards", "source": source})
    assert reader.searches[0].sources == ("vue-router",)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({}, "needs the argument query"),
        ({"query": "x", "max_results": "three"}, "max_results: Input should be a valid integer"),
        ({"query": "x", "max_results": 0}, "greater than or equal to 1"),
        ({"query": "x", "max_tokens": 1_000_000}, "less than or equal to 10000"),
        ({"query": 5}, "query: Input should be a valid string"),
        ({"query": "x", "colour": "red"}, "Its arguments are query, source, scope"),
        ({"query": "x", "source": "pinia"}, "Indexed: vue, vue-router"),
        ({"query": "x", "source": "svelte"}, "Indexed: vue, vue-router"),
        ({"query": "x", "cursor": "7"}, "was not made by this server"),
    ],
)
async def test_what_cannot_be_understood_is_refused_with_the_remedy(
    server: DocsServer, arguments: dict[str, Any], said: str
) -> None:
    async with Client(server) as client:
        assert said in error_of(await client.call_tool("docs_search", arguments))


async def test_an_unknown_tool_is_refused_with_the_known_ones(server: DocsServer) -> None:
    async with Client(server) as client:
        assert "the tools are docs_search" in error_of(await client.call_tool("search_docs", {"query": "x"}))


async def test_an_error_of_the_pipeline_keeps_its_words(server: DocsServer, reader: FakeReader) -> None:
    reader.error = QueryError("the query is blank; ask a question")
    async with Client(server) as client:
        assert error_of(await client.call_tool("docs_search", {"query": " "})) == "the query is blank; ask a question"


@pytest.mark.parametrize("error", [RuntimeError("secret at /home/me"), DatabaseError("postgres at /home/me is down")])
async def test_internals_stay_in_the_log(
    server: DocsServer, reader: FakeReader, error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    reader.error = error
    async with Client(server) as client:
        said = error_of(await client.call_tool("docs_search", {"query": "x"}))
    assert "/home/me" not in said
    request = re.search(r"request (\w+)", said)
    assert request
    assert request.group(1) in [getattr(record, "request_id", "") for record in caplog.records]
    assert "/home/me" in caplog.text


async def test_the_user_of_this_machine_is_told_what_is_wrong_with_it(server: DocsServer, reader: FakeReader) -> None:
    server.local = True
    reader.error = DatabaseError("postgres at /home/me is down; start it")
    async with Client(server) as client:
        assert error_of(await client.call_tool("docs_search", {"query": "x"})) == "postgres at /home/me is down; start it"


async def test_progress_is_told_stage_by_stage(server: DocsServer) -> None:
    told: list[tuple[float, float | None, str | None]] = []

    async def tell(progress: float, total: float | None, message: str | None) -> None:
        told.append((progress, total, message))

    async with Client(server) as client:
        await client.call_tool("docs_search", {"query": "x"}, progress_callback=tell)
    assert told == [(0, 2, "detect"), (1, 2, "search"), (2, 2, "done")]


async def test_list_sources_says_what_is_indexed(server: DocsServer) -> None:
    async with Client(server) as client:
        result = await client.call_tool("list_sources", {})
    assert "| vue | 3.5.13 |" in text_of(result)
    listed = result.structured_content
    assert listed
    assert [source["name"] for source in listed["sources"]] == ["vue", "vue-router"]
    assert listed["sources"][0]["title"] == "Vue"
    assert "pinia" in listed["not_indexed"]
    assert "Known but not indexed here: vueuse, " in text_of(result)


async def test_without_an_index_every_tool_says_how_to_make_one(empty_server: DocsServer) -> None:
    async with Client(empty_server) as client:
        for tool in (await client.list_tools()).tools:
            required = dict.fromkeys(tool.input_schema.get("required", []), "x")
            assert "vuedocs ingest vue" in error_of(await client.call_tool(tool.name, required))


async def test_lists_are_never_an_unknown_method(server: DocsServer) -> None:
    for mode in ("auto", "legacy"):
        async with Client(server, mode=mode) as client:
            await client.list_resources()
            await client.list_resource_templates()
            await client.list_prompts()
