"""api_lookup, get_related and read_page, over a small index in memory."""

from __future__ import annotations

from typing import Any

import pytest
from mcp import Client
from mcp.types import TextContent
from serving_fakes import CHUNKS, ENTITIES, PAGES, FakeLibrary

from vuedocs.errors import QueryError
from vuedocs.serving.entities import first_example, lookup, near_names
from vuedocs.serving.pages import find_page, parts, section_chunks
from vuedocs.serving.server import DocsServer


async def call(server: DocsServer, tool: str, **arguments: Any) -> tuple[str, dict[str, Any]]:
    async with Client(server) as client:
        result = await client.call_tool(tool, arguments)
    (block,) = result.content
    assert isinstance(block, TextContent)
    return block.text, result.structured_content or {"error": result.is_error}


@pytest.mark.parametrize(
    "name", ["computed", "computed()", "`computed`", "Computed", "computed property", "keep-alive", "<KeepAlive>", "Keep Alive"]
)
def test_an_api_is_found_by_every_way_to_write_it(name: str) -> None:
    (entity,) = lookup(name, FakeLibrary.names, ())
    assert entity == ENTITIES["eep" in name.lower()]


def test_a_misspelt_name_gets_suggestions() -> None:
    assert near_names("comuted", FakeLibrary.names, ())[0] == "computed"
    assert near_names("zzqx", FakeLibrary.names, ()) == ()


async def test_an_api_is_looked_up_with_its_facts(server: DocsServer) -> None:
    text, answer = await call(server, "api_lookup", name="computed")
    (api,) = answer["apis"]
    assert (api["type"], api["since"], api["version"]) == ("global API", "3.0", "3.5.13")
    assert api["url"] == "https://vuejs.org/api/reactivity-core.html#computed"
    assert "function computed<T>" in api["example"]
    assert "[Reactivity API › computed()](https://vuejs.org/api/reactivity-core.html#computed)" in text


async def test_an_unknown_api_is_refused_with_what_is_near(server: DocsServer) -> None:
    text, answer = await call(server, "api_lookup", query="comuted", library="vue")
    assert answer["error"]
    assert "Did you mean computed?" in text
    assert "vuedocs ingest" not in text
    text, _ = await call(server, "api_lookup", name="computed", source="vue-router")
    assert "vue has it" in text


async def test_related_sections_and_apis_are_listed(server: DocsServer) -> None:
    text, answer = await call(server, "get_related", name="computed")
    assert answer["apis"] == ["ref"]
    assert [section["title"] for section in answer["sections"]] == ["Computed Properties › Caching vs. Methods"]
    assert "- [Computed Properties › Caching vs. Methods](https://vuejs.org/guide/essentials/computed.html#caching)" in text


@pytest.mark.parametrize(
    "asked",
    [
        "guide/essentials/computed",
        "/guide/essentials/computed/",
        "guide/essentials/computed.md",
        "vue/guide/essentials/computed",
        "https://vuejs.org/guide/essentials/computed.html",
        "https://vuejs.org/guide/essentials/computed.html?x=1#caching",
        "vuejs.org/guide/essentials/computed",
    ],
)
def test_a_page_is_found_by_url_path_and_route(asked: str) -> None:
    page, anchor = find_page(asked, PAGES)
    assert page == PAGES[0]
    assert anchor == ("caching" if "#" in asked else "")


@pytest.mark.parametrize("asked", ["guide/essentials/compute", "..%2F..%2Fetc%2Fpasswd", "../../etc/passwd", "страница", "", " "])
def test_a_page_that_is_not_indexed_is_said_to_be(asked: str) -> None:
    with pytest.raises(QueryError, match=r"is not indexed; near it: .*vue/guide/essentials/computed"):
        find_page(asked, PAGES)


def test_a_section_brings_its_subsections() -> None:
    computed = [chunk for chunk in CHUNKS if chunk.path.endswith("computed")]
    assert [chunk.anchor for chunk in section_chunks(computed, "")] == ["", "caching", "why"]
    assert [chunk.anchor for chunk in section_chunks(computed, "#why")] == ["why"]
    assert [chunk.anchor for chunk in section_chunks(computed, "caching vs. methods")] == ["caching"]
    with pytest.raises(QueryError, match=r"no section 'no'; its sections are caching, why"):
        section_chunks(computed, "no")


async def test_a_page_is_read_with_its_source(server: DocsServer) -> None:
    text, answer = await call(server, "read_page", url="https://vuejs.org/guide/essentials/computed.html")
    assert answer["text"] == "\n\n".join(chunk.text for chunk in CHUNKS if chunk.path == PAGES[0].path)
    assert (answer["part"], answer["parts"], answer["cursor"]) == (1, 1, None)
    assert text.endswith(
        "From [Computed Properties](https://vuejs.org/guide/essentials/computed.html): vue 3.5.13, indexed 2026-10-25."
    )


def test_a_long_page_comes_in_parts_that_lose_nothing_and_keep_fences_balanced() -> None:
    code = "```ts\n" + "\n".join(f"const a{n} = {n}" for n in range(300)) + "\n```"
    pieces = parts(["# Title", code, "The end."], limit=1000)
    assert all(len(piece) <= 1000 for piece in pieces)
    assert all(piece.count("```") % 2 == 0 for piece in pieces)
    lines = [line for piece in pieces for line in piece.split("\n") if line.startswith("const")]
    assert lines == [f"const a{n} = {n}" for n in range(300)]
    assert pieces[-1].endswith("The end.")


def test_a_line_longer_than_a_part_is_broken() -> None:
    pieces = parts(["x" * 5000], limit=1000)
    assert all(len(piece) <= 1000 for piece in pieces)
    assert "".join(pieces).replace("\n", "") == "x" * 5000


def test_the_first_example_of_a_section() -> None:
    assert first_example("a\n```js\nb\n```\n```js\nc\n```") == "```js\nb\n```"
    assert first_example("a") == ""
    assert first_example("```js\nunclosed") == ""
