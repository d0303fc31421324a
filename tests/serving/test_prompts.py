"""Prompts make an assistant answer from the documentation by the tools."""

from __future__ import annotations

import re

import pytest
from mcp import Client, MCPError
from mcp.types import TextContent

from vuedocs.serving.prompts import fenced
from vuedocs.serving.server import DocsServer

ARGUMENTS = {
    "debug_issue": {"symptom": "the watcher does not fire", "code": "watch(state.count, f)"},
    "compare_apis": {"items": "ref, reactive vs. shallowRef"},
    "migrate_pattern": {"from_pattern": "mixins", "to_pattern": "composables"},
}


async def prompted(server: DocsServer, name: str, **arguments: str) -> str:
    async with Client(server) as client:
        (message,) = (await client.get_prompt(name, arguments)).messages
    assert isinstance(message.content, TextContent)
    return message.content.text


async def test_prompts_are_listed_with_their_arguments(server: DocsServer) -> None:
    async with Client(server) as client:
        prompts = (await client.list_prompts()).prompts
    assert {prompt.name: [argument.name for argument in prompt.arguments or []] for prompt in prompts} == {
        "debug_issue": ["symptom", "code", "source"],
        "compare_apis": ["items", "source"],
        "migrate_pattern": ["from_pattern", "to_pattern", "source"],
    }
    assert all(prompt.description and argument.description for prompt in prompts for argument in prompt.arguments or [])


@pytest.mark.parametrize("name", ARGUMENTS)
@pytest.mark.parametrize(
    ("source", "named"), [(None, "vue"), ("Vue Router", "vue-router"), ("vue, router", "vue,vue-router"), ("all", "all")]
)
async def test_a_prompt_names_real_tools_and_the_source_that_is_meant(
    server: DocsServer, name: str, source: str | None, named: str
) -> None:
    text = await prompted(server, name, **ARGUMENTS[name], **({"source": source} if source else {}))
    async with Client(server) as client:
        tools = {tool.name for tool in (await client.list_tools()).tools}
    mentioned = set(re.findall(r"\b[a-z]+_[a-z]+\b", text)) - {"max_results"}
    assert mentioned <= tools
    assert len(mentioned) >= 2
    assert set(re.findall(r'source="([^"]*)"', text)) == {named}


async def test_what_the_user_gave_is_in_the_prompt(server: DocsServer) -> None:
    assert "Symptom: the watcher does not fire\n\nCode:\n\n```vue\nwatch(state.count, f)\n```" in await prompted(
        server, "debug_issue", **ARGUMENTS["debug_issue"]
    )
    assert "Code:" not in await prompted(server, "debug_issue", symptom="{x}")
    assert "`ref`, `reactive`, `shallowRef`" in await prompted(server, "compare_apis", **ARGUMENTS["compare_apis"])
    assert 'query="migrate from mixins to composables"' in await prompted(
        server, "migrate_pattern", **ARGUMENTS["migrate_pattern"]
    )


async def test_invented_argument_names_are_understood_in_prompts_too(server: DocsServer) -> None:
    assert 'source="vue-router"' in await prompted(server, "debug_issue", symptom="x", library="Vue Router")


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("debug_issue", {}, "debug_issue needs the argument symptom"),
        ("debug_issue", {"symptom": "x", "colour": "red"}, "Its arguments are symptom, code, source"),
        ("debug_issue", {"symptom": "x", "source": "svelte"}, "Indexed: vue, vue-router"),
        ("compare_apis", {"items": "ref"}, "give two or more between commas"),
        ("explain", {}, "the prompts are debug_issue, compare_apis, migrate_pattern"),
    ],
)
async def test_what_cannot_be_understood_is_refused_with_the_remedy(
    server: DocsServer, name: str, arguments: dict[str, str], said: str
) -> None:
    async with Client(server) as client:
        with pytest.raises(MCPError) as refused:
            await client.get_prompt(name, arguments)
    assert refused.value.code == -32602
    assert said in refused.value.message


async def test_without_an_index_prompts_keep_the_source_as_it_was_given(empty_server: DocsServer) -> None:
    assert 'source="pinia"' in await prompted(empty_server, "debug_issue", symptom="x", source="pinia")


def test_code_with_fences_of_its_own_stays_one_block() -> None:
    assert fenced("```js\na\n```") == "````vue\n```js\na\n```\n````"
