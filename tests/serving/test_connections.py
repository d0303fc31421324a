"""Connections that make no progress are closed, and newcomers find room."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import time
from collections.abc import AsyncIterator
from typing import Any

import pytest
import uvicorn

from vuedocs.serving.connections import MOST_CONNECTIONS, ImpatientProtocol, room_for_connections

REQUEST = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
PATIENCE = 0.3


class Hasty(ImpatientProtocol):
    """As the server's, in small."""

    most = 20
    patience = PATIENCE


async def answer(scope: Any, receive: Any, send: Any) -> None:
    """A page of 20 MB at /large, after a second at /slow, else two bytes."""
    if scope["path"] == "/slow":
        await asyncio.sleep(3 * PATIENCE)
    await send({"type": "http.response.start", "status": 200, "headers": []})
    for _ in range(320 if scope["path"] == "/large" else 0):
        await send({"type": "http.response.body", "body": b"x" * 65_536, "more_body": True})
    await send({"type": "http.response.body", "body": b"ok"})


@pytest.fixture
async def port() -> AsyncIterator[int]:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        config = uvicorn.Config(answer, http=Hasty, ws="none", lifespan="off", log_config=None, timeout_keep_alive=60)
        server = uvicorn.Server(config)
        serving = asyncio.create_task(server.serve([listening]))
        while not server.started:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        yield listening.getsockname()[1]
        server.should_exit = True
        server.force_exit = True
        await serving


async def closed_after(reader: asyncio.StreamReader) -> float:
    """Seconds until the server closes the connection; what it sent before is read."""
    started = time.monotonic()
    with contextlib.suppress(ConnectionError):
        async with asyncio.timeout(10):
            while await reader.read(65_536):
                pass
    return time.monotonic() - started


async def test_who_asks_nothing_is_let_go(port: int) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    assert PATIENCE / 2 < await closed_after(reader) < 5
    writer.close()


async def test_who_sends_a_head_byte_by_byte_is_let_go_too(port: int) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"GET / HTTP/1.1\r\n")

    async def drip() -> None:
        with contextlib.suppress(ConnectionError):
            while True:
                writer.write(b"X: y\r\n")
                await writer.drain()
                await asyncio.sleep(PATIENCE / 5)

    dripping = asyncio.create_task(drip())
    assert await closed_after(reader) < 5
    dripping.cancel()


async def test_who_waits_for_a_slow_answer_gets_it(port: int) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(REQUEST.replace(b"/", b"/slow", 1))
    assert b"200 OK" in await reader.readline()
    writer.close()


async def test_who_does_not_read_is_cut_off(port: int) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1024)
    writer.write(REQUEST.replace(b"/", b"/large", 1))
    await asyncio.sleep(4 * PATIENCE)
    received = 0
    with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
        while part := await asyncio.wait_for(reader.read(65_536), 5):
            received += len(part)
    assert received < 20_000_000
    writer.close()


async def test_many_connections_keep_nobody_out(port: int) -> None:
    idle = [await asyncio.open_connection("127.0.0.1", port) for _ in range(Hasty.most)]
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(REQUEST)
    assert b"200 OK" in await asyncio.wait_for(reader.readline(), 5)
    assert await asyncio.wait_for(idle[0][0].read(), PATIENCE / 2 + 1) == b""
    for _, each in [*idle, (reader, writer)]:
        each.close()


async def test_room_is_made_once_for_all_that_come_at_the_same_time(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []
    make_room = Hasty._make_room
    monkeypatch.setattr(Hasty, "_make_room", lambda self: (made.append(len(self.connections)), make_room(self)))
    opened = await asyncio.gather(*(asyncio.open_connection("127.0.0.1", port) for _ in range(10 * Hasty.most)))
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(REQUEST)
    assert b"200 OK" in await asyncio.wait_for(reader.readline(), 5)
    assert 0 < len(made) < 5 * Hasty.most
    for _, each in [*opened, (reader, writer)]:
        each.close()


def test_there_is_room_within_the_systems_limit() -> None:
    assert 10 <= room_for_connections() <= MOST_CONNECTIONS
