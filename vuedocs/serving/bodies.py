"""Bodies of requests: read within a limit and a time, and looked at before the SDK reads them.

The SDK answers a body that is no message with the words of its validator, which tell of the program and not of the mistake.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass
from typing import Any

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]

PARSE_ERROR, INVALID_REQUEST = -32700, -32600
"""Codes of JSON-RPC 2.0."""


@dataclass(frozen=True, slots=True)
class BadBodyError(Exception):
    """A body that cannot be used: the HTTP status, the JSON-RPC code and words for the caller."""

    status: int
    code: int
    words: str


class DisconnectedError(Exception):
    """The caller went away before its body was complete."""


async def read_body(receive: Receive, limit: int, seconds: float) -> bytes:
    """The whole body. BadBodyError (413, 408) when it is longer than ``limit`` bytes or takes longer than ``seconds``."""
    body = bytearray()
    more = True
    try:
        async with asyncio.timeout(seconds):
            while more:
                message = await receive()
                if message["type"] != "http.request":
                    raise DisconnectedError
                body += message.get("body", b"")
                more = message.get("more_body", False)
                if len(body) > limit:
                    raise too_large(limit)
    except TimeoutError:
        raise BadBodyError(408, INVALID_REQUEST, f"The request's body did not arrive within {seconds:g} seconds.") from None
    return bytes(body)


def check_length(declared: str, limit: int) -> None:
    """Raises BadBodyError (413) where the header Content-Length says that reading on is useless."""
    if declared.isascii() and declared.isdigit() and (len(declared) > 18 or int(declared) > limit):
        raise too_large(limit)


def too_large(limit: int) -> BadBodyError:
    """The error of a body over ``limit`` bytes."""
    return BadBodyError(413, INVALID_REQUEST, f"The request's body is larger than {limit} bytes.")


def check_message(body: bytes) -> None:
    """Raises BadBodyError (400) where the body is not one JSON-RPC message of the form that MCP has."""
    try:
        message = json.loads(body)
    except (ValueError, RecursionError):
        raise BadBodyError(400, PARSE_ERROR, "The request's body is not JSON.") from None
    problem = problem_of(message)
    if problem:
        raise BadBodyError(400, INVALID_REQUEST, f"The request's body is no JSON-RPC message: {problem}.")


def problem_of(message: Any) -> str:
    """What keeps a decoded body from being a request, a notification or a response; empty when nothing does."""
    if not isinstance(message, dict):
        return "it must be a single object (batches are not taken)"
    if message.get("jsonrpc") != "2.0":
        return 'jsonrpc must be "2.0"'
    if "id" in message and (not isinstance(message["id"], (str, int)) or isinstance(message["id"], bool)):
        return "id must be a string or an integer"
    if "method" in message:
        if not isinstance(message["method"], str):
            return "method must be a string"
        return "" if isinstance(message.get("params", {}), dict) else "params must be an object"
    if "id" not in message or not isinstance(message.get("result", message.get("error")), dict):
        return "it has no method"
    return ""


def replay(body: bytes, receive: Receive) -> Receive:
    """A ``receive`` that gives ``body`` first, and then what comes after it."""
    given = False

    async def again() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again
