"""Paid work in parallel, of which nothing is thrown away when something fails."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable


async def in_parallel(jobs: Iterable[Callable[[], Awaitable[None]]], workers: int) -> None:
    """Runs ``jobs`` in their order, so many at a time.

    After a failure, or when it is cancelled, no further job begins, those under way come to their end, and then the first failure
    is raised.
    """
    waiting = iter(jobs)
    stopped = False

    async def work() -> None:
        nonlocal stopped
        for job in waiting:
            if stopped:
                return
            try:
                await job()
            except BaseException:
                stopped = True
                raise

    tasks = [asyncio.create_task(work()) for _ in range(workers)]
    try:
        await asyncio.wait(tasks)
    except asyncio.CancelledError:
        stopped = True
        await asyncio.wait(tasks)
        raise
    failures = [error for task in tasks if (error := task.exception())]
    if failures:
        raise failures[0]
