"""What makes the parser quick on thousands of small blocks: only the rules that can fit a line are tried, plain text needs none.

The outcome is the same as without; on pages of nothing but short blocks it saves half of the time.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from markdown_it import MarkdownIt
from markdown_it.parser_block import ParserBlock, RuleFuncBlockType
from markdown_it.parser_inline import ParserInline
from markdown_it.ruler import Ruler
from markdown_it.rules_block import StateBlock
from markdown_it.token import Token
from markdown_it.utils import EnvType

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


class Chains(Ruler[RuleFuncBlockType]):
    """Block rules, each chain of them as one rule that tries those that can fit the line."""

    def __compile__(self) -> None:
        super().__compile__()
        names = {rule.fn: rule.name for rule in self.__rules__}
        chains = self.__cache__ or {}
        self.__cache__ = {chain: [_chain(rules, names)] for chain, rules in chains.items()}


def _chain(rules: list[RuleFuncBlockType], names: Mapping[RuleFuncBlockType, str]) -> RuleFuncBlockType:
    firsts = "".join(STARTS.values())
    fitting = {first: [rule for rule in rules if first in STARTS.get(names[rule], first)] for first in firsts}
    others = [rule for rule in rules if names[rule] not in STARTS]

    def chain(state: StateBlock, start: int, end: int, silent: bool) -> bool:
        first = state.bMarks[start] + state.tShift[start]
        tried = fitting.get(state.src[first], others) if first < state.eMarks[start] else others
        for rule in tried:  # noqa: SIM110 - a generator here costs more than the rules
            if rule(state, start, end, silent):
                return True
        return False

    return chain


class Inlines(ParserInline):
    """Inline rules; text without a character that any rule begins with is one token."""

    def parse(self, src: str, md: MarkdownIt, env: EnvType, tokens: list[Token]) -> list[Token]:
        """As ParserInline.parse."""
        if not src or tokens or self.terminator_re.search(src):
            return super().parse(src, md, env, tokens)
        tokens.append(Token("text", "", 0, content=src))
        return tokens


def quick(markdown: MarkdownIt) -> MarkdownIt:
    """The parser, made quick; before rules are enabled or added."""
    rules = markdown.block.ruler.__rules__
    markdown.block = ParserBlock()
    markdown.block.ruler = Chains()
    markdown.block.ruler.__rules__ = rules
    inline = Inlines()
    inline.ruler, inline.ruler2 = markdown.inline.ruler, markdown.inline.ruler2
    markdown.inline = inline
    return markdown
