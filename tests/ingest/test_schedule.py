"""Whose turn it is: rounds, retries that wait longer and longer, and clocks that jump."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from vuedocs.ingest.schedule import backoff, due, jitter, scheduled, wait
from vuedocs.records import Hold, Watched

DAY = 86_400.0
NOW = datetime(2026, 3, 1, 2, 0, tzinfo=UTC)


def seen(source: str, hours: float, failures: int = 0, attempted: float | None = None) -> Watched:
    """A source whose round began so many hours ago, and was tried last so many hours ago."""
    tried = NOW - timedelta(hours=hours if attempted is None else attempted)
    succeeded = None if failures else tried + timedelta(seconds=20)
    return Watched(source, round=NOW - timedelta(hours=hours), attempted=tried, succeeded=succeeded, failures=failures)


def test_a_source_that_was_never_seen_is_due_at_once() -> None:
    assert due(["vue"], [], DAY, NOW) == ["vue"]


def test_a_day_after_its_round_a_source_is_due_and_takes_those_along_that_would_follow_soon() -> None:
    book = [seen("vue", 24.1), seen("pinia", 23.5), seen("vite", 12)]
    assert due(["vue", "pinia", "vite"], book, DAY, NOW) == ["vue", "pinia"]
    assert due(["pinia", "vite"], book, DAY, NOW) == []
    assert wait(["pinia", "vite"], book, DAY, NOW) == 1800


def test_failures_are_tried_again_after_5_10_20_minutes_and_never_later_than_the_next_round() -> None:
    assert [backoff(failures, DAY) / 60 for failures in (1, 2, 3, 4)] == [5, 10, 20, 40]
    assert backoff(9, DAY) == 76_800
    assert backoff(10, DAY) == backoff(10_000, DAY) == DAY
    assert backoff(1, 2.0) == 2.0


def test_a_retry_does_not_move_the_rounds() -> None:
    book = [seen("vue", 1, failures=2, attempted=0.5), seen("pinia", 1)]
    assert due(["vue", "pinia"], book, DAY, NOW) == ["vue"]
    assert scheduled(["vue"], book, DAY, NOW) == []
    assert wait(["pinia"], book, DAY, NOW) == 23 * 3600


def test_a_round_that_was_cut_off_is_tried_again_like_a_failure_and_does_not_move_the_rounds() -> None:
    cut = replace(seen("vue", 1), succeeded=NOW - timedelta(hours=25))
    assert due(["vue"], [cut], DAY, NOW) == ["vue"]
    assert scheduled(["vue"], [cut], DAY, NOW) == []
    assert due(["vue"], [replace(cut, attempted=NOW - timedelta(seconds=299))], DAY, NOW) == []
    held = replace(cut, held=Hold("judge", "", ("pages fell",), ""))
    assert due(["vue"], [held], DAY, NOW) == [], "it was read to the end"


def test_a_clock_that_was_set_back_makes_a_source_due_and_not_silent_for_a_year() -> None:
    book = [seen("vue", -24 * 365)]
    assert due(["vue"], book, DAY, NOW) == ["vue"]
    assert scheduled(["vue"], book, DAY, NOW) == ["vue"]


def test_a_clock_that_was_set_forward_costs_one_early_round() -> None:
    book = [seen("vue", 24 * 365)]
    assert due(["vue"], book, DAY, NOW) == ["vue"]


def test_the_first_look_comes_within_ten_minutes() -> None:
    assert jitter(DAY, 0.5) == 300
    assert jitter(60, 1.0) == 6
