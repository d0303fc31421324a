"""When the watcher looks at which source: pure arithmetic over its book and the database's clock."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from vuedocs.records import Watched

FIRST_RETRY = 300.0
"""Seconds after a first failure: long enough for a restarted server, a rate limit or a network that comes back."""

TOGETHER = 0.05
"""Share of the interval by which a source's turn is brought forward to share a round, and so a publication, with others."""

JITTER = 0.1
"""Longest random delay as a share of the interval, 10 minutes at most: machines that start together do not fetch together."""

LONGEST_JITTER = 600.0


def jitter(every: float, chance: float) -> float:
    """Seconds to wait before the first round; ``chance`` is from 0 to 1."""
    return min(every * JITTER, LONGEST_JITTER) * chance


def backoff(failures: int, every: float) -> float:
    """Seconds from a failed attempt to the next: doubled each time, never longer than the interval."""
    doublings = min(failures - 1, 30)
    return float(min(FIRST_RETRY * 2**doublings, every))


def due_at(entry: Watched, every: float, now: datetime) -> datetime:
    """When a source's turn comes. A time that lies ahead is of a clock that was set back since: its turn is now."""
    if entry.round is None or max(entry.round, entry.attempted or entry.round) > now:
        return now
    turn = entry.round + timedelta(seconds=every)
    if entry.attempted is not None and (entry.failures or cut_off(entry)):
        turn = min(turn, entry.attempted + timedelta(seconds=backoff(max(entry.failures, 1), every)))
    return turn


def cut_off(entry: Watched) -> bool:
    """Whether nothing came of the last attempt, no success, failure or hold: whoever made it was killed."""
    if entry.attempted is None or entry.failures or entry.held:
        return False
    return entry.succeeded is None or entry.succeeded < entry.attempted


def due(sources: Sequence[str], book: Sequence[Watched], every: float, now: datetime) -> list[str]:
    """The sources whose turn it is; if there is any, those that would follow soon as well."""
    turns = turns_of(sources, book, every, now)
    if not any(turn <= now for turn in turns.values()):
        return []
    return [source for source, turn in turns.items() if turn <= now + timedelta(seconds=every * TOGETHER)]


def scheduled(sources: Sequence[str], book: Sequence[Watched], every: float, now: datetime) -> list[str]:
    """Those of ``sources`` that the schedule asks for, not only a retry."""
    rounds = {entry.source: replace(entry, failures=0, succeeded=entry.attempted) for entry in book}
    turns = {source: due_at(rounds.get(source, Watched(source)), every, now) for source in sources}
    return [source for source, turn in turns.items() if turn <= now + timedelta(seconds=every * TOGETHER)]


def wait(sources: Sequence[str], book: Sequence[Watched], every: float, now: datetime) -> float:
    """Seconds until the next source's turn; the interval where there is none."""
    turns = turns_of(sources, book, every, now).values()
    return max(0.0, min(((turn - now).total_seconds() for turn in turns), default=every))


def turns_of(sources: Sequence[str], book: Sequence[Watched], every: float, now: datetime) -> dict[str, datetime]:
    """When each source's turn comes; at once for one that the book does not know."""
    known = {entry.source: entry for entry in book}
    return {source: due_at(known.get(source, Watched(source)), every, now) for source in sources}
