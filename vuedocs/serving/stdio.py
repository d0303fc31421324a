"""Serving over stdio: stdout is the protocol's alone, and the process ends soon after stdin does."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections.abc import Iterator, Sequence
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from vuedocs.serving.logs import log_to_stderr
from vuedocs.serving.startup import quick_imports
from vuedocs.settings import Settings

if TYPE_CHECKING:
    from vuedocs.serving.server import DocsServer

EXIT_SECONDS = 0.7
"""Time for threads to end once the service is closed; one that hangs is left behind."""
OPEN_DELAY = 0.3
"""Seconds before the index is opened, so that the first answers do not wait for its imports."""


def serve_stdio(settings: Settings, config_path: Path | None = None, overrides: Sequence[str] = ()) -> None:
    """Serves one client until stdin closes."""
    with protocol_stdout() as wire:
        log_to_stderr(settings.server.log_queries)
        from vuedocs import config as configs

        config = configs.load(config_path or settings.config, overrides)

        with quick_imports():
            from vuedocs.serving.server import build_server
            from vuedocs.serving.service import service

        run_stdio(build_server(service(config, settings, delay=OPEN_DELAY), config, local=True), wire)


def run_stdio(server: DocsServer, wire: BinaryIO) -> None:
    """Runs ``server`` over stdin and ``wire`` until stdin closes; the process ends soon after, whatever hangs."""
    import anyio
    from mcp.server.stdio import stdio_server

    async def run() -> None:
        try:
            async with stdio_server(stdout=anyio.wrap_file(TextIOWrapper(wire, encoding="utf-8"))) as (incoming, outgoing):
                await server.run_streams(incoming, outgoing)
        finally:
            end_soon()

    anyio.run(run)


@contextlib.contextmanager
def protocol_stdout() -> Iterator[BinaryIO]:
    """The real stdout, for the protocol; ``print`` and children write to stderr meanwhile, whatever they do and when."""
    sys.stdout.flush()
    wire = os.fdopen(os.dup(1), "wb")
    printed = sys.stdout
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    try:
        yield wire
    finally:
        sys.stdout = printed


def end_soon() -> None:
    """Ends the process after EXIT_SECONDS even where a thread hangs."""
    timer = threading.Timer(EXIT_SECONDS, os._exit, (0,))
    timer.daemon = True
    timer.start()
