"""A stand-in for the hosted services, one a module, as new for each test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hosted import fresh
from standins.server import Standin, running


@pytest.fixture(scope="module")
def server() -> Iterator[Standin]:
    with running() as standin:
        yield standin


@pytest.fixture
def standin(server: Standin) -> Standin:
    return fresh(server)
