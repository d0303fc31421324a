"""Logs: one line an event, to stderr, without the text of queries unless it is asked for."""

from __future__ import annotations

import logging
import sys


def log_to_stderr(queries: bool) -> None:
    """Sends all logs to stderr. ``queries`` lets through what the SDK says of failed calls, which may quote the caller."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s %(message)s"))
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    logging.getLogger("vuedocs").setLevel(logging.INFO)
    logging.getLogger("mcp").setLevel(logging.INFO if queries else logging.WARNING)
