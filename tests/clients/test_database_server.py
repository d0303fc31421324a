"""A PostgreSQL that somebody else runs, named by DATABASE_URL: it goes and comes back, and the pool with it."""

from __future__ import annotations

import asyncio

import pytest
from test_database import CHUNK, SNAPSHOT, at, execute, kill, publish

from vuedocs.clients.database import PostgresDatabase
from vuedocs.clients.postgres import EmbeddedPostgres
from vuedocs.clients.postmaster import Postmaster
from vuedocs.errors import DatabaseError


async def read_until_it_fails(database: PostgresDatabase, name: str) -> None:
    """A backend outlives its postmaster for a moment."""
    for _ in range(100):
        await database.chunks(name, [CHUNK.id])
        await asyncio.sleep(0.1)


async def test_the_pool_survives_a_restart_of_the_server(server: EmbeddedPostgres) -> None:
    address = server.start_sync()
    database = await PostgresDatabase.open(at(address))
    name = await publish(database, SNAPSHOT)
    kill(Postmaster(server.location))
    with pytest.raises(DatabaseError, match="see that the server of DATABASE_URL runs"):
        await read_until_it_fails(database, name)
    assert server.start_sync() == address
    for _ in range(3):
        assert await database.chunks(name, [CHUNK.id]) == {CHUNK.id: CHUNK}
    await database.ping()
    await database.aclose()


async def test_a_database_keeps_its_identity_and_another_has_its_own(server: EmbeddedPostgres) -> None:
    address = server.start_sync()
    identities = []
    for _ in range(2):
        database = await PostgresDatabase.open(at(address))
        identities.append(await database.identity())
        await database.aclose()
    execute(address, "DROP SCHEMA vuedocs CASCADE")
    database = await PostgresDatabase.open(at(address))
    assert identities[0] == identities[1] != await database.identity()
    assert len(identities[0]) == 8
    await database.aclose()
