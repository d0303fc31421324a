"""Paid work in parallel: a failure stops what has not begun, never what is under way."""

from __future__ import annotations

import asyncio
from functools import partial

import pytest

from vuedocs.clients.parallel import in_parallel


class Work:
    def __init__(self) -> None:
        self.done: list[int] = []
        self.at_once = self.most = 0

    async def job(self, number: int) -> None:
        self.at_once += 1
        self.most = max(self.most, self.at_once)
        await asyncio.sleep(0.01 * (1 + number % 2))
        self.at_once -= 1
        if number == 3:
            raise OSError("three")
        self.done.append(number)


async def test_all_are_done_so_many_at_a_time() -> None:
    work = Work()
    await in_parallel((partial(work.job, number) for number in (0, 1, 2, 4, 5, 6)), 2)
    assert sorted(work.done) == [0, 1, 2, 4, 5, 6]
    assert work.most == 2


async def test_after_a_failure_what_is_under_way_comes_to_its_end() -> None:
    work = Work()
    with pytest.raises(OSError, match="three"):
        await in_parallel((partial(work.job, number) for number in (3, 5, 6, 7, 8)), 2)
    assert work.done == [5]


async def test_cancelled_it_finishes_what_it_began() -> None:
    gate = asyncio.Event()
    done: list[int] = []

    async def job(number: int) -> None:
        await gate.wait()
        done.append(number)

    running = asyncio.create_task(in_parallel((partial(job, number) for number in range(100)), 2))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    running.cancel()
    await asyncio.sleep(0)
    gate.set()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert done == [0, 1]
