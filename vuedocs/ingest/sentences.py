"""The first sentence of Markdown: what describes a page, and what an API's section says of it."""

from __future__ import annotations

import re

LONGEST = 300
"""Characters of a sentence; what is longer is cut."""
FENCED = re.compile(r"^ *(`{3,}|~{3,})[^\n]*\n(.*?)^ *\1[`~]*\s*$", re.MULTILINE | re.DOTALL)
"""A code block, with its code as the second group."""
_END = re.compile(r"[.!?][\"')\]*_`]*(?=\s+[A-Z`\"'(\[*_<]|\s*$)")
_LINK = re.compile(r"!?\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\([^()\s]*\)")
_ABBREVIATION = re.compile(r"(?:\b(?:e\.g|i\.e|etc|vs|cf)|\b[A-Z])\.$")
_NO_PROSE = re.compile(r"[#>|\s<]|[-*+] |\*\*|\d+[.)] |!\[|\([^()]*\)$")
"""Headings, quotes, tables, indented text, HTML, lists, labels and boxes, images, and the remark of a badge."""


def first_sentence(paragraph: str) -> str:
    """The first sentence of a paragraph, on one line, with the text of links only."""
    text = " ".join(_LINK.sub(r"\1", paragraph).split())
    for match in _END.finditer(text):
        if not _ABBREVIATION.search(text[: match.start() + 1]):
            return text[: match.end()][:LONGEST]
    return text[:LONGEST]


def first_paragraph(text: str) -> str:
    """The first paragraph of plain prose in a section's text; ``""`` without one."""
    paragraphs = re.split(r"\n(?:[ \t]*\n)+", FENCED.sub("", text))
    return next((written for paragraph in paragraphs if (written := paragraph.strip("\n")) and not _NO_PROSE.match(written)), "")
