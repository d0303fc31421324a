"""Serving over HTTP: streamable and stateless at /mcp, health at /health; foreign hosts and origins are refused."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from vuedocs import config as configs
from vuedocs.serving.logs import log_to_stderr
from vuedocs.serving.startup import quick_imports
from vuedocs.settings import Settings

with quick_imports():
    from mcp.server.transport_security import TransportSecuritySettings

    from vuedocs.serving.server import DocsServer, build_server
    from vuedocs.serving.service import Service, opener

MAX_BODY = 1024 * 1024
"""Bytes of a request."""
SHUTDOWN_SECONDS = 5
LOCAL_HOSTS = ("127.0.0.1", "localhost", "[::1]")


def serve_http(settings: Settings, config_path: Path | None, overrides: Sequence[str], host: str, port: int) -> None:
    """Serves until SIGINT or SIGTERM."""
    log_to_stderr(settings.log_queries)
    config = configs.load(config_path or settings.config, overrides)
    run_http(build_server(Service(opener(config, settings)), config), settings, host, port)


def run_http(server: DocsServer, settings: Settings, host: str, port: int) -> None:
    """Runs ``server`` at an address until SIGINT or SIGTERM."""
    import uvicorn

    app = server.streamable_http_app(
        stateless_http=True, max_request_body_size=MAX_BODY, transport_security=transport_security(settings, host), host=host
    )
    uvicorn.run(
        app,
        host=host,
        port=port,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=SHUTDOWN_SECONDS,
    )


def transport_security(settings: Settings, host: str) -> TransportSecuritySettings:
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
