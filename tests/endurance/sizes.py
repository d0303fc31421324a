"""Sizes: what a corpus of many points costs. `python tests/endurance/sizes.py 40000 200000 800000`.

Each size has a data folder and a process of its own, and synthetic docs (tests/endurance/synthetic.py) whose vectors are
remembered, so that everything is measured but parsing and the model: embedding from memory, storing, opening, querying, and one
more night in which one source changed. Prints a column for each size. Memory is the highest that the process needed meanwhile,
PostgreSQL's own left out; what of it is mapped from files, the system can take back. Seconds of the clock depend on what else the
machine does; those of the processor (CPU, this process's own) do not.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from synthetic import Corpus, HashEmbedder

from vuedocs.clients.database import PostgresDatabase
from vuedocs.clients.engines import open_builder, open_database
from vuedocs.config import load
from vuedocs.ingest.clients import IngestClients
from vuedocs.ingest.embed import embed
from vuedocs.ingest.session import silent
from vuedocs.ingest.store import store
from vuedocs.ingest.watch import merged
from vuedocs.query.reader import Reader, open_generation
from vuedocs.records import Search
from vuedocs.settings import Settings

QUERIES = 60


class Measured:
    """Seconds and highest memory of the parts of the work, by name."""

    def __init__(self) -> None:
        self.row: dict[str, float] = {}

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        """Measures what is done meanwhile."""
        Path("/proc/self/clear_refs").write_text("5")  # forgets the highest memory so far
        begun, busy = time.perf_counter(), time.process_time()
        yield
        self.row[f"{name} s"] = time.perf_counter() - begun
        self.row[f"{name} CPU s"] = time.process_time() - busy
        self.row[f"{name} MB"] = memory("VmHWM")
        print(f"  {name}: {self.row[f'{name} s']:,.1f} s, {self.row[f'{name} MB']:,.0f} MB", file=sys.stderr, flush=True)


def memory(which: str) -> float:
    """A figure of this process's memory, in MB."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(which)) / 1e3


async def measure(points: int, home: Path) -> dict[str, float]:
    """Makes a data folder of about so many points and measures each part of its life."""
    config, settings, corpus, measured = load(), Settings(home=home), Corpus(points), Measured()
    database = await open_database(settings)
    builder = await open_builder(settings, database, config.store.quantisation)
    embedder = HashEmbedder(config.embed.dims)
    clients = IngestClients(embedder, database, builder, home, config.shape(), config.shaping(), silent)
    for source in corpus.sources:  # what a first ingest pays for; the memory is there from now on
        await embed(corpus.state(source), config.embed, clients)
    with measured.part("read"):
        states = [await embed(corpus.state(source), config.embed, clients) for source in corpus.sources]
    with measured.part("store"):
        state = await store(merged(states), config.store, clients)
    assert state.manifest is not None
    measured.row["points"] = state.manifest.points
    measured.row["index MB"], measured.row["database MB"] = folder_mb(home / "index"), await database_mb(database)
    del states, state
    await query(config, database, builder, embedder, corpus, measured)
    with measured.part("night"):
        changed = await embed(corpus.state(corpus.sources[0], edition=2), config.embed, clients)
        await store(changed, config.store, clients)
    await database.aclose()
    return measured.row


async def query(config, database, builder, embedder, corpus: Corpus, measured: Measured) -> None:  # type: ignore[no-untyped-def]
    """Opens what is published twice, and asks of all sources and of one."""
    for name in ("open", "open again"):
        with measured.part(name):
            generation = await open_generation(await database.published(), config, database, builder)
        if name == "open":
            await generation.leave()
    reader = Reader(config, database, builder, embedder, generation)
    chance = random.Random(1)
    for name, sources in (("all", ()), ("one source", (corpus.sources[0],))):
        seconds = []
        for number in range(QUERIES + 5):
            begun = time.process_time()
            await reader.search(Search(f"{corpus.words(chance, 6)} {number}", sources=sources))
            seconds.append(time.process_time() - begun)
        measured.row[f"query {name} CPU ms"] = 1e3 * statistics.median(seconds[5:])
    measured.row["serving MB"], measured.row["of it mapped MB"] = memory("VmRSS"), memory("RssFile")
    await generation.leave()


async def database_mb(database: PostgresDatabase) -> float:
    async with database.connections.use("size") as connection:
        row = await (await connection.execute("SELECT pg_database_size(current_database())")).fetchone()
    assert row
    return int(row[0]) / 1e6


def folder_mb(folder: Path) -> float:
    """What a folder really takes: the engine's files have holes."""
    return sum(path.stat().st_blocks for path in folder.rglob("*")) * 512 / 1e6


def table(rows: list[dict[str, float]]) -> str:
    """Measures as lines, sizes as columns."""
    lines = [f"{name:<24}" + "".join(f"{row[name]:>14,.{0 if row[name] >= 100 else 1}f}" for row in rows) for name in rows[0]]
    kinds = ("index MB", "database MB", "serving MB", "read MB", "store MB")
    for name in kinds:
        each = (1e3 * row[name] / row["points"] for row in rows)
        lines.append(f"{name[:-3]} KB/point".ljust(24) + "".join(f"{value:>14,.2f}" for value in each))
    return "\n".join(lines)


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("points", type=int, nargs="*", default=[40_000, 200_000])
    options.add_argument("--folder", type=Path, default=Path("/tmp"), help="where the data is put: about 8 KB a point")
    options.add_argument("--one", action="store_true", help="this size, in this process, as JSON")
    given = options.parse_args()
    if given.one:
        with tempfile.TemporaryDirectory(prefix="vuedocs-sizes-", dir=given.folder, ignore_cleanup_errors=True) as folder:
            Path(folder).chmod(0o755)
            print(json.dumps(asyncio.run(measure(given.points[0], Path(folder) / "home"))))
        return 0
    rows = []
    for points in given.points:
        print(f"{points:,} points", file=sys.stderr, flush=True)
        command = [sys.executable, __file__, str(points), "--one", "--folder", str(given.folder)]
        rows.append(json.loads(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout))
        print(table(rows), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
