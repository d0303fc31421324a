"""An answer of one object: what it says where the work on it failed."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from mcp.shared.exceptions import MCPError
from mcp.types import INVALID_PARAMS, JSONRPCRequest

from vuedocs.serving.plain import said

ASKED = JSONRPCRequest(jsonrpc="2.0", id=7, method="tools/call")


async def failing(error: Exception) -> asyncio.Task[dict[str, Any]]:
    async def fail() -> dict[str, Any]:
        raise error

    work = asyncio.create_task(fail())
    await asyncio.wait([work])
    return work


async def test_an_error_of_the_protocol_is_told() -> None:
    answer = said(ASKED, await failing(MCPError(code=INVALID_PARAMS, message="items names 1 thing")))
    assert answer.body == b'{"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"items names 1 thing"}}'


async def test_another_error_is_logged_and_told_without_its_words(caplog: pytest.LogCaptureFixture) -> None:
    answer = said(ASKED, await failing(OSError("/secret/path")))
    assert answer.body == b'{"jsonrpc":"2.0","id":7,"error":{"code":-32603,"message":"Internal server error"}}'
    (record,) = caplog.records
    assert record.getMessage() == "tools/call failed"
    assert record.exc_info
