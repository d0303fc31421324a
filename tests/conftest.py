"""Fixtures that several areas share."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from homes import ingested
from hosted import fresh
from standins.server import Standin, running

PROJECT = Path(__file__).parent.parent


@pytest.fixture(scope="session")
def project() -> Path:
    """The checkout's root."""
    return PROJECT


@pytest.fixture(scope="session")
def standins() -> Iterator[Standin]:
    """The hosted services, as stand-ins that serve over HTTP until the session ends."""
    with running() as standin:
        yield standin


@pytest.fixture
def standin(standins: Standin) -> Standin:
    """The stand-ins as new."""
    return fresh(standins)


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The folder of real documentation, named by source; tests that need it are skipped, with the reason, where it is not."""
    folder = Path(os.environ.get("VUEDOCS_DOCS") or PROJECT.parent / "shared" / "corpus").resolve()
    if not (folder / "vue").is_dir():
        pytest.skip(f"no real docs: {folder}/vue is not there (set VUEDOCS_DOCS)")
    return folder


@pytest.fixture(scope="session")
def oracles(corpus: Path) -> Path:
    """What the sites' own renderers say of the real documentation."""
    folder = corpus.parent / "oracles"
    if not folder.is_dir():
        pytest.skip(f"no oracles: {folder} is not there")
    return folder


@pytest.fixture(scope="session")
def sample_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with the sample docs, ingested once a session; read it, do not ingest into it."""
    return ingested(["sample"], tmp_path_factory.mktemp("sample-home"))


@pytest.fixture(scope="session")
def vue_home(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with the real Vue docs, ingested once a session (minutes); read it, do not ingest into it."""
    return ingested(["vue"], tmp_path_factory.mktemp("vue-home"), corpus)
