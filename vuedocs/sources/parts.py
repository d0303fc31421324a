"""From a file's tokens to its parts, whatever the engine: one for each section heading, with what it holds as text."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from vuedocs.records import ApiStyle
from vuedocs.sources.blocks import Block, BlockText, labelled
from vuedocs.sources.document import Document, Heading, Part
from vuedocs.sources.html import Reading
from vuedocs.sources.inlines import Title
from vuedocs.sources.nodes import Node, tree

DEEPEST_SECTION = 3
_SINCE = re.compile(
    r"(?:^- Only available in |\bThis \w+ is available in (?:[A-Z]\w+ )?|^\*\*Support(?:ed)? Versions?:\*\* (?::new: )?)"
    r"v?(\d+(?:\.\d+)+)\+",
    re.MULTILINE,
)
"""A remark near the top of a section that says what a badge says elsewhere."""
_NEAR = 600
"""Characters of a section in which such a remark speaks of all of it."""


def document(
    front: Mapping[str, Any],
    tokens: Sequence[Token],
    markdown: MarkdownIt,
    site: Callable[[str], str],
    reports: Sequence[str] = (),
) -> Document:
    """The document of these tokens, whose headings have their ``id``; ``site`` makes URLs of links."""
    reading = Reading(site)
    parts = _parts(tree(tokens), BlockText(markdown, reading), reading)
    fences = tuple(token.info.strip() for token in tokens if token.type == "fence" and "made" not in token.meta)
    return Document(front, tuple(parts), _headings(tokens), fences, tuple(reports))


def _headings(tokens: Sequence[Token]) -> tuple[Heading, ...]:
    """Those that the renderer gives an anchor, be it an empty one: titles that a component makes have none."""
    places = [place for place, token in enumerate(tokens) if token.type == "heading_open" and "id" in token.attrs]
    return tuple(_heading(tokens[place], tokens[place + 1]) for place in places)


def _heading(token: Token, inline: Token) -> Heading:
    return Heading(int(token.tag[1]), str(token.attrGet("id")), Title(inline.children or []).text, token.level > 0)


def with_description(document: Document) -> Document:
    """The document with the front matter's description before its first text, as the site shows it below the title."""
    written = document.front.get("description")
    description = " ".join(written.split()) if isinstance(written, str) else ""
    first = document.parts[0]
    if not description or first.body.startswith(description):
        return document
    if first.level > 1:
        opening = Part(0, "", "", "both", "", description, description, (), (), ())
        return replace(document, parts=(opening, *document.parts))
    body = f"{description}\n\n{first.body}" if first.body else description
    return replace(document, parts=(replace(first, body=body, prose=description), *document.parts[1:]))


def _parts(nodes: list[Node], writer: BlockText, reading: Reading) -> list[Part]:
    """The page's parts; the first one is its own text, with the title of its H1 where it has one."""
    parts: list[Part] = []
    head: Node | None = None
    style: ApiStyle = "both"
    above: ApiStyle = "both"
    blocks: list[Block] = []
    for node in nodes:
        if node.type != "heading" or int(node.tag[1]) > DEEPEST_SECTION:
            blocks += writer.block(node)
            continue
        if parts or head or blocks or node.tag != "h1":
            parts.append(_part(head, style, blocks, reading, above))
            above = parts[-1].style if parts[-1].level < DEEPEST_SECTION else above
        head, style, blocks = node, reading.style, []
    parts.append(_part(head, style, blocks, reading, above))
    return _own_text_first(parts)


def _part(head: Node | None, around: ApiStyle, blocks: list[Block], reading: Reading, above: ApiStyle) -> Part:
    """The part under ``head``; ``above`` is the style of the last section of a higher level."""
    examples, hrefs, anchors, prose = reading.part()
    if head is None:
        body = "\n\n".join(labelled(blocks, "both"))
        return Part(0, "", "", "both", _since(body), body, prose, examples, hrefs, anchors)
    title = Title(head.children[0].token.children or [])
    level, anchor = int(head.tag[1]), str(head.attrs["id"])
    styles: list[ApiStyle] = [title.style, around, above if level == DEEPEST_SECTION else "both", _common_style(blocks)]
    style = next((known for known in styles if known != "both"), styles[0])
    body = "\n\n".join(labelled(blocks, style))
    since = title.since or _since(body)
    return Part(level, title.text, anchor, style, since, body, prose, examples, hrefs, (anchor, *anchors), title.remark)


def _since(body: str) -> str:
    """The version that a section's first words name as the first that has it: ``3.12``; ``""`` for none."""
    match = _SINCE.search(body[:_NEAR])
    return match.group(1) if match else ""


def _common_style(blocks: list[Block]) -> ApiStyle:
    styles = {block.style for block in blocks}
    return styles.pop() if len(styles) == 1 else "both"


def _own_text_first(parts: list[Part]) -> list[Part]:
    """Joins text above the first H1 with it, so that the first part is the page's own text."""
    if len(parts) < 2 or parts[0].level != 0 or parts[1].level != 1:
        return parts
    above, first = parts[0], parts[1]
    body = "\n\n".join(text for text in (above.body, first.body) if text)
    joined = replace(
        first,
        since=first.since or above.since,
        body=body,
        prose=above.prose or first.prose,
        examples=above.examples + first.examples,
        hrefs=above.hrefs + first.hrefs,
        anchors=above.anchors + first.anchors,
    )
    return [joined, *parts[2:]]
