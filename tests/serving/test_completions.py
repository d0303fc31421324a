"""Completions of resource variables and prompt arguments, over a small index in memory."""

from __future__ import annotations

import pytest
from mcp import Client
from mcp.types import Completion, PromptReference, ResourceTemplateReference

from vuedocs.serving.completions import MOST, matching, split_list
from vuedocs.serving.server import DocsServer

PAGES = ResourceTemplateReference(type="ref/resource", uri="vuedocs://{source}/pages/{+path}")
DEBUG = PromptReference(type="ref/prompt", name="debug_issue")
VUE = {"source": "vue"}


async def complete(
    server: DocsServer,
    ref: PromptReference | ResourceTemplateReference,
    name: str,
    typed: str,
    given: dict[str, str] | None = None,
) -> Completion:
    async with Client(server) as client:
        return (await client.complete(ref, {"name": name, "value": typed}, given)).completion


@pytest.mark.parametrize(
    ("name", "typed", "given", "values"),
    [
        ("source", "", None, ["vue", "vue-router"]),
        ("source", "vuer", None, ["vue-router", "vue"]),
        ("path", "", VUE, ["guide/essentials/computed", "api/reactivity-core"]),
        ("path", "comp", VUE, ["guide/essentials/computed"]),
        ("path", "api/", {"source": "Vue Router"}, ["api/index"]),
        ("path", "guide/essentials/comuted", VUE, ["guide/essentials/computed"]),
        ("path", "x", {"source": "svelte"}, []),
        ("name", "wat", VUE, ["watch"]),
        ("name", "alive", VUE, ["KeepAlive"]),
        ("name", "comuted", None, ["computed"]),
        ("section", "ess", VUE, ["Essentials", "guide/essentials"]),
        ("scope", "guide", VUE, ["guide", "guide/essentials"]),
    ],
)
async def test_a_variable_is_completed_by_prefix_part_and_likeness(
    server: DocsServer, name: str, typed: str, given: dict[str, str] | None, values: list[str]
) -> None:
    completion = await complete(server, PAGES, name, typed, given)
    assert completion.values == values
    assert (completion.total, completion.has_more) == (len(values), False)


@pytest.mark.parametrize(
    ("prompt", "name", "typed", "values"),
    [
        ("debug_issue", "source", "", ["vue", "vue-router", "all"]),
        ("debug_issue", "source", "vue, vue-", ["vue, vue-router", "vue, vue"]),
        ("debug_issue", "symptom", "it", []),
        ("debug_issue", "code", "", []),
        ("compare_apis", "items", "ref, com", ["ref, computed"]),
        ("migrate_pattern", "from_pattern", "Comp", ["computed", "Computed Properties"]),
        ("migrate_pattern", "to_pattern", "reactivity", ["Reactivity API"]),
    ],
)
async def test_arguments_of_prompts_are_completed_and_free_text_is_not(
    server: DocsServer, prompt: str, name: str, typed: str, values: list[str]
) -> None:
    assert (await complete(server, PromptReference(type="ref/prompt", name=prompt), name, typed)).values == values


async def test_without_an_index_there_is_nothing_to_complete(empty_server: DocsServer) -> None:
    assert (await complete(empty_server, PAGES, "path", "")).values == []


async def test_no_answer_is_longer_than_the_protocol_allows(server: DocsServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vuedocs.serving.completions.MOST", 1)
    completion = await complete(server, DEBUG, "source", "v")
    assert (completion.values, completion.total, completion.has_more) == (["vue"], 2, True)
    assert MOST == 100


def test_the_best_way_of_matching_comes_first() -> None:
    options = ["onMounted", "mounted", "unmounted", "app.mount", "mountt", "ref"]
    assert matching(options, "mount") == ["mounted", "mountt", "app.mount", "onMounted", "unmounted"]
    assert matching(options, "") == options
    assert matching(options, "$") == []


def test_of_a_list_the_last_value_is_completed() -> None:
    assert split_list("ref,  rea") == ("ref,  ", "rea")
    assert split_list("rea") == ("", "rea")
