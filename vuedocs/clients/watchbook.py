"""The watcher's book in the database: what happened to each source, seen from every machine.

All times are the database's own: the clocks of the machines that watch need not agree with it, or with each other.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Any

from psycopg.types.json import Jsonb

from vuedocs.clients.connections import WATCH_LOCK, Connections
from vuedocs.clients.rows import storable
from vuedocs.records import Hold, Watched, Watcher

ERROR_LENGTH = 500
"""Characters of an error that are kept."""


class Watchbook:
    """Reads and writes the tables ``watch`` and ``watcher``. Raises DatabaseError."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Holds the lock under which one watcher at a time, on all machines, works; a process that dies lets it go."""
        async with self._connections.fresh("the watcher's lock cannot be taken") as connection:
            for limit in ("statement_timeout", "lock_timeout", "idle_session_timeout"):  # a server's own may be short
                await connection.execute(f"SET {limit} = 0")
            await connection.execute(f"SELECT pg_advisory_lock({WATCH_LOCK})")
            yield

    async def clock(self) -> datetime:
        """The database's time."""
        async with self._connections.use("the database's time cannot be read") as connection:
            row = await (await connection.execute("SELECT now()")).fetchone()
        assert row is not None
        now: datetime = row[0]
        return now

    async def entries(self) -> tuple[Watched, ...]:
        """All sources that were watched or held, by name."""
        query = "SELECT source, round, attempted, succeeded, failures, error, held FROM vuedocs.watch ORDER BY source"
        async with self._connections.use("the watcher's book cannot be read") as connection:
            rows = await (await connection.execute(query)).fetchall()
        return tuple(
            Watched(source, round, attempted, succeeded, failures, error, hold_of(held))
            for source, round, attempted, succeeded, failures, error, held in rows
        )

    async def watcher(self) -> Watcher | None:
        """The watcher of this database; None where there never was one."""
        query = "SELECT machine, every, seen, next FROM vuedocs.watcher"
        async with self._connections.use("the watcher's book cannot be read") as connection:
            row = await (await connection.execute(query)).fetchone()
        return Watcher(*row) if row else None

    async def announce(self, machine: str, every: float, wait: float) -> None:
        """Writes down who watches, how often, and that the next look is in ``wait`` seconds."""
        await self._write(
            "INSERT INTO vuedocs.watcher (machine, every, seen, next) VALUES (%s, %s, now(), now() + %s * interval '1 s') "
            "ON CONFLICT (id) DO UPDATE SET "
            "machine = excluded.machine, every = excluded.every, seen = excluded.seen, next = excluded.next",
            [machine, every, wait],
        )

    async def begin(self, sources: Sequence[str], round: datetime | None) -> None:
        """An attempt at each of ``sources`` begins now; ``round`` is set where the schedule asks for it."""
        await self._write(
            "INSERT INTO vuedocs.watch (source, attempted, round) SELECT source, now(), %s FROM unnest(%s::text[]) AS source "
            "ON CONFLICT (source) DO UPDATE SET attempted = excluded.attempted, round = coalesce(excluded.round, watch.round)",
            [round, list(sources)],
        )

    async def succeed(self, sources: Sequence[str]) -> None:
        """What was found of each source is published, and nothing of it is held back."""
        await self._write(
            "UPDATE vuedocs.watch SET succeeded = now(), failures = 0, error = '', held = NULL WHERE source = ANY(%s)",
            [list(sources)],
        )

    async def fail(self, sources: Sequence[str], error: str) -> None:
        """The attempt at each of ``sources`` failed; what is published of them stays."""
        await self._write(
            "UPDATE vuedocs.watch SET failures = failures + 1, error = %s WHERE source = ANY(%s)",
            [storable(error)[:ERROR_LENGTH], list(sources)],
        )

    async def hold_back(self, source: str, commit: str, reasons: Sequence[str]) -> None:
        """The source was read, and its new docs look wrong; ``since`` stays that of the first time, and a rollback stays one."""
        held = {"by": "judge", "commit": commit, "reasons": list(reasons)}
        await self._write(
            "UPDATE vuedocs.watch SET failures = 0, error = '', "
            "held = %s || jsonb_build_object('since', coalesce(held -> 'since', to_jsonb(now()))) "
            "WHERE source = %s AND coalesce(held ->> 'by', '') <> 'rollback'",
            [Jsonb(storable(held)), source],
        )

    async def _write(self, statement: str, values: Sequence[Any]) -> None:
        async with self._connections.use("the watcher's book cannot be written") as connection:
            await connection.execute(statement.encode(), values)


def hold_of(data: Any) -> Hold | None:
    """A hold as the table keeps it."""
    return Hold(data["by"], data["commit"], tuple(data["reasons"]), data["since"]) if data else None
