"""Edge generations: complete or refused. How they answer is in test_conformance.py."""

from __future__ import annotations

import asyncio
import os
import shutil
import threading
import uuid
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from engines import DIMS, POINTS, stream

from vuedocs.clients.edge import EdgeBuilder
from vuedocs.clients.edge_names import NAMES
from vuedocs.clients.edge_seal import SEAL, write_seal
from vuedocs.errors import IndexDamagedError, StorageError


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


async def test_a_file_that_changes_under_an_open_index_is_noticed_and_one_that_does_not_is_not_read_again(tmp_path: Path) -> None:
    builder = EdgeBuilder(tmp_path)
    await builder.build("g000001", stream(POINTS), DIMS, 2)
    index = await builder.open("g000001")
    assert await index.count() == len(POINTS)
    file = next((tmp_path / "g000001").rglob("page_0.dat"))
    before = file.stat()
    data = bytearray(file.read_bytes())
    data[20] ^= 0xFF
    file.write_bytes(data)
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert await index.count() == len(POINTS), "its size and time are those of a file that was found good"
    os.utime(file)
    for _ in range(2):
        with pytest.raises(IndexDamagedError, match=r"was damaged while it was open: .*page_0\.dat changed"):
            await index.count()
    await index.aclose()


async def test_opening_does_not_wait_for_a_thread_that_searches_hold(tmp_path: Path) -> None:
    builder = EdgeBuilder(tmp_path)
    await builder.build("g000001", stream(POINTS), DIMS, 2)
    loop, over = asyncio.get_running_loop(), threading.Event()
    loop.set_default_executor(ThreadPoolExecutor(1))
    search = loop.run_in_executor(None, over.wait)
    try:
        async with asyncio.timeout(10):
            index = await builder.open("g000001")
    finally:
        over.set()
        await search
    await index.aclose()


async def test_lost_segments_are_noticed(tmp_path: Path) -> None:
    builder = EdgeBuilder(tmp_path)
    await builder.build("g000001", stream(POINTS), DIMS, 2)
    shutil.rmtree(tmp_path / "g000001" / "segments")
    with pytest.raises(IndexDamagedError, match="run `vuedocs ingest` again"):
        await builder.open("g000001")


async def test_a_generation_of_the_form_before_names_is_refused_and_not_there(tmp_path: Path) -> None:
    builder = EdgeBuilder(tmp_path)
    await builder.build("g000001", stream(POINTS), DIMS, 2)
    (tmp_path / "g000001" / NAMES).unlink()
    write_seal(tmp_path / "g000001", len(POINTS))
    assert not await builder.exists("g000001"), "so that the next ingest builds one though nothing has changed"
    with pytest.raises(IndexDamagedError, match="an older vuedocs built it, in another form; run `vuedocs ingest` again"):
        await builder.open("g000001")


async def test_names_of_other_points_are_noticed(tmp_path: Path) -> None:
    builder = EdgeBuilder(tmp_path)
    await builder.build("g000001", stream(POINTS), DIMS, 2)
    await builder.build("g000002", stream(POINTS[1:]), DIMS, 2)
    shutil.copy(tmp_path / "g000002" / NAMES, tmp_path / "g000001" / NAMES)
    with pytest.raises(IndexDamagedError, match="is damaged: names changed"):
        await builder.open("g000001")
    write_seal(tmp_path / "g000001", len(POINTS))
    with pytest.raises(IndexDamagedError, match="has 4 points and 3 names instead of 4"):
        await builder.open("g000001")


async def test_the_digest_is_that_of_the_content_however_it_was_ordered(tmp_path: Path) -> None:
    builder = EdgeBuilder(tmp_path)
    others = [[*POINTS[1:], replace(POINTS[0], number=7)], [*POINTS[1:], replace(POINTS[0], source="nuxt")]]
    digests = []
    for number, points in enumerate([POINTS, POINTS[::-1], *others]):
        await builder.build(f"g00000{number}", stream(points), DIMS, 2)
        index = await builder.open(f"g00000{number}")
        digests.append(await index.digest())
        await index.aclose()
    same, again, renamed, moved = digests
    assert same == again
    assert len({same, renamed, moved}) == 3


async def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError, match="cannot be written"):
        await EdgeBuilder(tmp_path / "file" / "index").build("g000001", stream(POINTS), DIMS, 2)


async def test_vectors_of_one_byte_rank_as_whole_ones_do(tmp_path: Path) -> None:
    random = np.random.default_rng(7)
    vectors = random.normal(size=(400, 384)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    points = [replace(POINTS[0], id=str(uuid.UUID(int=n)), number=n, dense=vector) for n, vector in enumerate(vectors)]
    query = vectors[0] + vectors[1] / 2
    answers = {}
    for kept in ("none", "turbo8"):
        builder = EdgeBuilder(tmp_path / kept, kept)
        await builder.build("g000001", stream(points), 384, 100)
        index = await builder.open("g000001", 384)
        answers[kept] = (await index.legs(query, None, (), "all", 10))["dense"]
        await index.aclose()
    assert [hit.number for hit in answers["turbo8"][:2]] == [0, 1]
    assert {hit.number for hit in answers["none"]} >= {hit.number for hit in answers["turbo8"][:5]}
    for exact, rounded in zip(answers["none"], answers["turbo8"], strict=True):
        assert rounded.score == pytest.approx(exact.score, abs=0.002)
    assert [hit.score for hit in answers["turbo8"]] != [hit.score for hit in answers["none"]], "else nothing was rounded"
