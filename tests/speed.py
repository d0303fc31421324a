"""How long a query takes, stage by stage, beside the model's forward pass alone, on the index in VUEDOCS_HOME:

    python tests/speed.py                                # 100 golden questions of vue, three rounds; three cold starts
    python tests/speed.py --source pinia --questions 20 --rounds 1 --starts 0

Each question is embedded alone, then asked of its source, then of all sources, so that all three see the same machine. Then what
this process weighs, and how long a server over stdio takes from nothing to its first list of tools and its first answer.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import psutil

from vuedocs import config as configs
from vuedocs.bench.questions import default_path, load
from vuedocs.query.reader import Reader
from vuedocs.records import Search
from vuedocs.settings import Settings

PROJECT = Path(__file__).parent.parent
HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "speed", "version": "1"}}

Times = Mapping[str, list[float]]
"""Milliseconds by what took them."""


async def measured(reader: Reader, questions: Sequence[str], source: str, rounds: int) -> Times:
    """All searches of all rounds, after one that only warms up."""
    await one_round(reader, questions, source, defaultdict(list))
    times: dict[str, list[float]] = defaultdict(list)
    for _ in range(rounds):
        await one_round(reader, questions, source, times)
    return times


async def one_round(reader: Reader, questions: Sequence[str], source: str, times: dict[str, list[float]]) -> None:
    """Each question once: its vector alone, asked of ``source``, asked of all sources."""
    for question in questions:
        started = time.perf_counter()
        await reader.embedder.embed_query(question)
        times["the model's forward pass alone"].append((time.perf_counter() - started) * 1000)
        await ask(reader, Search(query=question, sources=(source,)), source, times)
        await ask(reader, Search(query=question), "all sources", times)


async def ask(reader: Reader, search: Search, where: str, times: dict[str, list[float]]) -> None:
    """Adds the whole time of one search, and that of its stages."""
    started = time.perf_counter()
    result = await reader.search(search)
    times[f"a query to {where}"].append((time.perf_counter() - started) * 1000)
    for stage, milliseconds in result.milliseconds.items():
        times[f"  {stage}, {where}"].append(milliseconds)


@dataclass(frozen=True)
class Start:
    """Seconds from the start of a server process, and what it weighs once it has answered, in MB."""

    listed: float
    answered: float
    weight: float


def cold_start(question: str, source: str) -> Start:
    """A server over stdio, started, asked and ended as a client does it."""
    started = time.perf_counter()
    command = [sys.executable, str(PROJECT / "server.py")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as server:
        request(server, 1, "initialize", HELLO)
        request(server, 2, "tools/list", {})
        listed = time.perf_counter() - started
        request(server, 3, "tools/call", {"name": "docs_search", "arguments": {"query": question, "source": source}})
        answered = time.perf_counter() - started
        weight = megabytes(server.pid)
        assert server.stdin
        server.stdin.close()
    return Start(listed, answered, weight)


def request(server: subprocess.Popen[bytes], number: int, method: str, params: Mapping[str, Any]) -> None:
    """Asks, and waits for the answer. SystemExit when it is an error, or when the server ends."""
    assert server.stdin
    assert server.stdout
    message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
    server.stdin.write(json.dumps(message).encode() + b"\n")
    server.stdin.flush()
    answer: dict[str, Any] = {}
    while answer.get("id") != number:
        line = server.stdout.readline()
        if not line:
            raise SystemExit(f"the server ended before it answered {method}")
        answer = json.loads(line)
    if "error" in answer or answer["result"].get("isError"):
        raise SystemExit(f"{method} failed: {answer}")


def megabytes(pid: int | None = None) -> float:
    """Resident memory of a process, of this one by default."""
    return float(psutil.Process(pid).memory_info().rss) / 2**20


def table(times: Times) -> str:
    """A line for each of ``times``."""
    lines = [f"{'milliseconds':34} {'n':>6} {'p50':>8} {'p95':>8}"]
    for name, taken in times.items():
        p50, p95 = np.percentile(taken, [50, 95])
        lines.append(f"{name:34} {len(taken):6} {p50:8.1f} {p95:8.1f}")
    return "\n".join(lines)


async def measure(options: argparse.Namespace, settings: Settings) -> None:
    """Everything, printed."""
    questions = [golden.question for golden in load(default_path(options.source))][: options.questions]
    before = megabytes()
    reader = await Reader.open(configs.load(settings.config), settings)
    try:
        opened, manifest = megabytes(), reader.manifest
        print(f"{len(manifest.sources)} sources, {manifest.points:,} points, {reader.embedder.name}")
        print(table(await measured(reader, questions, options.source, options.rounds)))
    finally:
        await reader.aclose()
    print(f"memory of this process: {before:.0f} MB imported, {opened:.0f} with the index open, {megabytes():.0f} after all that")
    for _ in range(options.starts):
        start = cold_start(questions[0], options.source)
        print(
            f"cold start: tools listed after {start.listed:.2f} s, a question answered after {start.answered:.2f} s, "
            f"{start.weight:.0f} MB then"
        )


def main(arguments: Sequence[str] | None = None) -> int:
    """Reads the options and measures."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--source", default="vue", help="whose golden questions are asked (%(default)s)")
    options.add_argument("--questions", type=int, default=100)
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--starts", type=int, default=3, help="cold starts")
    asyncio.run(measure(options.parse_args(arguments), Settings.from_environment()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
