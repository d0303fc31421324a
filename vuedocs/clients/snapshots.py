"""Writing the database: a source's snapshot, and the publication of a generation. Each runs in its caller's transaction."""

from __future__ import annotations

from collections.abc import Sequence

from psycopg import sql

from vuedocs.clients import Snapshot
from vuedocs.clients.connections import Connection
from vuedocs.clients.rows import CHUNKS, ENTITIES, PAGES, POINTS, Record, Table, manifest_json, storable
from vuedocs.errors import DatabaseError
from vuedocs.records import Manifest


async def write(connection: Connection, snapshot: Snapshot) -> None:
    """Writes all rows of a snapshot; nothing when its digest is there, since what is there is complete."""
    cursor = await connection.execute(
        "INSERT INTO vuedocs.snapshot (digest, source, manifest, bm25) VALUES (%s, %s, %s, %s) "
        "ON CONFLICT (digest) DO NOTHING RETURNING id",
        [snapshot.digest, snapshot.manifest.source, manifest_json(snapshot.manifest), manifest_json(snapshot.bm25)],
    )
    row = await cursor.fetchone()
    if row is None:
        return
    await copy(connection, PAGES, row[0], snapshot.pages)
    await copy(connection, CHUNKS, row[0], snapshot.chunks)
    await copy(connection, ENTITIES, row[0], snapshot.entities)
    await copy(connection, POINTS, row[0], snapshot.points)


async def copy(connection: Connection, table: Table[Record], snapshot: int, records: Sequence[Record]) -> None:
    """Writes records by COPY: 40,000 points take seconds."""
    command = sql.SQL(f"COPY {table.name} (snapshot, {table.names}) FROM STDIN (FORMAT BINARY)")
    async with connection.cursor() as cursor, cursor.copy(command) as stream:
        stream.set_types(["int4", *table.columns.values()])
        for number, record in enumerate(records):
            await stream.write_row((snapshot, *table.storable_row(record, number)))


async def publish(connection: Connection, manifest: Manifest, digests: Sequence[str], keep: int) -> list[str]:
    """Inserts the generation, forgets those beyond the newest ``keep`` with the snapshots that only they named, and notifies.

    The names of the generations kept, newest first. DatabaseError, and nothing changed, when a snapshot is missing.
    """
    await connection.execute("LOCK TABLE vuedocs.generation IN SHARE ROW EXCLUSIVE MODE")
    found = await connection.execute("SELECT digest FROM vuedocs.snapshot WHERE digest = ANY(%s) FOR SHARE", [list(digests)])
    missing = set(digests) - {digest for (digest,) in await found.fetchall()}
    if missing:
        raise DatabaseError(
            f"generation {manifest.generation} cannot be published: snapshot {min(missing)} is not in the database; ingest again"
        )
    await connection.execute(
        "INSERT INTO vuedocs.generation (name, manifest, digests) VALUES (%s, %s, %s)",
        [storable(manifest.generation), manifest_json(manifest), list(digests)],
    )
    await connection.execute(
        "DELETE FROM vuedocs.generation WHERE ordinal NOT IN "
        "(SELECT ordinal FROM vuedocs.generation ORDER BY ordinal DESC LIMIT %s)",
        [keep],
    )
    await connection.execute(
        "DELETE FROM vuedocs.snapshot WHERE NOT EXISTS "
        "(SELECT FROM vuedocs.generation WHERE snapshot.digest = ANY(generation.digests))"
    )
    await connection.execute("SELECT pg_notify('vuedocs_published', %s)", [manifest.generation])
    kept = await connection.execute("SELECT name FROM vuedocs.generation ORDER BY ordinal DESC")
    return [name for (name,) in await kept.fetchall()]
