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
    """Glob over page paths."""
    type: str
    kinds: Sequence[str] = ("section", "subsection")
    heading: str = ""
    """Regular expression that the heading must contain; ``""`` for any."""
    capitals: bool = False
    """Whether a single capitalised word is a name here (types, components) and not just a heading."""


@cache
def entity_rules(source: str) -> tuple[EntityRule, ...]:
    """The rules of one source, in the order in which they are tried; none for a source without an entry."""
    return tuple(EntityRule(**rule) for rule in _read("entities.toml").get(source, []))


@cache
def synonyms(source: str) -> Mapping[str, tuple[str, ...]]:
    """Curated synonyms by API name: what people say who do not know the name."""
    return {name: tuple(words) for name, words in _read("synonyms.toml").get(source, {}).items()}


@cache
def _read(name: str) -> dict[str, Any]:
    return tomllib.loads(files("vuedocs.sources").joinpath(name).read_text(encoding="utf-8"))
