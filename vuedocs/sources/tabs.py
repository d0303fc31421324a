"""``::: tabs`` with ``== Label`` lines (vitepress-plugin-tabs): each tab is read on its own, so that nothing open leaves it."""

from __future__ import annotations

import re
from itertools import pairwise

from markdown_it.rules_block import StateBlock

_OPEN = re.compile(r"(:{3,})[ \t]*tabs(?=[ \t]|$)")
_TAB = re.compile(r"(={2,})[ \t]+(\S.*)$")
_FENCE = re.compile(r"(`{3,}|~{3,})([^`]*)$")


def tabs(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """The block rule: a box called ``tab`` for each label, up to the first bare line of as many colons.

    What stands before the first label is shown as it is, in a box without a title: its headings are nested too.
    """
    opening = _OPEN.match(_line(state, start))
    if not opening or state.is_code_block(start):
        return False
    if silent:
        return True
    last = next((number for number in range(start + 1, end) if _closes(state, number, len(opening.group(1)))), end)
    places = [(start, ""), *_labels(state, start + 1, last), (last, "")]
    parent, line_max = state.parentType, state.lineMax
    for (place, label), (after, _) in pairwise(places):
        state.parentType, state.lineMax = "container", after
        token = state.push("box_open", "div", 1)
        token.block, token.map, token.info, token.meta = True, [place, after], label, {"name": "tab" if label else "raw"}
        state.md.block.tokenize(state, place + 1, after)
        state.push("box_close", "div", -1).block = True
    state.parentType, state.lineMax = parent, line_max
    state.line = min(last + 1, end)
    return True


def _line(state: StateBlock, number: int) -> str:
    return state.src[state.bMarks[number] + state.tShift[number] : state.eMarks[number]]


def _closes(state: StateBlock, number: int, colons: int) -> bool:
    line = _line(state, number).rstrip()
    return len(line) >= colons and not line.strip(":") and state.sCount[number] - state.blkIndent < 4


def _labels(state: StateBlock, start: int, end: int) -> list[tuple[int, str]]:
    """The lines that begin a tab, with their labels; those inside of fenced code are code.

    The first sets how many equals signs mark a tab of this box: those with others belong to boxes inside of it.
    """
    found: list[tuple[int, str]] = []
    fence = marker = ""
    for number in range(start, end):
        line = _line(state, number)
        mark = _FENCE.match(line)
        if fence:
            fence = "" if mark and mark.group(1).startswith(fence) and not mark.group(2).strip() else fence
        elif mark:
            fence = mark.group(1)
        elif (tab := _TAB.match(line)) and tab.group(1) == (marker or tab.group(1)):
            marker = tab.group(1)
            found.append((number, tab.group(2).strip()))
    return found
