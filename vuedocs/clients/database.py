"""The database of the project: remembered vectors, snapshots of sources, published generations.

What stages see of it is the protocol :class:`vuedocs.clients.Database`; what is in it stands in ``schema.sql``.
Text that PostgreSQL cannot store (NUL, lone surrogates) is kept with U+FFFD in its place.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import UTC
from typing import Any

import psycopg
from psycopg.sql import SQL, Identifier

from vuedocs.clients import Snapshot, snapshots, spending
from vuedocs.clients.connections import INGEST_LOCK, SCHEMA_LOCK, Connections, fetch
from vuedocs.clients.contents import IN_ORDER, Contents
from vuedocs.clients.leases import Lease
from vuedocs.clients.ledger import Entry
from vuedocs.clients.postgres import EmbeddedPostgres
from vuedocs.clients.query_log import LoggedQueries
from vuedocs.clients.rows import CHUNKS, ENTITIES, PAGES, POINTS, WINDOWS, storable
from vuedocs.clients.watchbook import Watchbook
from vuedocs.records import Bm25Model, Chunk, Entity, Manifest, Page, Point, Window
from vuedocs.records.watch import Watching
from vuedocs.settings import Settings

MEMORY_BATCH = POINT_BATCH = 2000
"""Keys or values a statement; points that are read at a time, about 6 MB."""


class PostgresDatabase:
    """The database, through a pool of connections. Looking (``published``, ``ping``) never starts a server; reading does."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self._contents = Contents(connections)
        self.queries = LoggedQueries(connections)

    @classmethod
    async def open(cls, settings: Settings) -> PostgresDatabase:
        """The database at DATABASE_URL; without one the embedded server's, which is started if need be and left by ``aclose()``.

        DatabaseError, without passwords, when it cannot be used.
        """
        if settings.database_url:
            return await cls._opened(Connections(settings.database_url, password=settings.database_password))
        server = EmbeddedPostgres(settings.home, settings.pg_bin)
        return await cls._opened(Connections(await server.start(), server))

    @classmethod
    async def _opened(cls, connections: Connections) -> PostgresDatabase:
        try:
            await connections.open()
        except BaseException:
            await connections.aclose()
            raise
        return cls(connections)

    @property
    def location(self) -> str:
        """The embedded database's folder, or ``host:port/database``."""
        return self._connections.location

    async def remembered(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """The values that are kept under these content keys."""
        values: dict[bytes, bytes] = {}
        async with self._connections.use("remembered vectors cannot be read") as connection:
            for start in range(0, len(keys), MEMORY_BATCH):
                query = "SELECT key, value FROM vuedocs.memory WHERE key = ANY(%b)"
                values.update(await fetch(connection, query, [list(keys[start : start + MEMORY_BATCH])]))
        return values

    async def remember(self, values: Mapping[bytes, bytes], kind: str) -> None:
        """Keeps values under their content keys, unless they are known; committed when this returns."""
        keys = sorted(values)  # one order for all processes: two that write the same keys must not wait for each other
        async with self._connections.use("vectors cannot be remembered") as connection:
            for start in range(0, len(keys), MEMORY_BATCH):
                batch = keys[start : start + MEMORY_BATCH]
                await connection.execute(
                    "INSERT INTO vuedocs.memory (key, kind, value) SELECT key, %s, value "
                    "FROM unnest(%b::bytea[], %b::bytea[]) AS given (key, value) ORDER BY key ON CONFLICT DO NOTHING",
                    [kind, batch, [values[key] for key in batch]],
                )

    async def published(self) -> Manifest | None:
        """The manifest of the generation that was published last."""
        async with self._connections.fresh("the published generation cannot be read") as connection:
            return await snapshots.newest(connection)

    async def wait_published(self, current: str, seconds: float) -> Manifest | None:
        """The newest manifest, as soon as another generation than ``current`` is published; None after so many ``seconds``."""
        deadline = time.monotonic() + seconds
        async with self._connections.fresh("the database cannot be listened to") as connection:
            await connection.execute("LISTEN vuedocs_published")
            while True:
                manifest = await snapshots.newest(connection)
                if manifest is not None and manifest.generation != current:
                    return manifest
                left = deadline - time.monotonic()
                if left <= 0:
                    return None
                async for _ in connection.notifies(timeout=left, stop_after=1):
                    pass

    async def snapshot_digests(self) -> dict[str, str]:
        """Digest of each source's snapshot in the published generation; empty when nothing is published."""
        async with self._connections.use("the published generation cannot be read") as connection:
            rows = await fetch(
                connection,
                "SELECT source, digest FROM vuedocs.snapshot WHERE digest = ANY "
                "((SELECT digests FROM vuedocs.generation ORDER BY ordinal DESC LIMIT 1)::text[])",
            )
        return dict(rows)

    @asynccontextmanager
    async def lock_ingest(self) -> AsyncIterator[None]:
        """Holds the one lock under which generations are built; waits for its turn; a process that dies lets it go."""
        async with self._connections.fresh("the ingest lock cannot be taken") as connection:
            for limit in ("statement_timeout", "lock_timeout", "idle_session_timeout"):  # a server's own may be short
                await connection.execute(f"SET {limit} = 0")
            await connection.execute(f"SELECT pg_advisory_lock({INGEST_LOCK})")
            yield

    @asynccontextmanager
    async def lock_schema(self, schema: str) -> AsyncIterator[Callable[[], psycopg.Connection[tuple[Any, ...]]]]:
        """A way to connect to a schema of its own, made if need be, for a library that brings its tables; one process at a time
        is inside, and the way stays open after."""
        async with self._connections.fresh(f"schema {schema} cannot be made") as connection:
            await connection.execute(f"SELECT pg_advisory_lock({SCHEMA_LOCK})")
            await connection.execute(SQL("CREATE SCHEMA IF NOT EXISTS {}").format(Identifier(schema)))
            yield lambda: self._connections.connect(schema)

    async def next_generation(self) -> str:
        """A name that no generation has had: ``g000001``."""
        async with self._connections.use("a generation cannot be named") as connection:
            ((number,),) = await fetch(connection, "SELECT nextval('vuedocs.generation_number')")
        return f"g{number:06d}"

    async def write_snapshot(self, snapshot: Snapshot) -> None:
        """Writes a source's content under its digest, all or nothing; a digest that is there already is left as it is."""
        doing = f"the content of {snapshot.manifest.source} cannot be written"
        async with self._connections.use(doing) as connection, connection.transaction():
            await snapshots.write(connection, snapshot)

    async def snapshot_points(self, digests: Sequence[str]) -> AsyncIterator[Point]:
        """The points of these snapshots, with their vectors, in the order in which they were written."""
        for digest in digests:
            place = -1
            while True:
                async with self._connections.use("points cannot be read") as connection:
                    rows = await fetch(
                        connection,
                        f"SELECT {POINTS.names} FROM vuedocs.point WHERE place > %s AND snapshot = "
                        "(SELECT snapshot.id FROM vuedocs.snapshot WHERE digest = %s) ORDER BY place LIMIT %s",
                        [place, digest, POINT_BATCH],
                    )
                for row in rows:
                    yield POINTS.record(row)
                if len(rows) < POINT_BATCH:
                    break
                place = rows[-1][0]

    async def publish(self, manifest: Manifest, digests: Sequence[str], keep: int, base: str) -> list[str]:
        """Publishes in one commit and forgets what is too old; see :func:`vuedocs.clients.snapshots.publish`."""
        doing = f"generation {manifest.generation} cannot be published"
        async with self._connections.use(doing) as connection, connection.transaction():
            return await snapshots.publish(connection, manifest, digests, keep, base)

    async def hold(self, generation: str) -> Lease:
        """A lease on a kept generation: no publication forgets it before ``aclose()``. DatabaseError where it is gone."""
        lease = Lease(self._connections, generation)
        await lease.renew()
        return lease

    async def generations(self) -> list[str]:
        """The kept generations, the published one first."""
        async with self._connections.use("the generations cannot be read") as connection:
            return await snapshots.names(connection)

    async def forget(self, keep: int) -> list[str]:
        """Forgets generations beyond the newest ``keep`` that nobody reads; those kept. Call it under the ingest lock."""
        async with self._connections.use("old generations cannot be forgotten") as connection, connection.transaction():
            return await snapshots.forget(connection, keep)

    async def roll_back(self, newest: str, before: str) -> list[str]:
        """Publishes the generation before the newest again, in one commit; the sources that change with it."""
        async with self._connections.use(f"{newest} cannot be rolled back") as connection, connection.transaction():
            return await snapshots.roll_back(connection, newest, before)

    async def identity(self) -> str:
        """8 hex digits that tell this database from others, the same for its whole life, also in a backup of it."""
        async with self._connections.use("the database cannot be identified") as connection:
            ((made,),) = await fetch(connection, "SELECT applied FROM vuedocs.migration WHERE version = 1")
        return hashlib.sha256(made.astimezone(UTC).isoformat().encode()).hexdigest()[:8]

    @property
    def connections(self) -> Connections:
        """The ways to the database, for the modules beside this one."""
        return self._connections

    async def chunks(self, generation: str, ids: Sequence[str]) -> dict[str, Chunk]:
        """The chunks that exist among ``ids``, by id."""
        found = await self._contents.read(CHUNKS, generation, "id = ANY(%(ids)s)", ids=storable(list(ids)), whole=len(set(ids)))
        return {chunk.id: chunk for chunk in found}

    async def windows(self, generation: str, chunk_ids: Sequence[str]) -> tuple[Window, ...]:
        """The windows of these chunks, chunk by chunk in their order."""
        where = "kind = 'window' AND chunk_id = ANY(%(ids)s) ORDER BY chunk_id, number"
        return await self._contents.read(WINDOWS, generation, where, ids=storable(list(chunk_ids)), whole=len(set(chunk_ids)))

    async def page_chunks(self, generation: str, source: str, path: str) -> tuple[Chunk, ...]:
        """A page's chunks in reading order, code chunks too; empty when there is no such page."""
        return await self._contents.read(CHUNKS, generation, "path = %(path)s ORDER BY place, id", source, path=storable(path))

    async def pages(self, generation: str, source: str | None = None) -> tuple[Page, ...]:
        """All pages of a source, or of all, in reading order."""
        return await self._contents.read(PAGES, generation, f"true ORDER BY {IN_ORDER}, position, path", source)

    async def entities(self, generation: str) -> tuple[Entity, ...]:
        """All entities, source by source, as they were written."""
        return await self._contents.read_apart(ENTITIES, generation, f"true ORDER BY {IN_ORDER}, number")

    async def all_chunks(self, generation: str, source: str | None = None) -> tuple[Chunk, ...]:
        """All chunks of a source, or of all, in reading order."""
        return await self._contents.read(CHUNKS, generation, f"true ORDER BY {IN_ORDER}, page_position, place, id", source)

    async def bm25_models(self, generation: str) -> tuple[Bm25Model, ...]:
        """The length statistics and vocabulary of each source."""
        return await self._contents.bm25_models(generation)

    async def enter_spending(self, entries: Sequence[Entry]) -> None:
        """Adds paid calls to the ledger; committed when this returns."""
        async with self._connections.use("the ledger cannot be written") as connection:
            await spending.write(connection, entries)

    async def spending(self, run: str | None = None) -> tuple[Entry, ...]:
        """The paid calls of one run, or of all, in order."""
        async with self._connections.use("the ledger cannot be read") as connection:
            return await spending.read(connection, run)

    async def watched(self) -> Watching:
        """The watcher, and what it knows of each source."""
        return await Watchbook(self._connections).watcher(), await Watchbook(self._connections).entries()

    async def ping(self) -> None:
        """Returns when the database answers; raises DatabaseError."""
        async with self._connections.fresh("the database does not answer") as connection:
            await connection.execute("SELECT 1 FROM vuedocs.generation LIMIT 1")

    async def aclose(self) -> None:
        """Closes the connections, and leaves the embedded server."""
        await self._connections.aclose()
