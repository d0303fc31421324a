"""Bodies are read within a limit and a time, and must be one JSON-RPC message."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from vuedocs.serving.bodies import BadBodyError, DisconnectedError, Receive, check_length, check_message, read_body, replay


def arriving(*parts: bytes, then: str = "http.request", pause: float = 0.0) -> Receive:
    """A body that comes in parts."""
    messages: list[dict[str, Any]] = [{"type": "http.request", "body": part, "more_body": True} for part in parts]
    messages.append({"type": then, "body": b"", "more_body": False})

    async def receive() -> dict[str, Any]:
        await asyncio.sleep(pause)
        return messages.pop(0)

    return receive


async def test_a_body_is_put_together_and_given_again() -> None:
    body = await read_body(arriving(b'{"a"', b":1}"), 100, 1)
    assert body == b'{"a":1}'
    again = replay(body, arriving(then="http.disconnect"))
    assert (await again())["body"] == body
    assert (await again())["type"] == "http.disconnect"


@pytest.mark.parametrize(
    ("receive", "status"),
    [(arriving(b"x" * 60, b"x" * 60), 413), (arriving(b"x", b"x", b"x", pause=0.05), 408)],
)
async def test_too_long_and_too_slow(receive: Receive, status: int) -> None:
    with pytest.raises(BadBodyError) as caught:
        await read_body(receive, 100, 0.1)
    assert caught.value.status == status


async def test_a_caller_that_goes_away() -> None:
    with pytest.raises(DisconnectedError):
        await read_body(arriving(b"x", then="http.disconnect"), 100, 1)


def test_a_declared_length_is_enough_to_refuse() -> None:
    check_length("100", 100)
    check_length("", 100)
    for declared in ("101", "9" * 5000):
        with pytest.raises(BadBodyError, match="100 bytes"):
            check_length(declared, 100)


@pytest.mark.parametrize(
    "body",
    [
        b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}',
        b'{"jsonrpc": "2.0", "id": "a", "method": "ping", "params": {}}',
        b'{"jsonrpc": "2.0", "method": "notifications/initialized"}',
        b'{"jsonrpc": "2.0", "id": 1, "result": {}}',
        b'{"jsonrpc": "2.0", "id": 1, "error": {"code": 1, "message": "x"}}',
    ],
)
def test_messages_pass(body: bytes) -> None:
    check_message(body)


@pytest.mark.parametrize(
    ("body", "code", "words"),
    [
        (b"", -32700, "not JSON"),
        (b"{", -32700, "not JSON"),
        (b"\xff\xfe{}", -32700, "not JSON"),
        (b"[" * 100_000, -32700, "not JSON"),
        (b"[]", -32600, "single object"),
        (b'"x"', -32600, "single object"),
        (b'{"jsonrpc": "1.0", "id": 1, "method": "ping"}', -32600, "jsonrpc"),
        (b'{"jsonrpc": "2.0", "id": {}, "method": "ping"}', -32600, "id must"),
        (b'{"jsonrpc": "2.0", "id": null, "method": "ping"}', -32600, "id must"),
        (b'{"jsonrpc": "2.0", "id": true, "method": "ping"}', -32600, "id must"),
        (b'{"jsonrpc": "2.0", "id": 1, "method": 7}', -32600, "method must"),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": [1]}', -32600, "params must"),
        (b'{"jsonrpc": "2.0", "id": 1}', -32600, "no method"),
        (b'{"jsonrpc": "2.0", "result": {}}', -32600, "no method"),
    ],
)
def test_what_is_no_message_is_named_in_plain_words(body: bytes, code: int, words: str) -> None:
    with pytest.raises(BadBodyError, match=words) as caught:
        check_message(body)
    assert (caught.value.status, caught.value.code) == (400, code)
    assert "pydantic" not in caught.value.words
