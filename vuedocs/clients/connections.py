"""Connections to PostgreSQL: a small pool, migrations, and the seam where psycopg's errors become DatabaseError."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from importlib import resources
from typing import Any, TypeVar
from urllib.parse import quote

import psycopg
from psycopg import AsyncConnection
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.sql import SQL, Identifier
from psycopg_pool import AsyncConnectionPool, PoolTimeout

from vuedocs.clients.parallel import in_own_thread
from vuedocs.clients.postgres import EmbeddedPostgres
from vuedocs.errors import DatabaseError

MIGRATIONS = ("schema.sql", "ledger.sql", "watch.sql", "query_log.sql", "ledger_once.sql", "windows.sql")
"""Files of this package; the n-th makes version n. A file that was released is never changed."""

MIGRATION_LOCK, INGEST_LOCK, SCHEMA_LOCK, WATCH_LOCK = (f"1986356580, {which}" for which in (1, 2, 3, 4))
"""Advisory locks of the database, as SQL: (ours, which)."""

POOL_SIZE = 4
POOL_TIMEOUT = 5.0
"""Seconds that a request waits for a connection."""

RECOVERY = "move them away and run `vuedocs restore` with a backup, or ingest again"

Connection = AsyncConnection[tuple[Any, ...]]

T = TypeVar("T")


class Connections:
    """All ways to one database. ``server`` is the embedded one, which is started again when it was killed.

    ``password`` takes the place of one in ``conninfo``.
    """

    def __init__(self, conninfo: str, server: EmbeddedPostgres | None = None, password: str = "") -> None:
        with hidden(conninfo):
            parameters: dict[str, Any] = {"connect_timeout": 10, **conninfo_to_dict(conninfo)}
            parameters |= {"client_encoding": "utf8", "application_name": "vuedocs"}
            if password:
                parameters["password"] = password
            self._conninfo = make_conninfo(**parameters)
        self._server = server
        self._secrets = [str(parameters[key]) for key in ("password", "sslpassword") if parameters.get(key)]
        host = parameters.get("host") or parameters.get("hostaddr") or "localhost"
        address = f"{host}:{parameters.get('port', 5432)}/{parameters.get('dbname', '')}"
        self.location = str(server.location) if server else address
        """The embedded server's folder, or ``host:port/database``."""
        logging.getLogger("psycopg.pool").addHandler(logging.NullHandler())  # its warnings reach the caller as errors
        self._pool: AsyncConnectionPool[Connection] = AsyncConnectionPool(
            self._conninfo,
            kwargs={"autocommit": True},
            min_size=1,
            max_size=POOL_SIZE,
            timeout=POOL_TIMEOUT,
            reconnect_timeout=POOL_TIMEOUT,
            check=self._check,
            open=False,
        )

    async def open(self) -> None:
        """Connects and brings the tables up to date; DatabaseError with the server's own reason when that fails."""
        async with self.fresh("the database cannot be opened") as connection:
            await migrate(connection)
        await self._pool.open()

    @asynccontextmanager
    async def use(self, doing: str) -> AsyncIterator[Connection]:
        """A connection that works, in autocommit mode; ``doing`` begins the message of an error."""
        with self.translated(doing):
            connection = await self._take()
            try:
                yield connection
            finally:
                await self._pool.putconn(connection)

    @asynccontextmanager
    async def fresh(self, doing: str) -> AsyncIterator[Connection]:
        """A connection of its own, which never starts a server: for looking, listening and locks. Closed at the end."""
        with self.translated(doing):
            connection = await AsyncConnection.connect(self._conninfo, autocommit=True)
            try:
                yield connection
            finally:
                await connection.close()

    async def apart(self, doing: str, reading: Callable[[Connection], Awaitable[T]]) -> T:
        """What is read by a connection, a loop and a thread of its own.

        In a busy server's loop a result that comes in a hundred pieces waits for its turn a hundred times.
        """

        async def read() -> T:
            async with self.fresh(doing) as connection:
                return await reading(connection)

        return await in_own_thread(lambda: asyncio.run(read()))

    def connect(self, schema: str) -> psycopg.Connection[tuple[Any, ...]]:
        """A connection of the caller's own, for the calling thread, that finds its tables in ``schema``; psycopg's own errors."""
        connection = psycopg.connect(self._conninfo, autocommit=True)
        connection.execute(SQL("SET search_path TO {}").format(Identifier(schema)))
        connection.autocommit = False
        return connection

    async def aclose(self) -> None:
        """Closes the pool, and leaves the embedded server."""
        try:
            await self._pool.close()
        finally:
            if self._server is not None:
                await self._server.aclose()

    async def _take(self) -> Connection:
        try:
            return await self._pool.getconn()
        except PoolTimeout:
            if self._server is not None:
                await self._server.start()
            async with self.fresh("the database cannot be reached"):  # says why, where the pool only says that it waited
                pass
            return await self._pool.getconn()

    async def _check(self, connection: Connection) -> None:
        """Called by the pool before it hands out a connection; one that fails is replaced."""
        try:
            await AsyncConnectionPool.check_connection(connection)
        except psycopg.OperationalError:
            if self._server is not None:
                await self._server.start()  # returns at once where only the connection was lost
            raise

    @contextmanager
    def translated(self, doing: str) -> Iterator[None]:
        """Turns psycopg's errors into DatabaseError, without passwords."""
        try:
            yield
        except psycopg.Error as error:
            reason = error.diag.message_primary or " ".join(str(error).split()) or type(error).__name__
            for secret in self._secrets:
                reason = reason.replace(secret, "***").replace(quote(secret, safe=""), "***")
            remedy = "see that the server of DATABASE_URL runs and lets this user do that"
            if self._server is not None:
                remedy = f"see {self._server.log}"
            if isinstance(error, (psycopg.errors.DataCorrupted, psycopg.errors.IndexCorrupted)):
                remedy = f"the database's files are damaged: {RECOVERY}"
            raise DatabaseError(f"{doing}: {self.location}: {reason}; {remedy}") from (None if self._secrets else error)


@contextmanager
def hidden(conninfo: str) -> Iterator[None]:
    """Refuses a connection string that cannot be read, without repeating it."""
    try:
        yield
    except psycopg.Error:
        raise DatabaseError(
            "DATABASE_URL is no connection string of PostgreSQL; write postgresql://user:password@host:5432/database"
        ) from None


async def migrate(connection: Connection) -> None:
    """Brings the tables to this program's version; safe from many processes at once. DatabaseError for a newer version."""
    if await version(connection) < len(MIGRATIONS):
        async with connection.transaction():
            await connection.execute(f"SELECT pg_advisory_xact_lock({MIGRATION_LOCK})")
            for number in range(await version(connection), len(MIGRATIONS)):
                script = resources.files("vuedocs.clients").joinpath(MIGRATIONS[number]).read_text(encoding="utf-8")
                await connection.execute(script.encode())
                await connection.execute("INSERT INTO vuedocs.migration (version) VALUES (%s)", [number + 1])
    found = await version(connection)
    if found > len(MIGRATIONS):
        raise DatabaseError(
            f"the database was made by a newer vuedocs (tables of version {found}, this one knows {len(MIGRATIONS)}); "
            "upgrade vuedocs, or use another data folder or database"
        )


async def version(connection: Connection) -> int:
    """The version of the tables; 0 where there are none."""
    query = "SELECT FROM pg_catalog.pg_tables WHERE schemaname = 'vuedocs' AND tablename = 'migration'"
    if await (await connection.execute(query)).fetchone() is None:  # to_regclass would answer from a cache that the lock outdates
        return 0
    row = await (await connection.execute("SELECT coalesce(max(version), 0) FROM vuedocs.migration")).fetchone()
    return int(row[0]) if row else 0


async def fetch(connection: Connection, query: str, values: Any = None) -> list[tuple[Any, ...]]:
    """All rows of a query, in binary format: vectors and arrays need no parsing."""
    async with connection.cursor(binary=True) as cursor:
        await cursor.execute(query, values)
        return await cursor.fetchall()
