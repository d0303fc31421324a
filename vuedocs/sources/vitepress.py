"""The reader of VitePress Markdown: one file to a :class:`Document`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from markdown_it.token import Token

from vuedocs.sources import Source
from vuedocs.sources.attributes import take_heading_attributes, take_inline_attributes
from vuedocs.sources.document import Document
from vuedocs.sources.front import split_front_matter
from vuedocs.sources.includes import Includes
from vuedocs.sources.inlines import slug_text
from vuedocs.sources.markdown import parser
from vuedocs.sources.parts import document
from vuedocs.sources.slugs import SLUGIFIERS, AnchorNames


def read(text: str, file: str, source: Source, root: Path, site: Callable[[str], str]) -> Document:
    """``text`` (normalised) of ``file``, relative to the docs folder ``root``; ``site`` makes URLs of links."""
    front, body = split_front_matter(text)
    includes = Includes(root, file, source.below)
    markdown = parser(source.indented_close)
    tokens = markdown.parse(includes.expand(body, file))
    _put_in_snippets(tokens, includes, file)
    _give_anchors(tokens, source)
    return document(front, tokens, markdown, site, includes.reports)


def _put_in_snippets(tokens: list[Token], includes: Includes, file: str) -> None:
    """Puts the code of ``<<<`` directives into their fences."""
    for token in tokens:
        if token.type == "fence" and "snippet" in token.meta:
            token.info, token.content = includes.snippet(token.meta["snippet"], file)


def _give_anchors(tokens: list[Token], source: Source) -> None:
    """Sets the ``id`` of each heading token as the site does, and removes attributes in braces everywhere."""
    names = AnchorNames()
    slugify = SLUGIFIERS[source.slugify]
    opening = source.attrs[0] if source.attrs else "{"
    for place, token in enumerate(tokens):
        if token.type == "inline" and opening in token.content and tokens[place - 1].type != "heading_open":
            take_inline_attributes(token.children or [], source.attrs)
        if token.type != "heading_open":
            continue
        children = tokens[place + 1].children or []
        explicit = take_heading_attributes(children, source.attrs)
        token.attrSet("id", names.take(explicit or slugify(slug_text(children))))
