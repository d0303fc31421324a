"""The ledger's table: entries in, entries out."""

from __future__ import annotations

from collections.abc import Sequence

from vuedocs.clients.connections import Connection
from vuedocs.clients.ledger import Entry, Usage

COLUMNS = "run, provider, model, stage, input, output, cached, batch, retries, usd, prices, reference"


async def write(connection: Connection, entries: Sequence[Entry]) -> None:
    """Adds entries, all or none; one whose reference is there already is left out."""
    rows = [
        (e.run, e.provider, e.model, e.stage, u.input, u.output, u.cached, u.batch, e.retries, e.usd, e.prices, e.reference)
        for e in entries
        for u in (e.usage,)
    ]
    async with connection.transaction(), connection.cursor() as cursor:
        places = ", ".join(["%s"] * len(COLUMNS.split(",")))
        statement = f"INSERT INTO vuedocs.spending ({COLUMNS}) VALUES ({places}) ON CONFLICT (reference) DO NOTHING"
        await cursor.executemany(statement, rows)


async def read(connection: Connection, run: str | None) -> tuple[Entry, ...]:
    """The entries of one run, or all, in the order in which they were made."""
    query = f"SELECT {COLUMNS} FROM vuedocs.spending WHERE %(run)s::text IS NULL OR run = %(run)s ORDER BY id"
    async with connection.cursor() as cursor:
        await cursor.execute(query, {"run": run})
        rows = await cursor.fetchall()
    return tuple(
        Entry(run, provider, model, stage, Usage(sent, written, cached, batch), retries, usd, prices, reference)
        for run, provider, model, stage, sent, written, cached, batch, retries, usd, prices, reference in rows
    )
