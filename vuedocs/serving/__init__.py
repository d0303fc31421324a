"""The MCP server: one protocol in front of the query pipeline.

    from vuedocs.serving import serve
    serve(settings)                     # over stdio, until stdin closes
    serve(settings, http=True)          # over HTTP, at /mcp and /health

The MCP SDK and the pipeline are imported when they are needed, so that importing this package costs nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from vuedocs.errors import UsageError
from vuedocs.settings import Settings

DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 8000


def serve(
    settings: Settings,
    config_path: Path | None = None,
    overrides: Sequence[str] = (),
    http: bool = False,
    host: str = DEFAULT_HOST,
    port: int = DEFAULT_PORT,
) -> None:
    """Serves until the client goes (stdio) or a signal comes (HTTP). Without an index it serves too, and says how to make one.

    Raises ConfigError before anything is served when the config cannot be used, UsageError for a port that is none.
    """
    if http:
        if not 0 <= port <= 65535:
            raise UsageError(f"port {port} is none; give one from 1 to 65535, or 0 for any that is free")
        from vuedocs.serving.http import serve_http

        serve_http(settings, config_path, overrides, host, port)
        return
    from vuedocs.serving.stdio import serve_stdio

    serve_stdio(settings, config_path, overrides)


__all__ = ["DEFAULT_HOST", "DEFAULT_PORT", "serve"]
