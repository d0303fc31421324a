"""The commands of the CLI, one module a group: each is a function over the parsed arguments that returns the exit code."""

from __future__ import annotations

import argparse
import asyncio
import importlib
import signal
from collections.abc import Callable, Coroutine, Iterable
from dataclasses import replace
from typing import Any, TypeVar

from vuedocs.config import Config, load
from vuedocs.settings import Settings

Command = Callable[[argparse.Namespace], int]

MODULES = {
    "ingest": "ingest",
    "watch": "watch",
    "rollback": "watch",
    "backup": "backup",
    "restore": "backup",
    "search": "search",
    "api": "lookup",
    "related": "lookup",
    "page": "lookup",
    "chunks": "inspect",
    "sources": "inspect",
    "packs": "packs",
    "status": "inspect",
    "bench": "bench",
    "runs": "runs",
    "draft": "judging",
    "promote": "promote",
    "baseline": "promote",
    "pool": "judging",
    "grade": "judging",
    "run": "run",
    "serve": "serve",
}
"""Which module of this package holds a command: only that one is imported."""


def command(name: str) -> Command:
    """The function of one command."""
    function: Command = getattr(importlib.import_module(f"vuedocs.commands.{MODULES[name]}"), name)
    return function


def configured(options: argparse.Namespace) -> tuple[Config, Settings]:
    """Config and settings for a command's options; ConfigError when they cannot be used."""
    settings = Settings.from_environment()
    docs = getattr(options, "docs", None)
    if docs is not None:
        settings = replace(settings, docs=docs.expanduser().absolute())
    max_cost = getattr(options, "max_cost", None)
    if max_cost is not None:
        settings = replace(settings, max_cost=max_cost)
    return load(options.config or settings.config, options.overrides), settings


Outcome = TypeVar("Outcome")

TERMINATED = 128 + signal.SIGTERM
"""Exit code of a command that SIGTERM stopped before it was done, as shells count."""


def until_told(work: Coroutine[Any, Any, Outcome]) -> Outcome | None:
    """Runs ``work``; None when SIGTERM ended it: it is then cancelled, so that connections are closed and locks let go."""

    async def run() -> Outcome | None:
        task = asyncio.create_task(work)
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
        try:
            return await task
        except asyncio.CancelledError:
            return None

    return asyncio.run(run())


def table(rows: Iterable[Iterable[object]]) -> str:
    """Rows as aligned columns; the first row is the heading."""
    texts = [[str(cell) for cell in row] for row in rows]
    widths = [max(len(row[column]) for row in texts) for column in range(len(texts[0]))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in texts]
    return "\n".join([lines[0], "  ".join("-" * width for width in widths), *lines[1:]])
