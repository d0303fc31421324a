"""Fixtures that several areas share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

PROJECT = Path(__file__).parent.parent


@pytest.fixture(scope="session")
def project() -> Path:
    """The checkout's root."""
    return PROJECT


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
