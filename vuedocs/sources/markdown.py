"""The CommonMark parser with VitePress' own rules: Vue components as HTML, ``:::`` boxes, ``<<<`` snippets, entities kept.

The rules follow VitePress' (markdown-it-container 4, @mdit-vue/plugin-component 3), because a site's anchors and code blocks
depend on where exactly a box or a component ends.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache, lru_cache
from html import unescape

from markdown_it import MarkdownIt
from markdown_it.common.html_blocks import block_names
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline

from vuedocs.sources.shortcuts import quick
from vuedocs.sources.tabs import tabs

BOXES = frozenset({"tip", "info", "warning", "danger", "details", "important", "caution", "note", "v-pre", "raw", "code-group"})
"""Names that ``:::`` opens a box with; any other is text."""

_INLINE_TAGS = (
    "a|abbr|acronym|audio|b|bdi|bdo|big|br|button|canvas|cite|code|data|datalist|del|dfn|em|embed|i|iframe|img|input|ins|kbd|"
    "label|map|mark|meter|noscript|object|output|picture|progress|q|ruby|s|samp|script|select|small|span|strong|sub|sup|svg|"
    "textarea|time|u|tt|var|video|wbr"
)
_ATTRIBUTE = r"""(?:\s+[a-zA-Z_:@#][a-zA-Z0-9:._\[\]-]*(?:\s*=\s*(?:[^"'=<>`\x00-\x20]+|'[^']*'|"[^"]*"))?)"""
_OPEN_TAG = rf"<[A-Za-z][A-Za-z0-9.\-]*{_ATTRIBUTE}*\s*/?>"
_CLOSE_TAG = r"</[A-Za-z][A-Za-z0-9.\-]*\s*>"
_TAG = re.compile(rf"{_OPEN_TAG}|{_CLOSE_TAG}")
_TAG_ALONE = re.compile(rf"(?:{_OPEN_TAG}|{_CLOSE_TAG})\s*$")
_SELF_CLOSED = re.compile(rf"<[A-Za-z][A-Za-z0-9.\-]*{_ATTRIBUTE}*\s*/>")
_OPEN_AND_CLOSE = re.compile(rf"<([A-Za-z][A-Za-z0-9.\-]*){_ATTRIBUTE}*\s*>.*</\1\s*>")
_NEVER = re.compile(r"(?!)")
_RAW = re.compile(r"</(?:script|pre|style)>", re.IGNORECASE)
_HTML_STARTS = (
    (re.compile(r"<(?:script|pre|style)(?=\s|>|$)", re.IGNORECASE), _RAW, True),
    (re.compile(r"<!--"), re.compile(r"-->"), True),
    (re.compile(r"<\?"), re.compile(r"\?>"), True),
    (re.compile(r"<![A-Z]"), re.compile(r">"), True),
    (re.compile(rf"</?(?:{'|'.join(block_names)})(?=\s|/?>|$)", re.IGNORECASE), _NEVER, True),
)
_COMPONENT = re.compile(rf"</?(?!(?:{_INLINE_TAGS})(?![\w-]))[A-Za-z][A-Za-z0-9.\-]*(?=\s|/?>|$)")
_ENTITY = re.compile(r"&(?:#x[a-f0-9]{1,6}|#[0-9]{1,7}|[a-z][a-z0-9]{1,31});", re.IGNORECASE)


@cache
def parser(indented_close: bool = True) -> MarkdownIt:
    """A parser with these rules; it keeps no state between pages."""
    markdown = with_components(plain_parser())
    markdown.block.ruler.before("fence", "snippet", _snippet)
    box = _box_rule(indented_close)
    markdown.block.ruler.before("fence", "box", box, {"alt": ["paragraph", "reference", "blockquote", "list"]})
    markdown.block.ruler.before("box", "tabs", tabs, {"alt": ["paragraph", "reference", "blockquote", "list"]})
    markdown.block.ruler.before("heading", "toc", _toc, {"alt": ["paragraph", "reference", "blockquote"]})
    return markdown


def plain_parser() -> MarkdownIt:
    """CommonMark with tables and strikethrough, for a site's own rules to be added to; hostile text takes linear time."""
    markdown = quick(MarkdownIt("commonmark", {"html": True})).enable(["table", "strikethrough"])
    markdown.inline.ruler.at("html_inline", _html_inline)
    markdown.inline.ruler.at("entity", _entity)
    markdown.core.ruler.disable("text_join")
    return markdown


def with_components(markdown: MarkdownIt) -> MarkdownIt:
    """The parser, with Vue components read as blocks of HTML."""
    markdown.block.ruler.at("html_block", _html_block, {"alt": ["paragraph", "reference", "blockquote"]})
    return markdown


def line_of(state: StateBlock, number: int) -> str:
    """A line's text, without the indentation and markers of the blocks around it."""
    return state.src[state.bMarks[number] + state.tShift[number] : state.eMarks[number]]


def _box_rule(indented_close: bool) -> Callable[[StateBlock, int, int, bool], bool]:
    """The rule for ``::: name``: it ends at the first bare ``:::`` that is long enough, even one inside a fence."""

    def box(state: StateBlock, start: int, end: int, silent: bool) -> bool:
        line = line_of(state, start)
        if not line.startswith(":::") or state.is_code_block(start):
            return False
        colons = len(line) - len(line.lstrip(":"))
        info = line[colons:].strip()
        name = re.split(r"[\s{]", info, maxsplit=1)[0]
        if name not in BOXES:
            return False
        if silent:
            return True
        last, closed = _box_end(state, start, end, colons, indented_close)
        parent, line_max = state.parentType, state.lineMax
        state.parentType = "container"
        state.lineMax = last
        token = state.push("box_open", "div", 1)
        token.block, token.map = True, [start, last]
        token.info, token.meta = info[len(name) :].strip(), {"name": name}
        state.md.block.tokenize(state, start + 1, last)
        state.push("box_close", "div", -1).block = True
        state.parentType, state.lineMax = parent, line_max
        state.line = last + closed
        return True

    return box


def _box_end(state: StateBlock, start: int, end: int, colons: int, indented_close: bool) -> tuple[int, bool]:
    """The line that closes the box of ``start`` (or where its parent ends), and whether it is a closing line."""
    for number in range(start + 1, end):
        line = line_of(state, number)
        if line and state.sCount[number] < state.blkIndent:
            return number, False
        if not line.startswith(":::") or state.sCount[number] - state.blkIndent >= 4:
            continue
        if not indented_close and state.sCount[number] > state.sCount[start]:
            continue
        bare = line.rstrip()
        if bare.strip(":") == "" and len(bare) >= colons:
            return number, True
    return end, False


def _html_block(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    line = line_of(state, start)
    if not line.startswith("<") or state.is_code_block(start):
        return False
    closing, interrupts, component = _html_start(line)
    if closing is None:
        return False
    if silent:
        return interrupts
    if component and (match := _SELF_CLOSED.match(line) or _OPEN_AND_CLOSE.match(line)):
        return _component_line(state, start, line, match.end())
    number = start + 1
    ends_at_blank = closing is _NEVER
    if not closing.search(line):
        while number < end:
            line = line_of(state, number)
            if ends_at_blank and not line:
                break
            if line and state.sCount[number] < state.blkIndent:
                break
            number += 1
            if closing.search(line):
                break
    state.line = number
    token = state.push("html_block", "", 0)
    token.map = [start, number]
    token.content = state.getLines(start, number, state.blkIndent, True)
    return True


def _html_start(line: str) -> tuple[re.Pattern[str] | None, bool, bool]:
    """What closes the HTML block that ``line`` opens, whether it may interrupt a paragraph, whether it is a component."""
    for opening, closing, interrupts in _HTML_STARTS:
        if opening.match(line):
            return closing, interrupts, False
    if _COMPONENT.match(line):
        return _NEVER, True, True
    if _TAG_ALONE.match(line):
        return _NEVER, False, False
    return None, False, False


def _component_line(state: StateBlock, number: int, line: str, end: int) -> bool:
    """A component that ends on its own line: HTML, and the rest of the line as text."""
    state.line = number + 1
    token = state.push("html_block", "", 0)
    token.map, token.content = [number, number + 1], line[:end]
    if rest := line[end:].strip():
        state.push("paragraph_open", "p", 1).map = [number, number + 1]
        token = state.push("inline", "", 0)
        token.content, token.map, token.children = rest, [number, number + 1], []
        state.push("paragraph_close", "p", -1)
    return True


def _snippet(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """``<<< @/file{2,4} [title]``: a fence whose text lies in a file; the page reader puts it in."""
    line = line_of(state, start)
    if not line.startswith("<<<") or state.is_code_block(start):
        return False
    if silent:
        return True
    state.line = start + 1
    token = state.push("fence", "code", 0)
    token.map, token.markup, token.block = [start, start + 1], "```", True
    token.meta = {"snippet": line[3:].strip()}
    return True


def _toc(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """``[[toc]]``: the page's own headings, listed by the site."""
    if line_of(state, start).rstrip().lower() != "[[toc]]" or state.is_code_block(start):
        return False
    if not silent:
        state.line = start + 1
    return True


def _html_inline(state: StateInline, silent: bool) -> bool:
    position = state.pos
    if state.src[position] != "<":
        return False
    if state.src.startswith("<!--", position):
        if _last_comment_end(state.src) < position + 4:
            return False
        end = state.src.find("-->", position + 4) + 3
        if end > state.posMax:
            return False
    else:
        match = _TAG.match(state.src, position, state.posMax)
        if not match:
            return False
        end = match.end()
    if not silent:
        state.push("html_inline", "", 0).content = state.src[position:end]
    state.pos = end
    return True


@lru_cache(maxsize=4)
def _last_comment_end(text: str) -> int:
    """Where the last comment of a block ends: without it every unclosed ``<!--`` would search to the block's end."""
    return text.rfind("-->")


def _entity(state: StateInline, silent: bool) -> bool:
    """An entity, decoded for the reader; its spelling is kept, because anchors are made from it."""
    match = _ENTITY.match(state.src, state.pos, state.posMax)
    if not match:
        return False
    decoded = unescape(match.group())
    if decoded == match.group():
        return False
    if not silent:
        token = state.push("text_special", "", 0)
        token.content, token.markup, token.info = decoded, match.group(), "entity"
    state.pos = match.end()
    return True
