"""Resources by URI: what is listed, what each holds, and what is refused."""

from __future__ import annotations

from dataclasses import replace

import pytest
from mcp import Client, MCPError
from mcp.types import TextResourceContents
from serving_fakes import MANIFEST, PAGES, FakeReader

from vuedocs.serving import resources
from vuedocs.serving.server import DocsServer
from vuedocs.serving.uris import asked_page, page_uri

PAGE = "vuedocs://vue/pages/guide/essentials/computed"


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


async def listed(server: DocsServer) -> list[str]:
    """The addresses of all pages of the list."""
    uris: list[str] = []
    async with Client(server) as client:
        answer = await client.list_resources()
        uris += [resource.uri for resource in answer.resources]
        while answer.next_cursor:
            answer = await client.list_resources(cursor=answer.next_cursor)
            uris += [resource.uri for resource in answer.resources]
    return uris


LISTED = [
    "vuedocs://sources",
    *(f"vuedocs://{source}/{kind}" for source in ("vue", "vue-router") for kind in ("topics", "api", "scopes")),
    *(f"vuedocs://{page.source}/pages/{page.path}" for page in PAGES),
]


@pytest.mark.parametrize("size", [1, 3, 100])
async def test_all_resources_are_listed_in_pages_of_a_stable_order(
    server: DocsServer, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    monkeypatch.setattr(resources, "PAGE_SIZE", size)
    assert await listed(server) == LISTED == await listed(server)


async def test_every_listed_resource_can_be_read(server: DocsServer) -> None:
    assert all([await read(server, uri) for uri in LISTED])


async def test_templates_are_listed(server: DocsServer) -> None:
    async with Client(server) as client:
        templates = (await client.list_resource_templates()).resource_templates
    assert [template.uri_template for template in templates] == [
        "vuedocs://{source}/topics",
        "vuedocs://{source}/topics/{+section}",
        "vuedocs://{source}/scopes",
        "vuedocs://{source}/pages/{+path}",
        "vuedocs://{source}/api",
        "vuedocs://{source}/api/{+name}",
    ]


@pytest.mark.parametrize(
    "name", ["guide/a page", "guide/ünï", "1.start/02.styling", "core/useStorage", "a%20b", "a?b#c", "路由/守卫"]
)
def test_an_address_leads_back_to_its_page_whatever_it_is_called(name: str) -> None:
    uri = page_uri("vue", name)
    assert uri.isascii()
    assert " " not in uri
    assert asked_page(uri) == f"vue/{name}"
    assert asked_page(f"vue/{name}") == f"vue/{name}"


async def test_a_cursor_of_another_list_or_index_is_refused(server: DocsServer, reader: FakeReader) -> None:
    resources_before = resources.make_cursor("5", "resources", "g000001")
    reader.manifest = replace(MANIFEST, generation="g000002")
    async with Client(server) as client:
        for cursor in ("nonsense", "7-12345678", resources_before):
            with pytest.raises(MCPError) as refused:
                await client.list_resources(cursor=cursor)
            assert refused.value.code == -32602


async def test_a_list_and_what_is_read_may_be_kept_for_a_minute_and_the_tools_for_an_hour(server: DocsServer) -> None:
    async with Client(server) as client:
        assert ((await client.list_resources()).ttl_ms, (await client.read_resource(PAGE)).ttl_ms) == (60_000, 60_000)
        tools = await client.list_tools()
    assert (tools.ttl_ms, tools.cache_scope) == (3_600_000, "public")


@pytest.mark.parametrize(
    ("uri", "said"),
    [
        ("vuedocs://sources", "| vue | 3.5.13 |"),
        ("vuedocs://vue/topics", "## Essentials (vuedocs://vue/topics/Essentials)\n\n- [Computed Properties](https://vuejs.org/"),
        ("vuedocs://Vue%20Router/topics", "- [Router API](https://router.vuejs.org/api/index.html)"),
        ("vuedocs://vue/topics/essentials", f"computed.html): A page. ({PAGE})"),
        ("vuedocs://vue/topics/guide/essentials", f"({PAGE})"),
        ("vuedocs://vue/topics/guide", f"({PAGE})"),
        ("vuedocs://vue/scopes", "- all (2 pages)\n- api (1 page)\n- guide (1 page)\n- guide/essentials (1 page)"),
        (PAGE, "# Computed Properties"),
        (f"{PAGE}#caching", "## Caching vs. Methods"),
        (f"{PAGE}%23caching", "## Caching vs. Methods"),
        ("vuedocs://vue/api", "## global API\n\n`computed`, `ref`, `watch`"),
        ("vuedocs://vue/api/computed", "# computed"),
        ("vuedocs://vue/api/keep%20alive", "# KeepAlive"),
        ("vuedocs://vue/api/%3CKeepAlive%3E", "# KeepAlive"),
        ("vuedocs://vue/api/%24emit", "# $emit"),
        ("vuedocs://vue/api/$emit", "# $emit"),
        ("vuedocs://vue/api/app.config.globalProperties", "# app.config.globalProperties"),
        ("vuedocs://vue/api/comuted", "did you mean `computed`?"),
    ],
)
async def test_a_resource_is_read_as_markdown(server: DocsServer, uri: str, said: str) -> None:
    assert said in await read(server, uri)


@pytest.mark.parametrize(
    "uri",
    [
        "vuedocs://vue/pages/..%2F..%2Fetc%2Fpasswd",
        "vuedocs://vue/pages/../../etc/passwd",
        "vuedocs://vue/pages//etc/passwd",
        "vuedocs://vue/pages/a%00b",
        "vuedocs://vue/pages/no/such/page",
        "vuedocs://vue/pages/guide/a page",
        "vuedocs://vue/pages/руководство",
        "vuedocs://vue/pages/",
        f"{PAGE}#nowhere",
        "vuedocs://vue/api/%D1%8F",
        "vuedocs://vue/api/no thing",
        "vuedocs://vue/api/..%2F..%2Fetc%2Fpasswd",
        "vuedocs://vue/topics/nothing",
        "vuedocs://svelte/api/computed",
        "vuedocs://all/topics",
        "vuedocs://pinia/scopes",
        "vuedocs://nothing",
    ],
)
async def test_what_is_not_there_is_refused_without_internals(server: DocsServer, uri: str) -> None:
    refused = await refusal(server, uri)
    assert refused.code == -32602
    assert "Traceback" not in refused.message


async def test_without_an_index_a_resource_says_how_to_make_one_and_lists_do_not_fail(empty_server: DocsServer) -> None:
    assert "vuedocs ingest vue" in (await refusal(empty_server, "vuedocs://sources")).message
    assert await listed(empty_server) == ["vuedocs://sources"]


async def test_a_crash_stays_in_the_log(server: DocsServer, reader: FakeReader) -> None:
    async def crash(source: str | None = None) -> tuple[()]:
        raise RuntimeError("secret")

    reader.library.pages = crash  # type: ignore[method-assign,assignment]
    assert "secret" not in (await refusal(server, "vuedocs://sources")).message
