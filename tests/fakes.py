"""Small stand-ins that behave as the protocols of vuedocs.clients say, all in memory."""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from vuedocs.clients import Snapshot
from vuedocs.clients.ledger import Entry
from vuedocs.clients.rows import point_row, window_record
from vuedocs.records import Bm25Model, Chunk, Entity, Manifest, Page, Point, Vector, Window
from vuedocs.records.watch import Watching


class WordEmbedder:
    """Embeds a text as its bag of words, hashed into 64 dimensions: equal words are near, and every call is counted."""

    name = "words"
    dims = 64
    max_tokens = 256
    parallel = 1

    def __init__(self) -> None:
        self.embedded: list[str] = []

    def plan(self, texts: Iterable[str]) -> Iterable[list[str]]:
        chosen = list(texts)
        return [chosen[start : start + 64] for start in range(0, len(chosen), 64)]

    async def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        self.embedded.extend(texts)
        return np.vstack([self._vector(text) for text in texts])

    async def embed_query(self, text: str) -> Vector:
        return self._vector(text)

    def offsets(self, text: str) -> list[tuple[int, int]]:
        return [match.span() for match in re.finditer(r"\w+|[^\w\s]", text)]

    async def aclose(self) -> None: ...

    def _vector(self, text: str) -> Vector:
        vector = np.full(self.dims, 1e-3, np.float32)
        for word in re.findall(r"\w+", text.lower()):
            vector[hashlib.sha256(word.encode()).digest()[0] % self.dims] += 1
        unit: Vector = vector / np.float32(np.linalg.norm(vector))
        return unit


@dataclass
class MemoryLease:
    """A lease on what is never forgotten; it says when it is renewed."""

    generation: str
    renewed: list[str]

    async def renew(self) -> None:
        self.renewed.append(self.generation)

    async def aclose(self) -> None: ...


@dataclass
class MemoryDatabase:
    """A database of dicts; ``publish`` is its only commit."""

    memory: dict[bytes, bytes] = field(default_factory=dict)
    snapshots: dict[str, Snapshot] = field(default_factory=dict)
    generations: dict[str, tuple[Manifest, tuple[str, ...]]] = field(default_factory=dict)
    numbers: int = 0
    entries: list[Entry] = field(default_factory=list)
    renewed: list[str] = field(default_factory=list)

    async def watched(self) -> Watching:
        return None, ()

    async def remembered(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        return {key: self.memory[key] for key in keys if key in self.memory}

    async def remember(self, values: Mapping[bytes, bytes], kind: str) -> None:
        self.memory.update(values)

    async def published(self) -> Manifest | None:
        return self.generations[max(self.generations)][0] if self.generations else None

    async def wait_published(self, current: str, seconds: float) -> Manifest | None:
        """Looks every 10 ms."""
        for _ in range(1 + int(seconds / 0.01)):
            manifest = await self.published()
            if manifest is not None and manifest.generation != current:
                return manifest
            await asyncio.sleep(0.01)
        return None

    async def snapshot_digests(self) -> dict[str, str]:
        return {snapshot.manifest.source: snapshot.digest for snapshot in self._content()}

    @asynccontextmanager
    async def lock_ingest(self) -> AsyncIterator[None]:
        yield

    async def next_generation(self) -> str:
        self.numbers += 1
        return f"g{self.numbers:06}"

    async def write_snapshot(self, snapshot: Snapshot) -> None:
        self.snapshots[snapshot.digest] = snapshot

    async def snapshot_points(self, digests: Sequence[str]) -> AsyncIterator[Point]:
        for digest in digests:
            for point in self.snapshots[digest].points:
                yield point

    async def publish(self, manifest: Manifest, digests: Sequence[str], keep: int, base: str) -> list[str]:
        self.generations[manifest.generation] = (manifest, tuple(digests))
        for name in sorted(self.generations)[:-keep]:
            del self.generations[name]
        return sorted(self.generations)

    async def hold(self, generation: str) -> MemoryLease:
        return MemoryLease(generation, self.renewed)

    async def forget(self, keep: int) -> list[str]:
        return sorted(self.generations)

    async def chunks(self, generation: str, ids: Sequence[str]) -> dict[str, Chunk]:
        return {chunk.id: chunk for chunk in await self.all_chunks(generation) if chunk.id in ids}

    async def windows(self, generation: str, chunk_ids: Sequence[str]) -> tuple[Window, ...]:
        points = (point for snapshot in self._content(generation) for point in snapshot.points)
        own = (point for point in points if point.kind == "window" and point.chunk_id in chunk_ids)
        rows = (point_row(point, 0) for point in sorted(own, key=lambda point: (point.chunk_id, point.number)))
        return tuple(window_record((row[2], *row[-3:])) for row in rows)

    async def page_chunks(self, generation: str, source: str, path: str) -> tuple[Chunk, ...]:
        return tuple(chunk for chunk in await self.all_chunks(generation, source) if chunk.path == path)

    async def pages(self, generation: str, source: str | None = None) -> tuple[Page, ...]:
        return tuple(p for s in self._content(generation) for p in s.pages if source in (None, p.source))

    async def entities(self, generation: str) -> tuple[Entity, ...]:
        return tuple(entity for snapshot in self._content(generation) for entity in snapshot.entities)

    async def bm25_models(self, generation: str) -> tuple[Bm25Model, ...]:
        return tuple(snapshot.bm25 for snapshot in self._content(generation))

    async def all_chunks(self, generation: str, source: str | None = None) -> tuple[Chunk, ...]:
        return tuple(c for s in self._content(generation) for c in s.chunks if source in (None, c.source))

    async def enter_spending(self, entries: Sequence[Entry]) -> None:
        known = {entry.reference for entry in self.entries} - {None}
        self.entries.extend(entry for entry in entries if entry.reference not in known)

    async def ping(self) -> None: ...

    async def aclose(self) -> None: ...

    def _content(self, generation: str | None = None) -> list[Snapshot]:
        if not self.generations:
            return []
        _, digests = self.generations[generation or max(self.generations)]
        return [self.snapshots[digest] for digest in digests]
