"""Edge generations: complete or refused, filtered by source and scope, fused as the formula says."""

from __future__ import annotations

import shutil
import uuid
from collections.abc import AsyncIterator
from pathlib import Path

import numpy as np
import pytest

from vuedocs.clients import Fusion
from vuedocs.clients.edge import EdgeBuilder, EdgeIndex
from vuedocs.clients.edge_seal import SEAL
from vuedocs.errors import IndexDamagedError, StorageError
from vuedocs.records import Point, PointKind, Sparse, Vector

DIMS = 8


def unit(*values: float) -> Vector:
    vector = np.zeros(DIMS, np.float32)
    vector[: len(values)] = values
    return vector / np.float32(np.linalg.norm(vector))


def point(name: str, kind: PointKind, dense: Vector, sparse: Sparse | None = None, source: str = "vue") -> Point:
    id = str(uuid.uuid5(uuid.NAMESPACE_URL, f"{source}/{name}/{kind}"))
    return Point(id, f"{source}/{name}", source, kind, 0, f"what is {name}", tuple(name.split("/")[:-1]), dense, sparse)


POINTS = [
    point("guide/computed", "window", unit(1, 0), Sparse((1, 2), (2.0, 1.0))),
    point("guide/computed", "question", unit(0, 0, 1)),
    point("api/ref", "window", unit(0.9, 0.4), Sparse((2,), (1.5,))),
    point("guide/stores", "window", unit(0, 1), Sparse((3,), (1.0,)), source="pinia"),
]


async def stream(points: list[Point]) -> AsyncIterator[Point]:
    for one in points:
        yield one


@pytest.fixture
async def index(tmp_path: Path) -> AsyncIterator[EdgeIndex]:
    builder = EdgeBuilder(tmp_path)
    assert await builder.build("g000001", stream(POINTS), DIMS, batch=2) == len(POINTS)
    opened = await builder.open("g000001")
    yield opened
    await opened.aclose()


async def test_each_leg_has_its_own_points_best_first(index: EdgeIndex) -> None:
    legs = await index.legs(unit(1, 0), Sparse((1,), (1.0,)), (), "all", 10)
    assert [hit.chunk_id for hit in legs["dense"]] == ["vue/guide/computed", "vue/api/ref", "pinia/guide/stores"]
    assert [hit.text for hit in legs["question"]] == ["what is guide/computed"]
    assert [hit.chunk_id for hit in legs["sparse"]] == ["vue/guide/computed"]


async def test_unknown_terms_match_nothing_in_the_sparse_leg(index: EdgeIndex) -> None:
    assert (await index.legs(None, Sparse((999,), (1.0,)), (), "all", 10))["sparse"] == ()


async def test_source_and_scope_are_filters(index: EdgeIndex) -> None:
    by_source = await index.legs(unit(1, 0), None, ("pinia",), "all", 10)
    assert [hit.chunk_id for hit in by_source["dense"]] == ["pinia/guide/stores"]
    by_scope = await index.legs(unit(1, 0), None, (), "api", 10)
    assert [hit.chunk_id for hit in by_scope["dense"]] == ["vue/api/ref"]


async def test_rrf_is_the_formula_over_ranks_from_zero(index: EdgeIndex) -> None:
    fusion = Fusion("rrf", 2, {"dense": 1.0, "sparse": 1.0})
    fused = await index.fuse(unit(1, 0), Sparse((2,), (1.0,)), ("vue",), "all", 10, fusion)
    by_chunk = {p.chunk_id: fused[p.id] for p in POINTS if p.id in fused}
    # dense: computed, ref; sparse: ref (1.5), computed (1.0)
    assert by_chunk["vue/guide/computed"] == pytest.approx(1 / 2 + 1 / 3)
    assert by_chunk["vue/api/ref"] == pytest.approx(1 / 3 + 1 / 2)


async def test_a_generation_that_was_killed_while_building_is_refused_and_removed(tmp_path: Path) -> None:
    builder = EdgeBuilder(tmp_path)
    await builder.build("g000001", stream(POINTS), DIMS, 2)
    await builder.build("g000002", stream(POINTS), DIMS, 2)
    (tmp_path / "g000002" / SEAL).unlink()
    assert not await builder.exists("g000002")
    with pytest.raises(IndexDamagedError, match="g000002 cannot be read"):
        await builder.open("g000002")
    assert await builder.remove(["g000001"]) == ["g000002"]
    await (await builder.open("g000001")).aclose()


async def test_lost_segments_are_noticed(tmp_path: Path) -> None:
    builder = EdgeBuilder(tmp_path)
    await builder.build("g000001", stream(POINTS), DIMS, 2)
    shutil.rmtree(tmp_path / "g000001" / "segments")
    with pytest.raises(IndexDamagedError, match="run `vuedocs ingest` again"):
        await builder.open("g000001")


async def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError, match="cannot be written"):
        await EdgeBuilder(tmp_path / "file" / "index").build("g000001", stream(POINTS), DIMS, 2)
