"""What the watcher knows: one record a source, and one of the watcher itself."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Hold:
    """Why a source's new docs are not published: they look wrong, or somebody took them back."""

    by: str
    """``judge`` or ``rollback``."""
    commit: str
    """Of the docs that are held back; ``""`` after a rollback."""
    reasons: tuple[str, ...]
    since: str
    """ISO 8601 with offset."""


@dataclass(frozen=True, slots=True)
class Watched:
    """One source as the watcher last saw it; times are the database's, with offset."""

    source: str
    round: datetime | None = None
    """When the scheduled round began that looked at it last."""
    attempted: datetime | None = None
    succeeded: datetime | None = None
    failures: int = 0
    """Since the last success."""
    error: str = ""
    """Of the last attempt; ``""`` when it succeeded."""
    held: Hold | None = None


@dataclass(frozen=True, slots=True)
class Watcher:
    """The watcher that gave a sign of life last."""

    machine: str
    every: float
    """Seconds between two rounds."""
    seen: datetime
    """Its last sign of life."""
    next: datetime
    """When the next source's turn comes."""


Watching = tuple[Watcher | None, tuple[Watched, ...]]
"""The watcher, None where there never was one, and what it knows of each source."""
