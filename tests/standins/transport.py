"""What every endpoint of a stand-in shares: faults of the transport, counting, and one way to answer."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from .calls import Call, Calls
from .faults import Faults
from .limits import Limits

HTML = "<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>"


@dataclass
class Answer:
    """What an endpoint answers, and what it bills for that."""

    body: Mapping[str, Any]
    status: int = 200
    tokens: int = 0
    texts: tuple[str, ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass
class Provider:
    """The state of one provider's stand-in."""

    faults: Faults = field(default_factory=Faults)
    limits: Limits = field(default_factory=Limits)
    calls: Calls = field(default_factory=Calls)
    slow: float = 30.0
    """Seconds that the fault ``timeout`` waits."""
    delay: float = 0.0
    """Seconds that every good answer takes, as if a model ran."""


Endpoint = Callable[[dict[str, Any], str, Request], Awaitable[Answer]]
"""Called with the body, the fault that strikes (``""`` for none) and the request."""


class CutResponse(Response):
    """Promises a long body and closes the connection in its middle."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Sends half a JSON object."""
        headers = [(b"content-type", b"application/json"), (b"content-length", b"5000")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b'{"data": [{"index": 0, "emb', "more_body": False})


def endpoint(provider: Provider, name: str, function: Endpoint) -> Callable[[Request], Awaitable[Response]]:
    """``function`` as a route: counted, and subject to the faults that befall any server."""

    async def route(request: Request) -> Response:
        started, calls = time.monotonic(), provider.calls  # one that ends after a reset is not counted in what follows
        raw = await request.body()
        begun = time.monotonic()
        fault = provider.faults.next(name)
        provider.limits.running += 1
        try:
            answer, response = await _answered(provider, fault, raw, function, request)
        finally:
            provider.limits.running -= 1
        ended = time.monotonic()
        client = (request.client.host, request.client.port) if request.client else ("", 0)
        own = (ended - begun) * 1000
        texts, tokens, status = answer.texts, answer.tokens, response.status_code
        calls.seen.append(Call(name, status, fault, texts, tokens, client, started, ended, own))
        return response

    return route


async def _answered(provider: Provider, fault: str, raw: bytes, function: Endpoint, request: Request) -> tuple[Answer, Response]:
    if fault == "timeout":
        await asyncio.sleep(provider.slow)
        return Answer({}, 504), Response("too late", 504)
    if fault == "html":
        return Answer({}, 502), Response(HTML, 502, media_type="text/html")
    if fault == "closed":
        return Answer({}), CutResponse()
    if fault == "no-json":
        return Answer({}), Response("{'not': json", 200, media_type="application/json")
    try:
        body = json.loads(raw) if raw else {}
    except ValueError:
        return Answer({}, 400), Response('{"detail": "body is no JSON"}', 400, media_type="application/json")
    answer = await function(body, fault, request)
    if answer.status == 200 and provider.delay:
        await asyncio.sleep(provider.delay)
    content = json.dumps(answer.body)
    return answer, Response(content, answer.status, dict(answer.headers), media_type="application/json")
