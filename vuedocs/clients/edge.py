"""The embedded vector index: Qdrant Edge, one immutable folder a generation.

Edge without its write-ahead log takes no lock, so readers share a folder and nothing stops two writers. A generation is therefore
built under the database's ingest lock, in a folder of its own that nobody opens before it is published, and is never changed
after. A folder that no published generation names is what a killed build left; the next build removes it.
"""

from __future__ import annotations

import asyncio
import errno
import hashlib
import json
import re
import shutil
from collections.abc import AsyncIterable, Callable, Mapping, Sequence
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import Any, TypeVar

import qdrant_edge as qe

from vuedocs.clients import Fusion
from vuedocs.clients.edge_models import filter_of, plain, queries_of, row, shape
from vuedocs.clients.edge_names import NAMES, Names, read_names, write_names
from vuedocs.clients.edge_seal import Seal, broken_files, read_seal, stamps_of, write_seal
from vuedocs.clients.parallel import in_own_thread
from vuedocs.clients.points import FILTERED, batches
from vuedocs.errors import IndexDamagedError, StorageError, VuedocsError
from vuedocs.records import Hit, Point, Sparse, Vector

_OURS = re.compile(r"g\d{6,}")
"""Names of generations: nothing else in the folder is ever removed."""

ROOM_PER_POINT, ROOM = 4_096, 100_000_000
"""Bytes that must be free before points are written, beside their vectors: on a full disk a process that writes to mapped memory
ends by SIGBUS, which nobody can report. An empty generation's files are 82 MB of holes, which not every file system keeps."""

T = TypeVar("T")


class EdgeBuilder:
    """Builds, opens and removes generations below one folder."""

    engine = f"qdrant edge {metadata.version('qdrant-edge-py')}"

    def __init__(self, folder: Path, quantisation: str = "none") -> None:
        self.folder = folder
        self._quantisation = quantisation

    async def ready(self) -> None:
        """Nothing to wait for: the engine is in this process."""

    async def build(self, generation: str, points: AsyncIterable[Point], dims: int, batch: int) -> int:
        """Writes a whole generation; the number of points. StorageError when the folder cannot be written."""
        folder = self.folder / generation
        names = Names()
        try:
            shard = await asyncio.to_thread(_create, folder, dims, self._quantisation)
            async for rows in batches(points, batch):
                _check_room(folder, len(rows) * (dims * 4 + ROOM_PER_POINT) + ROOM)
                await asyncio.to_thread(_upsert, shard, rows, names)
            await asyncio.to_thread(_finish, shard, folder, names)
        except VuedocsError:
            raise
        except Exception as error:  # the engine raises plain Exception
            remedy = "make room, or choose another VUEDOCS_HOME"
            raise StorageError(f"the index cannot be written to {folder}: {error}; {remedy}") from error
        return len(names)

    async def exists(self, generation: str) -> bool:
        """Whether a generation is there, complete and undamaged."""
        return await asyncio.to_thread(self._intact, generation)

    def _intact(self, generation: str) -> bool:
        folder = self.folder / generation
        try:
            return not broken_files(folder, read_seal(folder))
        except (OSError, ValueError):
            return False

    async def published(self, generation: str) -> None:
        """Nothing to move: who reads goes by the database."""

    async def open(self, generation: str, dims: int | None = None) -> EdgeIndex:
        """The published generation, for reading; IndexDamagedError when it is missing, incomplete, not as it was built, or its
        vectors are not of ``dims`` dimensions."""
        return await in_own_thread(lambda: self._open(generation, dims))

    def _open(self, generation: str, dims: int | None) -> EdgeIndex:
        folder = self.folder / generation
        remedy = "run `vuedocs ingest` again: it builds a new generation from what is remembered"
        try:
            seal = read_seal(folder)
            stamps = stamps_of(folder, seal)
            broken = broken_files(folder, seal)
            if broken:
                raise IndexDamagedError(f"the index generation {folder} is damaged: {_named(broken)} changed; {remedy}")
            names = read_names(folder / NAMES)
            shard = qe.EdgeShard.load(str(folder))
            found = shard.count(qe.CountRequest(exact=True))
            if dims is not None:  # the engine names both sides where they differ
                shard.query(qe.QueryRequest(limit=1, query=qe.Query.Nearest([1.0] * dims, using="dense")))
        except IndexDamagedError:
            raise
        except Exception as error:  # the engine raises plain Exception
            raise IndexDamagedError(f"the index generation {folder} cannot be read: {error}; {remedy}") from error
        if not found == len(names) == seal.points:
            shard.close()
            has = f"{found} points and {len(names)} names instead of {seal.points}"
            raise IndexDamagedError(f"the index generation {folder} has {has}; {remedy}")
        return EdgeIndex(folder, shard, names, seal, stamps)

    async def remove(self, keep: Sequence[str]) -> list[str]:
        """Deletes all generations but ``keep``; the names deleted. Files that are nobody's generation stay.

        An open reader keeps its files until it closes. StorageError, after the rest was deleted, where one cannot be.
        """
        return await asyncio.to_thread(self._remove, frozenset(keep))

    def _remove(self, keep: frozenset[str]) -> list[str]:
        if not self.folder.is_dir():
            return []
        names = sorted(path.name for path in self.folder.iterdir() if _OURS.fullmatch(path.name) and path.name not in keep)
        left: list[OSError] = []
        for name in names:
            try:
                shutil.rmtree(self.folder / name)
            except OSError as error:
                left.append(error)
        if left:
            raise StorageError(
                f"the old index {left[0].filename} cannot be removed: {left[0].strerror}; what is published is not touched by "
                "that; make the folder writable, and the next ingest removes it"
            )
        return names

    async def aclose(self) -> None:
        """Nothing to close: each generation that is open has its own files."""


class EdgeIndex:
    """One generation, open for reading; safe to query from several tasks at once."""

    def __init__(self, folder: Path, shard: Any, names: Names, seal: Seal, stamps: Mapping[str, tuple[int, int]]) -> None:
        """``stamps``: sizes and times of the files before they were found good."""
        self.folder = folder
        self._shard = shard
        self._names = names
        self._seal = seal
        self._stamps = stamps

    async def legs(
        self, dense: Vector | None, sparse: Sparse | None, sources: Sequence[str], scope: str, depth: int
    ) -> dict[str, tuple[Hit, ...]]:
        """The best ``depth`` points of each leg that has a vector, best first, ties by what names them."""
        only = filter_of(sources, scope)
        queries = queries_of(dense, sparse)
        requests = [qe.QueryRequest(limit=depth, query=query, filter=only) for query in queries.values()]
        answers = await self._ask(lambda: self._shard.query_batch(qe.QueryBatchRequest(requests)))
        return {leg: self._names.hits(points) for leg, points in zip(queries, answers, strict=True)}

    async def fuse(
        self, dense: Vector | None, sparse: Sparse | None, sources: Sequence[str], scope: str, depth: int, fusion: Fusion
    ) -> tuple[Hit, ...]:
        """The points of all legs with their fused scores, by one hybrid query inside the engine."""
        only = filter_of(sources, scope)
        queries = {leg: query for leg, query in queries_of(dense, sparse).items() if fusion.weights.get(leg, 0.0) > 0}
        if not queries:
            return ()
        prefetches = [qe.Prefetch(limit=depth, query=query, filter=only) for query in queries.values()]
        method: Any = (
            qe.Fusion.Rrf(k=fusion.rrf_k, weights=[fusion.weights[leg] for leg in queries])
            if fusion.method == "rrf"
            else qe.Fusion.Dbsf()
        )
        request = qe.QueryRequest(limit=depth * len(queries), query=method, prefetches=prefetches)
        return self._names.hits(await self._ask(lambda: self._shard.query(request)))

    async def count(self) -> int:
        """Points in the generation, counted by the engine; IndexDamagedError also when its files are not as they were sealed.

        The engine goes on with the files that it has mapped: that they are gone or cut, it notices when it is too late.
        """
        found: int = await self._ask(lambda: self._shard.count(qe.CountRequest(exact=True)))
        await asyncio.to_thread(self._check_files)
        return found

    def _check_files(self) -> None:
        """Reads those files again whose sizes or times have changed since they were found good; to read all takes seconds."""
        stamps = stamps_of(self.folder, self._seal)
        broken = broken_files(self.folder, self._seal, [name for name in stamps if stamps[name] != self._stamps[name]])
        if broken:
            raise IndexDamagedError(f"the index generation {self.folder} was damaged while it was open: {_named(broken)} changed")
        self._stamps = stamps

    async def digest(self) -> str:
        """sha256 over names, payloads and vectors of all points, in the order of names: equal for equal content."""
        digest = hashlib.sha256()
        numbers = sorted(range(len(self._names)), key=self._names.of)
        for start in range(0, len(numbers), 1000):
            part = numbers[start : start + 1000]
            points = {point.id: point for point in await self._ask(partial(self._shard.retrieve, part, True, True))}
            for point in map(points.__getitem__, part):
                vectors = {name: plain(vector) for name, vector in point.vector.items()}
                digest.update(json.dumps([self._names.of(point.id), point.payload, vectors], sort_keys=True).encode())
        return digest.hexdigest()

    async def aclose(self) -> None:
        """Releases the files."""
        await asyncio.to_thread(self._shard.close)

    async def _ask(self, question: Callable[[], T]) -> T:
        try:
            return await asyncio.to_thread(question)
        except Exception as error:  # the engine raises plain Exception
            raise IndexDamagedError(f"the index generation {self.folder} cannot be queried: {error}") from error


def _check_room(folder: Path, needed: int) -> None:
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise OSError(errno.ENOSPC, f"{free / 1e6:,.1f} MB are free, {needed / 1e6:,.0f} are needed for the next points")


def _create(folder: Path, dims: int, quantisation: str) -> Any:
    folder.mkdir(parents=True)
    _check_room(folder, ROOM)
    shard = qe.EdgeShard.create(str(folder), shape(dims, quantisation))
    for field in FILTERED:
        shard.update(qe.UpdateOperation.create_field_index(field, qe.PayloadSchemaType.Keyword))
    return shard


def _upsert(shard: Any, points: Sequence[Point], names: Names) -> None:
    rows = [row(number, point) for number, point in zip(names.add(points), points, strict=True)]
    shard.update(qe.UpdateOperation.upsert_points(rows))


def _finish(shard: Any, folder: Path, names: Names) -> None:
    shard.flush()
    shard.close()
    qe.EdgeShard.load(str(folder)).close()  # the first load completes the folder; later ones change nothing
    write_names(names, folder / NAMES)
    write_seal(folder, len(names))


def _named(files: Sequence[str]) -> str:
    return files[0] if len(files) == 1 else f"{files[0]} and {len(files) - 1} more files"
