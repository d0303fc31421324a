"""The tree that a list of block tokens describes: a node for each block, with what stands in it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from markdown_it.token import Token


class Node:
    """A block: its (opening) token, and the blocks inside it. Text of a block is in its token's ``children``."""

    __slots__ = ("children", "token", "type")

    def __init__(self, token: Token, type: str) -> None:
        self.token = token
        self.type = type
        """The token's, without ``_open``."""
        self.children: list[Node] = []

    @property
    def tag(self) -> str:
        return self.token.tag

    @property
    def level(self) -> int:
        return self.token.level

    @property
    def attrs(self) -> Mapping[str, Any]:
        return self.token.attrs

    @property
    def meta(self) -> Mapping[str, Any]:
        return self.token.meta

    @property
    def info(self) -> str:
        return self.token.info

    @property
    def content(self) -> str:
        return self.token.content


def tree(tokens: Iterable[Token]) -> list[Node]:
    """The outermost blocks of a document."""
    outermost: list[Node] = []
    around, siblings = [outermost], outermost
    for token in tokens:
        nesting = token.nesting
        if nesting < 0:
            around.pop()
            siblings = around[-1]
            continue
        node = Node(token, token.type.removesuffix("_open") if nesting else token.type)
        siblings.append(node)
        if nesting:
            siblings = node.children
            around.append(siblings)
    return outermost
