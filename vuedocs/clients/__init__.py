"""All input and output: models, the vector index, the database.

The protocols below are what stages see; which engine stands behind each is chosen once, in :mod:`vuedocs.clients.engines`,
from config and settings. Every client is async, closed by ``aclose()``, and raises only errors of :mod:`vuedocs.errors`.
"""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, Protocol

import numpy as np
import numpy.typing as npt

from vuedocs.clients.ledger import Entry
from vuedocs.errors import AnswerError
from vuedocs.records import (
    Bm25Model,
    Chunk,
    Entity,
    Hit,
    LoggedQuery,
    Manifest,
    Page,
    Point,
    SourceManifest,
    Sparse,
    Vector,
    Window,
)
from vuedocs.records.watch import Watching


class Embedder(Protocol):
    """Text to unit vectors."""

    name: str
    """Model and version, such as ``all-MiniLM-L6-v2-int8``; part of what vectors are remembered under."""
    dims: int
    max_tokens: int
    """Longest text that one vector can stand for, in the model's tokens."""
    parallel: int
    """Calls of ``embed`` that may run at the same time."""

    def plan(self, texts: Iterable[str]) -> Iterable[list[str]]:
        """The texts in the blocks in which they are best embedded, then remembered, at a time: what a kill can lose."""

    async def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """One vector a text, shape (n, dims), for texts that are stored. IncompleteError holds what came before a failure."""

    async def embed_query(self, text: str) -> Vector:
        """The vector of a query."""

    def offsets(self, text: str) -> list[tuple[int, int]]:
        """Start and end character of each of the text's tokens, without special tokens."""

    async def aclose(self) -> None: ...


class Reranker(Protocol):
    """A second opinion on the order of candidates; ``maxsim`` and ``jina`` stand behind this."""

    name: str

    async def rerank(self, query: str, documents: Sequence[str]) -> list[float]:
        """One score a document, in the order given; higher is better; the scale is the reranker's own."""

    async def aclose(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a language model is asked: the page first, which many prompts share, and what is wanted last."""

    key: str
    """The chunk's id."""
    page: str
    ask: str
    schema: Mapping[str, Any]
    """JSON Schema of the answer."""


class Writer(Protocol):
    """A language model that writes JSON."""

    name: str
    parallel: int
    """Pages that may be written about at the same time."""
    batch: bool
    """Whether prompts are handed in as batches, and answers fetched later."""
    poll_seconds: float

    def page(self, prompts: Sequence[Prompt]) -> AbstractAsyncContextManager[str]:
        """While the context lasts, a cache of the page that ``prompts`` share, where that is cheaper; its name, or ``""``."""

    async def write(self, prompt: Prompt, cache: str = "") -> Mapping[str, Any]:
        """The JSON object that answers a prompt. AnswerError where the answer cannot be used, which was paid for all the same."""

    def batches(self, prompts: Sequence[Prompt]) -> list[list[Prompt]]:
        """The prompts in groups, each of which is handed in as one batch."""

    async def submit(self, prompts: Sequence[Prompt], label: str, *, perhaps: bool = False) -> str:
        """Hands in one batch; its name. ``perhaps`` it was handed in before under this label: then that one's."""

    def resume(self, batch: str, prompts: Sequence[Prompt]) -> None:
        """Counts what a batch of an earlier run will cost, before it has ended."""

    async def collect(self, batch: str) -> dict[str, Mapping[str, Any] | AnswerError] | None:
        """The answers of a batch by the prompts' keys; None while it runs. BatchLostError when it ended without any."""


@dataclass(frozen=True, slots=True)
class Fusion:
    """How the engine fuses its legs."""

    method: Literal["rrf", "dbsf"]
    rrf_k: int
    weights: Mapping[str, float]
    """Leg name to weight, for rrf; dbsf takes no weights."""


class VectorIndex(Protocol):
    """One published generation of points, open for reading."""

    async def legs(
        self, dense: Vector | None, sparse: Sparse | None, sources: Sequence[str], scope: str, depth: int
    ) -> dict[str, tuple[Hit, ...]]:
        """The best ``depth`` points of each leg (``dense``, ``question``, ``sparse``), best first, ties by what names them.

        ``sources`` empty means all; ``scope`` is ``all`` or a folder of the route.
        """

    async def fuse(
        self, dense: Vector | None, sparse: Sparse | None, sources: Sequence[str], scope: str, depth: int, fusion: Fusion
    ) -> tuple[Hit, ...]:
        """All points that the legs return, each once with its fused score, in the order of ``legs``; one hybrid query."""

    async def count(self) -> int:
        """Points in the generation; raises IndexDamagedError when it cannot be read."""

    async def aclose(self) -> None: ...


class IndexBuilder(Protocol):
    """Builds complete generations and removes old ones."""

    engine: str
    """What it is, for the manifest: ``qdrant edge 0.9.0``."""

    async def ready(self) -> None:
        """Returns when a generation could be built: asked before anything is paid for. Raises StorageError."""

    async def build(self, generation: str, points: AsyncIterable[Point], dims: int, batch: int) -> int:
        """Writes all points of a generation, unreadable until it is published; the number of points."""

    async def exists(self, generation: str) -> bool:
        """Whether a generation is there and complete."""

    async def published(self, generation: str) -> None:
        """Called once the database has published a generation, and again at will: tells those who do not ask the database."""

    async def open(self, generation: str, dims: int | None = None) -> VectorIndex:
        """A generation for reading; raises IndexDamagedError, also when its vectors are not of ``dims`` dimensions, if given."""

    async def remove(self, keep: Sequence[str]) -> list[str]:
        """Removes all generations but ``keep``, and what killed builds left; the names removed."""

    async def aclose(self) -> None:
        """Releases what generations share; those that are open are closed before."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One source's parsed, embedded content, as it is kept in the database and shared by generations."""

    manifest: SourceManifest
    digest: str
    """Of content and ingest fingerprint: an equal digest means that nothing has to be written again."""
    pages: tuple[Page, ...]
    chunks: tuple[Chunk, ...]
    entities: tuple[Entity, ...]
    points: tuple[Point, ...]
    bm25: Bm25Model


class Lease(Protocol):
    """A reader's hold on a generation: no publication forgets it meanwhile."""

    async def renew(self) -> None:
        """Takes the hold again where it was lost with its connection; DatabaseError where the generation is gone."""

    async def aclose(self) -> None: ...


class QueryBook(Protocol):
    """Questions that were asked of the server, kept for research."""

    async def write(self, queries: Sequence[LoggedQuery]) -> None:
        """Adds ``queries``; committed when this returns."""

    async def read(self, since: datetime, limit: int) -> tuple[LoggedQuery, ...]:
        """The newest ``limit`` that were asked at ``since`` or later, oldest first."""

    async def forget(self, before: datetime) -> int:
        """Deletes those that were asked before; their number."""


class Database(Protocol):
    """PostgreSQL: remembered vectors, snapshots of sources, generations."""

    async def remembered(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """The values that are kept under these content keys (sha256, 32 bytes)."""

    async def remember(self, values: Mapping[bytes, bytes], kind: str) -> None:
        """Keeps values under their content keys; committed when this returns."""

    async def published(self) -> Manifest | None:
        """The manifest of the generation that readers should serve."""

    async def snapshot_digests(self) -> dict[str, str]:
        """Digest of each source's snapshot in the published generation."""

    def lock_ingest(self) -> AbstractAsyncContextManager[None]:
        """Holds the one lock under which generations are built; waits for its turn; a process that dies lets it go."""

    async def next_generation(self) -> str:
        """A name that no generation has had: ``g000001``."""

    async def write_snapshot(self, snapshot: Snapshot) -> None:
        """Writes a source's content under its digest; nothing refers to it before publish."""

    def snapshot_points(self, digests: Sequence[str]) -> AsyncIterator[Point]:
        """The points of these snapshots, with their vectors, in the order in which they were written."""

    async def publish(self, manifest: Manifest, digests: Sequence[str], keep: int, base: str) -> list[str]:
        """Publishes in one commit what was made from ``base`` (``""``: none), and forgets what is too old; those kept."""

    async def hold(self, generation: str) -> Lease:
        """A hold on a generation, for as long as somebody reads it. Raises DatabaseError where it is gone."""

    async def forget(self, keep: int) -> list[str]:
        """Forgets generations beyond the newest ``keep`` that nobody reads; the names of those kept."""

    async def chunks(self, generation: str, ids: Sequence[str]) -> dict[str, Chunk]: ...
    async def windows(self, generation: str, chunk_ids: Sequence[str]) -> tuple[Window, ...]:
        """The windows of these chunks, chunk by chunk in their order."""

    async def page_chunks(self, generation: str, source: str, path: str) -> tuple[Chunk, ...]:
        """A page's chunks in reading order, code chunks too."""

    async def pages(self, generation: str, source: str | None = None) -> tuple[Page, ...]: ...
    async def entities(self, generation: str) -> tuple[Entity, ...]: ...
    async def bm25_models(self, generation: str) -> tuple[Bm25Model, ...]: ...
    async def all_chunks(self, generation: str, source: str | None = None) -> tuple[Chunk, ...]: ...

    async def wait_published(self, current: str, seconds: float) -> Manifest | None:
        """The newest manifest, as soon as another generation than ``current`` is published; None after so many ``seconds``."""

    async def enter_spending(self, entries: Sequence[Entry]) -> None:
        """Adds paid calls to the ledger; committed when this returns."""

    async def spending(self, run: str | None = None) -> tuple[Entry, ...]:
        """The paid calls of one run, or of all, in order."""

    @property
    def queries(self) -> QueryBook:
        """What was asked of the server, where that is kept."""

    async def watched(self) -> Watching:
        """The watcher of this database, and what it knows of each source."""

    async def ping(self) -> None:
        """Returns when the database answers; raises DatabaseError."""

    async def aclose(self) -> None: ...


Progress = Callable[[str, int, int], None]
"""Called as ``progress(words, done, total)``: ``progress("parse vue", 40, 104)``."""


class ReadingClients(Protocol):
    """What getting and reading docs needs: no model, no database."""

    @property
    def home(self) -> Path:
        """The data folder, for checkouts."""

    @property
    def progress(self) -> Progress:
        """Called during long work."""
