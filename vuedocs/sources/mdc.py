"""The reader of Nuxt Content's Markdown components: one file to a :class:`Document`."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable
from pathlib import Path

from markdown_it.token import Token

from vuedocs.sources import Source
from vuedocs.sources.attributes import take_attached_attributes
from vuedocs.sources.document import Document
from vuedocs.sources.front import split_front_matter
from vuedocs.sources.mdc_rules import parser
from vuedocs.sources.pages import path_of
from vuedocs.sources.parts import document
from vuedocs.sources.routes import route_of
from vuedocs.sources.slugs import AnchorNames, slugify_github


def read(text: str, file: str, source: Source, root: Path, site: Callable[[str], str]) -> Document:
    """``text`` (normalised) of ``file``, relative to the docs folder ``root``; ``site`` makes URLs of links."""
    front, body = split_front_matter(text)
    page = posixpath.basename(route_of(source, path_of(file)))
    markdown = parser()
    tokens = markdown.parse(body, {"page": page})
    _give_anchors(tokens)
    return document(front, tokens, markdown, site)


def _give_anchors(tokens: list[Token]) -> None:
    """Sets the ``id`` of each heading as MDC does, and removes attributes after code and links; ``{#id}`` is text to it."""
    names = AnchorNames()
    for place, token in enumerate(tokens):
        if token.type == "inline" and "{" in token.content:
            take_attached_attributes(token.children or [])
        if token.type == "heading_open":
            children = tokens[place + 1].children or []
            take_attached_attributes(children)
            written = "".join(child.content for child in children if child.type != "html_inline" and "made" not in child.meta)
            token.attrSet("id", collapsed(names.take(slugify_github(written))))


def collapsed(slug: str) -> str:
    """What MDC makes of github-slugger's slug: hyphens single and none at the ends, no digit first."""
    return re.sub(r"^(\d)", r"_\1", re.sub(r"-+", "-", slug).removeprefix("-").removesuffix("-"))
