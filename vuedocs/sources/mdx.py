"""The reader of Astro's MDX: one file to a :class:`Document`. Imports go, JSX elements stay as wrappers round their text."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache, lru_cache
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from vuedocs.sources import Source
from vuedocs.sources.document import Document
from vuedocs.sources.front import split_front_matter
from vuedocs.sources.markdown import line_of, plain_parser, with_components
from vuedocs.sources.parts import document
from vuedocs.sources.slugs import AnchorNames, slugify_github

_UNFINISHED_TAG = re.compile(r"<[A-Za-z][\w.]*(?:\s[^<>]*)?$")
_STATEMENT = re.compile(
    r"import\s*(?:['\"{*]|[\w$]+\s*(?:,|from\b))|export\s*(?:(?:const|let|var|default|function|async|class)\b|[{*])"
)
"""Not every line that begins with such a word: a sentence may, in text that is no MDX yet."""
_EXPRESSION = re.compile(r"=\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}")
_TITLE_OPEN = re.compile(r"\s*<CodeTitle\b[^<>]*\blevel=[\"'{]*([1-6])[^<>]*>\s*$")
_TITLE_CLOSE = re.compile(r"\s*</CodeTitle\s*>\s*$")


def read(text: str, file: str, source: Source, root: Path, site: Callable[[str], str]) -> Document:
    """``text`` (normalised) of ``file``, relative to the docs folder ``root``; ``site`` makes URLs of links."""
    front, body = split_front_matter(text)
    markdown = parser()
    tokens = _with_code_titles(markdown.parse(body))
    _give_anchors(tokens)
    return document(front, tokens, markdown, site)


@cache
def parser() -> MarkdownIt:
    """A parser with these rules; it keeps no state between pages. MDX has no indented code and no comments of HTML."""
    markdown = with_components(plain_parser()).disable("code")
    markdown.block.ruler.before("table", "statement", _statement)
    markdown.block.ruler.before("html_block", "tag", _tag_of_several_lines)
    markdown.block.ruler.before("table", "comment", _comment, {"alt": ["paragraph"]})
    markdown.inline.ruler.before("link", "comment", _inline_comment)
    return markdown


def _statement(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """``import`` and ``export``, up to the next empty line: no text."""
    if silent or state.level or not _STATEMENT.match(line_of(state, start)):
        return False
    state.line = next((line for line in range(start, end) if state.isEmpty(line)), end)
    return True


def _tag_of_several_lines(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """An element whose opening tag goes on in the next line: HTML up to the next empty line."""
    if silent or not _UNFINISHED_TAG.match(line_of(state, start)):
        return False
    state.line = next((line for line in range(start, end) if state.isEmpty(line)), end)
    token = state.push("html_block", "", 0)
    token.map, token.content = [start, state.line], state.getLines(start, state.line, state.blkIndent, True)
    return True


def _comment(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """``{/* ... */}`` on lines of its own: no text."""
    if not line_of(state, start).startswith("{/*") or _last_comment_end(state.src) < state.bMarks[start]:
        return False
    close = state.src.find("*/}", state.bMarks[start])
    last = next((line for line in range(start, end) if state.eMarks[line] > close), None)
    if last is None or state.src[close + 3 : state.eMarks[last]].strip():
        return False
    if not silent:
        state.line = last + 1
    return True


def _inline_comment(state: StateInline, silent: bool) -> bool:
    if not state.src.startswith("{/*", state.pos):
        return False
    end = state.src.find("*/}", state.pos, state.posMax) if _last_comment_end(state.src) > state.pos else -1
    if end < 0:
        return False
    state.pos = end + 3
    return True


@lru_cache(maxsize=4)
def _last_comment_end(text: str) -> int:
    """Where the last comment ends: without it every unclosed one would search to the end."""
    return text.rfind("*/}")


def _with_code_titles(tokens: list[Token]) -> list[Token]:
    """The tokens with ``<CodeTitle level="4">``, its text and ``</CodeTitle>`` as headings, which have no anchor."""
    written: list[Token] = []
    level = ""
    for token in tokens:
        if token.type == "html_block":
            token.content = _EXPRESSION.sub('=""', token.content)
            opening = _TITLE_OPEN.match(token.content)
            if opening or (level and _TITLE_CLOSE.match(token.content)):
                level = opening.group(1) if opening else ""
                continue
        if level and token.type in ("paragraph_open", "paragraph_close"):
            token.type = token.type.replace("paragraph", "heading")
            token.tag, token.meta = f"h{level}", {"anchorless": True}
        written.append(token)
    return written


def _give_anchors(tokens: list[Token]) -> None:
    """Sets the ``id`` of each heading as Astro 3 does: github-slugger's slug, without a hyphen at its end."""
    names = AnchorNames()
    for place, token in enumerate(tokens):
        if token.type == "heading_open" and "anchorless" not in token.meta:
            children = tokens[place + 1].children or []
            written = "".join(child.content for child in children if child.type != "html_inline")
            token.attrSet("id", names.take(slugify_github(written)).removesuffix("-"))
