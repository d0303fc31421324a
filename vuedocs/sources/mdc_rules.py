"""Markdown components (remark-mdc) for markdown-it: they become the blocks and inlines that every site's writer knows."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from vuedocs.sources.markdown import line_of, plain_parser
from vuedocs.sources.mdc_components import Plan, block_plan, inline_text
from vuedocs.sources.mdc_lines import Component, Components, attributes_of, find_components, kebab
from vuedocs.sources.tables import words

_SECTIONS = frozenset({"h1", "h2", "h3"})
_PLAIN_SLOTS = frozenset({"default", "title", "body", "content", "description", "header", "footer", "code", "options"})
_NAME = re.compile(r":([A-Za-z][\w-]*)(?!:)")
_ATTRIBUTES = re.compile(r"""\{(?:[^{}"'\n]|"[^"\n]*"|'[^'\n]*')*\}""")
_LABEL = re.compile(r"\[((?:[^\[\]\\\n]|\\.|\[[^\[\]\n]*\])*)\]")
"""A label, with one level of brackets inside it; a pattern, because the parser's own search is quadratic on unclosed ones."""
_BEFORE = frozenset(" \t\n[*_(")
_ALONE = frozenset({"\n", ""})
MADE = {"made": True}
"""Marks tokens that are made of props: they are no part of an anchor, and no code block of the file."""


@cache
def parser() -> MarkdownIt:
    """A parser with these rules; it keeps no state between pages. ``env["page"]`` is the last name of the page's path."""
    markdown = plain_parser()
    markdown.block.ruler.before("code", "component", _component, {"alt": ["paragraph", "reference", "blockquote", "list"]})
    markdown.inline.ruler.before("link", "component", _inline_component)
    markdown.inline.ruler.before("link", "span", _span)
    return markdown


def _components(state: StateBlock) -> Components:
    """The components of the text that is parsed, found once."""
    known = state.env.get("components")
    if known is None or known[0] is not state.src:
        known = state.env["components"] = state.src, find_components(state.src)
    found: Components = known[1]
    return found


def _component(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    if not line_of(state, start).startswith("::"):
        return False
    components = _components(state)
    component = components.at.get(start)
    if component is None:
        return _left_over(state, start, components, silent)
    if silent:
        return True
    last = _last_line(state, component, end)
    has_text = any(state.bMarks[line] + state.tShift[line] < state.eMarks[line] for line in range(component.body, last))
    plan = block_plan(component.name, component.props, not has_text, str(state.env.get("page", "")))
    place = len(state.tokens)
    _add(state, plan.before)
    if not plan.silent:
        _content(state, component, last, plan)
    _add(state, plan.after)
    if plan.label or plan.tabs:
        _box(state.tokens, place, "code-group" if plan.tabs else component.name, plan.label)
    state.line = min(last + (component.end == last), end)
    return True


def _left_over(state: StateBlock, line: int, components: Components, silent: bool) -> bool:
    """A line of colons that closes nothing here is no text."""
    if line not in components.bare:
        return False
    if not silent:
        state.line = line + 1
    return True


def _last_line(state: StateBlock, component: Component, end: int) -> int:
    """The line that closes the component, or where the list item or quote around it ends before."""
    last = min(component.end, end)
    for line in range(component.body, last):
        if state.sCount[line] < state.blkIndent and state.bMarks[line] + state.tShift[line] < state.eMarks[line]:
            return line
    return last


def _content(state: StateBlock, component: Component, last: int, plan: Plan) -> None:
    """What stands in the component: first its own content, then its slots, each under its name where that tells something."""
    slots = [(line, name) for line, name in component.slots if line < last]
    bounds = [(component.body, ""), *((line + 1, name) for line, name in slots)]
    ends = [*(line for line, _ in slots), last]
    for (start, name), stop in zip(bounds, ends, strict=True):
        place = len(state.tokens)
        _tokenize(state, min(start, stop), stop)
        if name and plan.slot_labels and name not in _PLAIN_SLOTS and len(state.tokens) > place:
            _box(state.tokens, place, name, words(name))


def _tokenize(state: StateBlock, start: int, stop: int) -> None:
    """Reads lines as a document of their own, as far from the margin as the nearest of them."""
    parent, line_max, indent, tight = state.parentType, state.lineMax, state.blkIndent, state.tight
    written = [line for line in range(start, stop) if state.bMarks[line] + state.tShift[line] < state.eMarks[line]]
    state.blkIndent = max(indent, min((state.sCount[line] for line in written), default=indent))
    state.parentType, state.lineMax = "container", stop
    state.md.block.tokenize(state, start, stop)
    state.parentType, state.lineMax, state.blkIndent, state.tight = parent, line_max, indent, tight


def _add(state: StateBlock, markdown: str) -> None:
    place = len(state.tokens)
    if markdown:
        state.md.block.parse(markdown, state.md, {}, state.tokens)
    for token in state.tokens[place:]:
        token.meta = MADE


def _box(tokens: list[Token], place: int, name: str, label: str) -> None:
    """Puts the tokens from ``place`` into a box; where a section begins among them, only the label is put before them."""
    inside = tokens[place:]
    level = min((token.level for token in inside), default=0)
    if any(token.type == "heading_open" and token.tag in _SECTIONS and token.level == level for token in inside):
        tokens[place:place] = _paragraph(f"**{label}**") if label else []
        return
    opening, closing = Token("box_open", "div", 1), Token("box_close", "div", -1)
    opening.block = closing.block = True
    opening.info, opening.meta = label, {"name": name}
    tokens[place:] = [opening, *inside, closing]


def _paragraph(markdown: str) -> list[Token]:
    inline = Token("inline", "", 0, content=markdown, children=[])
    return [Token("paragraph_open", "p", 1), inline, Token("paragraph_close", "p", -1)]


def _inline_component(state: StateInline, silent: bool) -> bool:
    """``:badge[v4.4]{color="info"}``: its label as text, or what its props say."""
    before = state.src[state.pos - 1] if state.pos else "\n"
    match = _NAME.match(state.src, state.pos, state.posMax)
    if match is None or before not in _BEFORE:
        return False
    label, props, end = _label_and_props(state, match.end())
    bare = label is None and end == match.end()
    alone = before in _ALONE and state.src[end : end + 1] in _ALONE
    if bare and not alone and match.group(1) != "br":
        return False
    if not silent:
        _write_inline(state, kebab(match.group(1)), label, props)
    state.pos = end
    return True


def _label_and_props(state: StateInline, position: int) -> tuple[tuple[int, int] | None, dict[str, Any], int]:
    """The span of a label and the attributes after a component's name, in either order, and where they end."""
    label: tuple[int, int] | None = None
    props: dict[str, Any] = {}
    for _ in range(2):
        opening = state.src[position : position + 1]
        if opening == "{" and not props and (match := _ATTRIBUTES.match(state.src, position, state.posMax)):
            props, position = attributes_of(match.group()), match.end()
        elif opening == "[" and label is None and (match := _LABEL.match(state.src, position, state.posMax)):
            label, position = match.span(1), match.end()
    return label, props, position


def _write_inline(state: StateInline, name: str, label: tuple[int, int] | None, props: dict[str, Any]) -> None:
    if name == "br":
        state.push("hardbreak", "br", 0)
        return
    if name == "badge":
        state.push("html_inline", "", 0).content = "<Badge>"
    if label:
        _inside(state, *label)
    elif made := inline_text(name, props):
        _add_inline(state, made)
    if name == "badge":
        state.push("html_inline", "", 0).content = "</Badge>"


def _add_inline(state: StateInline, markdown: str) -> None:
    """Adds Markdown that stands for a component; read apart, because the parser joins tokens of a text when it ends."""
    made: list[Token] = []
    state.md.inline.parse(markdown, state.md, {}, made)
    if state.pending:
        state.pushPending()
    for token in made:
        token.meta = MADE
        state.tokens.append(token)


def _inside(state: StateInline, start: int, end: int) -> None:
    """Reads a stretch of the text that is parsed."""
    position, most = state.pos, state.posMax
    state.pos, state.posMax = start, end
    state.md.inline.tokenize(state)
    state.pos, state.posMax = position, most


def _span(state: StateInline, silent: bool) -> bool:
    """``[text]{.class}``: text alone."""
    label = _LABEL.match(state.src, state.pos, state.posMax)
    attributes = _ATTRIBUTES.match(state.src, label.end(), state.posMax) if label else None
    if label is None or attributes is None:
        return False
    if not silent:
        _inside(state, *label.span(1))
    state.pos = attributes.end()
    return True
