"""vuedocs watch and rollback."""

from __future__ import annotations

import argparse
import asyncio
import re
from datetime import UTC, datetime

from vuedocs.clients.watchbook import Watchbook
from vuedocs.commands import configured, until_told
from vuedocs.errors import UsageError
from vuedocs.ingest.rollback import roll_back
from vuedocs.ingest.watch import NAP, Round, Watch, held_words
from vuedocs.records import Watched
from vuedocs.settings import Settings

UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}


def watch(options: argparse.Namespace) -> int:
    """Watches until SIGTERM or Ctrl-C; with ``--once`` or ``--accept`` one round, 1 when a source failed or is held back."""
    config, settings = configured(options)
    accepted = options.accept or []
    if accepted and options.sources:
        raise UsageError("--accept names its own source; give no others: `vuedocs watch --accept vue`")
    watcher = Watch(config, settings, accepted or options.sources, seconds(options.every), say)
    if accepted or options.once:
        outcome: Round | None = until_told(watcher.once(accept=bool(accepted)))
        return 1 if outcome is None or outcome.failed or outcome.held else 0
    until_told(watcher.run())
    say("stopped")
    return 0


def rollback(options: argparse.Namespace) -> int:
    """Publishes the previous generation again."""
    done = asyncio.run(roll_back(Settings.from_environment()))
    print(f"{done.serving} is published again in place of {done.left}; changed with it: {', '.join(done.sources) or 'nothing'}")
    if done.sources:
        print(f"`vuedocs watch` leaves {'them' if len(done.sources) > 1 else 'it'} alone until `vuedocs watch --accept SOURCE`")
    print("`vuedocs rollback` again goes back")
    return 0


async def watch_lines(book: Watchbook) -> list[str]:
    """What ``vuedocs status`` says of watching; nothing where nobody ever watched and nothing is held back."""
    watcher, entries, now = await book.watcher(), await book.entries(), await book.clock()
    lines = []
    if watcher:
        silent = (now - watcher.seen).total_seconds()
        sign = "alive" if silent <= 2 * NAP else f"SILENT for {silent / 3600:.1f} h"
        next_turn = watcher.next.isoformat(timespec="seconds")
        lines.append(f"watcher: {sign} ({watcher.machine}), every {watcher.every:g} s, next turn {next_turn}")
    return lines + [f"  {words}" for entry in entries if (words := entry_words(entry))]


def entry_words(entry: Watched) -> str:
    """One source as the watcher knows it."""
    failed = f"FAILED {entry.failures} times since its last success" if entry.failures else ""
    if entry.held:
        words = f"{held_words(entry.source, entry.held.reasons)}; held since {entry.held.since}"
        return f"{words}; {failed}: {entry.error}" if failed else words
    success = entry.succeeded.isoformat(timespec="seconds") if entry.succeeded else "never"
    if failed:
        return f"{entry.source}: {failed} ({success}): {entry.error}"
    return f"{entry.source}: watched, last success {success}" if entry.attempted else ""


def say(words: str) -> None:
    """One line of the log, with its time."""
    print(f"{datetime.now(UTC).isoformat(timespec='seconds')} {words}", flush=True)


def seconds(text: str) -> float:
    """``90s``, ``30m``, ``24h`` or ``7d`` in seconds. Raises UsageError."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([smhd])", text.strip())
    length = float(match.group(1)) * UNITS[match.group(2)] if match else 0.0
    if not 0 < length <= 366 * UNITS["d"]:
        raise UsageError(f"--every {text} is no length of time up to a year; write 90s, 30m, 24h or 7d")
    return length
