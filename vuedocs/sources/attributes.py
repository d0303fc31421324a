"""Attributes in braces (markdown-it-attrs): ``## Title {#id}``, ``[link](/x){target="_blank"}``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from markdown_it.token import Token

_ID = re.compile(r"(?:^|\s)#(\S+)")
_PLAIN = re.compile(r"""^\s*(?:(?:[.#][^\s{}]+|[\w:@.-]+=(?:"[^"]*"|'[^']*'|[^\s"'{}]*))\s*)+$""")
_AFTER = frozenset({"image", "code_inline"})


def take_heading_attributes(children: list[Token], delimiters: Sequence[str]) -> str | None:
    """Removes the attributes at the end of a heading from its tokens; the ``#id`` among them, if there is one."""
    found = None
    if delimiters and children and children[-1].type == "text":
        left, right = delimiters
        content = children[-1].content
        start = _trailing(content, left, right)
        if start >= 0:
            found = _ID.search(content[start + len(left) : -len(right)])
            children[-1].content = content[:start].removesuffix(" ")
    take_inline_attributes(children, delimiters)
    return found.group(1) if found else None


def take_inline_attributes(children: list[Token], delimiters: Sequence[str]) -> None:
    """Removes attributes after links, code, images and emphasis, and at the end of a block where they are clearly attributes."""
    if not delimiters:
        return
    left, right = delimiters
    take_attached_attributes(children, left, right)
    if children and children[-1].type == "text":
        content = children[-1].content
        start = _trailing(content, left, right)
        if start >= 0 and _PLAIN.match(content[start + len(left) : -len(right)]):
            children[-1].content = content[:start].rstrip()


def take_attached_attributes(children: list[Token], left: str = "{", right: str = "}") -> None:
    """Removes attributes directly after links, code, images and emphasis."""
    for before, token in pairwise(children):
        attached = before.nesting == -1 or before.type in _AFTER
        while attached and token.type == "text" and token.content.startswith(left):
            end = token.content.find(right, len(left) + 1)
            if end < 0 or not _PLAIN.match(token.content[len(left) : end]):
                break
            token.content = token.content[end + len(right) :]


def _trailing(content: str, left: str, right: str) -> int:
    """Where the attributes begin that end ``content``; -1 where none do."""
    start = content.rfind(left)
    if start < 0 or not content.endswith(right):
        return -1
    inside = content[start + len(left) : -len(right)]
    return start if inside and right not in inside and not (inside[0] in ".#" and len(inside) < 2) else -1
