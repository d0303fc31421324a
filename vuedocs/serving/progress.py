"""Progress of the query stages, told to the client while they run."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextvars import ContextVar
from typing import Any

from mcp.server.mcpserver import Context

from vuedocs.stages import Progress

nobody_listens: ContextVar[bool] = ContextVar("vuedocs_nobody_listens", default=False)
"""Whether the request that is served can be told nothing but its answer."""


@contextlib.asynccontextmanager
async def stage_progress(ctx: Context[Any, Any]) -> AsyncIterator[Progress]:
    """A callback for :func:`vuedocs.stages.run` whose reports reach the client in order, all of them before the context ends.

    Where it is known that nobody listens, they go nowhere and cost nothing.
    """
    if nobody_listens.get():
        yield unheard
        return
    reports: asyncio.Queue[tuple[str, int, int] | None] = asyncio.Queue()

    async def send() -> None:
        while (report := await reports.get()) is not None:
            stage, done, total = report
            await ctx.report_progress(done, total, stage if done < total else "done")

    sender = asyncio.create_task(send())
    try:
        yield lambda stage, done, total: reports.put_nowait((stage, done, total))
        reports.put_nowait(None)
        await sender
    finally:
        sender.cancel()


def unheard(stage: str, done: int, total: int) -> None:
    """Progress that nobody asked for."""
