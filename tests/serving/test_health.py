"""Health is true, in one exact form, and asked at most once a second."""

from __future__ import annotations

import asyncio

import pytest
from serving_fakes import INDEXED, FakeReader, service_over

from vuedocs import __version__
from vuedocs.errors import DatabaseError, IndexDamagedError, MismatchError, NotIndexedError
from vuedocs.serving.health import Health, without_reader
from vuedocs.serving.service import NotReadyError


async def test_a_healthy_server(reader: FakeReader) -> None:
    async with service_over(reader).running() as service:
        await service.reader()
        assert await Health(service).report() == (
            200,
            {
                "status": "ok",
                "version": __version__,
                "uptime_seconds": 0,
                "checks": {"data": "ok", "database": "ok", "qdrant": "ok"},
                "sources": 2,
                "pages": 4,
                "points": 20,
                "data_updated": INDEXED,
            },
        )


async def test_a_failing_check_names_the_error_type_only(reader: FakeReader) -> None:
    reader.checks = {"data": "ok", "database": "DatabaseError", "qdrant": "ok"}
    async with service_over(reader).running() as service:
        await service.reader()
        status, body = await Health(service).report()
    assert (status, body["status"]) == (503, "degraded")
    assert body["checks"]["database"] == "DatabaseError"
    assert body["points"] == 20


async def test_without_an_index() -> None:
    async with service_over(None).running() as service:
        with pytest.raises(NotIndexedError):
            await service.reader()
        status, body = await Health(service).report()
    assert status == 503
    assert body["checks"]["data"] == "NotIndexedError"
    assert (body["sources"], body["pages"], body["points"], body["data_updated"]) == (0, 0, 0, None)


@pytest.mark.parametrize(
    ("error", "database"),
    [
        (NotIndexedError(), "ok"),
        (MismatchError(), "ok"),
        (IndexDamagedError(), "ok"),
        (DatabaseError(), "DatabaseError"),
        (NotReadyError(), "NotReadyError"),
    ],
)
def test_only_what_a_failure_proves_to_work_is_ok(error: NotIndexedError, database: str) -> None:
    name = type(error).__name__
    assert without_reader(error) == {"data": name, "database": database, "qdrant": name}


async def test_many_callers_share_one_round_of_checks(reader: FakeReader) -> None:
    async with service_over(reader).running() as service:
        await service.reader()
        health = Health(service)
        await asyncio.gather(*(health.report() for _ in range(50)))
    assert reader.checked == 1
