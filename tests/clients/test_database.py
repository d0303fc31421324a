"""The database: what goes in comes back, publication is one moment, and a lost connection is not a failed request."""

from __future__ import annotations

import asyncio
import dataclasses
import hashlib
import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import psycopg
import pytest

from vuedocs.clients import Snapshot
from vuedocs.clients.connections import MIGRATIONS, POOL_SIZE, Connections, migrate
from vuedocs.clients.database import PostgresDatabase
from vuedocs.clients.ledger import Ledger, Usage
from vuedocs.clients.postgres import EmbeddedPostgres
from vuedocs.clients.postmaster import Postmaster, serves
from vuedocs.clients.rows import manifest_json, manifest_record
from vuedocs.errors import DatabaseError
from vuedocs.records import Bm25Model, Chunk, Entity, Link, LoggedQuery, Manifest, Page, Point, PointKind, SourceManifest, Sparse
from vuedocs.settings import Settings

PAGE = Page(
    source="vue", path="guide/computed", route="guide/computed", url="https://example.org/guide/computed", title="Computed",
    section="Essentials", position=7, description="Values of values.",
    text="# Computed\n\nÜber \N{SNOWMAN}", content_hash="a" * 64,
)  # fmt: skip
CHUNK = Chunk(
    id="vue/guide/computed#caching", source="vue", path="guide/computed", route="guide/computed", kind="section",
    anchor="caching", url="https://example.org/guide/computed#caching", title="Caching",
    heading_path=("Computed", "Caching"), position=(7, 2),
    text="## Caching\n\n`computed()` {\"braces\"} \\ \t'quotes'", content_hash="b" * 64, api_style="composition", since="3.5",
    links=(Link("api/core#computed", "computed()", "high"), Link("guide/watch", "", "low")), entities=("computed", "ref"),
    context="Vue > Computed",
)  # fmt: skip
ENTITY = Entity(
    name="KeepAlive", type="component", source="vue", chunk_id=CHUNK.id, aliases=("keep-alive",), signature="<KeepAlive>",
    since="2.0", deprecated=True, description="Keeps alive.",
)  # fmt: skip
POINT = Point(
    id="7d444840-9dc0-11d1-b245-5ffdce74fad2", chunk_id=CHUNK.id, source="vue", kind="question", number=3, text="what is cached?",
    scopes=("guide", "guide/essentials"), dense=np.array([0.1, -0.5, 1e-7], dtype=np.float32),
    sparse=Sparse((0, 7, 4294967295), (0.1, 2.5, 1e-9)),
)  # fmt: skip
BM25 = Bm25Model(source="vue", documents=12, average_length=103.4567890123, vocabulary=("caching", "ref"), frequencies=(3, 12))
SOURCE = SourceManifest(
    source="vue", commit="c0ffee", version="3.5", date="2026-01-02T03:04:05+00:00", indexed="2026-02-03T04:05:06+00:00",
    origin="folder docs", pages=1, chunks=1, entities=1, points=1, licence="MIT", left_out=2,
)  # fmt: skip
SNAPSHOT = Snapshot(SOURCE, "d" * 64, (PAGE,), (CHUNK,), (ENTITY,), (POINT,), BM25)


def snapshot(source: str = "vue", chunks: int = 1, digest: str = "") -> Snapshot:
    """A snapshot of a page with so many chunks, in reverse order of reading."""
    return Snapshot(
        manifest=replace(SOURCE, source=source, chunks=chunks, points=chunks),
        digest=digest or f"{source} with {chunks}",
        pages=(replace(PAGE, source=source),),
        chunks=tuple(replace(CHUNK, id=f"{source}/{n}", source=source, position=(0, n)) for n in reversed(range(chunks))),
        entities=(replace(ENTITY, source=source),),
        points=tuple(replace(POINT, id=str(uuid.uuid4()), chunk_id=f"{source}/{n}", source=source) for n in range(chunks)),
        bm25=replace(BM25, source=source),
    )


def manifest(generation: str, *snapshots: Snapshot) -> Manifest:
    return Manifest(
        generation=generation, created="2026-03-04T05:06:07+00:00", fingerprint="f" * 12, embedder="minilm", dims=3,
        sources=tuple(part.manifest for part in snapshots), points=sum(len(part.points) for part in snapshots),
        details={"embed": {"dims": 3, "code": False}},
    )  # fmt: skip


async def publish(database: PostgresDatabase, *snapshots: Snapshot, keep: int = 2) -> str:
    """Writes and publishes; the generation's name."""
    for part in snapshots:
        await database.write_snapshot(part)
    name = await database.next_generation()
    before = await database.published()
    base = before.generation if before else ""
    await database.publish(manifest(name, *snapshots), [part.digest for part in snapshots], keep, base)
    return name


@pytest.fixture(scope="session")
def shared_server(shared_home: Path) -> AsyncIterator[EmbeddedPostgres]:
    """One server for the databases of all tests that do not kill it."""
    server = EmbeddedPostgres(shared_home)
    server.start_sync()
    yield server
    server.close_sync()


@pytest.fixture
def address(shared_server: EmbeddedPostgres) -> str:
    """The connection string of an empty database, as a user of DATABASE_URL would give one."""
    conninfo = shared_server.start_sync()
    execute(conninfo, "DROP SCHEMA IF EXISTS vuedocs CASCADE")
    return conninfo


@pytest.fixture
async def database(address: str) -> AsyncIterator[PostgresDatabase]:
    database = await PostgresDatabase.open(at(address))
    yield database
    await database.aclose()


def kill(postmaster: Postmaster) -> None:
    pid = postmaster.pid()
    os.kill(pid, signal.SIGKILL)
    while serves(pid, postmaster.data):
        time.sleep(0.01)


def at(address: str) -> Settings:
    return Settings(home=Path("/nowhere"), database_url=address)


def execute(address: str, statement: str) -> list[tuple[object, ...]]:
    with psycopg.connect(address, autocommit=True) as connection:
        cursor = connection.execute(statement)  # type: ignore[arg-type]
        return cursor.fetchall() if cursor.description else []


@pytest.mark.parametrize("record", [CHUNK, ENTITY, POINT, BM25, SOURCE], ids=lambda record: type(record).__name__)
def test_the_examples_leave_no_field_at_its_default(record: object) -> None:
    """So that a field which is added to a record and forgotten in the database fails the round trip."""
    for field in dataclasses.fields(record):  # type: ignore[arg-type]
        assert field.default is dataclasses.MISSING or repr(getattr(record, field.name)) != repr(field.default), field.name


async def test_every_record_comes_back_equal(database: PostgresDatabase) -> None:
    name = await publish(database, SNAPSHOT)
    assert await database.pages(name) == (PAGE,)
    assert await database.chunks(name, [CHUNK.id, "vue/none"]) == {CHUNK.id: CHUNK}
    assert await database.all_chunks(name) == (CHUNK,)
    assert await database.entities(name) == (ENTITY,)
    assert await database.bm25_models(name) == (BM25,)
    assert await database.published() == manifest(name, SNAPSHOT)
    (point,) = [point async for point in database.snapshot_points([SNAPSHOT.digest])]
    assert point.dense is not None
    assert point.dense.dtype == np.float32
    assert point.dense.tolist() == POINT.dense.tolist()  # type: ignore[union-attr]
    assert replace(point, dense=None).__dict__ == replace(POINT, dense=None).__dict__


async def test_a_point_may_have_no_vectors(database: PostgresDatabase) -> None:
    await database.write_snapshot(replace(SNAPSHOT, points=(replace(POINT, dense=None, sparse=None),)))
    (point,) = [point async for point in database.snapshot_points([SNAPSHOT.digest])]
    assert (point.dense, point.sparse) == (None, None)


async def test_what_postgresql_cannot_store_becomes_the_replacement_character(database: PostgresDatabase) -> None:
    bad = replace(CHUNK, text="a\0b\ud800c", heading_path=("x\0",), links=(Link("t\0", "x", "low"),))
    name = await publish(database, replace(SNAPSHOT, chunks=(bad,), manifest=replace(SOURCE, origin="\0")))
    (chunk,) = await database.all_chunks(name)
    assert chunk.text == "a\ufffdb\ufffdc"
    assert chunk.heading_path == ("x\ufffd",)
    assert chunk.links == (Link("t\ufffd", "x", "low"),)
    assert await database.chunks(name, ["vue/\0"]) == {}
    assert await database.page_chunks(name, "vue", "\0") == ()


async def test_chunks_come_in_reading_order_and_by_source(database: PostgresDatabase) -> None:
    name = await publish(database, snapshot("vue", 3), snapshot("pinia", 2))
    assert [chunk.id for chunk in await database.all_chunks(name)] == ["vue/0", "vue/1", "vue/2", "pinia/0", "pinia/1"]
    assert [chunk.id for chunk in await database.all_chunks(name, "pinia")] == ["pinia/0", "pinia/1"]
    assert [chunk.id for chunk in await database.page_chunks(name, "vue", PAGE.path)] == ["vue/0", "vue/1", "vue/2"]
    assert [page.source for page in await database.pages(name)] == ["vue", "pinia"]
    assert await database.pages(name, "vite") == ()
    assert await database.snapshot_digests() == {"vue": "vue with 3", "pinia": "pinia with 2"}


async def test_windows_of_chunks_come_chunk_by_chunk_without_questions(database: PostgresDatabase) -> None:
    kinds: tuple[PointKind, ...] = ("window", "question", "window")
    of = [
        replace(POINT, id=f"{chunk}{n}", chunk_id=chunk, kind=kind, number=n, dense=np.full(4, n, np.float32), sparse=sparse)
        for chunk in ("vue/b", "vue/a")
        for n, (kind, sparse) in enumerate(zip(kinds, (Sparse((1, 7), (0.5, 0.25)), None, None), strict=True))
    ]
    name = await publish(database, replace(SNAPSHOT, points=tuple(of)))
    windows = await database.windows(name, ["vue/a", "vue/b", "vue/none"])
    assert [(window.chunk_id, window.dense[0]) for window in windows] == [("vue/a", 0), ("vue/a", 2), ("vue/b", 0), ("vue/b", 2)]
    assert [window.terms.tolist() for window in windows[:2]] == [[1, 7], []]
    assert windows[0].weights.tolist() == [0.5, 0.25]


async def test_nothing_is_published_at_first(database: PostgresDatabase) -> None:
    assert await database.published() is None
    assert await database.snapshot_digests() == {}
    await database.write_snapshot(SNAPSHOT)
    assert await database.published() is None


async def test_values_are_remembered_once(database: PostgresDatabase) -> None:
    keys = [hashlib.sha256(str(number).encode()).digest() for number in range(5000)]
    values = {key: key * 2 for key in keys}
    await asyncio.gather(database.remember(values, "embedding"), database.remember(dict(reversed(values.items())), "embedding"))
    assert await database.remembered([*keys, b"unknown"]) == values
    await database.remember({keys[0]: b"other"}, "embedding")
    assert await database.remembered(keys[:1]) == {keys[0]: values[keys[0]]}


async def test_many_points_are_read_in_the_order_of_writing(database: PostgresDatabase) -> None:
    many = snapshot("vue", 4500)
    await database.write_snapshot(many)
    read = [point.id async for point in database.snapshot_points([many.digest])]
    assert read == [point.id for point in many.points]


async def test_a_snapshot_is_written_whole_or_not_at_all(database: PostgresDatabase, address: str) -> None:
    with pytest.raises(DatabaseError, match="content of vue cannot be written"):
        await database.write_snapshot(replace(SNAPSHOT, chunks=(CHUNK, CHUNK)))
    assert execute(address, "SELECT count(*) FROM vuedocs.snapshot") == [(0,)]
    await database.write_snapshot(SNAPSHOT)
    await database.write_snapshot(SNAPSHOT)  # the digest is there: nothing to do
    assert execute(address, "SELECT count(*) FROM vuedocs.chunk") == [(1,)]


async def test_a_reader_sees_the_old_or_the_new_generation_whole(database: PostgresDatabase, address: str) -> None:
    reader = await PostgresDatabase.open(at(address))
    sizes = range(1, 12)
    await publish(database, snapshot("vue", 1))
    seen = set()

    async def read() -> None:
        while True:
            published = await reader.published()
            assert published is not None
            chunks = await reader.all_chunks(published.generation)
            assert len(chunks) == published.sources[0].chunks
            seen.add(len(chunks))
            if len(chunks) == sizes[-1]:
                return

    reading = asyncio.create_task(read())
    for size in sizes:
        await publish(database, snapshot("vue", size), keep=3)
    await asyncio.wait_for(reading, 20)
    assert seen <= set(sizes)
    await reader.aclose()


async def test_old_generations_and_what_only_they_named_are_forgotten(database: PostgresDatabase, address: str) -> None:
    shared = snapshot("pinia", 1)
    names = [await publish(database, shared, snapshot("vue", size)) for size in (1, 2)]
    await database.all_chunks(names[0])
    names.append(await publish(database, shared, snapshot("vue", 3)))
    assert execute(address, "SELECT digest FROM vuedocs.snapshot ORDER BY digest") == [
        ("pinia with 1",), ("vue with 2",), ("vue with 3",),
    ]  # fmt: skip
    assert execute(address, "SELECT count(*) FROM vuedocs.point") == [(1 + 2 + 3,)]
    assert len(await database.all_chunks(names[1])) == 1 + 2
    for lost in (database.chunks(names[0], ["vue/0"]), database.pages(names[0], "vue"), database.entities("g999999")):
        with pytest.raises(DatabaseError, match="is not in the database any more"):
            await lost


async def test_publishing_what_was_not_written_changes_nothing(database: PostgresDatabase) -> None:
    name = await publish(database, SNAPSHOT)
    with pytest.raises(DatabaseError, match="snapshot gone is not in the database; ingest again"):
        await database.publish(manifest("g000009"), [SNAPSHOT.digest, "gone"], 1, name)
    published = await database.published()
    assert published is not None
    assert published.generation == name


async def test_generations_have_names_of_their_own(database: PostgresDatabase) -> None:
    names = [await database.next_generation() for _ in range(3)]
    assert names == ["g000001", "g000002", "g000003"]


async def test_a_waiting_reader_hears_of_a_publication(database: PostgresDatabase) -> None:
    first = await publish(database, snapshot("vue", 1))
    assert await database.wait_published(first, 0.05) is None
    waiting = asyncio.create_task(database.wait_published(first, 20))
    await asyncio.sleep(0.2)
    assert not waiting.done()
    second = await publish(database, snapshot("vue", 2))
    heard = await asyncio.wait_for(waiting, 5)
    assert heard is not None
    assert heard.generation == second
    assert await database.wait_published(first, 0) == heard


HOLDER = """
import asyncio, sys
from pathlib import Path
from vuedocs.clients.database import PostgresDatabase
from vuedocs.settings import Settings
async def main():
    database = await PostgresDatabase.open(Settings(home=Path("/nowhere"), database_url=sys.argv[1]))
    async with database.lock_ingest():
        print("held", flush=True)
        await asyncio.sleep(60)
asyncio.run(main())
"""


async def test_what_a_generation_is_opened_with_does_not_wait_for_those_who_read(database: PostgresDatabase) -> None:
    name = await publish(database, SNAPSHOT)
    async with AsyncExitStack() as searches:
        for _ in range(POOL_SIZE):
            await searches.enter_async_context(database.connections.use("chunks cannot be read"))
        async with asyncio.timeout(4):
            assert await database.entities(name) == (ENTITY,)
            assert await database.bm25_models(name) == (BM25,)


async def test_ingest_waits_its_turn_and_a_killed_one_lets_go(database: PostgresDatabase, address: str) -> None:
    holder = await asyncio.create_subprocess_exec(sys.executable, "-c", HOLDER, address, stdout=subprocess.PIPE)
    assert holder.stdout is not None
    assert await holder.stdout.readline() == b"held\n"
    entered = asyncio.Event()

    async def ingest() -> None:
        async with database.lock_ingest():
            entered.set()

    waiting = asyncio.create_task(ingest())
    await asyncio.sleep(0.3)
    assert not entered.is_set()
    holder.kill()
    await holder.wait()
    await asyncio.wait_for(waiting, 10)
    await asyncio.wait_for(ingest(), 10)  # and it is free again after use


async def test_a_backend_that_was_killed_between_two_requests_is_replaced(database: PostgresDatabase, address: str) -> None:
    name = await publish(database, SNAPSHOT)
    for _ in range(3):
        execute(address, "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = 'vuedocs'")
        assert await database.chunks(name, [CHUNK.id]) == {CHUNK.id: CHUNK}


async def test_many_readers_at_once_share_few_connections(database: PostgresDatabase, address: str) -> None:
    name = await publish(database, snapshot("vue", 5))
    found = await asyncio.gather(*(database.chunks(name, [f"vue/{n % 5}"]) for n in range(60)))
    assert [list(chunks) for chunks in found] == [[f"vue/{n % 5}"] for n in range(60)]
    ((count,),) = execute(address, "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'vuedocs'")
    assert isinstance(count, int)
    assert count <= 5


async def test_tables_are_made_once_by_many_at_once(address: str) -> None:
    databases = await asyncio.gather(*(PostgresDatabase.open(at(address)) for _ in range(10)))
    await asyncio.gather(*(database.aclose() for database in databases))
    versions = [(number,) for number in range(1, len(MIGRATIONS) + 1)]
    assert execute(address, "SELECT version FROM vuedocs.migration ORDER BY version") == versions


async def test_tables_of_an_older_program_are_brought_up_to_date(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as older:
        older.setattr("vuedocs.clients.connections.MIGRATIONS", ("schema.sql",))
        database = await PostgresDatabase.open(at(address))
        await database.remember({b"k" * 32: b"paid for"}, "vector")
        await database.aclose()
    database = await PostgresDatabase.open(at(address))
    assert await database.remembered([b"k" * 32]) == {b"k" * 32: b"paid for"}
    assert await database.spending() == ()
    await database.aclose()


async def test_the_ledger_keeps_every_paid_call(database: PostgresDatabase) -> None:
    ledgers = [Ledger(f"run-{number}", database.enter_spending) for number in range(2)]
    ledgers[0].enter("jina", "jina-embeddings-v4", "embed", Usage(2_000_000), retries=2)
    await ledgers[0].flush()  # two runs write when they can; their order is that of the writing
    ledgers[1].enter("gemini", "no-such-model", "hype", Usage(100, 20, 50, batch=True))
    await ledgers[1].flush()
    assert await database.spending("run-0") == tuple(ledgers[0].entries)
    assert await database.spending() == (*ledgers[0].entries, *ledgers[1].entries)
    assert (ledgers[0].usd, ledgers[1].entries[0].usd) == (pytest.approx(0.1), None)


async def test_an_endless_run_keeps_its_calls_in_the_database_alone(database: PostgresDatabase) -> None:
    ledger = Ledger("server", database.enter_spending, endless=True)
    for _ in range(3):
        ledger.enter("jina", "jina-embeddings-v4", "detect", Usage(20))
    await ledger.flush()
    assert len(await database.spending("server")) == 3
    assert ledger.entries == []
    assert ledger.usd > 0


async def test_what_has_a_reference_is_entered_once_whoever_meets_it(database: PostgresDatabase) -> None:
    for run in ("first", "again"):
        ledger = Ledger(run, database.enter_spending)
        for prompt in ("a", "a", "b"):
            ledger.enter("gemini", "gemini-3.1-flash-lite", "hype", Usage(100), reference=f"batches/b1/{prompt}")
        await ledger.flush()
        assert len(ledger.entries) == 2
    references = [(entry.run, entry.reference) for entry in await database.spending() if entry.reference]
    assert references == [("first", "batches/b1/a"), ("first", "batches/b1/b")]


async def test_tables_of_a_newer_program_are_refused(database: PostgresDatabase, address: str) -> None:
    execute(address, "INSERT INTO vuedocs.migration (version) VALUES (99)")
    with pytest.raises(DatabaseError, match=r"newer vuedocs \(tables of version 99.*upgrade vuedocs"):
        await PostgresDatabase.open(at(address))


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://user:s3cr3t%21@127.0.0.1:1/none",
        "host=127.0.0.1 port=1 user=user password=s3cr3t! dbname=none",
        "s3cr3t!",
        "postgresql://user:s3cr3t!@host:no-port/none",
        "postgresql://user:s3cr3t!@[half/none",
    ],
)
async def test_a_server_that_cannot_be_used_is_named_without_the_password(url: str) -> None:
    with pytest.raises(DatabaseError, match="DATABASE_URL") as caught:
        await PostgresDatabase.open(at(url))
    error: BaseException | None = caught.value
    assert "s3cr3t" not in str(error)
    assert error.__cause__ is None or "s3cr3t" not in str(error.__cause__)


def test_the_manifest_is_plain_json() -> None:
    whole = manifest("g000001", SNAPSHOT)
    assert manifest_record(manifest_json(whole).obj) == whole


async def test_health_sees_a_killed_server_and_a_request_starts_it_again(server: EmbeddedPostgres) -> None:
    database = await PostgresDatabase.open(Settings(home=server.home))
    name = await publish(database, SNAPSHOT)
    assert database.location == str(server.location)
    await database.ping()

    kill(Postmaster(server.location))
    for _ in range(2):  # looking does not repair
        with pytest.raises(DatabaseError, match=r"does not answer: .*see .*server\.log"):
            await database.ping()
        with pytest.raises(DatabaseError, match="published generation cannot be read"):
            await database.published()
    assert await database.chunks(name, [CHUNK.id]) == {CHUNK.id: CHUNK}
    await database.ping()
    await database.aclose()


async def test_logged_queries_are_read_by_time_and_forgotten_by_age(database: PostgresDatabase) -> None:
    noon, took = datetime(2026, 11, 30, 12, tzinfo=UTC), {"search": 1.5}
    first, second, third = (
        LoggedQuery(noon + timedelta(hours=n), f"why\x00 {n}", ("vue",), "all", "abc", "g000001", ("vue/a#b",), took, "c")
        for n in range(3)
    )
    await database.queries.write([first, second])
    await database.queries.write([third])
    found = await database.queries.read(noon, 10)
    assert found == tuple(replace(entry, query=entry.query.replace("\x00", "\ufffd")) for entry in (first, second, third))
    assert [entry.asked for entry in await database.queries.read(noon, 2)] == [second.asked, third.asked]
    assert await database.queries.forget(third.asked) == 2
    assert [entry.asked for entry in await database.queries.read(noon, 10)] == [third.asked]
    assert await database.queries.forget(noon + timedelta(days=1)) == 1


async def test_a_password_of_its_own_takes_the_place_of_one_in_the_address(address: str) -> None:
    taken, refused = Connections(address, password="s3cr3t!"), Connections("host=127.0.0.1 port=1 user=u", password="s3cr3t!")
    async with taken.fresh("") as connection:
        assert connection.info.password == "s3cr3t!"
    await taken.aclose()
    with pytest.raises(DatabaseError) as caught:
        await refused.open()
    assert "s3cr3t" not in str(caught.value)


async def test_a_failed_migration_leaves_nothing(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vuedocs.clients.connections.MIGRATIONS", ("schema.sql", "schema.sql"))
    connections = Connections(address)
    with pytest.raises(DatabaseError, match="already exists"):
        async with connections.fresh("the database cannot be opened") as connection:
            await migrate(connection)
    await connections.aclose()
    assert execute(address, "SELECT to_regclass('vuedocs.migration')") == [(None,)]
