"""The gate before /mcp: who is let in, in which measure, and what is written down of it.

In this order: a foreign Host (421) or Origin (403), a browser's question before its call (200), another method than POST (405),
a client's limits (429), a token (401), a body that is too long (413), too slow (408) or no message (400). /health and /metrics
stand beside the gate: they are never limited. Every answer carries X-Request-Id, the caller's own where it sent a usable one, and
to an allowed origin what a browser needs to show it to the page.
"""

from __future__ import annotations

import json
import logging
import re
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mcp.server.transport_security import TransportSecurityMiddleware, TransportSecuritySettings
from starlette.datastructures import Headers
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request as HttpRequest
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from vuedocs.serving.access import Limits, Tokens, client_address, client_of
from vuedocs.serving.bodies import (
    INVALID_REQUEST,
    BadBodyError,
    DisconnectedError,
    check_length,
    check_message,
    read_body,
    replay,
)
from vuedocs.serving.metrics import Metrics
from vuedocs.serving.requests import Request, current, request_id, serving
from vuedocs.settings import ServerSettings

logger = logging.getLogger(__name__)

MCP_PATH = "/mcp"
BODY_SECONDS = 15.0
"""Time for a body to arrive."""
SERVER_ERROR = -32000
"""JSON-RPC's code for errors of an implementation's own."""

Answer = Callable[[Scope, Receive, Send], Awaitable[None]]


class Gate:
    """An ASGI application before another."""

    def __init__(
        self, app: ASGIApp, settings: ServerSettings, security: TransportSecuritySettings, metrics: Metrics, limits: Limits
    ) -> None:
        self._app = app
        self._settings = settings
        self._hosts = TransportSecurityMiddleware(security)
        self._beside = shared_with(app, security.allowed_origins)
        self._allowed = shared_with(self._measured, security.allowed_origins)
        self._tokens = Tokens(settings.tokens)
        self._metrics = metrics
        self._limits = limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves one request, or refuses it."""
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        headers = Headers(scope=scope)
        peer = (scope.get("client") or ("",))[0]
        address = client_address(peer, headers.getlist("x-forwarded-for"), self._settings.trusted_proxies)
        request = Request(request_id(headers.get("x-request-id", "")), address)
        serving(request)
        sent = Sent(send, request.id)
        if scope["path"].rstrip("\r\n") != MCP_PATH:  # the router's pattern lets a final line break through
            return await self._beside(scope, receive, sent)
        started = time.perf_counter()
        try:
            foreign = await self._hosts.validate_request(HttpRequest(scope))
            await (foreign or self._allowed)(scope, receive, sent)
        finally:
            self._metrics.answered(sent.status)
            log_request(request, scope["method"], sent.status, time.perf_counter() - started)

    async def _measured(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Lets a POST in within its client's limits."""
        if scope["method"] != "POST":
            return await refusal(405, "Only POST is served here: there are no sessions.", Allow="POST")(scope, receive, send)
        client = client_of(current().client)
        refused = self._limits.enter(client)
        if refused is not None:
            self._metrics.limited(refused.limit)
            most, retry = getattr(self._settings, refused.limit), str(refused.retry_after)
            when = "in a minute" if refused.limit == "calls_per_minute" else "at once"
            words = f"Too many requests: at most {most} {when} are served; try again in {retry} s."
            return await refusal(429, words, **{"Retry-After": retry})(scope, receive, send)
        try:
            await self._let_in(scope, receive, send, Headers(scope=scope))
        finally:
            self._limits.leave(client)

    async def _let_in(self, scope: Scope, receive: Receive, send: Send, headers: Headers) -> None:
        if not self.knows(headers):
            return await unauthorised()(scope, receive, send)
        try:
            check_length(headers.get("content-length", ""), self._settings.max_body)
            body = await read_body(receive, self._settings.max_body, BODY_SECONDS)
            if headers.get("content-type", "").lower().startswith("application/json"):
                check_message(body)
        except BadBodyError as error:
            end = {} if error.status == 400 else {"Connection": "close"}
            return await refusal(error.status, error.words, error.code, **end)(scope, receive, send)
        except DisconnectedError:
            return None
        await self._app(scope, replay(body, receive), send)

    def knows(self, headers: Headers) -> bool:
        """Whether the caller sent a token that is accepted, or none is asked for."""
        return self._tokens.accepts(headers.get("authorization", ""))


@dataclass(slots=True)
class Sent:
    """A ``send`` that adds the request's id and remembers the status."""

    send: Send
    id: str
    status: int = 499
    """499: the caller went away before there was an answer."""

    async def __call__(self, message: Any) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            message = {**message, "headers": [*message.get("headers", ()), (b"x-request-id", self.id.encode("ascii"))]}
        await self.send(message)


def shared_with(app: ASGIApp, origins: Sequence[str]) -> ASGIApp:
    """``app`` as pages of ``origins`` may read its answers, refusals too; ``:*`` at the end of an origin stands for any port."""
    allowed = "|".join(re.escape(origin).replace(r":\*", r":\d+") for origin in origins)
    return CORSMiddleware(
        app,
        allow_origin_regex=allowed,
        allow_methods=["POST"],
        allow_headers=["*"],
        expose_headers=["X-Request-Id", "Retry-After", "WWW-Authenticate", "Mcp-Protocol-Version"],
    )


def refusal(status: int, words: str, code: int = SERVER_ERROR, /, **headers: str) -> Response:
    """An answer in JSON-RPC's form, for the caller to read."""
    error: Mapping[str, object] = {"jsonrpc": "2.0", "id": None, "error": {"code": code, "message": words}}
    return Response(json.dumps(error), status, headers, "application/json")


def unauthorised() -> Response:
    """The answer to who sent no token, or a wrong one."""
    words = "This server wants a token: send the header Authorization: Bearer with one that its operator gave you."
    return refusal(401, words, INVALID_REQUEST, **{"WWW-Authenticate": "Bearer"})


def log_request(request: Request, method: str, status: int, seconds: float) -> None:
    """One line a request."""
    known = method if method.isalpha() else "?"
    fields = {"request_id": request.id, "client": request.client, "method": known[:10], "path": MCP_PATH, "status": status}
    logger.info("request", extra={**fields, "ms": round(seconds * 1000, 1)})
