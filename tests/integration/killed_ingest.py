"""Run as a script, ``killed_ingest.py MOMENT DOCS SOURCE...``: an ingest that is killed by SIGKILL at a moment of its work.

A moment is a stage's name (as it begins), ``WORDS N`` (when progress on WORDS has come to N), ``built`` (the generation is on
disk, not published) or ``published`` (it is, and the old ones are still there).
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterable, Sequence
from dataclasses import replace
from pathlib import Path

from vuedocs.clients.edge import EdgeBuilder
from vuedocs.config import load
from vuedocs.ingest import INGEST_STAGES
from vuedocs.ingest.session import begin, ingest_clients
from vuedocs.records import Point
from vuedocs.settings import Settings
from vuedocs.stages import run

MOMENT = sys.argv[1]


def reached(moment: str) -> None:
    if moment == MOMENT:
        os.kill(os.getpid(), signal.SIGKILL)


def begun(stage: str, done: int, total: int) -> None:
    if done < total:
        reached(stage)


class Builder(EdgeBuilder):
    """Reaches its moments after its work; what it removes before a build is no publication's."""

    has_built = False

    async def build(self, generation: str, points: AsyncIterable[Point], dims: int, batch: int) -> int:
        written = await super().build(generation, points, dims, batch)
        reached("built")
        self.has_built = True
        return written

    async def remove(self, keep: Sequence[str]) -> list[str]:
        if self.has_built:
            reached("published")
        return await super().remove(keep)


async def main(docs: Path, sources: Sequence[str]) -> None:
    config, settings = load(), Settings.from_environment()
    async with ingest_clients(config, settings, lambda words, done, total: reached(f"{words} {done}")) as clients:
        clients = replace(clients, builder=Builder(settings.home / "index"))
        await run(INGEST_STAGES, begin(sources, docs), config, clients, progress=begun)


asyncio.run(main(Path(sys.argv[2]), sys.argv[3:]))
