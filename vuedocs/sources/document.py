"""What a reader of markup makes of one file, whatever its engine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from vuedocs.records import ApiStyle


@dataclass(frozen=True, slots=True)
class Href:
    """A link as the file writes it."""

    href: str
    text: str


@dataclass(frozen=True, slots=True)
class Example:
    """A code block (or the tabs of one group) with the prose that introduces it."""

    text: str
    lines: int
    """Of the longest block."""
    style: ApiStyle


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of the file, as the site's renderer sees it."""

    level: int
    anchor: str
    title: str
    nested: bool
    """Inside a list, quote or box: it has an anchor but opens no section."""


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of the file from one section heading (H1 to H3) to the next; the first may have no heading."""

    level: int
    """0 for text before any heading."""
    title: str
    anchor: str
    style: ApiStyle
    since: str
    body: str
    """Markdown, without the heading line."""
    prose: str
    """The first paragraph, as plain text."""
    examples: tuple[Example, ...]
    hrefs: tuple[Href, ...]
    anchors: tuple[str, ...]
    """Every anchor inside: its own, those of deeper and nested headings, ids of HTML."""
    remark: str = ""
    """What the heading's badges say besides ``since``: ``advanced``."""


@dataclass(frozen=True, slots=True)
class Document:
    """One file, read."""

    front: Mapping[str, Any]
    parts: tuple[Part, ...]
    headings: tuple[Heading, ...]
    fences: tuple[str, ...]
    """The info string of each code block."""
    reports: tuple[str, ...] = field(default=())
