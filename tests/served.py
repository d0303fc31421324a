"""A server process for scripts and tests: started on a free port, waited for, ended."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import httpx

START_SECONDS = 120.0
PROJECT = Path(__file__).parent.parent
UNLIMITED = {"VUEDOCS_CALLS_PER_MINUTE": "0", "VUEDOCS_CALLS_AT_ONCE": "0"}
"""Settings for a run in which one client asks for all."""


@contextmanager
def served(log: Path, settings: Mapping[str, str], script: Path = PROJECT / "server.py") -> Iterator[tuple[str, int]]:
    """``(base URL, process id)`` of an HTTP server that is well; ``settings`` go to its environment, its stderr to ``log``."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = {**os.environ, "PYTHONPATH": str(PROJECT), **settings}
    with log.open("wb") as output:
        command = [sys.executable, str(script), "--http", "--port", str(port)]
        process = subprocess.Popen(command, cwd=PROJECT, env=environment, stdout=output, stderr=output)
    try:
        url = f"http://127.0.0.1:{port}"
        wait_until_well(url, process, log, START_SECONDS)
        yield url, process.pid
    finally:
        process.terminate()
        process.wait(10)


def wait_until_well(url: str, process: subprocess.Popen[bytes], log: Path, seconds: float) -> None:
    """Returns when /health says ok; SystemExit with the log's end when it does not."""
    deadline = time.monotonic() + seconds
    said = "nothing"
    while time.monotonic() < deadline and process.poll() is None:
        try:
            answer = httpx.get(f"{url}/health", timeout=10)
            said = answer.text
            if answer.status_code == 200:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.2)
    raise SystemExit(f"the server is not well; /health said {said}\n{log.read_text(errors='replace')[-2000:]}")
