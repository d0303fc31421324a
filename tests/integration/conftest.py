"""Data folders with a real embedded PostgreSQL and a real Edge index, and the command line as a process."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from processes import OURS, Command, environment
from small_docs import PINIA, VUE, write_docs

from vuedocs.cli import main
from vuedocs.clients.postgres import EmbeddedPostgres


@pytest.fixture(scope="session")
def command(project: Path) -> Command:
    def run(*arguments: str, home: Path, **settings: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "vuedocs.cli", *arguments],
            env=environment(project, home, **settings),
            cwd=project,
            capture_output=True,
            text=True,
            errors="surrogateescape",
            timeout=300,
            check=False,
        )

    return run


@pytest.fixture
def inside(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """The same within this process, which is faster: for the many ways to ask one thing."""

    def run(*arguments: str, home: Path, **settings: str) -> subprocess.CompletedProcess[str]:
        for name in os.environ:
            if name.startswith(OURS):
                monkeypatch.delenv(name)
        for name, value in {"VUEDOCS_HOME": str(home), **settings}.items():
            monkeypatch.setenv(name, value)
        capsys.readouterr()
        code = main(arguments)
        printed = capsys.readouterr()
        return subprocess.CompletedProcess(arguments, code, printed.out, printed.err)

    return run


@pytest.fixture(scope="session")
def sample(sample_home: Path) -> Iterator[Path]:
    """The data folder with the sample docs, its database kept running meanwhile, so that commands need not start it."""
    server = EmbeddedPostgres(sample_home)
    server.start_sync()
    yield sample_home
    server.close_sync()


@pytest.fixture(scope="module")
def running() -> Iterator[Path]:
    """A data folder, empty at first, whose server runs all the while."""
    with tempfile.TemporaryDirectory(prefix="vuedocs-test-", dir="/tmp") as folder:
        Path(folder).chmod(0o755)
        server = EmbeddedPostgres(Path(folder) / "home")
        server.start_sync()
        yield server.home
        server.close_sync()


@pytest.fixture
def home() -> Iterator[Path]:
    """An empty data folder, which the database's own user can enter when the tests run as root."""
    with tempfile.TemporaryDirectory(prefix="vuedocs-test-", dir="/tmp") as folder:
        Path(folder).chmod(0o755)
        yield Path(folder) / "home"


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    """Tiny docs of two sources."""
    write_docs(tmp_path / "docs", "vue", VUE)
    return write_docs(tmp_path / "docs", "pinia", PINIA)
