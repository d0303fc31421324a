"""Starting and stopping the PostgreSQL server of one folder. The caller sees to it that one process at a time does so."""

from __future__ import annotations

import hashlib
import os
import shutil
import signal
import subprocess
import threading
import time
import uuid
from contextlib import suppress
from pathlib import Path
from typing import IO

import psycopg
from psycopg.conninfo import make_conninfo

from vuedocs.clients import postgres_binaries
from vuedocs.clients.postgres_account import Account, own_folder
from vuedocs.clients.postmaster import Postmaster, data_major, last_reason, serves
from vuedocs.errors import DatabaseError

PORT = 5432
"""Only a part of the socket's name: no port is opened."""

SOCKET_LIMIT = 100
"""Bytes of a socket's path; systems allow 104 to 108."""

LOG_LIMIT = 1_000_000
"""Bytes of the server's log above which a start puts it aside."""

ORPHAN_SECONDS = 10.0
"""How long the children of a killed server may take to notice that it is gone."""

SERVER_OPTIONS = {
    "listen_addresses": "",
    "port": str(PORT),
    "unix_socket_permissions": "0700",
    "max_connections": "100",
    "shared_buffers": "64MB",
    "max_wal_size": "256MB",
    "wal_level": "minimal",  # nobody replicates it
    "max_wal_senders": "0",
    "max_parallel_workers_per_gather": "0",  # containers have little /dev/shm, and no query here gains from it
    "jit": "off",
    "timezone": "UTC",
    "lc_messages": "C",
    "log_line_prefix": "%m [%p] ",
}
"""fsync and synchronous_commit stay on: answers that were paid for must outlive a power cut."""


class Server:
    """The server whose files are below ``base``, run by ``account`` (None: this process's own)."""

    def __init__(self, base: Path, account: Account | None, pg_bin: Path | None, timeout: float) -> None:
        self.base = base
        self.data = base / "postgres"
        self._run = base / "postgres.run"
        self._account = account
        self._pg_bin = pg_bin
        self._timeout = timeout
        self._postmaster = Postmaster(self.data)
        self._child: subprocess.Popen[bytes] | None = None
        own_folder(self._run, account)
        self._socket = socket_folder(self._run, account)
        self.conninfo = make_conninfo(
            host=str(self._socket), port=PORT, user="postgres", dbname="postgres", password="", options="", connect_timeout=10
        )

    def ensure(self) -> None:
        """Returns when the server answers, started if need be. Raises DatabaseError."""
        if self.answers():
            return
        if self._postmaster.running():
            self._await_change()
        if not self.answers():
            self._launch()

    def answers(self) -> bool:
        """Whether it takes connections; a server that has too many is there as well."""
        if not (self._socket / f".s.PGSQL.{PORT}").exists():
            return False
        try:
            psycopg.connect(self.conninfo).close()
        except psycopg.OperationalError as error:
            return "too many clients" in str(error) or "remaining connection slots" in str(error)
        return True

    def stop(self) -> None:
        """Ends the server: orderly within 20 s, or else at once (it then recovers at the next start)."""
        for number in (signal.SIGINT, signal.SIGQUIT):
            pid = self._pid()
            if not pid:
                return
            with suppress(ProcessLookupError):
                os.kill(pid, number)
            deadline = time.monotonic() + 20
            while serves(pid, self.data) and time.monotonic() < deadline:  # its pid file goes a moment before it does
                time.sleep(0.01)

    def _pid(self) -> int:
        """The process of the running server; 0 when there is none."""
        if self._child is not None and self._child.poll() is None:
            return self._child.pid
        return self._postmaster.pid() if self._postmaster.running() else 0

    def _await_change(self) -> None:
        """Returns when a server that starts up, recovers or shuts down has done so."""
        pid, listens = self._postmaster.pid(), self._postmaster.socket_folder()
        if listens not in ("", str(self._socket)):
            raise DatabaseError(
                f"a PostgreSQL server (pid {pid}) already runs on {self.data} and listens in {listens}; "
                f"stop it (kill -INT {pid}) and try again"
            )
        deadline = time.monotonic() + self._timeout
        while self._postmaster.running() and not self.answers():
            if time.monotonic() > deadline:
                raise DatabaseError(
                    f"the PostgreSQL server of {self.data} (pid {pid}) runs and has not answered for {self._timeout:.0f} s; "
                    f"see {self._run}/server.log, or stop it (kill -INT {pid}) and try again"
                )
            time.sleep(0.05)

    def _launch(self) -> None:
        """Starts the server on its folder, which is made first if there is none."""
        major = data_major(self.data)
        binaries = postgres_binaries.choose(major, self.data, self._pg_bin, self._account)
        if major is None:
            self._init(binaries.folder)
        self._postmaster.disown()
        for leftover in self._socket.glob(".s.PGSQL.*"):
            leftover.unlink(missing_ok=True)
        command = [str(binaries.folder / "postgres"), "-D", str(self.data)]
        for name, value in {**SERVER_OPTIONS, "unix_socket_directories": f'"{self._socket}"'}.items():
            command += ["-c", f"{name}={value}"]
        begun = time.monotonic()
        while (reason := self._run_server(command, begun + self._timeout)) is not None:
            if "pre-existing shared memory block" not in reason or time.monotonic() > begun + ORPHAN_SECONDS:
                raise DatabaseError(
                    f"PostgreSQL {binaries.major} does not start on {self.data}: {reason}; "
                    f"put that right (more in {self._run}/server.log), or move the folder away and ingest again"
                )
            time.sleep(0.1)

    def _run_server(self, command: list[str], deadline: float) -> str | None:
        """Runs the server until it answers (None) or has ended (the reason)."""
        log_path = self._run / "server.log"
        if log_path.exists() and log_path.stat().st_size > LOG_LIMIT:
            log_path.replace(log_path.with_suffix(".log.old"))
        with open(log_path, "ab") as log:
            begun = log.tell()
            child = self._spawn(command, log)
        while child.poll() is None:
            if self.answers():
                self._child = child
                threading.Thread(target=child.wait, daemon=True).start()  # so that it is no zombie when somebody else stops it
                return None
            if time.monotonic() > deadline:
                child.send_signal(signal.SIGQUIT)
                child.wait()
                return f"it did not answer within {self._timeout:.0f} s"
            time.sleep(0.01)
        return last_reason(log_path, begun) or f"it ended with status {child.returncode}"

    def _init(self, folder: Path) -> None:
        """Makes the database beside its place and moves it there: a killed initdb never leaves half a database."""
        for leftover in self.base.glob("postgres.new-*"):
            shutil.rmtree(leftover, ignore_errors=True)
        part = self.base / f"postgres.new-{uuid.uuid4().hex[:8]}"
        log_path = self._run / "initdb.log"
        own_folder(part, self._account)
        command = [str(folder / "initdb"), "-D", str(part), "-U", "postgres", "--auth=trust", "-E", "UTF8", "--locale=C"]
        command.append("--data-checksums")  # a page that the disk changed is an error when it is read, never an answer
        command.append("--no-sync")  # fsync takes a second; the system writes it all out soon, and nothing was paid for yet
        try:
            with open(log_path, "wb") as log:
                status = self._spawn(command, log).wait()
            if status:
                reason = last_reason(log_path, 0) or f"it ended with status {status}"
                raise DatabaseError(
                    f"PostgreSQL's initdb cannot make {self.data}: {reason}; put that right (more in {log_path}), "
                    "set VUEDOCS_PG_BIN to other PostgreSQL programs, or set DATABASE_URL to a server"
                )
            part.rename(self.data)
        finally:
            shutil.rmtree(part, ignore_errors=True)

    def _spawn(self, command: list[str], log: IO[bytes]) -> subprocess.Popen[bytes]:
        """A program of the server, as its account, out of reach of this terminal's Ctrl-C, and without this process's keys."""
        kept = ("PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd="/",
            env={"LC_ALL": "C", **{name: os.environ[name] for name in kept if name in os.environ}},
            start_new_session=True,
            **Account.identity(self._account),
        )


def socket_folder(run: Path, account: Account | None) -> Path:
    """``run``; where its path is too long for a socket or has signs that a connection string cannot say, one under /tmp."""
    if len(os.fsencode(f"{run}/.s.PGSQL.{PORT}")) <= SOCKET_LIMIT and not set(str(run)) & set(",\"'"):
        return run
    state = run.stat()  # with the inode: a data folder that was deleted and made anew is another one
    name = hashlib.sha256(os.fsencode(f"{run}:{state.st_dev}:{state.st_ino}")).hexdigest()[:16]
    folder = Path("/tmp") / f"vuedocs-{name}"
    own_folder(folder, account)
    return folder
