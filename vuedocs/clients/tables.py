"""All tables of the database as files and back: what a backup holds. Files are PostgreSQL's own binary COPY format, the same for
versions 15 to 18, so that a backup moves between the embedded server and others."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from psycopg import sql

from vuedocs.clients.connections import Connection

FIRST = "snapshot"
"""Other tables refer to it."""

LAST = "generation"
"""Its rows are the publication; they come when everything else is there."""

COLUMNS = """
    SELECT table_name, array_agg(column_name::text ORDER BY ordinal_position),
           array_agg(column_name::text) FILTER (WHERE is_identity = 'YES')
    FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
    WHERE table_schema = 'vuedocs' AND table_type = 'BASE TABLE' AND table_name <> 'migration'
    GROUP BY table_name
"""


@dataclass(frozen=True, slots=True)
class TableFile:
    """One table in a backup."""

    name: str
    columns: tuple[str, ...]
    rows: int
    bytes: int
    sha256: str

    @property
    def file(self) -> str:
        """Its place in the backup's folder."""
        return f"{self.name}.copy"


async def columns_of(connection: Connection) -> dict[str, tuple[str, ...]]:
    """The columns of every table that a backup holds, in an order in which they can be filled."""
    rows = await (await connection.execute(COLUMNS)).fetchall()
    return {name: tuple(columns) for name, columns, _ in sorted(rows, key=lambda row: (row[0] != FIRST, row[0] == LAST, row[0]))}


async def dump(connection: Connection, folder: Path) -> list[TableFile]:
    """Writes every table into ``folder``; call it in one transaction that sees one state. Raises OSError."""
    written = []
    for name, columns in (await columns_of(connection)).items():
        digest, size = hashlib.sha256(), 0
        query = sql.SQL("COPY {} ({}) TO STDOUT (FORMAT BINARY)").format(table(name), names(columns))
        with open(folder / f"{name}.copy", "wb") as file:  # noqa: ASYNC230
            async with connection.cursor() as cursor:
                async with cursor.copy(query) as stream:
                    async for part in stream:
                        file.write(part)
                        digest.update(part)
                        size += len(part)
                rows = cursor.rowcount
        written.append(TableFile(name, columns, rows, size, digest.hexdigest()))
    return written


async def fill(connection: Connection, folder: Path, part: TableFile) -> None:
    """Adds a file's rows to its table, except those that are there; call it in a transaction."""
    incoming = sql.Identifier(f"incoming_{part.name}")
    await connection.execute(
        sql.SQL("CREATE TEMP TABLE {} ON COMMIT DROP AS SELECT {} FROM {} WITH NO DATA").format(
            incoming, names(part.columns), table(part.name)
        )
    )
    query = sql.SQL("COPY {} ({}) FROM STDIN (FORMAT BINARY)").format(incoming, names(part.columns))
    with open(folder / part.file, "rb") as file:  # noqa: ASYNC230
        async with connection.cursor() as cursor, cursor.copy(query) as stream:
            while block := file.read(1 << 20):
                await stream.write(block)
    order = sql.SQL(" ORDER BY ordinal") if part.name == LAST else sql.SQL("")
    await connection.execute(
        sql.SQL("INSERT INTO {} ({}) OVERRIDING SYSTEM VALUE SELECT {} FROM {}{} ON CONFLICT DO NOTHING").format(
            table(part.name), names(part.columns), names(part.columns), incoming, order
        )
    )


async def advance_numbers(connection: Connection) -> None:
    """Lets every identity column, and the names of generations, go on after the highest number in use."""
    for name, _, identities in await (await connection.execute(COLUMNS)).fetchall():
        for column in identities or ():
            query = "SELECT setval(pg_get_serial_sequence({}, {}), greatest((SELECT max({}) FROM {}), 1))"
            await connection.execute(sql.SQL(query).format(f"vuedocs.{name}", column, sql.Identifier(column), table(name)))
    await connection.execute(
        "SELECT setval('vuedocs.generation_number', greatest((SELECT max(substr(name, 2)::bigint) FROM vuedocs.generation), "
        "(SELECT last_value FROM vuedocs.generation_number)))"
    )


def table(name: str) -> sql.Identifier:
    """A table of ours."""
    return sql.Identifier("vuedocs", name)


def names(columns: Sequence[str]) -> sql.Composable:
    """Columns, for SQL."""
    return sql.SQL(", ").join(map(sql.Identifier, columns))


def table_file(data: Any) -> TableFile:
    """A table as ``backup.json`` names it. Raises KeyError, TypeError or ValueError for anything else."""
    name = str(data["name"])
    if not name.isidentifier():
        raise ValueError(f"{name!r} is no table")
    columns = tuple(str(column) for column in data["columns"])
    return TableFile(name, columns, int(data["rows"]), int(data["bytes"]), str(data["sha256"]))
