"""The reader of Nuxt Content's Markdown components, on one fixture a kind of markup, and on what the real renderer says."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from markup_fixtures import FIXTURES, cases, document, outline

from vuedocs.sources import registry
from vuedocs.sources.front import normalise
from vuedocs.sources.mdc_lines import attributes_of, find_components
from vuedocs.sources.readers import read

CASES = list(cases(FIXTURES / "mdc"))


@pytest.mark.parametrize(("text", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_fixture(text: str, expected: str) -> None:
    assert outline(document(text, "nuxt")) == expected


def test_headings_are_the_renderers(corpus: Path, oracles: Path) -> None:
    """Every heading of every page with its level and anchor, and each of level 1 to 3 opens a section."""
    expected = json.loads((oracles / "nuxt.json").read_text(encoding="utf-8"))
    assert len(expected) > 200
    for name, page in expected.items():
        text = normalise((corpus / "nuxt" / name).read_text(encoding="utf-8"))
        found = read(text, name, registry()["nuxt"], corpus / "nuxt", lambda href: href)
        headings = [(heading["level"], heading["id"]) for heading in page["headings"]]
        assert [(heading.level, heading.anchor) for heading in found.headings] == headings, name
        assert [(part.level, part.anchor) for part in found.parts if part.level] == [h for h in headings if h[0] <= 3], name


def test_the_description_is_the_first_text() -> None:
    found = document("---\ntitle: Beds\ndescription: For  flowers.\n---\n\n## Uses\n", "nuxt")
    assert [(part.level, part.body) for part in found.parts] == [(0, "For flowers."), (2, "")]
    assert document("---\ndescription: Hi.\n---\nHi. There.\n", "nuxt").parts[0].body == "Hi. There."


def test_links_to_an_api_entry_find_it() -> None:
    part = document('::api-entry{name="plant()" type="function"}\nText.\n::\n', "formkit").parts[0]
    assert part.anchors == ("plant",)


def test_code_that_stands_for_an_example_is_none_of_the_files() -> None:
    found = document("```ts\na\n```\n\n::component-code\n---\nprops:\n  a: 1\n---\n::\n", "nuxt-ui")
    assert found.fences == ("ts",)
    assert len(found.parts[0].examples) == 2


def test_components_of_a_text() -> None:
    found = find_components("::a\n---\nx: [1]\n---\n  ::b{y=2}\n  #slot\n  ::\n::\n\n> ::C-d\n> ::\n::e")
    assert {number: (item.name, item.end, item.body) for number, item in found.at.items()} == {
        0: ("a", 7, 4),
        4: ("b", 6, 5),
        9: ("c-d", 10, 10),
        11: ("e", 12, 12),
    }
    assert found.at[0].props == {"x": [1]}
    assert found.at[4].slots == [(5, "slot")]
    assert found.bare == {6, 7, 10}


def test_attributes() -> None:
    assert attributes_of("""{title="A } b" :to='/b' target="\\_blank" wide .c #d n=1}""") == {
        "title": "A } b",
        "to": "/b",
        "target": "_blank",
        "wide": True,
        "n": "1",
    }


@pytest.mark.parametrize(
    "text",
    ["::a\n" * 20000, ":a[" * 8000, ":a{" * 8000, "[a]{" * 8000, "::a\n---\n" * 9000, "> ::a\n" * 9000, "::\n" * 20000],
    ids=["components", "labels", "attributes", "spans", "yaml", "quotes", "closing"],
)
def test_hostile_pages_are_read_in_linear_time(text: str) -> None:
    started = time.perf_counter()
    document(f"# {text}\n\n{text}\n", "nuxt")
    assert time.perf_counter() - started < 20


def test_components_deeper_than_anybody_writes_are_text() -> None:
    nested = "\n".join(f"{' ' * depth}::div" for depth in range(200))
    assert document(f"{nested}\n\nText.", "nuxt").parts[0].body.endswith("Text.")
