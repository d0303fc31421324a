"""The query log keeps what was asked and served, never makes a call wait, and says what it lost."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from mcp import Client
from serving_fakes import COMPUTED, FakeQueries, FakeReader

from vuedocs import config
from vuedocs.records import LoggedQuery
from vuedocs.serving.query_log import MOST_WAITING, QueryLog
from vuedocs.serving.requests import Request, serving
from vuedocs.serving.server import build_server
from vuedocs.serving.service import Service
from vuedocs.stages import Result


def service_with(log: QueryLog | None, reader: FakeReader) -> Service:
    async def open_reader() -> FakeReader:
        return reader

    return Service(open_reader, query_log=log)


async def ask(log: QueryLog | None, reader: FakeReader, client: str = "203.0.113.9") -> None:
    serving(Request("id", client))
    async with Client(build_server(service_with(log, reader), config.load())) as assistant:
        await assistant.call_tool("docs_search", {"query": "what is a ref", "source": "vue", "max_results": 2})


async def test_a_search_is_kept_with_what_was_served_before_the_server_ends(reader: FakeReader) -> None:
    await ask(QueryLog(30), reader)
    (entry,) = reader.database.queries.kept
    assert (entry.query, entry.sources, entry.scope, entry.generation) == ("what is a ref", ("vue",), "all", "g000001")
    assert entry.sections == (f"vue/{COMPUTED}#s0", f"vue/{COMPUTED}#s1")
    assert entry.config == reader.config.fingerprint()
    assert entry.milliseconds == {"search": 1.0}
    assert datetime.now(UTC) - entry.asked < timedelta(minutes=1)


async def test_nothing_is_kept_unless_it_is_asked_for(reader: FakeReader) -> None:
    await ask(None, reader)
    assert reader.database.queries.kept == []


def test_a_client_is_told_from_others_and_not_named() -> None:
    log = QueryLog(30)
    assert log.hashed("203.0.113.9") == log.hashed("203.0.113.9") != log.hashed("203.0.113.8")
    assert QueryLog(30).hashed("203.0.113.9") != log.hashed("203.0.113.9"), "another run, another key"


async def searched(log: QueryLog, reader: FakeReader, number: int) -> None:
    from vuedocs.records import Search

    log.searched(Result(Search(query=f"question {number}"), ()), "g000001", reader.config)


async def test_what_the_database_does_not_take_waits_and_the_oldest_are_lost_aloud(
    reader: FakeReader, caplog: pytest.LogCaptureFixture
) -> None:
    log = QueryLog(30)
    reader.database.queries.down = True
    for number in range(MOST_WAITING + 5):
        await searched(log, reader, number)
    await log.write(reader.database.queries)
    assert "5 queries could not be logged and are lost" in caplog.text
    reader.database.queries.down = False
    await log.write(reader.database.queries)
    assert [entry.query for entry in reader.database.queries.kept[:2]] == ["question 5", "question 6"]
    assert len(reader.database.queries.kept) == MOST_WAITING


async def test_what_was_being_written_when_the_server_ends_is_written_once_more(
    reader: FakeReader,
) -> None:
    log = QueryLog(30)
    await searched(log, reader, 1)

    class Slow(FakeQueries):
        async def write(self, queries: Sequence[LoggedQuery]) -> None:
            await asyncio.sleep(10)

    writing = asyncio.create_task(log.write(Slow()))
    await asyncio.sleep(0)
    await searched(log, reader, 2)
    writing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await writing
    await log.write(reader.database.queries)
    assert [entry.query for entry in reader.database.queries.kept] == ["question 1", "question 2"]


async def test_old_entries_are_forgotten(reader: FakeReader, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vuedocs.serving.query_log.WRITE_SECONDS", 0.01)
    log = QueryLog(7)
    await searched(log, reader, 1)
    await log.write(reader.database.queries)
    (entry,) = reader.database.queries.kept
    reader.database.queries.kept.append(replace(entry, query="long ago", asked=entry.asked - timedelta(days=8)))
    keeping = asyncio.create_task(log.keep(lambda: reader.database.queries))
    await asyncio.sleep(0.1)
    keeping.cancel()
    assert [entry.query for entry in reader.database.queries.kept] == ["question 1"]
