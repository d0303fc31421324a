"""One embedded PostgreSQL for all processes that use a data folder: the first starts it, the last one stops it.

Below the data folder (or where vuedocs.clients.postgres_account puts the server's files)::

    postgres/                PostgreSQL's own folder
    postgres.run/            the socket, server.log, and two lock files (these always in the data folder)

``clients.lock`` is held shared for as long as a process uses the server: it is the count of users, and the kernel drops a killed
process from it. ``start.lock`` is held while the server is started or stopped. The server listens on a Unix socket only, in a
folder that no other user can enter.
"""

from __future__ import annotations

import asyncio
import atexit
import fcntl
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from vuedocs.clients.postgres_account import base_folder, own_folder, server_account
from vuedocs.clients.postgres_server import Server
from vuedocs.errors import DatabaseError


class EmbeddedPostgres:
    """The server of one data folder. ``start()`` and ``aclose()`` may be called from several tasks, and again."""

    def __init__(self, home: Path, pg_bin: Path | None = None, timeout: float = 60.0) -> None:
        """``pg_bin``: the folder of the programs, instead of searching; ``timeout``: seconds that a start may take."""
        self.home = home.absolute()
        self._pg_bin = pg_bin
        self._timeout = timeout
        self._guard = threading.Lock()
        self._locks: tuple[IO[str], IO[str]] | None = None
        self._owner = 0
        self._base = self.home
        self._server: Server | None = None

    @property
    def location(self) -> Path:
        """PostgreSQL's own folder; known once the server was started."""
        return self._base / "postgres"

    @property
    def log(self) -> Path:
        """What the server reports; read it when something is wrong."""
        return self._base / "postgres.run" / "server.log"

    @property
    def moved(self) -> bool:
        """Whether the files lie outside the data folder because the server's account cannot enter it."""
        return self._base != self.home

    async def start(self) -> str:
        """Attaches to the running server, or starts it (making the database if there is none); the connection string.

        Raises DatabaseError. When it runs already this takes milliseconds.
        """
        return await asyncio.to_thread(self.start_sync)

    async def aclose(self) -> None:
        """Leaves the server; stops it when no other process uses it."""
        await asyncio.to_thread(self.close_sync)

    def start_sync(self) -> str:
        """What ``start()`` does, in the calling thread."""
        with self._guard:
            try:
                _, start = self._locks or self._claim()
                with exclusive(start):
                    return self._ensure()
            except OSError as error:
                self._leave()
                raise DatabaseError(unusable(self.home, error)) from error
            except BaseException:
                self._leave()
                raise

    def close_sync(self) -> None:
        """What ``aclose()`` does, in the calling thread; also called when the interpreter ends."""
        with self._guard:
            if self._locks is None or self._owner != os.getpid():  # a fork's copy of the object is not a user of the server
                return
            clients, start = self._locks
            try:
                with exclusive(start):
                    if self._server is not None and alone(clients):
                        self._server.stop()
            finally:
                self._leave()

    def _claim(self) -> tuple[IO[str], IO[str]]:
        """Counts this process as a user of the server."""
        self.home.mkdir(parents=True, exist_ok=True)
        self.home = self._base = self.home.resolve()
        folder = self.home / "postgres.run"
        own_folder(folder, server_account(self.home))
        clients, start = (open(folder / name, "a+", encoding="utf-8") for name in ("clients.lock", "start.lock"))  # noqa: SIM115
        self._locks, self._owner = (clients, start), os.getpid()
        atexit.register(self.close_sync)
        fcntl.flock(clients, fcntl.LOCK_SH)
        return self._locks

    def _ensure(self) -> str:
        """The connection string of a server that answers; called under the start lock."""
        account = server_account(self.home)
        self._base = base_folder(self.home, account)
        if self._server is None or self._server.base != self._base:
            self._server = Server(self._base, account, self._pg_bin, self._timeout)
        self._server.ensure()
        return self._server.conninfo

    def _leave(self) -> None:
        atexit.unregister(self.close_sync)
        for lock in self._locks or ():
            lock.close()
        self._locks = self._server = None


def unusable(home: Path, error: OSError) -> str:
    """The message for a data folder that cannot be used."""
    return (
        f"the data folder {home} cannot be used: {error.filename or home}: {error.strerror or error}; "
        "set VUEDOCS_HOME to a folder that you can write"
    )


def alone(clients: IO[str]) -> bool:
    """Whether nobody else holds the lock; where somebody does, this process's own hold is given up."""
    try:
        fcntl.flock(clients, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@contextmanager
def exclusive(lock: IO[str]) -> Iterator[None]:
    """Holds a lock file alone."""
    fcntl.flock(lock, fcntl.LOCK_EX)
    try:
        yield
    finally:
        fcntl.flock(lock, fcntl.LOCK_UN)
