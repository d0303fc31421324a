"""The first sentence of a paragraph, and the first paragraph of a section that is prose."""

from __future__ import annotations

import pytest

from vuedocs.ingest.sentences import first_paragraph, first_sentence


@pytest.mark.parametrize(
    ("prose", "sentence"),
    [
        ("One, e.g. This. Two.", "One, e.g. This."),
        ("See [the `x`](https://example.org/a.b) now. Then.", "See the `x` now."),
        ("no end", "no end"),
        ("Version 3.5 is out! Yes.", "Version 3.5 is out!"),
        ("It goes on\nin the next line. Then.", "It goes on in the next line."),
    ],
)
def test_first_sentence(prose: str, sentence: str) -> None:
    assert first_sentence(prose) == sentence


@pytest.mark.parametrize(
    ("text", "paragraph"),
    [
        ("# ref()\n\nTakes a value\nand returns a ref.\n\nMore.", "Takes a value\nand returns a ref."),
        ("## a\n\n(advanced)\n\n- **Type:** `x`\n\n> quoted\n\n**Tip:** not this.\n\n`a` is this.", "`a` is this."),
        ("# a\n\n```ts\nfunction a(): void\n```\n\n| T |\n| --- |\n\n1. One.\n\nAfter the code.", "After the code."),
        ("# a\n\n- only\n- lists", ""),
    ],
)
def test_first_paragraph(text: str, paragraph: str) -> None:
    assert first_paragraph(text) == paragraph
