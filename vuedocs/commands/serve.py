"""vuedocs serve."""

from __future__ import annotations

import argparse

from vuedocs.serving import serve as run_server
from vuedocs.settings import Settings


def serve(options: argparse.Namespace) -> int:
    """Serves MCP over stdio, or over HTTP with ``--http``, until it is stopped."""
    settings = Settings.from_environment()
    run_server(settings, options.config, options.overrides, http=options.http, host=options.host, port=options.port)
    return 0
