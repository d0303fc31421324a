"""A source's snapshot, and the publication of generations, in the database. What writes runs in its caller's transaction."""

from __future__ import annotations

from collections.abc import Sequence

from psycopg import sql

from vuedocs.clients import Snapshot
from vuedocs.clients.connections import Connection, fetch
from vuedocs.clients.leases import unread
from vuedocs.clients.rows import CHUNKS, ENTITIES, PAGES, POINTS, Record, Table, manifest_json, manifest_record, storable
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


async def publish(connection: Connection, manifest: Manifest, digests: Sequence[str], keep: int, base: str) -> list[str]:
    """Inserts the generation, ends the holds on sources that change with it, forgets what is too old, and notifies.

    ``base`` is the generation that it was made from, ``""`` for none. The names of the generations kept, newest first.
    DatabaseError, and nothing changed, when a snapshot is missing or another generation than ``base`` is published by now.
    """
    await connection.execute("LOCK TABLE vuedocs.generation IN SHARE ROW EXCLUSIVE MODE")
    newest = next(iter(await names(connection)), "")
    if newest != base:
        raise DatabaseError(
            f"generation {manifest.generation} cannot be published: it was made from {base or 'nothing'}, and "
            f"{newest or 'nothing'} is published by now (the ingest lock was lost with its connection); ingest again"
        )
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
        "UPDATE vuedocs.watch SET held = NULL WHERE source IN (SELECT source FROM vuedocs.snapshot WHERE digest = ANY(%s) "
        "AND digest <> ALL(coalesce((SELECT digests FROM vuedocs.generation WHERE name = %s), '{}')))",
        [list(digests), base],
    )
    await connection.execute("SELECT pg_notify('vuedocs_published', %s)", [manifest.generation])
    return await forget(connection, keep)


async def forget(connection: Connection, keep: int) -> list[str]:
    """Deletes generations beyond the newest ``keep`` that nobody reads, with what only they named; those kept, newest first."""
    for name in (await names(connection))[keep:]:
        if await unread(connection, name):
            await connection.execute("DELETE FROM vuedocs.generation WHERE name = %s", [name])
    await connection.execute(
        "DELETE FROM vuedocs.snapshot WHERE NOT EXISTS "
        "(SELECT FROM vuedocs.generation WHERE snapshot.digest = ANY(generation.digests))"
    )
    return await names(connection)


async def roll_back(connection: Connection, newest: str, before: str) -> list[str]:
    """Makes ``before`` the published generation in place of ``newest``; the sources that this changes.

    They are held, so that the watcher does not publish again what was taken back. DatabaseError when others came between.
    """
    await connection.execute("LOCK TABLE vuedocs.generation IN SHARE ROW EXCLUSIVE MODE")
    if (await names(connection))[:2] != [newest, before]:
        raise DatabaseError(f"{newest} cannot be rolled back: it is not the published generation any more; try again")
    await connection.execute("UPDATE vuedocs.generation SET ordinal = DEFAULT, published_at = now() WHERE name = %s", [before])
    changed = await connection.execute(
        "INSERT INTO vuedocs.watch (source, held) "
        "SELECT DISTINCT snapshot.source, jsonb_build_object('by', 'rollback', 'commit', '', 'since', now(), 'reasons', "
        "jsonb_build_array('rolled back from ' || new.name || ' to ' || old.name)) "
        "FROM vuedocs.snapshot, vuedocs.generation AS new, vuedocs.generation AS old WHERE new.name = %s AND old.name = %s "
        "AND (snapshot.digest = ANY(new.digests)) <> (snapshot.digest = ANY(old.digests)) "
        "ON CONFLICT (source) DO UPDATE SET held = excluded.held RETURNING source",
        [newest, before],
    )
    await connection.execute("SELECT pg_notify('vuedocs_published', %s)", [before])
    return sorted(source for (source,) in await changed.fetchall())


async def names(connection: Connection) -> list[str]:
    """The kept generations, newest first."""
    found = await connection.execute("SELECT name FROM vuedocs.generation ORDER BY ordinal DESC")
    return [name for (name,) in await found.fetchall()]


async def newest(connection: Connection) -> Manifest | None:
    """The manifest that was published last."""
    rows = await fetch(connection, "SELECT manifest FROM vuedocs.generation ORDER BY ordinal DESC LIMIT 1")
    return manifest_record(rows[0][0]) if rows else None
