"""Servers over a small index in memory; and processes of the real server."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest
from serving_fakes import FakeReader, service_over

from vuedocs import config
from vuedocs.serving.server import DocsServer, build_server


@pytest.fixture
def reader() -> FakeReader:
    return FakeReader()


@pytest.fixture
def server(reader: FakeReader) -> DocsServer:
    return build_server(service_over(reader), config.load())


@pytest.fixture
def empty_server() -> DocsServer:
    """A server without an index."""
    return build_server(service_over(None), config.load())


@pytest.fixture(scope="session")
def environment(project: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """For server processes: an empty data folder, and the checkout on the path."""
    return {**os.environ, "VUEDOCS_HOME": str(tmp_path_factory.mktemp("home")), "PYTHONPATH": str(project)}


@pytest.fixture(scope="module")
def start_http(
    project: Path, environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[..., str]]:
    """Starts a script as an HTTP server on a free port and gives its base URL once it answers; ends it after the tests."""
    processes: list[subprocess.Popen[bytes]] = []

    def start(script: Path, *arguments: str, **settings: str) -> str:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        log = tmp_path_factory.mktemp("server") / "log"
        command = [sys.executable, str(script), "--http", "--port", str(port), *arguments]
        with log.open("wb") as output:
            processes.append(
                subprocess.Popen(command, cwd=project, env={**environment, **settings}, stdout=output, stderr=output)
            )
        url = f"http://127.0.0.1:{port}"
        for _ in range(200):
            try:
                httpx.get(f"{url}/health", timeout=5)
                return url
            except httpx.ConnectError:
                time.sleep(0.1)
        raise AssertionError(log.read_text())

    yield start
    for process in processes:
        process.terminate()
        process.wait(10)
