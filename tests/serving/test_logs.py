"""The log is JSON, a line an event, and holds what callers ask only where that is wanted."""

from __future__ import annotations

import json
import logging
import sys
from typing import Any

import pytest
from mcp import Client

from vuedocs.serving.logs import JsonLines
from vuedocs.serving.server import DocsServer

SECRET = "my private question"


def line(record: logging.LogRecord, queries: bool = False) -> Any:
    text = JsonLines(queries).format(record)
    assert "\n" not in text
    return json.loads(text)


@pytest.mark.parametrize("queries", [False, True])
async def test_a_call_is_logged_with_its_question_only_on_request(
    server: DocsServer, caplog: pytest.LogCaptureFixture, queries: bool
) -> None:
    caplog.set_level("INFO", "vuedocs")
    async with Client(server) as client:
        await client.call_tool("docs_search", {"query": SECRET})
    (call,) = [entry for record in caplog.records if (entry := line(record, queries))["message"] == "call"]
    assert (call["tool"], call["outcome"], call["level"]) == ("docs_search", "ok", "info")
    assert call["ms"] > 0
    assert call["request_id"]
    assert call.get("arguments") == ({"query": SECRET} if queries else None)


@pytest.mark.parametrize("queries", [False, True])
def test_the_words_of_libraries_and_errors_may_quote_the_caller(queries: bool) -> None:
    try:
        raise ValueError(SECRET)
    except ValueError:
        error = sys.exc_info()
    ours = logging.LogRecord("vuedocs.x", logging.ERROR, __file__, 1, "%s failed", ("docs_search",), error)
    theirs = [
        logging.LogRecord("mcp.server.x", logging.ERROR, __file__, 1, f"got {SECRET}", (), error, "receive"),
        logging.LogRecord("mcp.server.x", logging.ERROR, __file__, 1, "got %s", (SECRET,), None),
    ]
    assert line(ours, queries)["message"] == "docs_search failed"
    assert "test_logs.py" in line(ours, queries)["traceback"][0]
    for record in (ours, *theirs):
        assert (SECRET in json.dumps(line(record, queries))) is queries


def test_a_caller_cannot_write_lines_of_its_own() -> None:
    record = logging.LogRecord("vuedocs.x", logging.INFO, __file__, 1, "request", (), None)
    record.client = 'x"}\n{"level": "error'
    assert line(record)["client"] == record.client
