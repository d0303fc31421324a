"""The real server over a real index: stdio in both protocol modes, and HTTP with a health check that tells the truth."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal

import httpx
import pytest
from mcp import Client, StdioServerParameters
from mcp.types import ResourceLink, TextContent
from processes import Command, environment

QUESTION = {"query": "how is a computed property cached", "source": "sample", "max_results": 3}
ANSWER = "https://sample.vuedocs.example/guide/essentials/computed#caching"
MODES: list[Literal["auto", "legacy"]] = ["auto", "legacy"]


@pytest.mark.parametrize("mode", MODES)
async def test_it_answers_over_stdio(
    project: Path, sample: Path, mode: Literal["auto", "legacy"], capsys: pytest.CaptureFixture[str]
) -> None:
    server = StdioServerParameters(command=sys.executable, args=["server.py"], cwd=project, env=environment(project, sample))
    started = time.monotonic()
    async with Client(server, mode=mode) as client:
        tools = {tool.name for tool in (await client.list_tools()).tools}
        seconds = time.monotonic() - started
        result = await client.call_tool("docs_search", QUESTION)
    with capsys.disabled():
        print(f"\nserver.py, {mode}: first answer to tools/list after {seconds:.2f} s")
    assert "docs_search" in tools
    assert seconds < 10
    assert not result.is_error
    block, *links = result.content
    assert isinstance(block, TextContent)
    assert "vuedocs://sample/pages/guide/essentials/computed" in [link.uri for link in links if isinstance(link, ResourceLink)]
    assert f"## [Caching]({ANSWER})" in block.text
    assert result.structured_content
    assert ANSWER in [passage["url"] for passage in result.structured_content["passages"]]


def test_it_ends_when_stdin_closes_while_the_index_is_open(project: Path, sample: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "server.py"],
        cwd=project,
        env=environment(project, sample),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdin
    assert process.stderr
    for line in process.stderr:
        if b"serving generation" in line:
            break
    process.stdin.close()
    assert process.wait(timeout=10) == 0


@pytest.fixture
def serve(project: Path, tmp_path: Path) -> Iterator[Callable[[Path], str]]:
    """Starts the HTTP server over a data folder and gives its address once it is well."""
    processes: list[subprocess.Popen[bytes]] = []

    def start(home: Path) -> str:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        log = tmp_path / "server.log"
        with log.open("wb") as output:
            command = [sys.executable, "server.py", "--http", "--port", str(port)]
            settings = environment(project, home)
            processes.append(subprocess.Popen(command, cwd=project, env=settings, stdout=output, stderr=output))
        url = f"http://127.0.0.1:{port}"
        assert until(lambda: health(url)[0] == 200), log.read_text()
        return url

    yield start
    for process in processes:
        process.terminate()
        process.wait(10)


def health(url: str) -> tuple[int, Any]:
    try:
        response = httpx.get(f"{url}/health", timeout=10)
    except httpx.TransportError:
        return 0, None
    return response.status_code, response.json()


def until(condition: Callable[[], bool], seconds: float = 30.0) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.2)
    return False


def test_health_of_a_server_that_is_well(serve: Callable[[Path], str], sample: Path) -> None:
    status, body = health(serve(sample))
    assert status == 200
    assert list(body) == ["status", "version", "uptime_seconds", "checks", "sources", "pages", "points", "data_updated"]
    assert body["status"] == "ok"
    assert body["checks"] == {"data": "ok", "database": "ok", "qdrant": "ok"}
    assert re.fullmatch(r"\d+\.\d+\.\d+", body["version"])
    assert body["sources"] == 1
    assert body["pages"] >= 24
    assert body["points"] > body["pages"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00", body["data_updated"])
    assert type(body["uptime_seconds"]) is int


async def test_health_while_the_database_is_down_and_after(
    serve: Callable[[Path], str], command: Command, home: Path, docs: Path
) -> None:
    assert command("ingest", "vue", "--docs", str(docs), home=home).returncode == 0
    url = serve(home)
    pid = int((home / "postgres" / "postmaster.pid").read_text().splitlines()[0])
    os.kill(pid, signal.SIGQUIT)
    assert until(lambda: health(url)[0] == 503)
    status, body = health(url)
    assert (status, body["status"]) == (503, "degraded")
    assert body["checks"]["qdrant"] == "ok"
    assert all(re.fullmatch(r"ok|[A-Za-z]+Error", outcome) for outcome in body["checks"].values())
    assert body["checks"]["database"] != "ok"
    async with Client(f"{url}/mcp") as client:
        result = await client.call_tool("docs_search", {"query": "deep watchers on nested mutations", "source": "vue"})
    assert not result.is_error
    assert until(lambda: health(url)[0] == 200), "a question that reads starts the embedded database again"


def test_a_newer_generation_is_served_without_a_restart(
    serve: Callable[[Path], str], command: Command, home: Path, docs: Path
) -> None:
    assert command("ingest", "vue", "--docs", str(docs), home=home).returncode == 0
    url = serve(home)
    assert health(url)[1]["sources"] == 1
    assert command("ingest", "pinia", "--docs", str(docs), home=home).returncode == 0
    assert until(lambda: health(url)[1]["sources"] == 2, 10)
