"""The server as a process over stdio: the real one without an index, and one over a small index in memory."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Literal

import pytest
from mcp import Client, StdioServerParameters
from mcp.types import TextContent
from serving_fakes import FAKE_SERVER, HANGING, SLOW

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}
MODES: list[Literal["auto", "legacy"]] = ["auto", "legacy"]


def parameters(script: Path, project: Path, environment: dict[str, str]) -> StdioServerParameters:
    return StdioServerParameters(command=sys.executable, args=[str(script)], cwd=project, env=environment)


@pytest.mark.parametrize("mode", MODES)
async def test_without_an_index_it_serves_and_says_how_to_make_one(
    project: Path, environment: dict[str, str], mode: Literal["auto", "legacy"]
) -> None:
    async with Client(parameters(project / "server.py", project, environment), mode=mode) as client:
        assert (await client.list_tools()).tools
        result = await client.call_tool("docs_search", {"query": "what is a ref"})
    (block,) = result.content
    assert result.is_error
    assert isinstance(block, TextContent)
    assert "vuedocs ingest" in block.text


@pytest.mark.parametrize("mode", MODES)
async def test_a_stray_print_in_a_tool_stays_off_the_wire(
    project: Path, environment: dict[str, str], mode: Literal["auto", "legacy"]
) -> None:
    async with Client(parameters(FAKE_SERVER, project, environment), mode=mode) as client:
        for _ in range(3):
            result = await client.call_tool("docs_search", {"query": "what is a ref"})
            assert not result.is_error


def exchange(process: subprocess.Popen[bytes], *messages: object) -> list[object]:
    """Sends the messages and reads one line for each that has an id."""
    assert process.stdin
    assert process.stdout
    for message in messages:
        process.stdin.write(json.dumps(message).encode() + b"\n")
    process.stdin.flush()
    expected = sum(isinstance(message, dict) and "id" in message for message in messages)
    return [json.loads(process.stdout.readline()) for _ in range(expected)]


@pytest.fixture
def process(project: Path, environment: dict[str, str], request: pytest.FixtureRequest) -> subprocess.Popen[bytes]:
    script = getattr(request, "param", FAKE_SERVER)
    command = [sys.executable, str(script)]
    return subprocess.Popen(
        command, cwd=project, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


def test_stdout_holds_protocol_lines_only_from_first_to_last(process: subprocess.Popen[bytes]) -> None:
    call = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "docs_search", "arguments": {"query": "x"}}}
    exchange(process, INITIALIZE, INITIALIZED)
    exchange(process, call)
    rest, log = process.communicate(timeout=10)
    assert rest == b""
    assert b"a stray print" in log


@pytest.mark.parametrize("process", [Path("server.py"), FAKE_SERVER], indirect=True)
def test_it_exits_within_two_seconds_of_stdin_closing(process: subprocess.Popen[bytes]) -> None:
    exchange(process, INITIALIZE, INITIALIZED)
    assert process.stdin
    process.stdin.close()
    closed = time.monotonic()
    assert process.wait(timeout=10) == 0
    assert time.monotonic() - closed < 2


@pytest.mark.parametrize("query", [SLOW, HANGING])
def test_it_exits_within_two_seconds_also_in_the_middle_of_a_call(process: subprocess.Popen[bytes], query: str) -> None:
    call = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "docs_search", "arguments": {"query": query}}}
    exchange(process, INITIALIZE, INITIALIZED)
    assert process.stdin
    process.stdin.write(json.dumps(call).encode() + b"\n")
    process.stdin.flush()
    time.sleep(0.5)
    process.stdin.close()
    closed = time.monotonic()
    process.wait(timeout=10)
    assert time.monotonic() - closed < 2


def test_a_wrong_config_ends_it_with_words_and_code_2(project: Path, environment: dict[str, str], tmp_path: Path) -> None:
    config = tmp_path / "wrong.toml"
    config.write_text("[search]\ncolour = 'red'\n")
    ended = subprocess.run(
        [sys.executable, "server.py"],
        cwd=project,
        env={**environment, "VUEDOCS_CONFIG": str(config)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=30,
        check=False,
    )
    assert ended.returncode == 2
    assert ended.stdout == b""
    assert b"search has no key 'colour'" in ended.stderr
    assert b"Traceback" not in ended.stderr
