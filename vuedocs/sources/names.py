"""What each source's API names look like, and what people call them: data files beside this module."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any


@dataclass(frozen=True, slots=True)
class EntityRule:
    """Headings that define API names: those of ``kinds`` on pages that match ``pages``."""

    pages: str
    """Glob over page paths; ``*`` crosses folders."""
    type: str
    """``""`` for headings that are no names, before a wider rule."""
    kinds: Sequence[str] = ("section", "subsection")
    heading: str = ""
    """Regular expression that the heading must contain; ``""`` for any."""
    under: str = ""
    """Regular expression that the heading above must contain."""
    capitals: bool = False
    """Whether a single capitalised word is a name here (types, components) and not just a heading."""
    prefix: str = ""
    """What the name begins with beyond the heading: ``expect.``; ``{above}`` stands for the heading above."""
    owner: str = ""
    """What people write before the name: ``wrapper.``; it makes an alias."""
    file: bool = False
    """Whether the name is the file's name in PascalCase: ``alert-dialog`` is ``AlertDialog``."""
    deeper: bool = False
    """Whether the names are the headings below H3 inside the text."""
    entries: bool = False
    """Whether the names are the entries of an API reference (``::api-entry``), each of the type that it says."""
    rows: bool = False
    """Whether the names are the code in the first cells of tables: hooks, options of a command line."""


@cache
def entity_rules(source: str) -> tuple[EntityRule, ...]:
    """The rules of one source, in the order in which they are tried; none for a source without an entry."""
    return tuple(EntityRule(**rule) for rule in _read("entities.toml").get(source, []))


@cache
def definitions(source: str) -> Mapping[str, tuple[tuple[str, str], ...]]:
    """Names that sections define whose headings are prose, with their type, by section key."""
    found: dict[str, list[tuple[str, str]]] = {}
    for kind, names in _read("definitions.toml").get(source, {}).items():
        for name, section in names.items():
            found.setdefault(section, []).append((name, kind))
    return {section: tuple(names) for section, names in found.items()}


@cache
def synonyms(source: str) -> Mapping[str, tuple[str, ...]]:
    """Curated synonyms by API name: what people say who do not know the name."""
    return {name: tuple(words) for name, words in _read("synonyms.toml").get(source, {}).items()}


@cache
def _read(name: str) -> dict[str, Any]:
    return tomllib.loads(files("vuedocs.sources").joinpath(name).read_text(encoding="utf-8"))
