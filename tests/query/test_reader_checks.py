"""A check comes to one word, whatever becomes of it, and holds up none of the others."""

from __future__ import annotations

import asyncio

import pytest

from vuedocs.errors import DatabaseError
from vuedocs.query.checks import outcomes


async def well() -> int:
    return 7


async def down() -> None:
    raise DatabaseError("at /secret/place")


async def hanging() -> None:
    await asyncio.sleep(10)


async def crashing() -> None:
    raise OSError("/secret/path")


async def test_each_check_has_its_word(caplog: pytest.LogCaptureFixture) -> None:
    checks = {"a": well(), "b": down(), "c": hanging(), "d": crashing()}
    assert await outcomes(checks, 0.05) == {"a": "ok", "b": "DatabaseError", "c": "TimeoutError", "d": "OSError"}
    assert [record.getMessage() for record in caplog.records] == ["the check of d crashed"]
