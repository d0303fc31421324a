"""Logs: one JSON object an event, a line each, to stderr; without what callers ask unless that is wanted.

Every line has ``time`` (ISO 8601, UTC), ``level``, ``logger`` and ``message``; what else it has stands under the names in FIELDS.
"""

from __future__ import annotations

import json
import logging
import sys
import traceback
from datetime import UTC, datetime
from types import TracebackType

FIELDS = ("request_id", "client", "method", "path", "status", "tool", "outcome", "ms", "generation", "error")
"""What a line may say besides."""
PRIVATE_FIELDS = ("arguments",)
"""What it says only where queries may be logged."""
QUOTING_LOGGERS = ("mcp", "asyncio", "uvicorn")
"""Whose messages may quote the caller: of these only the errors are logged, without their words, unless queries may be."""

ErrorInfo = tuple[type[BaseException], BaseException, TracebackType | None]


class JsonLines(logging.Formatter):
    """A record as one line of JSON. Without ``queries``, the words of other people's messages and errors are left out."""

    def __init__(self, queries: bool) -> None:
        super().__init__()
        self._queries = queries

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": self._words(record),
        }
        fields = FIELDS + (PRIVATE_FIELDS if self._queries else ())
        line |= {field: value for field in fields if (value := getattr(record, field, None)) is not None}
        if record.exc_info and record.exc_info[0] and record.exc_info[1]:
            line["traceback"] = self._traceback((record.exc_info[0], record.exc_info[1], record.exc_info[2]))
        return json.dumps(line, ensure_ascii=False, default=str)

    def _words(self, record: logging.LogRecord) -> str:
        """The message; the bare template of a library's, whose arguments may be the caller's words."""
        if self._queries or record.name.split(".")[0] not in QUOTING_LOGGERS:
            return record.getMessage()
        if isinstance(record.msg, OSError):  # of this machine, not of a caller: a port that is in use
            return str(record.msg)
        return str(record.msg) if record.args else f"{record.funcName}:{record.lineno}"

    def _traceback(self, error: ErrorInfo) -> list[str]:
        kind, value, trace = error
        frames = [f"{frame.filename}:{frame.lineno} in {frame.name}" for frame in traceback.extract_tb(trace)]
        return [*frames, "".join(traceback.format_exception_only(kind, value)).strip() if self._queries else kind.__name__]


def log_to_stderr(queries: bool) -> None:
    """Sends all logs to stderr, a JSON object a line; ``queries`` lets through what callers ask."""
    logging.logThreads = logging.logProcesses = logging.logMultiprocessing = False  # no line shows them
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines(queries))
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    logging.getLogger("vuedocs").setLevel(logging.INFO)
    logging.getLogger("mcp").setLevel(logging.INFO if queries else logging.ERROR)
