"""Versions that a question names and the index does not hold are said to be missing, never replaced in silence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vuedocs.records import SourceManifest

_NUMBER = re.compile(r"v?(\d+(?:\.\d+)*)(?:[-+].*)?")
_LINE = re.compile(r"[\s@-]v?(\d+(?:\.\d+)*)$")


def version_notes(
    query: str, indexed: Iterable[SourceManifest], names: Mapping[str, Iterable[str]], searched: Sequence[str]
) -> tuple[str, ...]:
    """A note for each version of an indexed source that ``query`` names and that is not the one indexed.

    ``names`` holds what people call each source. ``3`` and ``3.5`` are both found in ``3.5.13``. Of a source whose version is no
    number (a branch, a commit), the names say which line it is (``vue 3``); where they do not, no version counts as indexed.
    """
    notes = []
    for entry in indexed:
        called = {entry.source, *names.get(entry.source, ())}
        for asked in asked_versions(query, called):
            if not holds(asked, entry.version, called):
                state = entry.version or f"at {entry.commit[:12]}"
                follows = f"What follows is from the documentation of {entry.source} {state} and may not hold for {asked}."
                other = f"{entry.source} {state} is indexed, and was not searched."
                notes.append(f"{entry.source} {asked} is not indexed. {follows if entry.source in searched else other}")
    return tuple(notes)


def holds(asked: str, version: str, called: Iterable[str]) -> bool:
    """Whether documentation of ``version``, of a source that people call so, speaks of the version ``asked``."""
    number = _NUMBER.fullmatch(version)
    held = [number.group(1)] if number else [line.group(1) for name in called if (line := _LINE.search(name))]
    return any(same_line(asked, line) for line in held)


def asked_versions(query: str, names: Iterable[str]) -> tuple[str, ...]:
    """The versions that ``query`` gives right after one of ``names``: ``Vue 2.7``, ``vue@2``, ``Vue.js v3.4``, ``vue2``."""
    return tuple(dict.fromkeys(versioned(frozenset(names)).findall(query)))


@cache
def versioned(names: frozenset[str]) -> re.Pattern[str]:
    """What finds a version right after one of ``names``."""
    spelt = sorted((name for name in names if not name[-1].isdigit()), key=len, reverse=True)
    choices = "|".join(re.escape(name).replace(r"\-", r"[-\s]?") for name in spelt)
    pattern = rf"(?<![\w-])(?:{choices})(?:\.?js)?\s*(?:@|,?\s*version\s*)?\s*v?(\d+(?:\.\d+)*)(?![\w%])"
    return re.compile(pattern, re.IGNORECASE)


def same_line(asked: str, held: str) -> bool:
    """Whether one version is the other, or its more exact form."""
    return all(left == right for left, right in zip(asked.split("."), held.split("."), strict=False))
