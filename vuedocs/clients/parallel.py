"""Work beside other work: paid jobs, of which nothing is thrown away when one fails, and threads that need not wait."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")


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


async def in_own_thread(work: Callable[[], T]) -> T:
    """Like ``asyncio.to_thread``, but at once: in a busy server all threads of that one are taken, and more calls wait."""
    pool = ThreadPoolExecutor(1, "vuedocs-apart")
    try:
        return await asyncio.get_running_loop().run_in_executor(pool, work)
    finally:
        pool.shutdown(wait=False)
