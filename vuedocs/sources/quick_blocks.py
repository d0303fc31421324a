"""Block rules, of which only those are tried that can fit a line; what they make is the same."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

from markdown_it import MarkdownIt
from markdown_it.common.utils import mdTrim
from markdown_it.parser_block import ParserBlock, RuleFuncBlockType
from markdown_it.ruler import Ruler
from markdown_it.rules_block import StateBlock, lheading
from markdown_it.token import Token
from markdown_it.utils import EnvType

from vuedocs.sources.pieces import Piece

STARTS: Mapping[str, str] = MappingProxyType(
    {
        "fence": "`~",
        "blockquote": ">",
        "hr": "*-_",
        "list": "*-+0123456789",
        "reference": "[",
        "html_block": "<",
        "heading": "#",
        "snippet": "<",
        "box": ":",
        "tabs": ":",
        "toc": "[",
        "component": ":",
        "tag": "<",
        "comment": "{",
        "statement": "ie",
    }
)
"""The characters that a line which a rule fits can begin with, behind its indentation; rules without an entry fit any line."""


class Lines(StateBlock):
    """The state of the block rules."""

    def push(self, ttype: str, tag: str, nesting: Literal[-1, 0, 1]) -> Token:
        """As StateBlock.push."""
        if nesting < 0:
            self.level -= 1
        token = Piece(ttype, tag, nesting, self.level, block=True)
        if nesting > 0:
            self.level += 1
        self.tokens.append(token)
        return token


class Blocks(ParserBlock):
    """The block rules, one chain after the other."""

    def __init__(self) -> None:
        super().__init__()
        rules = self.ruler.__rules__
        self.ruler = Chains()
        self.ruler.__rules__ = rules

    def parse(self, src: str, md: MarkdownIt, env: EnvType, outTokens: list[Token]) -> list[Token] | None:
        """As ParserBlock.parse."""
        if not src:
            return None
        state = Lines(src, md, env, outTokens)
        self.tokenize(state, state.line, state.lineMax)
        return state.tokens

    def tokenize(self, state: StateBlock, startLine: int, endLine: int) -> None:
        """As ParserBlock.tokenize."""
        (rule,) = self.ruler.getRules("")
        starts, indents, ends, depths = state.bMarks, state.tShift, state.eMarks, state.sCount
        deepest = state.md.options.maxNesting
        line, empty = startLine, False
        while line < endLine:
            while line < state.lineMax and starts[line] + indents[line] >= ends[line]:
                line += 1
            state.line = line
            if line >= endLine or depths[line] < state.blkIndent:
                break
            if state.level >= deepest:
                state.line = endLine
                break
            if not rule(state, line, endLine, False) or state.line <= line:
                raise RuntimeError("no block rule takes a line")
            state.tight = not empty
            line = state.line
            empty = empty or (line - 1 < endLine and state.isEmpty(line - 1))
            if line < endLine and state.isEmpty(line):
                empty = True
                line += 1
                state.line = line


class Chains(Ruler[RuleFuncBlockType]):
    """Block rules, each chain of them as one rule that tries those that can fit the line."""

    def __compile__(self) -> None:
        super().__compile__()
        names = {rule.fn: rule.name for rule in self.__rules__}
        chains = self.__cache__ or {}
        self.__cache__ = {chain: [_chain(rules, names)] for chain, rules in chains.items()}


def _chain(rules: list[RuleFuncBlockType], names: Mapping[RuleFuncBlockType, str]) -> RuleFuncBlockType:
    quick = [(_text if rule is lheading else rule, STARTS.get(names[rule])) for rule in rules]
    fitting = {first: [rule for rule, fit in quick if fit is None or first in fit] for first in "".join(STARTS.values())}
    others = [rule for rule, fit in quick if fit is None]

    def chain(state: StateBlock, start: int, end: int, silent: bool) -> bool:
        first = state.bMarks[start] + state.tShift[start]
        tried = fitting.get(state.src[first], others) if first < state.eMarks[start] else others
        for rule in tried:  # noqa: SIM110 - a generator here costs more than the rules
            if rule(state, start, end, silent):
                return True
        return False

    return chain


def _text(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """A paragraph, or the heading that it is where a line of hyphens or equals signs underlines it, found in one go."""
    if end != state.lineMax:
        return lheading(state, start, end, silent)
    (ends_text,) = state.md.block.ruler.getRules("paragraph")
    parent, state.parentType = state.parentType, "paragraph"
    line, marker = start + 1, ""
    while line < end and not state.isEmpty(line):
        depth = state.sCount[line] - state.blkIndent
        if 0 <= depth <= 3 and (marker := _underline(state, line)):
            break
        if depth <= 3 and state.sCount[line] >= 0 and ends_text(state, line, end, True):
            break
        line += 1
    if line == start + 1:
        content = state.src[state.bMarks[start] + state.tShift[start] : state.eMarks[start]]
    else:
        content = state.getLines(start, line, state.blkIndent, False)
    state.line = line + bool(marker)
    kind, tag = ("heading", "h1" if marker == "=" else "h2") if marker else ("paragraph", "p")
    opening = state.push(f"{kind}_open", tag, 1)
    opening.markup, opening.map = marker, [start, state.line]
    inline = state.push("inline", "", 0)
    inline.content, inline.map, inline.children = mdTrim(content), [start, line], []
    state.push(f"{kind}_close", tag, -1).markup = marker
    if marker:
        state.parentType = parent  # after a paragraph it stays one, in ParserBlock too
    return True


def _underline(state: StateBlock, line: int) -> str:
    """The character that a line consists of, where it underlines a heading."""
    first = state.bMarks[line] + state.tShift[line]
    marker = state.src[first]
    underlines = marker in "-=" and not state.src[first : state.eMarks[line]].rstrip(" \t").strip(marker)
    return marker if underlines else ""
