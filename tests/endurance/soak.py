"""Soak: searches and publications in a loop; memory, file handles, connections and disk must stay flat.
`python tests/endurance/soak.py --seconds 3600`.

A night is a publication here: the clock is scaled. Prints one line a round of searches, and ends with 1 when the last quarter of
the rounds needs more of anything than the second quarter by more than is allowed for.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import astuple, dataclass, replace
from pathlib import Path

from editions import QUESTION, editions_in, write_edition

from vuedocs.clients.engines import open_database
from vuedocs.config import load
from vuedocs.ingest.session import ingest
from vuedocs.query.reader import Reader
from vuedocs.records import Search
from vuedocs.settings import Settings

ALLOWED = {"memory": 0.15, "handles": 0.05, "connections": 0.5, "disk": 0.15}
"""Growth from the second quarter to the last: memory by the allocator's moods, disk by PostgreSQL's write-ahead log."""


@dataclass(frozen=True)
class Use:
    """What the process and its data folder need now."""

    memory: float
    """MB resident."""
    handles: float
    connections: float
    disk: float
    """MB."""


def used(settings: Settings) -> Use:
    """Memory and handles of this process, connections and disk of the data folder."""
    memory = int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
    connections, size = asyncio.run(asked(settings))
    index = int(subprocess.run(["du", "-sk", str(settings.home / "index")], capture_output=True, text=True).stdout.split()[0])
    return Use(memory, len(os.listdir("/proc/self/fd")), connections, index / 1e3 + size / 1e6)


async def asked(settings: Settings) -> tuple[int, int]:
    """Connections and bytes of the database."""
    database = await open_database(settings)
    try:
        async with database.connections.use("count") as connection:
            query = "SELECT count(*), pg_database_size(current_database()) FROM pg_stat_activity"
            row = await (await connection.execute(query)).fetchone()
    finally:
        await database.aclose()
    assert row
    return row[0], row[1]


async def soak(settings: Settings, seconds: float, searches: int) -> list[Use]:
    """Rounds of one publication and some searches, until the time is over."""
    docs = settings.docs
    assert docs is not None
    write_edition(docs, 1)
    await ingest(["vue"], load(), settings)
    reader = await Reader.open(load(), settings)
    uses: list[Use] = []
    deadline = time.monotonic() + seconds
    try:
        while time.monotonic() < deadline or len(uses) < 4:
            edition = len(uses) % 2 + 1  # the same two again and again: what is remembered does not grow
            write_edition(docs, edition)
            await ingest(["vue"], load(), settings)
            await reader.refresh()
            for _ in range(searches):
                text = (await reader.search(Search(QUESTION, sources=("vue",)))).state.text
                assert editions_in(text) == {edition}, text
            uses.append(await asyncio.to_thread(used, settings))
            print(f"publication {len(uses):>4}: " + ", ".join(f"{name} {value:,.1f}" for name, value in vars(uses[-1]).items()))
    finally:
        await reader.aclose()
    return uses


def growth(uses: list[Use]) -> dict[str, float]:
    """Of each mean from the second quarter of the rounds to the last."""
    quarter = max(1, len(uses) // 4)
    early, late = (list(zip(*map(astuple, part), strict=True)) for part in (uses[quarter : 2 * quarter], uses[-quarter:]))
    return {name: sum(late[n]) / sum(early[n]) - 1 for n, name in enumerate(ALLOWED)}


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--seconds", type=float, default=3600)
    options.add_argument("--searches", type=int, default=2000, help="searches a publication (%(default)s)")
    given = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="vuedocs-soak-", dir="/tmp", ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o755)
        docs = Path(folder) / "docs"
        docs.mkdir()
        uses = asyncio.run(soak(replace(Settings(home=Path(folder) / "home"), docs=docs), given.seconds, given.searches))
    grown = growth(uses)
    print("growth: " + ", ".join(f"{name} {share:+.1%} (allowed {ALLOWED[name]:.0%})" for name, share in grown.items()))
    print(f"{len(uses)} publications, {len(uses) * given.searches:,} searches")
    return 1 if any(share > ALLOWED[name] for name, share in grown.items()) else 0


if __name__ == "__main__":
    sys.exit(main())
