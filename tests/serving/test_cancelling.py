"""A call that its client gives up stops its work, and no other client's."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any, Literal

import anyio
import httpx
import pytest
import uvicorn
from mcp import Client
from serving_fakes import FakeReader, service_over

from vuedocs import config
from vuedocs.records import Search
from vuedocs.serving.http import application
from vuedocs.serving.server import build_server
from vuedocs.settings import ServerSettings
from vuedocs.stages import Result

ACCEPT = {"Accept": "application/json, text/event-stream"}
MODES: list[Literal["auto", "legacy"]] = ["auto", "legacy"]


@dataclass
class SlowReader(FakeReader):
    """Says when a search begins, and lets it take until ``release``; counts those that were stopped before."""

    started: asyncio.Queue[str] = field(default_factory=asyncio.Queue)
    release: asyncio.Event = field(default_factory=asyncio.Event)
    stopped: list[str] = field(default_factory=list)

    async def search(self, search: Search, *, progress: Any = None, **_: Any) -> Result[Search]:
        self.started.put_nowait(search.query)
        try:
            await self.release.wait()
        except asyncio.CancelledError:
            self.stopped.append(search.query)
            raise
        return await super().search(search, progress=progress)


async def until(condition: Any, seconds: float = 30.0) -> None:
    async with asyncio.timeout(seconds):
        while not condition():  # noqa: ASYNC110 - what is waited for has no event of its own
            await asyncio.sleep(0.01)


@contextlib.asynccontextmanager
async def http_server(reader: FakeReader) -> AsyncIterator[str]:
    """The server over HTTP within this process; its address."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        app = application(build_server(service_over(reader), config.load()), ServerSettings(), "127.0.0.1")
        running = uvicorn.Server(uvicorn.Config(app, log_config=None, timeout_graceful_shutdown=1))
        serving = asyncio.create_task(running.serve([listening]))
        try:
            await until(lambda: running.started)
            yield f"http://127.0.0.1:{listening.getsockname()[1]}/mcp"
        finally:
            running.should_exit = True
            await serving


async def give_up(client: Client, reader: SlowReader, query: str) -> None:
    """Asks, and gives up once the search has begun."""
    async with anyio.create_task_group() as group:
        group.start_soon(client.call_tool, "docs_search", {"query": query})
        await reader.started.get()
        group.cancel_scope.cancel()


@pytest.mark.parametrize("mode", MODES)
async def test_a_cancelled_call_stops_its_search_and_the_client_goes_on(mode: Literal["auto", "legacy"]) -> None:
    reader = SlowReader()
    async with Client(build_server(service_over(reader), config.load()), mode=mode) as client:
        await give_up(client, reader, "given up")
        await until(lambda: reader.stopped == ["given up"])
        reader.release.set()
        assert not (await client.call_tool("docs_search", {"query": "asked"})).is_error


async def test_a_connection_that_ends_stops_its_search_where_one_object_answers() -> None:
    reader = SlowReader()
    asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "docs_search", "arguments": {"query": "x"}}}
    async with http_server(reader) as url, httpx.AsyncClient(headers=ACCEPT) as client:
        asking = asyncio.create_task(client.post(url, json=asked))
        await reader.started.get()
        asking.cancel()
        await until(lambda: reader.stopped == ["x"])
        reader.release.set()
        assert '"isError":false' in (await client.post(url, json=asked)).text
        assert reader.stopped == ["x"]


@pytest.mark.parametrize("mode", MODES)
async def test_a_client_that_goes_stops_its_own_search_and_no_other(mode: Literal["auto", "legacy"]) -> None:
    reader = SlowReader()
    async with http_server(reader) as url, Client(url, mode=mode) as staying:
        kept = asyncio.create_task(staying.call_tool("docs_search", {"query": "kept"}))
        await reader.started.get()
        async with Client(url, mode=mode) as going:
            await give_up(going, reader, "given up")
        await until(lambda: reader.stopped == ["given up"])
        reader.release.set()
        assert not (await kept).is_error
    assert reader.stopped == ["given up"]
