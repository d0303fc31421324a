"""Data folders for tests of the database: also as root in one that the server's own user can enter, which pytest's are not."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from vuedocs.clients.postgres import EmbeddedPostgres


@pytest.fixture
def home() -> Iterator[Path]:
    """An empty data folder."""
    yield from open_folder()


@pytest.fixture(scope="session")
def shared_home() -> Iterator[Path]:
    """A data folder for all tests that need no server of their own."""
    yield from open_folder()


@pytest.fixture(scope="session")
def empty_database() -> Iterator[Path]:
    """A data folder whose database was made and stopped: to copy, which is faster than to make another."""
    for folder in open_folder():
        server = EmbeddedPostgres(folder)
        server.start_sync()
        server.close_sync()
        yield folder


@pytest.fixture
def server(home: Path, empty_database: Path) -> Iterator[EmbeddedPostgres]:
    """A server of its own, running on an empty database."""
    subprocess.run(["cp", "-a", str(empty_database / "postgres"), str(home / "postgres")], check=True)
    server = EmbeddedPostgres(home)
    server.start_sync()
    yield server
    server.close_sync()


def open_folder() -> Iterator[Path]:
    """A new folder, removed at the end."""
    folder = Path(tempfile.mkdtemp(prefix="vuedocs-test-", dir="/tmp"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)
