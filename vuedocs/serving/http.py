"""Serving over HTTP: streamable and stateless at /mcp behind the gate; /health and /metrics beside it."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from vuedocs import config as configs
from vuedocs.errors import StorageError
from vuedocs.serving.logs import log_to_stderr
from vuedocs.serving.startup import quick_imports
from vuedocs.settings import ServerSettings, Settings

with quick_imports():
    from mcp.server.transport_security import TransportSecuritySettings
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.types import ASGIApp

    from vuedocs.serving.access import Limits
    from vuedocs.serving.gate import MCP_PATH, Gate, unauthorised
    from vuedocs.serving.health import CACHE_SECONDS
    from vuedocs.serving.metrics import CONTENT_TYPE, Metrics
    from vuedocs.serving.plain import PlainAnswers
    from vuedocs.serving.server import DocsServer, build_server
    from vuedocs.serving.service import service

if TYPE_CHECKING:
    from vuedocs.records.watch import Watching
    from vuedocs.serving.readers import Following

SHUTDOWN_SECONDS = 5
SWITCH_SECONDS = 0.001
"""How long a thread may keep the others waiting, a fifth of Python's own: each time that opening a generation reads a piece of a
file, or a search comes back from the model or the index, its thread waits so long for the one that answers other clients."""
WATCHED_SECONDS = 2.0
"""That the database may take to say how the watcher does."""
LOCAL_HOSTS = ("127.0.0.1", "localhost", "[::1]")


def serve_http(settings: Settings, config_path: Path | None, overrides: Sequence[str], host: str, port: int) -> None:
    """Serves until SIGINT or SIGTERM."""
    log_to_stderr(settings.server.log_queries)
    config = configs.load(config_path or settings.config, overrides)
    run_http(build_server(service(config, settings), config), settings.server, host, port)


def run_http(server: DocsServer, settings: ServerSettings, host: str, port: int) -> None:
    """Runs ``server`` at an address until SIGINT or SIGTERM."""
    import uvicorn

    from vuedocs.serving.connections import ImpatientProtocol, room_for_connections

    sys.setswitchinterval(SWITCH_SECONDS)
    ImpatientProtocol.most = room_for_connections()
    uvicorn.run(
        application(server, settings, host),
        host=host,
        port=port,
        http=ImpatientProtocol,
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,  # the gate asks who is trusted; uvicorn would believe anybody on this machine
        timeout_graceful_shutdown=SHUTDOWN_SECONDS,
    )


def application(server: DocsServer, settings: ServerSettings, host: str) -> ASGIApp:
    """``server`` as an ASGI application for an address: the protocol behind the gate, health and metrics beside it."""
    security = transport_security(settings, host)
    metrics = Metrics()
    watching = Looking()
    server.service.observers.append(metrics)

    async def answer_metrics(request: Request) -> Response:
        if not gate.knows(request.headers):
            return unauthorised()
        metrics.watched(*await watching.now(server.service.opened))
        return Response(metrics.text(), media_type=CONTENT_TYPE, headers={"Cache-Control": "no-store"})

    server.custom_route("/metrics", methods=["GET"])(answer_metrics)
    app: ASGIApp = server.streamable_http_app(
        streamable_http_path=MCP_PATH,
        stateless_http=True,
        max_request_body_size=settings.max_body,
        transport_security=security,
        host=host,
    )
    app = PlainAnswers(app, MCP_PATH, *server.kernel)
    gate = Gate(app, settings, security, metrics, Limits(settings.calls_per_minute, settings.calls_at_once))
    return gate


class Looking:
    """What the watcher wrote down, at most a second old: who asks for the metrics without end takes no connection from calls."""

    def __init__(self) -> None:
        self._seen: Watching = None, ()
        self._looked = float("-inf")
        self._lock = asyncio.Lock()

    async def now(self, reader: Following | None) -> Watching:
        """It; nothing where the database does not answer at once, of which /health speaks."""
        async with self._lock:
            if time.monotonic() - self._looked >= CACHE_SECONDS:
                self._seen = await watched(reader)
                self._looked = time.monotonic()
            return self._seen


async def watched(reader: Following | None) -> Watching:
    """What the database says that it wrote down."""
    if reader is None:
        return None, ()
    try:
        async with asyncio.timeout(WATCHED_SECONDS):
            return await reader.database.watched()
    except (StorageError, TimeoutError):
        return None, ()


def transport_security(settings: ServerSettings, host: str) -> TransportSecuritySettings:
    """The hosts and origins that are answered: this machine's own names, the address bound to, and those of the settings.

    A host or origin without a port is allowed with any. Everything else gets 421 (host) or 403 (origin), whatever is bound to.
    """
    own = [] if host in ("0.0.0.0", "::", "") else [f"[{host}]" if ":" in host else host]
    hosts = [*LOCAL_HOSTS, *own, *settings.allowed_hosts]
    origins = [*(f"http://{name}" for name in (*LOCAL_HOSTS, *own)), *settings.allowed_origins]
    return TransportSecuritySettings(
        enable_dns_rebinding_protection=True,
        allowed_hosts=[form for name in hosts for form in (name, f"{name}:*")],
        allowed_origins=[form for origin in origins for form in (origin, f"{origin}:*")],
    )
