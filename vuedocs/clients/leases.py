"""Leases: a reader's hold on a generation, so that no publication forgets what somebody reads.

A lease is a shared advisory lock of PostgreSQL on a connection of its own: it holds across machines and for both kinds of vector
index, and the server drops it when the reader's process ends, however it ends.
"""

from __future__ import annotations

from contextlib import AsyncExitStack, suppress

from vuedocs.clients.connections import Connection, Connections
from vuedocs.errors import DatabaseError

HELD = "1986356581"
"""Class of the advisory locks of generations; the object is the hash of the generation's name."""


class Lease:
    """A hold on one generation. It is lost with its connection; :meth:`renew` takes it again."""

    def __init__(self, connections: Connections, generation: str) -> None:
        self.generation = generation
        self._connections = connections
        self._stack = AsyncExitStack()
        self._connection: Connection | None = None

    async def renew(self) -> None:
        """Returns when the generation is held. Raises DatabaseError where it is gone, or the database does not answer."""
        try:
            if self._connection is None:
                await self._take()
            else:
                with self._connections.translated("a generation cannot be held"):
                    await self._connection.execute("SELECT 1")
        except BaseException:
            await self.aclose()
            raise

    async def _take(self) -> None:
        doing = f"generation {self.generation} cannot be held"
        connection = await self._stack.enter_async_context(self._connections.fresh(doing))
        forever = "set_config('idle_session_timeout', '0', false)"  # a server's own may be short
        await connection.execute(f"SELECT {forever}, pg_advisory_lock_shared({HELD}, hashtext(%s))", [self.generation])
        known = await connection.execute("SELECT FROM vuedocs.generation WHERE name = %s", [self.generation])
        if await known.fetchone() is None:
            raise DatabaseError(f"generation {self.generation} is not in the database any more; reopen the published one")
        self._connection = connection

    async def aclose(self) -> None:
        """Lets the generation go; also where the server is gone."""
        self._connection = None
        with suppress(DatabaseError):
            await self._stack.aclose()


async def unread(connection: Connection, generation: str) -> bool:
    """Whether nobody holds a generation; nobody will until the caller's transaction ends."""
    found = await connection.execute(f"SELECT pg_try_advisory_xact_lock({HELD}, hashtext(%s))", [generation])
    row = await found.fetchone()
    return bool(row and row[0])
