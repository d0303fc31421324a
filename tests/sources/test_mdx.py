"""The reader of Astro's MDX, on one fixture a kind of markup."""

from __future__ import annotations

import time

import pytest
from markup_fixtures import FIXTURES, cases, document, outline

CASES = list(cases(FIXTURES / "mdx"))


@pytest.mark.parametrize(("text", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_fixture(text: str, expected: str) -> None:
    assert outline(document(text, "vee-validate")) == expected


def test_the_title_of_a_code_has_no_anchor() -> None:
    found = document('## A\n\n<CodeTitle level="4">\n\n`b`\n\n</CodeTitle>\n', "vee-validate")
    assert [(heading.level, heading.title, heading.anchor) for heading in found.headings] == [(2, "A", "a")]
    assert found.parts[1].anchors == ("a",)


@pytest.mark.parametrize(
    "text", ["<A\n" * 8000, "{/*\n" * 8000, "{/* " * 20000, "import x\n" * 20000], ids=["tags", "comments", "inline", "imports"]
)
def test_hostile_pages_are_read_in_linear_time(text: str) -> None:
    started = time.perf_counter()
    document(f"# {text}\n\n{text}\n", "vee-validate")
    assert time.perf_counter() - started < 20
