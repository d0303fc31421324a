"""A token of which thousands are made."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any, Literal, cast

from markdown_it.token import Token

_NOTHING = cast("dict[str, Any]", MappingProxyType({}))


class Piece(Token):
    """A token without dictionaries of its own for attributes and facts, which few have."""

    __slots__ = ()

    def __init__(
        self, type: str, tag: str, nesting: Literal[-1, 0, 1], level: int, content: str = "", block: bool = False
    ) -> None:
        self.type, self.tag, self.nesting, self.level, self.content, self.block = type, tag, nesting, level, content, block
        self.markup = self.info = ""
        self.attrs = self.meta = _NOTHING
        self.map = self.children = None
        self.hidden = False

    def attrSet(self, name: str, value: str | float) -> None:
        """As Token.attrSet."""
        self.attrs = {**self.attrs, name: value}
