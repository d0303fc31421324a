"""The index is opened in the background and followed; calls wait for it."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from serving_fakes import MANIFEST, FakeReader, service_over

from vuedocs.errors import DatabaseError, NotIndexedError, StorageError
from vuedocs.serving.service import Service, how_to_index


async def test_a_call_waits_for_the_index(reader: FakeReader) -> None:
    async with service_over(reader).running() as service:
        assert service.opened is None
        assert (await service.reader()).manifest is reader.manifest


async def test_without_an_index_the_reason_is_raised() -> None:
    async with service_over(None).running() as service:
        with pytest.raises(NotIndexedError):
            await service.reader()


async def test_an_index_made_later_is_served_without_a_restart(reader: FakeReader) -> None:
    outcomes: list[Exception] = [NotIndexedError("nothing"), DatabaseError("down")]

    async def open_reader() -> FakeReader:
        if outcomes:
            raise outcomes.pop(0)
        return reader

    async with Service(open_reader, retry=0.01).running() as service:
        with pytest.raises(NotIndexedError):
            await service.reader()
        await asyncio.sleep(0.1)
        assert (await service.reader()).manifest is reader.manifest


async def test_a_crash_while_opening_is_said_and_tried_again(reader: FakeReader) -> None:
    outcomes: list[Exception] = [RuntimeError("secret")]

    async def open_reader() -> FakeReader:
        if outcomes:
            raise outcomes.pop(0)
        return reader

    async with Service(open_reader, retry=0.01).running() as service:
        with pytest.raises(StorageError, match="internal error"):
            await service.reader()
        await asyncio.sleep(0.1)
        assert (await service.reader()).manifest is reader.manifest


async def test_newer_generations_are_followed_and_a_failed_look_changes_nothing(reader: FakeReader) -> None:
    async with service_over(reader).running() as service:
        await service.reader()
        reader.newer.append(replace(MANIFEST, generation="g000002"))
        await asyncio.sleep(0.1)
        assert reader.manifest.generation == "g000002"


async def test_what_a_request_reads_is_of_one_generation(reader: FakeReader) -> None:
    async with service_over(reader).running() as service:
        await service.reader()
        async with service.steady():
            begun = await service.reader()
            reader.newer.append(replace(MANIFEST, generation="g000002"))
            await asyncio.sleep(0.1)
            assert (await service.reader()).manifest.generation == begun.manifest.generation == "g000001"
            assert reader.held == 1
        assert reader.held == 0
        assert (await service.reader()).manifest.generation == "g000002"


async def test_a_lost_notice_connection_is_made_again_and_said_once(reader: FakeReader, caplog: pytest.LogCaptureFixture) -> None:
    reader.lost = [DatabaseError("gone")] * 3
    async with service_over(reader).running() as service:
        await service.reader()
        reader.newer.append(replace(MANIFEST, generation="g000002"))
        await asyncio.sleep(0.2)
        assert reader.manifest.generation == "g000002"
    assert caplog.text.count("no newer generation can be taken up: DatabaseError: gone") == 1


async def test_the_reader_is_closed_with_the_service(reader: FakeReader) -> None:
    async with service_over(reader).running() as service:
        await service.reader()
    assert reader.closed


def test_the_remedy_is_added_where_the_error_lacks_it() -> None:
    assert "vuedocs ingest vue" in how_to_index(NotIndexedError("Nothing here."))
    assert how_to_index(NotIndexedError("Run `vuedocs ingest sample`.")) == "Run `vuedocs ingest sample`."
