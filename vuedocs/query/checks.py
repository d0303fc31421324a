"""Checks of what answering needs, each to one word."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine, Mapping
from typing import Any

from vuedocs.errors import VuedocsError

logger = logging.getLogger(__name__)


async def outcomes(checks: Mapping[str, Coroutine[Any, Any, object]], seconds: float) -> dict[str, str]:
    """What became of each check, run at the same time: ``ok``, or the type of the error; TimeoutError after ``seconds``.

    An error that is not ours is a failure like any other, and is logged.
    """
    tasks = {part: asyncio.create_task(check) for part, check in checks.items()}
    await asyncio.wait(tasks.values(), timeout=seconds)
    return {part: outcome(part, task) for part, task in tasks.items()}


def outcome(part: str, check: asyncio.Task[object]) -> str:
    """The word for one check; one that still runs is stopped."""
    if not check.done():
        check.cancel()
        return TimeoutError.__name__
    error = None if check.cancelled() else check.exception()
    if error is not None and not isinstance(error, VuedocsError):
        logger.error("the check of %s crashed", part, exc_info=error)
    return type(error).__name__ if error else "ok"
