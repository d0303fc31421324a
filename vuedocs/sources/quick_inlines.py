"""Inline rules, of which only those are tried that begin with a character; what they make is the same."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Literal

from markdown_it import MarkdownIt
from markdown_it.parser_inline import ParserInline, RuleFuncInlineType
from markdown_it.ruler import Ruler
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from markdown_it.utils import EnvType

from vuedocs.sources.pieces import Piece

STARTS: Mapping[str, str] = MappingProxyType(
    {
        "newline": "\n",
        "escape": "\\",
        "backticks": "`",
        "strikethrough": "~",
        "emphasis": "*_",
        "link": "[",
        "image": "!",
        "autolink": "<",
        "html_inline": "<",
        "entity": "&",
        "component": ":",
        "span": "[",
        "comment": "{",
    }
)
"""The characters that an inline rule begins at; everything up to the next of them, or to the end of a label, is text."""


class Words(StateInline):
    """The state of the inline rules."""

    def push(self, ttype: str, tag: str, nesting: Literal[-1, 0, 1]) -> Token:
        """As StateInline.push."""
        if self.pending:
            self.pushPending()
        facts: dict[str, Any] | None = None
        if nesting < 0:
            self.level -= 1
            self.delimiters = self._prev_delimiters.pop()
        token = Piece(ttype, tag, nesting, self.level)
        if nesting > 0:
            self.level += 1
            self._prev_delimiters.append(self.delimiters)
            self.delimiters = []
            facts = {"delimiters": self.delimiters}
        self.pendingLevel = self.level
        self.tokens.append(token)
        self.tokens_meta.append(facts)
        return token

    def pushPending(self) -> Token:
        """As StateInline.pushPending."""
        token = Piece("text", "", 0, self.pendingLevel, self.pending)
        self.tokens.append(token)
        self.pending = ""
        return token


class Inlines(ParserInline):
    """Inline rules as one that tries those that begin with a character; text without such a character is one token."""

    def __init__(self, parser: ParserInline) -> None:
        super().__init__()
        self.ruler, self.ruler2 = InlineChain(self), parser.ruler2
        self.ruler.__rules__ = parser.ruler.__rules__

    def parse(self, src: str, md: MarkdownIt, env: EnvType, tokens: list[Token]) -> list[Token]:
        """As ParserInline.parse."""
        if src and not tokens and not self.terminator_re.search(src):
            tokens.append(Piece("text", "", 0, 0, src))
            return tokens
        state = Words(src, md, env, tokens)
        self.tokenize(state)
        for rule in self.ruler2.getRules(""):
            rule(state)
        return state.tokens


class InlineChain(Ruler[RuleFuncInlineType]):
    """Inline rules as one; it tells the parser where text ends."""

    def __init__(self, parser: Inlines) -> None:
        super().__init__()
        self._parser = parser

    def __compile__(self) -> None:
        super().__compile__()
        rules = {rule.name: rule.fn for rule in self.__rules__ if rule.enabled and rule.name != "text"}
        firsts = "".join(STARTS[name] for name in rules)
        fitting = {first: [rule for name, rule in rules.items() if first in STARTS[name]] for first in firsts}
        text = next(rule.fn for rule in self.__rules__ if rule.name == "text")

        def chain(state: StateInline, silent: bool) -> bool:
            for rule in fitting.get(state.src[state.pos], (text,)):  # noqa: SIM110 - a generator here costs more than the rules
                if rule(state, silent):
                    return True
            return False

        self.__cache__ = {"": [chain]}
        self._parser.terminator_re = re.compile(f"[{re.escape(firsts)}\\]]")
