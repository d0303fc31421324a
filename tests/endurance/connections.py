"""Open connections in steps, and callers who read slowly, against a server of its own over a small index in memory:

    python tests/endurance/connections.py                 # up to 10,000 connections
    python tests/endurance/connections.py --steps 20 60

At each step the connections ask nothing; beside them an honest caller asks for its health and searches. Then callers ask for long
answers and do not read them. The exit code is 1 when an honest caller is not answered with 200, or when, a while after all have
gone, the server holds more files than before.
"""

from __future__ import annotations

import argparse
import contextlib
import resource
import socket
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import httpx
import psutil

TESTS = Path(__file__).parent.parent
sys.path.insert(0, str(TESTS))

from served import UNLIMITED, served  # noqa: E402

FAKE_SERVER = TESTS / "serving" / "fake_server.py"
HEADERS = {"Accept": "application/json, text/event-stream"}
SEARCH = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "docs_search", "arguments": {"query": "a ref"}}}
SLOW_REQUEST = b"GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
SLOW_READERS, ASKED_AT_ONCE = 10, 30
"""Callers who do not read, and what each asks for without waiting."""
SPARE_FILES = 5
"""That the server may hold more than before: a connection that is still being closed, a log."""
SETTLE_SECONDS = 40.0
"""Longest time until the files are given back; the server's patience with who does nothing is 15 s."""


def answered(url: str) -> tuple[int, int, float]:
    """Statuses of a new caller's look at the health and of its search, and the seconds that both took; 0 for no answer."""
    started = time.monotonic()
    try:
        health = httpx.get(f"{url}/health", timeout=60).status_code
        search = httpx.post(f"{url}/mcp", json=SEARCH, headers=HEADERS, timeout=60).status_code
    except httpx.TransportError:
        return 0, 0, time.monotonic() - started
    return health, search, time.monotonic() - started


@contextlib.contextmanager
def connected(url: str, number: int) -> Iterator[list[socket.socket]]:
    """As many connections as can be opened of ``number``."""
    host, port = url.removeprefix("http://").split(":")
    opened: list[socket.socket] = []
    try:
        for _ in range(number):
            with contextlib.suppress(OSError):  # refused: that is an answer too
                opened.append(socket.create_connection((host, int(port)), timeout=10))
        yield opened
    finally:
        for each in opened:
            each.close()


def tried(url: str, server: psutil.Process, steps: Sequence[int]) -> Iterator[str]:
    """Opens the connections of each step; what went wrong."""
    for number in steps:
        with connected(url, number) as opened:
            health, search, seconds = answered(url)
            print(f"{number:6} asked for, {len(opened):6} opened: {health} {search} in {seconds:.2f} s, {server.num_fds()} files")
            if (health, search) != (200, 200):
                yield f"with {number} connections open an honest caller got {health} and {search}"
    with connected(url, min(SLOW_READERS, steps[-1])) as opened:
        for each in opened:
            each.setblocking(False)
            with contextlib.suppress(BlockingIOError):
                each.send(SLOW_REQUEST * ASKED_AT_ONCE)
        health, search, seconds = answered(url)
        print(f"{len(opened):6} who do not read: {health} {search} in {seconds:.2f} s, {server.num_fds()} files")
        if (health, search) != (200, 200):
            yield f"beside slow readers an honest caller got {health} and {search}"


def given_back(server: psutil.Process, before: int) -> bool:
    """Whether the server's files come down to what they were."""
    deadline = time.monotonic() + SETTLE_SECONDS
    while (left := server.num_fds()) > before + SPARE_FILES and time.monotonic() < deadline:
        time.sleep(0.5)
    print(f"files: {before} before, {left} after")
    return left <= before + SPARE_FILES


def main() -> int:
    """Starts the server and tries it; 1 where something went wrong."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--steps", type=int, nargs="+", default=[500, 1000, 2500, 5000, 10_000])
    steps = options.parse_args().steps
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    with served(Path(tempfile.mkdtemp()) / "server.log", UNLIMITED, FAKE_SERVER) as (url, pid):
        server = psutil.Process(pid)
        answered(url)
        before = server.num_fds()
        problems = list(tried(url, server, steps))
        problems += [] if given_back(server, before) else ["the server holds files of connections that are gone"]
    print("\n".join(problems) or "all as it should be")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
