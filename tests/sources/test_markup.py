"""The VitePress reader, on one fixture file a kind of markup, and on what the sites' own renderers say."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path

import pytest
from markup_fixtures import cases, document, outline

from vuedocs.sources import registry
from vuedocs.sources.code import label, language
from vuedocs.sources.front import normalise
from vuedocs.sources.vitepress import read

CASES = list(cases())


@pytest.mark.parametrize(("text", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_fixture(text: str, expected: str) -> None:
    assert outline(document(text)) == expected


@pytest.mark.parametrize("source", ["vue", "vue-devtools", "vite", "vueuse"])
def test_headings_and_fences_are_the_renderers(source: str, corpus: Path, oracles: Path) -> None:
    """Every heading of every page with level, anchor and nesting, and every fence with its language and label."""
    expected = json.loads((oracles / f"{source}.json").read_text(encoding="utf-8"))
    assert len(expected) > 10
    _assert_equal(source, corpus / source, expected)


def test_sample_headings_and_fences(project: Path) -> None:
    expected = json.loads((project / "tests" / "fixtures" / "sample-oracle.json").read_text(encoding="utf-8"))
    _assert_equal("sample", project / "vuedocs" / "sample", expected)


def _assert_equal(source: str, root: Path, expected: dict) -> None:
    for name, page in expected.items():
        found = read(normalise((root / name).read_text(encoding="utf-8")), name, registry()[source], root, lambda href: href)
        headings = [(heading.level, heading.anchor, heading.nested) for heading in found.headings]
        assert headings == [(heading["level"], heading["id"], heading["nested"]) for heading in page["headings"]], name
        written = [(language(info), label(info)) for info in found.fences]
        assert written == [(language(fence["info"]), label(fence["info"])) for fence in page["fences"]], name
        sections = [part.anchor for part in found.parts if part.level]
        assert sections == [h["id"] for h in page["headings"] if h["level"] <= 3 and not h["nested"]], name


def test_braces_are_text_where_the_site_says_so() -> None:
    part = document("## Using `get()` {#x}", "vue-i18n").parts[-1]
    assert (part.title, part.anchor) == ("Using get() {#x}", "using-get-x")
    assert document("## Using `get()` %{#x}%", "pinia").parts[-1].anchor == "x"


def test_a_blank_before_a_badge_is_a_hyphen_where_anchors_are_as_written() -> None:
    text = '## Leaving them out <Badge text="4.1+" />'
    assert document(text, "vue-router").parts[-1].anchor == "Leaving-them-out-"
    assert document(text, "vue").parts[-1].anchor == "leaving-them-out"


def test_a_badge_is_a_version_or_a_remark() -> None:
    text = '## Run <Version>4.1.0</Version> <Badge type="danger">advanced `mode`</Badge>\n\n#### Deep <Badge text="4.1+" />\n'
    part = document(text, "vitest").parts[-1]
    assert (part.title, part.since, part.remark, part.body) == ("Run", "4.1.0", "advanced mode", "#### Deep (4.1+)")


@pytest.mark.parametrize(
    ("text", "since"),
    [
        ("Words.\n\n- Only available in 3.4+\n", "3.4"),
        ("> [!IMPORTANT]\n> This composable is available in Nuxt v3.12+.\n", "3.12"),
        ("> **Support Version:** :new: 9.3+\n", ""),
        ("**Supported Versions:** :new: 9.3+\n", "9.3"),
        ("It was available in 3.4 and is gone.\n", ""),
    ],
)
def test_a_remark_says_since_when_a_section_holds(text: str, since: str) -> None:
    parts = document(f"# Page\n\n{text}\n## A\n\n{text}").parts
    assert [part.since for part in parts] == [since, since]


def test_a_list_of_the_pages_headings_is_the_sites() -> None:
    assert [part.body for part in document("# Page\n\n[[toc]]\n\nText `[[toc]]`.\n").parts] == ["Text `[[toc]]`."]
    assert document("# Page\n\n[[toc]]\n## A\n").parts[1].title == "A"


def test_what_is_bold_already_is_not_made_bolder() -> None:
    text = "# Page\n\n<details>\n<summary><b>More</b></summary>\n\nText.\n\n</details>\n"
    assert document(text).parts[0].body == "**More**\n\nText."


def test_tabs_in_tabs_are_told_by_their_equals_signs() -> None:
    text = ":::: tabs\n=== CI\n\nOuter.\n\n::: tabs\n== A\n\nInner.\n\n:::\n\n=== Cloud\n\nOther.\n\n::::\n"
    body = document(text, "vitest").parts[-1].body
    assert re.findall(r"\w+", body) == ["CI", "Outer", "A", "Inner", "Cloud", "Other"]


def test_elements_left_open_take_time_in_proportion() -> None:
    seconds = []
    for count in (1_000, 4_000):
        started = time.process_time()
        document("<div>\n" * count + "\n### A\n" * count, "vue")
        seconds.append(time.process_time() - started)
    assert seconds[1] < 10 * seconds[0]


def test_an_indented_close_only_where_the_site_has_it() -> None:
    text = ":::info\n- a\n  :::\n\n## B\n"
    assert [part.title for part in document(text, "vue").parts] == ["", "B"]
    assert [part.title for part in document(text, "vite").parts] == [""]


@pytest.mark.parametrize(
    "text",
    ["<a " * 20000, "[" * 20000, "`" * 9999 + "a" * 9999, "- " * 300 + "x", "<!--" * 20000, "{" * 20000 + "}", "*a " * 20000],
    ids=["tags", "brackets", "ticks", "lists", "comments", "braces", "stars"],
)
def test_hostile_pages_are_read_in_linear_time(text: str) -> None:
    started = time.perf_counter()
    document(f"# {text}\n\n{text}\n")
    assert time.perf_counter() - started < 10
