"""The vector indexes that must behave alike, and points to fill them with.

``edge`` is the embedded engine, ``memory`` qdrant-client's own double of a server, ``server`` the one of QDRANT_TEST_URL (with
QDRANT_TEST_API_KEY), which is skipped where there is none.
"""

from __future__ import annotations

import os
import uuid
import warnings
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from qdrant_client import AsyncQdrantClient

from vuedocs.clients import IndexBuilder
from vuedocs.clients.edge import EdgeBuilder
from vuedocs.clients.qdrant import QdrantBuilder
from vuedocs.clients.qdrant_server import QdrantServer
from vuedocs.records import Point, PointKind, Sparse, Vector
from vuedocs.settings import QdrantSettings

ENGINES = ("edge", "memory", "server")
DIMS = 8


@asynccontextmanager
async def builder_of(engine: str, folder: Path) -> AsyncIterator[IndexBuilder]:
    """An index builder with nothing in it; what it built is removed at the end."""
    if engine == "edge":
        yield EdgeBuilder(folder)
        return
    builder = memory_builder() if engine == "memory" else server_builder()
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Payload indexes have no effect|Local mode performs exact")  # of the double
            yield builder
    finally:
        await builder.remove([])
        await builder.aclose()


def memory_builder() -> QdrantBuilder:
    """Of a server that is a Python object."""
    settings = QdrantSettings(url="http://memory")
    return QdrantBuilder(QdrantServer(settings, AsyncQdrantClient(":memory:")), "0123abcd")


def server_builder() -> QdrantBuilder:
    """Of the server that QDRANT_TEST_URL names."""
    url, key = os.environ.get("QDRANT_TEST_URL", ""), os.environ.get("QDRANT_TEST_API_KEY", "")
    if not url:
        pytest.skip("no Qdrant server: set QDRANT_TEST_URL to one")
    return QdrantBuilder(QdrantServer(QdrantSettings(url=url, api_key=key, collection="vuedocs-test")), uuid.uuid4().hex[:8])


def unit(*values: float) -> Vector:
    """A vector of DIMS dimensions that begins with these values, scaled to length 1."""
    vector = np.zeros(DIMS, np.float32)
    vector[: len(values)] = values
    return vector / np.float32(np.linalg.norm(vector))


def point(name: str, kind: PointKind, dense: Vector | None, sparse: Sparse | None = None, source: str = "vue") -> Point:
    """A point of the page ``name``, whose folders are its scopes."""
    id = str(uuid.uuid5(uuid.NAMESPACE_URL, f"{source}/{name}/{kind}"))
    folders = name.split("/")[:-1]
    scopes = tuple("/".join(folders[: n + 1]) for n in range(len(folders)))
    return Point(id, f"{source}/{name}", source, kind, 0, f"what is {name}", scopes, dense, sparse)


POINTS = [
    point("guide/computed", "window", unit(1, 0), Sparse((1, 2), (2.0, 1.0))),
    point("guide/computed", "question", unit(0, 0, 1)),
    point("api/ref", "window", unit(0.9, 0.4), Sparse((2,), (1.5,))),
    point("guide/stores", "window", unit(0, 1), Sparse((3,), (1.0,)), source="pinia"),
]


def many(count: int, twins: bool) -> list[Point]:
    """So many points of all kinds, sources and folders, with terms by Zipf; ``twins``: each ninth has the vectors before it."""
    random = np.random.default_rng(7)
    folders = ("guide", "guide/essentials", "api", "api/deep/er", "examples", "guide/über uns")
    kinds: tuple[PointKind, ...] = ("window", "question", "code")
    made: list[Point] = []
    for number in range(count):
        dense = random.normal(size=DIMS).astype(np.float32)
        terms = np.unique(random.zipf(1.4, size=12) % 4_000_000_000)
        sparse = Sparse(tuple(terms.tolist()), tuple(random.uniform(0.3, 2.5, size=len(terms)).tolist()))
        kind, folder, source = (options[random.integers(len(options))] for options in (kinds, folders, ("vue", "pinia", "vite")))
        one = point(
            f"{folder}/{number}",
            kind,
            None if number % 11 == 0 else dense / np.float32(np.linalg.norm(dense)),
            sparse if kind != "question" else None,
            source,
        )
        made.append(replace(one, dense=made[-1].dense, sparse=made[-1].sparse) if twins and number % 9 == 8 else one)
    return made


async def stream(points: Iterable[Point]) -> AsyncIterator[Point]:
    """The points as a builder takes them."""
    for one in points:
        yield one
