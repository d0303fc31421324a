"""read_page as a client sees it, over a small index in memory."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from mcp import Client
from mcp.types import ResourceLink, TextContent
from serving_fakes import CHUNKS, PAGES, FakeReader

from vuedocs.records import Chunk
from vuedocs.serving.server import DocsServer


async def call(server: DocsServer, **arguments: Any) -> tuple[str, dict[str, Any], list[str]]:
    async with Client(server) as client:
        result = await client.call_tool("read_page", arguments)
    text, *links = result.content
    assert isinstance(text, TextContent)
    addresses = [link.uri for link in links if isinstance(link, ResourceLink)]
    return text.text, result.structured_content or {"error": result.is_error}, addresses


@pytest.mark.parametrize(
    "arguments",
    [
        {"url": "https://vuejs.org/guide/essentials/computed.html"},
        {"path": "guide/essentials/computed"},
        {"uri": "vuedocs://vue/pages/guide/essentials/computed"},
        {"path": "Vue/guide/essentials/Computed"},
        {"path": "Vue.js/guide/essentials/computed.md"},
        {"path": "/vue/guide/essentials/computed", "source": "Vue"},
        {"path": "vue/guide/essentials/computed", "library": "Vue.js"},
    ],
)
async def test_a_page_is_read_with_its_source(server: DocsServer, arguments: dict[str, str]) -> None:
    text, answer, links = await call(server, **arguments)
    assert answer["text"] == "\n\n".join(chunk.text for chunk in CHUNKS if chunk.path == PAGES[0].path)
    assert (answer["part"], answer["parts"], answer["cursor"], answer["sections"]) == (1, 1, None, [])
    assert text.endswith(
        "From [Computed Properties](https://vuejs.org/guide/essentials/computed.html): vue 3.5.13, indexed 2026-10-25."
    )
    assert links == ["vuedocs://vue/pages/guide/essentials/computed"]


@pytest.mark.parametrize("arguments", [{"section": "caching"}, {"anchor": "#caching"}, {"section": "Caching vs. Methods"}])
async def test_a_section_is_read_with_its_subsections(server: DocsServer, arguments: dict[str, str]) -> None:
    text, answer, _ = await call(server, path="guide/essentials/computed", **arguments)
    assert text.startswith("## Caching vs. Methods\n\nA computed property is cached.\n\n### Why")
    assert answer["url"] == "https://vuejs.org/guide/essentials/computed.html#caching"


async def test_an_anchor_in_the_url_is_a_section(server: DocsServer) -> None:
    _, answer, _ = await call(server, path="https://vuejs.org/guide/essentials/computed.html#why")
    assert answer["title"] == "Computed Properties › Caching vs. Methods › Why"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"path": "guide/essentials/compute"}, "is not indexed; the nearest are vue/guide/essentials/computed"),
        ({"path": "..%2F..%2Fetc%2Fpasswd"}, "is not indexed"),
        ({"path": "guide/essentials/computed", "section": "no"}, "its sections are caching, why"),
        ({"path": "guide/essentials/computed", "cursor": "7"}, "was not made by this server"),
        ({}, "read_page needs the argument path"),
    ],
)
async def test_what_is_not_there_is_refused_with_what_is(server: DocsServer, arguments: dict[str, str], said: str) -> None:
    text, answer, _ = await call(server, **arguments)
    assert answer == {"error": True}
    assert said in text


async def test_the_largest_page_comes_in_parts_within_every_clients_limits(server: DocsServer, reader: FakeReader) -> None:
    first, *_ = CHUNKS
    lines = [f'const line{number} = "{number}"  // "quoted" \\n' for number in range(4000)]
    long = [
        replace(first, anchor=f"s{n}", text="```js\n" + "\n".join(lines[n * 100 : n * 100 + 100]) + "\n```") for n in range(40)
    ]

    async def page_chunks(source: str, path: str) -> tuple[Chunk, ...]:
        return tuple(long)

    reader.library.page_chunks = page_chunks  # type: ignore[method-assign]
    read: list[str] = []
    arguments: dict[str, Any] = {"path": first.path}
    async with Client(server) as client:
        while True:
            result = await client.call_tool("read_page", arguments)
            answer = result.structured_content
            assert answer
            sizes = [len(json.dumps(answer)), *(len(block.text) for block in result.content if isinstance(block, TextContent))]
            assert max(sizes) <= 40_000
            read.append(answer["text"])
            if not answer["cursor"]:
                break
            arguments["cursor"] = answer["cursor"]
    assert (answer["part"], answer["parts"]) == (len(read), len(read))
    assert [line for text in read for line in text.split("\n") if line.startswith("const")] == lines
