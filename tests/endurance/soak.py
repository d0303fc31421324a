"""Soak: 100,000 searches and 50 publications in a loop; memory, file handles, connections and disk must stay flat.
`python tests/endurance/soak.py`.

A night is a publication here: the clock is scaled. As where it is deployed, one process serves and another publishes; both are
measured. The docs are few pages and the questions short, so that a search costs little more than its embedding; every question
is a new one, searched as the server searches, some at the same time. Prints one line a round of searches, and ends with 1 when
the last quarter of the rounds needs more of anything than the second quarter by more than is allowed for.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import astuple, dataclass, replace
from pathlib import Path

from editions import editions_in, write_edition

from vuedocs.clients.engines import open_database
from vuedocs.config import load
from vuedocs.ingest.session import ingest
from vuedocs.query.reader import Reader
from vuedocs.records import Search
from vuedocs.settings import Settings

ALLOWED = {"memory": 0.15, "publisher": 0.15, "handles": 0.05, "connections": 0.5, "disk": 0.15}
"""Growth from the second quarter to the last: memory by the allocator's moods, disk by PostgreSQL's write-ahead log."""
AT_ONCE = 4
"""Searches at the same time."""


@dataclass(frozen=True)
class Use:
    """What the process and its data folder need now."""

    memory: float
    """MB resident of the process that serves."""
    publisher: float
    """MB resident of the process that publishes."""
    handles: float
    connections: float
    disk: float
    """MB."""


def used(settings: Settings, publisher: int) -> Use:
    """Memory and handles of this process, memory of the publisher, connections and disk of the data folder."""
    connections = asyncio.run(connected(settings))
    disk = int(subprocess.run(["du", "-sk", str(settings.home)], capture_output=True, text=True).stdout.split()[0])
    return Use(resident(os.getpid()), resident(publisher), len(os.listdir("/proc/self/fd")), connections, disk / 1e3)


def resident(process: int) -> float:
    """MB of a process."""
    return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


async def connected(settings: Settings) -> int:
    """Connections of the database; what it logged ahead is written to its tables first, so that the disk shows what is kept."""
    database = await open_database(settings)
    try:
        async with database.connections.use("count") as connection:
            await connection.execute("CHECKPOINT")
            row = await (await connection.execute("SELECT count(*) FROM pg_stat_activity")).fetchone()
    finally:
        await database.aclose()
    assert row
    return int(row[0])


async def soak(settings: Settings, publications: int, searches: int) -> list[Use]:
    """Rounds of one publication and so many searches."""
    command = [sys.executable, __file__, "--publish", str(settings.home.parent)]
    publisher = await asyncio.create_subprocess_exec(*command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    await publish(publisher, 1)
    reader = await Reader.open(load(), settings, interactive=True)
    uses: list[Use] = []
    begun = time.monotonic()
    try:
        for number in range(1, publications + 1):
            edition = number % 2 + 1  # the same two again and again: what is remembered does not grow
            await publish(publisher, edition)
            await reader.refresh()
            questions = iter([f"edition, question {number}.{which}" for which in range(searches)])
            await asyncio.gather(*(ask(reader, questions, edition) for _ in range(AT_ONCE)))
            uses.append(await asyncio.to_thread(used, settings, publisher.pid))
            figures = ", ".join(f"{name} {value:,.1f}" for name, value in vars(uses[-1]).items())
            print(f"publication {number:>4}, {time.monotonic() - begun:>6,.0f} s: {figures}", flush=True)
    finally:
        await reader.aclose()
        assert publisher.stdin
        publisher.stdin.close()
        await publisher.wait()
    return uses


async def publish(publisher: asyncio.subprocess.Process, edition: int) -> None:
    """Returns when the other process has published the edition."""
    assert publisher.stdin
    assert publisher.stdout
    publisher.stdin.write(f"{edition}\n".encode())
    await publisher.stdin.drain()
    assert await publisher.stdout.readline() == b"published\n"


def publishing(settings: Settings) -> None:
    """What the other process does until its input ends."""
    assert settings.docs is not None
    for line in sys.stdin:
        write_edition(settings.docs, int(line))
        asyncio.run(ingest(["vue"], load(), settings))
        print("published", flush=True)


async def ask(reader: Reader, questions: Iterator[str], edition: int) -> None:
    """Asks until there are no questions left; every answer is of this edition alone."""
    for question in questions:
        text = (await reader.search(Search(question, sources=("vue",)))).state.text
        assert editions_in(text) == {edition}, text


def growth(uses: list[Use]) -> dict[str, float]:
    """Of each mean from the second quarter of the rounds to the last."""
    quarter = max(1, len(uses) // 4)
    early, late = (list(zip(*map(astuple, part), strict=True)) for part in (uses[quarter : 2 * quarter], uses[-quarter:]))
    return {name: sum(late[n]) / sum(early[n]) - 1 for n, name in enumerate(ALLOWED)}


def settings_in(folder: Path) -> Settings:
    """Of a trial whose files are in ``folder``."""
    return replace(Settings(home=folder / "home"), docs=folder / "docs")


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--publications", type=int, default=50, help="at least 4 (%(default)s)")
    options.add_argument("--searches", type=int, default=2000, help="searches a publication (%(default)s)")
    options.add_argument("--publish", type=Path, help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.publish:
        publishing(settings_in(given.publish))
        return 0
    with tempfile.TemporaryDirectory(prefix="vuedocs-soak-", dir="/tmp", ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o755)
        (Path(folder) / "docs").mkdir()
        uses = asyncio.run(soak(settings_in(Path(folder)), given.publications, given.searches))
    grown = growth(uses)
    print("growth: " + ", ".join(f"{name} {share:+.1%} (allowed {ALLOWED[name]:.0%})" for name, share in grown.items()))
    print(f"{len(uses)} publications, {len(uses) * given.searches:,} searches")
    return 1 if any(share > ALLOWED[name] for name, share in grown.items()) else 0


if __name__ == "__main__":
    sys.exit(main())
