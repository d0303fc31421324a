"""The reader of VitePress Markdown: one file to a :class:`Document`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from markdown_it.token import Token
from markdown_it.tree import SyntaxTreeNode

from vuedocs.records import ApiStyle
from vuedocs.sources import Source
from vuedocs.sources.attributes import take_heading_attributes, take_inline_attributes
from vuedocs.sources.blocks import Block, BlockText, labelled
from vuedocs.sources.document import Document, Heading, Part
from vuedocs.sources.front import split_front_matter
from vuedocs.sources.html import Reading
from vuedocs.sources.includes import Includes
from vuedocs.sources.inlines import Title, slug_text
from vuedocs.sources.markdown import parser
from vuedocs.sources.slugs import SLUGIFIERS, AnchorNames

DEEPEST_SECTION = 3


def read(text: str, file: str, source: Source, root: Path, site: Callable[[str], str]) -> Document:
    """``text`` (normalised) of ``file``, relative to the docs folder ``root``; ``site`` makes URLs of links."""
    front, body = split_front_matter(text)
    includes = Includes(root, file)
    markdown = parser(source.indented_close)
    tokens = markdown.parse(includes.expand(body, file))
    _put_in_snippets(tokens, includes, file)
    headings = _give_anchors(tokens, source)
    fences = tuple(token.info.strip() for token in tokens if token.type == "fence")
    reading = Reading(site)
    parts = _parts(SyntaxTreeNode(tokens).children, BlockText(markdown, reading), reading)
    return Document(front, tuple(parts), headings, fences, tuple(includes.reports))


def _put_in_snippets(tokens: list[Token], includes: Includes, file: str) -> None:
    """Puts the code of ``<<<`` directives into their fences."""
    for token in tokens:
        if token.type == "fence" and "snippet" in token.meta:
            token.info, token.content = includes.snippet(token.meta["snippet"], file)


def _give_anchors(tokens: list[Token], source: Source) -> tuple[Heading, ...]:
    """Sets the ``id`` of each heading token as the site does, and removes attributes in braces everywhere."""
    names = AnchorNames()
    slugify = SLUGIFIERS[source.slugify]
    headings: list[Heading] = []
    for place, token in enumerate(tokens):
        if token.type == "inline" and tokens[place - 1].type != "heading_open":
            take_inline_attributes(token.children or [], source.attrs)
        if token.type != "heading_open":
            continue
        children = tokens[place + 1].children or []
        explicit = take_heading_attributes(children, source.attrs)
        anchor = names.take(explicit or slugify(slug_text(children)))
        token.attrSet("id", anchor)
        headings.append(Heading(int(token.tag[1]), anchor, Title(children).text, token.level > 0))
    return tuple(headings)


def _parts(nodes: list[SyntaxTreeNode], writer: BlockText, reading: Reading) -> list[Part]:
    """The page's parts; the first one is its own text, with the title of its H1 where it has one."""
    parts: list[Part] = []
    head: SyntaxTreeNode | None = None
    style: ApiStyle = "both"
    blocks: list[Block] = []
    for node in nodes:
        if node.type != "heading" or int(node.tag[1]) > DEEPEST_SECTION:
            blocks += writer.block(node)
            continue
        if parts or head or blocks or node.tag != "h1":
            parts.append(_part(head, style, blocks, reading, parts))
        head, style, blocks = node, reading.style, []
    parts.append(_part(head, style, blocks, reading, parts))
    return _own_text_first(parts)


def _part(head: SyntaxTreeNode | None, around: ApiStyle, blocks: list[Block], reading: Reading, before: list[Part]) -> Part:
    examples, hrefs, anchors, prose = reading.part()
    if head is None:
        return Part(0, "", "", "both", "", "\n\n".join(labelled(blocks, "both")), prose, examples, hrefs, anchors)
    title = Title(head.children[0].to_tokens()[0].children or [])
    level, anchor = int(head.tag[1]), str(head.attrs["id"])
    styles: list[ApiStyle] = [title.style, around, _parent_style(level, before), _common_style(blocks)]
    style = next((known for known in styles if known != "both"), styles[0])
    body = "\n\n".join(labelled(blocks, style))
    return Part(level, title.text, anchor, style, title.since, body, prose, examples, hrefs, (anchor, *anchors))


def _parent_style(level: int, before: list[Part]) -> ApiStyle:
    """The style of the section around one of ``level``."""
    if level < DEEPEST_SECTION:
        return "both"
    return next((part.style for part in reversed(before) if part.level < level), "both")


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
        body=body,
        prose=above.prose or first.prose,
        examples=above.examples + first.examples,
        hrefs=above.hrefs + first.hrefs,
        anchors=above.anchors + first.anchors,
    )
    return [joined, *parts[2:]]
