"""Questions that were asked of the server, in the database: written in batches, read by time, forgotten by age."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from psycopg.types.json import Jsonb

from vuedocs.clients.connections import Connections
from vuedocs.clients.rows import storable
from vuedocs.records import LoggedQuery

COLUMNS = "asked, query, sources, scope, config, generation, sections, milliseconds, client"


class LoggedQueries:
    """The table of them."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    async def write(self, queries: Sequence[LoggedQuery]) -> None:
        """Adds ``queries``; committed when this returns."""
        rows = [
            (
                entry.asked, entry.query, list(entry.sources), entry.scope, entry.config, entry.generation,
                list(entry.sections), Jsonb(dict(entry.milliseconds)), entry.client,
            )
            for entry in queries
        ]  # fmt: skip
        statement = f"INSERT INTO vuedocs.query ({COLUMNS}) VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s)"
        async with (
            self._connections.use("queries cannot be logged") as connection,
            connection.transaction(),
            connection.cursor() as cursor,
        ):
            await cursor.executemany(statement.encode(), [tuple(map(storable, row)) for row in rows])

    async def read(self, since: datetime, limit: int) -> tuple[LoggedQuery, ...]:
        """The newest ``limit`` that were asked at ``since`` or later, oldest first."""
        statement = f"SELECT {COLUMNS} FROM vuedocs.query WHERE asked >= %s ORDER BY asked DESC, id DESC LIMIT %s"
        async with self._connections.use("logged queries cannot be read") as connection:
            rows = await (await connection.execute(statement.encode(), [since, limit])).fetchall()
        return tuple(
            LoggedQuery(asked, query, tuple(sources), scope, config, generation, tuple(sections), milliseconds, client)
            for asked, query, sources, scope, config, generation, sections, milliseconds, client in reversed(rows)
        )

    async def forget(self, before: datetime) -> int:
        """Deletes those that were asked before; their number."""
        async with self._connections.use("logged queries cannot be deleted") as connection:
            return (await connection.execute("DELETE FROM vuedocs.query WHERE asked < %s", [before])).rowcount
