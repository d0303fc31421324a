"""api_lookup and get_related as a client sees them, over a small index in memory."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from mcp import Client
from mcp.types import ResourceLink, TextContent
from serving_fakes import CHUNKS, CORE, MANIFEST, FakeDatabase, FakeReader, service_over

from vuedocs import config
from vuedocs.query.library import Library
from vuedocs.records import Chunk, Entity
from vuedocs.serving.server import DocsServer, build_server


async def call(server: DocsServer, tool: str, **arguments: Any) -> tuple[str, dict[str, Any], list[str]]:
    """The text, the structured form, and the addresses of the resources that are linked."""
    async with Client(server) as client:
        result = await client.call_tool(tool, arguments)
    text, *links = result.content
    assert isinstance(text, TextContent)
    addresses = [link.uri for link in links if isinstance(link, ResourceLink)]
    return text.text, result.structured_content or {"error": result.is_error}, addresses


async def test_an_api_is_looked_up_with_its_facts(server: DocsServer) -> None:
    text, answer, links = await call(server, "api_lookup", name="computed")
    (api,) = answer["apis"]
    assert (api["type"], api["since"], api["version"]) == ("global API", "3.0", "3.5.13")
    assert api["url"] == "https://vuejs.org/api/reactivity-core.html#computed"
    assert api["details"] == "Takes a getter."
    assert "function computed<T>" in api["example"]
    assert text.startswith("# computed (vue: global API, since 3.0)\n\nTakes a getter.")
    assert "From [Reactivity API › computed()](https://vuejs.org/api/reactivity-core.html#computed): vue 3.5.13" in text
    assert (answer["notes"], answer["did_you_mean"]) == ([], [])
    assert links == ["vuedocs://vue/api/computed"]


@pytest.mark.parametrize("source", [None, "all", ["vue", "Vue Router"]])
async def test_each_source_that_has_the_name_answers(server: DocsServer, source: Any) -> None:
    text, answer, links = await call(server, "api_lookup", name="watch", source=source)
    assert [api["source"] for api in answer["apis"]] == ["vue", "vue-router"]
    assert "Watches a source of state." in text
    assert "Watches the route." in text
    assert links == ["vuedocs://vue/api/watch", "vuedocs://vue-router/api/watch"]


async def test_one_source_is_asked_for(server: DocsServer) -> None:
    _, answer, _ = await call(server, "api_lookup", name="watch", source="Vue Router")
    assert [api["source"] for api in answer["apis"]] == ["vue-router"]


async def test_a_misspelt_name_is_answered_with_the_one_that_was_meant_and_says_so(server: DocsServer) -> None:
    text, answer, _ = await call(server, "api_lookup", name="comuted")
    (note,) = answer["notes"]
    assert note == "no API is called `comuted` in vue, vue-router; did you mean `computed`?"
    assert text.startswith(f"> **Note:** {note}\n\n# computed (vue")
    assert answer["did_you_mean"] == ["computed"]
    text, answer, _ = await call(server, "get_related", name="comuted")
    assert "did you mean `computed`?" in text
    assert answer["notes"]


async def test_a_synonym_is_answered_and_said_to_be_one(server: DocsServer) -> None:
    text, _, _ = await call(server, "api_lookup", name="computed property")
    assert text.startswith("> **Note:** in vue, `computed property` stands for `computed`.\n\n")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"name": "computing"}, "No API is called `computing` in vue, vue-router; did you mean `computed`. docs_search finds"),
        ({"name": "zzqx"}, "No API is called `zzqx` in vue, vue-router. docs_search finds APIs by what they do."),
        ({"name": "computed", "source": "vue-router"}, "in vue-router; vue has one of this name"),
        ({"name": " "}, "the API name is blank"),
        ({"name": "x" * 300}, "has 300 characters and may have 200"),
        ({}, "api_lookup needs the argument name"),
        ({"name": "computed", "source": "pinia"}, "Indexed: vue, vue-router"),
    ],
)
async def test_what_is_not_there_is_refused_with_what_is(server: DocsServer, arguments: dict[str, str], said: str) -> None:
    text, answer, _ = await call(server, "api_lookup", **arguments)
    assert answer == {"error": True}
    assert said in text


async def test_what_goes_with_an_api_is_listed_by_source(server: DocsServer) -> None:
    text, answer, links = await call(server, "get_related", name="computed")
    (related,) = answer["related"]
    assert related["apis"] == [{"name": "ref", "type": "global API", "description": "A box."}]
    assert related["sections"] == [
        {
            "title": "Computed Properties › Caching vs. Methods",
            "url": "https://vuejs.org/guide/essentials/computed.html#caching",
            "why": "linked from its reference",
        }
    ]
    assert "- [Computed Properties › Caching vs. Methods](https://vuejs.org/guide/essentials/computed.html#caching)" in text
    assert links == ["vuedocs://vue/pages/guide/essentials/computed"]
    _, answer, _ = await call(server, "get_related", name="watch")
    assert [related["source"] for related in answer["related"]] == ["vue", "vue-router"]


async def test_a_name_that_many_have_is_answered_within_every_clients_limits(reader: FakeReader) -> None:
    wordy = 'a line that is "quoted" and \\ escaped\n' * 2000
    entities = tuple(
        Entity(f"{'x' * n}.many", "function", "vue", f"vue/{CORE}#computed", signature=wordy, description=wordy[:3000])
        for n in range(1, 31)
    )
    home = replace(CHUNKS[4], text=f"## computed()\n\n{wordy}")

    class Wordy(FakeDatabase):
        async def chunks(self, generation: str, ids: Sequence[str]) -> dict[str, Chunk]:
            return dict.fromkeys(ids, home)

    reader.library = Library(Wordy(), MANIFEST, entities, ())  # type: ignore[arg-type]
    server = build_server(service_over(reader), config.load())
    for tool in ("api_lookup", "get_related"):
        text, answer, links = await call(server, tool, name="many")
        assert len(links) <= 12
        assert "18 more have this name, in vue" in text
        assert max(len(text), len(json.dumps(answer, ensure_ascii=False, separators=(",", ":")))) <= 40_000
