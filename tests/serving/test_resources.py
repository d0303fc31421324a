"""Resources by URI: sources, pages, APIs; and what is refused."""

from __future__ import annotations

import pytest
from mcp import Client, MCPError
from mcp.types import TextResourceContents
from serving_fakes import FakeReader

from vuedocs.serving.server import DocsServer


async def read(server: DocsServer, uri: str) -> str:
    async with Client(server) as client:
        (content,) = (await client.read_resource(uri)).contents
    assert isinstance(content, TextResourceContents)
    return content.text


async def refusal(server: DocsServer, uri: str) -> MCPError:
    async with Client(server) as client:
        with pytest.raises(MCPError) as refused:
            await client.read_resource(uri)
    return refused.value


async def test_resources_and_templates_are_listed(server: DocsServer) -> None:
    async with Client(server) as client:
        resources = (await client.list_resources()).resources
        templates = (await client.list_resource_templates()).resource_templates
    assert [str(resource.uri) for resource in resources] == ["vuedocs://sources"]
    assert {template.uri_template for template in templates} == {
        "vuedocs://{source}/pages/{+path}",
        "vuedocs://{source}/api/{+name}",
    }


@pytest.mark.parametrize(
    ("uri", "said"),
    [
        ("vuedocs://sources", "| vue | 3.5.13 |"),
        ("vuedocs://vue/pages/guide/essentials/computed", "# Computed Properties"),
        ("vuedocs://vue/api/computed", "# computed"),
        ("vuedocs://vue/api/keep%20alive", "# KeepAlive"),
    ],
)
async def test_a_resource_is_read_as_markdown(server: DocsServer, uri: str, said: str) -> None:
    assert said in await read(server, uri)


@pytest.mark.parametrize(
    "uri",
    [
        "vuedocs://vue/pages/..%2F..%2Fetc%2Fpasswd",
        "vuedocs://vue/pages/no/such/page",
        "vuedocs://vue/api/%24emit",
        "vuedocs://vue/api/app.config.globalProperties",
        "vuedocs://vue/api/%D1%8F",
        "vuedocs://svelte/api/computed",
        "vuedocs://nothing",
    ],
)
async def test_what_is_not_there_is_refused_without_internals(server: DocsServer, uri: str) -> None:
    refused = await refusal(server, uri)
    assert refused.code == -32602
    assert "Traceback" not in refused.message


async def test_without_an_index_a_resource_says_how_to_make_one(empty_server: DocsServer) -> None:
    assert "vuedocs ingest vue" in (await refusal(empty_server, "vuedocs://sources")).message


async def test_a_crash_stays_in_the_log(server: DocsServer, reader: FakeReader) -> None:
    async def crash(source: str | None = None) -> tuple[()]:
        raise RuntimeError("secret")

    reader.library.pages = crash  # type: ignore[method-assign,assignment]
    assert "secret" not in (await refusal(server, "vuedocs://sources")).message
