"""Load on the HTTP server, beside the bare pipeline, on the index in VUEDOCS_HOME:

    python tests/load.py                        # 32 clients for 60 s, a hot reload in the middle, memory over 10,000 calls
    python tests/load.py --clients 4 --seconds 5 --calls 100

Each client asks, waits for the answer and asks again: questions mostly, look-ups, pages, lists. The pipeline is asked the same
questions in this process first, alone and then as many at once as there are clients, so that what the server adds can be seen.
The exit code is 1 when a call fails, when the reload loses one, or when memory grows.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import math
import random
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import psutil

sys.path.insert(0, str(Path(__file__).parent))

from served import PROJECT, UNLIMITED, served

from vuedocs import config as configs
from vuedocs.clients.engines import open_database
from vuedocs.query.reader import Reader
from vuedocs.records import Search
from vuedocs.settings import Settings

HEADERS = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-11-25"}
GROWTH_MB = 30.0
"""Of the server's memory between the first tenth of the calls and the last, at most: caches fill, nothing else."""
ADDED_MS = 5.0
"""What the server may add to a call at the median."""


def questions() -> Iterator[str]:
    """Golden questions of vue, which are as people ask; each only once, for what was asked before is answered from memory."""
    lines = (PROJECT / "evals" / "questions" / "vue.jsonl").read_text(encoding="utf-8").splitlines()
    asked = [json.loads(line)["question"] for line in lines]
    for number in itertools.count():
        start = random.randrange(10**6)
        yield from (f"{question} {start + number}" if number else question for question in asked)


def mix() -> Iterator[tuple[str, dict[str, Any]]]:
    """Calls without end: of ten, seven searches, and one each of a look-up, a page and what is related."""
    asked = questions()
    names = itertools.cycle(["computed", "v-model", "KeepAlive", "watchEffect", "defineProps", "nextTick"])
    pages = itertools.cycle(["guide/essentials/computed", "api/reactivity-core", "guide/components/slots"])
    while True:
        for _ in range(7):
            yield "docs_search", {"query": next(asked), "source": "vue"}
        yield "api_lookup", {"name": next(names), "source": "vue"}
        yield "read_page", {"path": f"vue/{next(pages)}"}
        yield "get_related", {"name": next(names), "source": "vue"}


@dataclass
class Outcome:
    """Seconds of each call, by tool, and what went wrong."""

    seconds: dict[str, list[float]] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)

    @property
    def calls(self) -> int:
        """That were answered."""
        return sum(len(times) for times in self.seconds.values())


async def call(client: httpx.AsyncClient, url: str, tool: str, arguments: dict[str, Any], outcome: Outcome) -> None:
    """One call by hand, without a client library of the protocol."""
    started = time.perf_counter()
    try:
        answer = await client.post(f"{url}/mcp", json=message(tool, arguments), headers=HEADERS)
    except httpx.HTTPError as error:
        outcome.errors.append(f"{tool}: {type(error).__name__}")
        return
    if answer.status_code != 200 or failed(answer.text):
        outcome.errors.append(f"{tool} {arguments}: {answer.status_code} {answer.text[:200]}")
        return
    outcome.seconds.setdefault(tool, []).append(time.perf_counter() - started)


def message(tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}


def failed(answer: str) -> bool:
    return '"isError":true' in answer or '"error":{' in answer


async def asking(url: str, calls: Iterator[tuple[str, dict[str, Any]]], until: float, most: float, outcome: Outcome) -> None:
    """One client, until a time or a number of calls of all clients."""
    async with httpx.AsyncClient(timeout=60) as client:
        while time.monotonic() < until and outcome.calls + len(outcome.errors) < most:
            await call(client, url, *next(calls), outcome)


async def pipeline(settings: Settings, at_once: int, number: int) -> list[float]:
    """Seconds of ``number`` searches in this process, ``at_once`` at a time."""
    reader = await Reader.open(configs.load(settings.config), settings)
    asked = itertools.islice(questions(), number)
    times: list[float] = []

    async def worker() -> None:
        for question in asked:
            started = time.perf_counter()
            await reader.search(Search(query=question, sources=("vue",)))
            times.append(time.perf_counter() - started)

    try:
        await asyncio.gather(*(worker() for _ in range(at_once)))
    finally:
        await reader.aclose()
    return times[at_once:]  # the first ones warm it up


async def republish(settings: Settings) -> str:
    """Publishes the content that is served once more, as a generation of its own; its name."""
    from dataclasses import replace

    from vuedocs.clients.engines import open_builder

    database = await open_database(settings)
    try:
        async with database.lock_ingest():
            manifest = await database.published()
            assert manifest is not None
            digests = list((await database.snapshot_digests()).values())
            name = await database.next_generation()
            builder = await open_builder(settings, database, configs.load(settings.config).store.quantisation)
            await builder.build(name, database.snapshot_points(digests), manifest.dims, 500)
            await database.publish(replace(manifest, generation=name), digests, 2, manifest.generation)
        return name
    finally:
        await database.aclose()


async def reload_in_the_middle(settings: Settings, url: str, seconds: float) -> tuple[str, float]:
    """Publishes half way; the generation, and the seconds until it was served."""
    await asyncio.sleep(seconds / 2)
    name = await republish(settings)
    published = time.monotonic()
    async with httpx.AsyncClient(timeout=60) as client:
        for _ in range(600):
            if f'generation="{name}"' in (await client.get(f"{url}/metrics")).text:
                return name, time.monotonic() - published
            await asyncio.sleep(0.05)
    return name, math.inf


def row(name: str, seconds: Sequence[float], wall: float = 0.0) -> str:
    """One line of the table, in milliseconds."""
    p50, p95, p99 = np.percentile(np.array(seconds) * 1000, [50, 95, 99])
    rate = f"{len(seconds) / wall:7.1f}" if wall else "       "
    return f"{name:34} {len(seconds):6} {p50:8.1f} {p95:8.1f} {p99:8.1f} {rate}"


def megabytes(pid: int) -> float:
    """The process's resident memory."""
    return float(psutil.Process(pid).memory_info().rss) / 2**20


def alone(url: str, number: int) -> list[float]:
    """Searches of one client, one after the other, by a bare connection: what httpx takes is not the server's."""
    address = httpx.URL(url)
    searches = (arguments for tool, arguments in mix() if tool == "docs_search")
    times: list[float] = []
    with closing(HTTPConnection(address.host, address.port, timeout=60)) as connection:
        for arguments in itertools.islice(searches, number):
            body = json.dumps(message("docs_search", arguments))
            started = time.perf_counter()
            connection.request("POST", "/mcp", body, {**HEADERS, "Content-Type": "application/json"})
            answer = connection.getresponse()
            text = answer.read().decode()
            times.append(time.perf_counter() - started)
            if answer.status != 200 or failed(text):
                raise SystemExit(f"{arguments}: {answer.status} {text[:200]}")
    return times[number // 10 :]


async def measure(options: argparse.Namespace, settings: Settings, url: str, pid: int) -> list[str]:
    """All runs, printed; what was not as it should be."""
    print(f"{'':34} {'calls':>6} {'p50 ms':>8} {'p95 ms':>8} {'p99 ms':>8} {'calls/s':>7}")
    rounds = [(await pipeline(settings, 1, options.alone), await asyncio.to_thread(alone, url, options.alone)) for _ in range(3)]
    bare = [each for pair in rounds for each in pair[0]]
    through = [each for pair in rounds for each in pair[1]]
    print(row("pipeline, one at a time", bare), row("server, one client", through), sep="\n")
    started = time.monotonic()
    print(row(f"pipeline, {options.clients} at once", await pipeline(settings, options.clients, options.alone * 2)))
    outcome, calls, until = Outcome(), mix(), time.monotonic() + options.seconds
    started = time.monotonic()
    reloading = asyncio.create_task(reload_in_the_middle(settings, url, options.seconds))
    await asyncio.gather(*(asking(url, calls, until, math.inf, outcome) for _ in range(options.clients)))
    wall = time.monotonic() - started
    everything = [each for times in outcome.seconds.values() for each in times]
    print(row(f"server, {options.clients} clients, mix", everything, wall))
    for tool, times in sorted(outcome.seconds.items()):
        print(row(f"  {tool}", times))
    generation, lag = await reloading
    print(f"hot reload to {generation} under load: served {lag:.2f} s after it was published; errors: {len(outcome.errors)}")
    growth = await memory(options, url, pid, outcome)
    added = (float(np.median(through)) - float(np.median(bare))) * 1000
    print(f"the server adds {added:.1f} ms to a search at the median")
    problems = [*outcome.errors[:5]]
    problems += [f"memory grew by {growth:.0f} MB"] if growth > GROWTH_MB else []
    problems += [f"the server adds {added:.1f} ms, more than {ADDED_MS}"] if added > ADDED_MS else []
    return problems


async def memory(options: argparse.Namespace, url: str, pid: int, outcome: Outcome) -> float:
    """Megabytes that the server grows by over a number of calls, after a tenth of them."""
    calls, soak = mix(), Outcome()
    marks = []
    for part in range(10):
        most = options.calls * (part + 1) // 10
        await asyncio.gather(*(asking(url, calls, time.monotonic() + 3600, most, soak) for _ in range(8)))
        marks.append(megabytes(pid))
    outcome.errors += soak.errors
    print(f"memory over {soak.calls} calls, MB: {' '.join(f'{mark:.0f}' for mark in marks)}")
    return marks[-1] - marks[0]


def main() -> int:
    """Starts the server, measures, and says what was not as it should be."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--clients", type=int, default=32)
    options.add_argument("--seconds", type=float, default=60)
    options.add_argument("--calls", type=int, default=10_000, help="of the memory run")
    options.add_argument("--alone", type=int, default=200, help="searches of each run with one client")
    chosen = options.parse_args()
    settings = Settings.from_environment()
    with served(Path(tempfile.mkdtemp()) / "server.log", UNLIMITED) as (url, pid):
        problems = asyncio.run(measure(chosen, settings, url, pid))
    print("\n".join(problems) or "all as it should be")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
