"""Heading anchors: what a site puts after ``#`` in the URL of a heading."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

_COMBINING = re.compile("[\u0300-\u036f]")
_CONTROL = re.compile("[\u0000-\u001f]")
_WORD_CATEGORIES = frozenset({"Mn", "Mc", "Me", "Nd", "Nl", "Pc"})
_SPECIAL = re.compile(r"""[\s~`!@#$%^&*()\-_+=\[\]{}|\\;:"'“”‘’<>,.?/]+""")


def slugify(text: str) -> str:
    """VitePress' own slug (@mdit-vue/shared 3.0.2): ``Catch all / 404`` gives ``catch-all-404``."""
    slug = re.sub("-{2,}", "-", _separate(text)).strip("-")
    return re.sub(r"^(\d)", r"_\1", slug).lower()


def slugify_as_written(text: str) -> str:
    """The slug of the sites that keep case and every hyphen: ``Using `get()` `` gives ``Using-get-``."""
    return re.sub(r"^(\d)", r"_\1", _separate(text))


def slugify_github(text: str) -> str:
    """github-slugger 2.0.0: lower case, what is no word gone, blanks to hyphens: ``Kit & Modules`` gives ``kit--modules``."""
    return "".join(character for character in text.lower() if _is_word(character)).replace(" ", "-")


SLUGIFIERS: dict[str, Callable[[str], str]] = {"default": slugify, "as-written": slugify_as_written, "github": slugify_github}


def _is_word(character: str) -> bool:
    if character.isascii():
        return character.isalnum() or character in " -_"
    return character.isalpha() or unicodedata.category(character) in _WORD_CATEGORIES


def _separate(text: str) -> str:
    """Without combining marks and control characters, every run of special characters a hyphen."""
    plain = _COMBINING.sub("", unicodedata.normalize("NFKD", text))
    return _SPECIAL.sub("-", _CONTROL.sub("", plain))


class AnchorNames:
    """Gives each heading of one page an anchor of its own: ``foo``, ``foo-1``, ``foo-2``."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._next: dict[str, int] = {}

    def take(self, anchor: str) -> str:
        """``anchor``, or where it is taken the first of ``anchor-1``, ``anchor-2``, ... that is free."""
        name, number = anchor, self._next.get(anchor, 1)
        while name in self._taken:
            name = f"{anchor}-{number}"
            number += 1
        self._next[anchor] = number
        self._taken.add(name)
        return name
