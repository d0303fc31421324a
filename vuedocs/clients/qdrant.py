"""A Qdrant server as vector index: one collection a generation, complete before anybody reads it, never changed after.

Collections are called ``<QDRANT_COLLECTION>-<database>-<generation>``. The middle part is the database's own, so that several
databases may share a server and none removes another's; the name without the generation is an alias of the published one, for
people and other programs. Our readers go by the generation that the database names. Whether a collection is complete, and how it
is to be searched, stands in its metadata, written last: what a killed build left has none, and the next build removes it.

Searches compare all vectors, so that they give what the embedded engine gives. With ``store.quantisation = "int8"`` they go
through HNSW over quantised vectors and score twice as many candidates again by the originals.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterable, Awaitable, Callable, Sequence
from functools import partial
from typing import Any, TypeVar

from qdrant_client import AsyncQdrantClient, models

from vuedocs.clients import Fusion
from vuedocs.clients.points import FILTERED, SHOWN, batches, hits
from vuedocs.clients.qdrant_models import filter_of, mark_of, queries_of, row, sizes, upper_size, vector_params
from vuedocs.clients.qdrant_server import AGAIN, OLDEST, OLDEST_TURBO8, QdrantServer, status_of
from vuedocs.errors import IndexDamagedError, IndexServerError
from vuedocs.records import Hit, Point, Sparse, Vector

BATCH_BYTES = 30 * 2**20
"""Of one upload at most: a server takes 32 MiB."""

BUILD_SECONDS, BUILD_PATIENCE = 60.0, 30.0
QUERY_SECONDS, QUERY_PATIENCE = 10.0, 2.0
CHECK_SECONDS = 1.5
"""A health check waits 2 s for all stores."""

OVERSAMPLING = 2.0

T = TypeVar("T")


class QdrantBuilder:
    """Builds, opens and removes the generations of one database on one server."""

    def __init__(self, server: QdrantServer, database: str, quantisation: str = "none") -> None:
        """``database``: its identity, part of each collection's name."""
        self.server = server
        self.alias = f"{server.settings.collection}-{database}"
        self.engine = "qdrant server"
        """With its version, once :meth:`ready` has asked for it."""
        self._quantisation = quantisation

    async def ready(self) -> None:
        """Returns when a generation could be built; to ask before vectors are paid for. Raises IndexServerError."""
        doing = "the vector index cannot be used"
        version = (await self._ask(doing, lambda client: client.info())).version
        numbers = tuple(int(number) for number in re.findall(r"\d+", version)[:2])
        turbo8 = self._quantisation == "turbo8"
        oldest = OLDEST_TURBO8 if turbo8 else OLDEST
        if numbers < oldest:
            remedy = f"upgrade it to {'.'.join(map(str, oldest))} or newer"
            instead = ", or set store.quantisation=none" if turbo8 else ""
            raise IndexServerError(f"{doing}: {self.server.address} is Qdrant {version}; {remedy}{instead}")
        self.engine = f"qdrant server {version}"
        await self._ask(doing, lambda client: client.get_collections())  # asks for the key, which the version does not

    async def build(self, generation: str, points: AsyncIterable[Point], dims: int, batch: int) -> int:
        """Writes a whole generation; the number of points. IndexServerError when the server does not take it."""
        name = self.collection(generation)
        await self._ask(f"collection {name} cannot be made", lambda client: self._create(client, name, dims))
        written = 0
        async for part in batches(points, batch, upper_size, BATCH_BYTES):
            await self._upload(name, [row(point) for point in part])
            written += len(part)
        found = await self._count(name)
        if found != written:
            raise IndexServerError(f"collection {name} has {found} points instead of {written}; see the server's log")
        mark = {"complete": True, "points": written, "dims": dims, "quantisation": self._quantisation}
        doing = f"collection {name} cannot be finished"
        await self._ask(doing, lambda client: client.update_collection(name, metadata={"vuedocs": mark}))
        return written

    async def exists(self, generation: str) -> bool:
        """Whether a generation is there and complete."""
        name = self.collection(generation)
        info = await self._info(name)
        mark = mark_of(info) if info else {}
        return bool(mark.get("complete")) and await self._count(name) == mark["points"]

    async def published(self, generation: str) -> None:
        """Moves the alias to the generation, in one step."""
        name = self.collection(generation)

        async def move(client: AsyncQdrantClient) -> None:
            aliases = (await client.get_aliases()).aliases
            if any(alias.alias_name == self.alias and alias.collection_name == name for alias in aliases):
                return
            old = [
                models.DeleteAliasOperation(delete_alias=models.DeleteAlias(alias_name=self.alias))
                for alias in aliases
                if alias.alias_name == self.alias
            ]
            new = models.CreateAlias(collection_name=name, alias_name=self.alias)
            await client.update_collection_aliases([*old, models.CreateAliasOperation(create_alias=new)])

        await self._ask(f"the alias {self.alias} cannot be moved", move)

    async def open(self, generation: str, dims: int | None = None) -> QdrantIndex:
        """A generation for reading. IndexDamagedError when it is missing, incomplete, or not of ``dims`` dimensions."""
        name = self.collection(generation)
        info = await self._info(name, QUERY_PATIENCE)  # somebody waits for an answer
        here = f"the collection {name} at {self.server.address}"
        if info is None:
            raise IndexDamagedError(f"{here} is not there; {AGAIN}")
        mark = mark_of(info)
        if not mark.get("complete"):
            raise IndexDamagedError(f"{here} is not complete; {AGAIN}")
        found = sizes(info)
        expected = dims or mark["dims"]
        if found != {"dense": expected, "question": expected}:
            raise IndexDamagedError(f"{here} has vectors of {found or 'no'} dimensions instead of {expected}; {AGAIN}")
        if info.status == models.CollectionStatus.RED:
            raise IndexDamagedError(f"{here} is damaged, the server says (status red); see its log, or {AGAIN}")
        index = QdrantIndex(self.server, name, quantised=mark.get("quantisation") == "int8")
        if (points := await self._count(name)) != mark["points"]:
            raise IndexDamagedError(f"{here} has {points} points instead of {mark['points']}; {AGAIN}")
        return index

    async def remove(self, keep: Sequence[str]) -> list[str]:
        """Deletes this database's collections of all generations but ``keep``, and what killed builds left; the generations."""
        listed = await self._ask("old generations cannot be listed", lambda client: client.get_collections())
        ours = re.compile(re.escape(self.alias) + r"-(g\d+)")
        found = sorted(match[1] for one in listed.collections if (match := ours.fullmatch(one.name)))
        old = [generation for generation in found if generation not in keep]
        for name in map(self.collection, old):
            await self._ask(f"collection {name} cannot be deleted", partial(_delete, name=name))
        return old

    async def aclose(self) -> None:
        """Closes the connections, also those of the open generations."""
        await self.server.aclose()

    def collection(self, generation: str) -> str:
        """The collection that holds a generation."""
        return f"{self.alias}-{generation}"

    async def _create(self, client: AsyncQdrantClient, name: str, dims: int) -> None:
        """An empty collection with its payload indexes. Names are given once: one that is there was left by a killed build."""
        await _delete(client, name)
        settings = self.server.settings
        await client.create_collection(
            name,
            vectors_config=dict.fromkeys(("dense", "question"), vector_params(dims, self._quantisation, settings.on_disk)),
            sparse_vectors_config={"sparse": models.SparseVectorParams(modifier=models.Modifier.IDF)},
            shard_number=settings.shards,
            replication_factor=settings.replicas,
            write_consistency_factor=settings.write_consistency,
        )
        for field in FILTERED:
            schema = models.KeywordIndexParams(type=models.KeywordIndexType.KEYWORD, is_tenant=field == "source")
            await client.create_payload_index(name, field, schema, wait=True)

    async def _upload(self, name: str, rows: list[models.PointStruct]) -> None:
        """Writes points; halves what the server, or a proxy before it, finds too large."""
        try:
            await self._ask(f"points cannot be written to collection {name}", lambda client: client.upsert(name, rows, wait=True))
        except IndexServerError as error:
            if len(rows) == 1 or not isinstance(error.__cause__, Exception) or status_of(error.__cause__) != 413:
                raise
            middle = len(rows) // 2
            await self._upload(name, rows[:middle])
            await self._upload(name, rows[middle:])

    async def _info(self, name: str, patience: float | None = None) -> models.CollectionInfo | None:
        async def look(client: AsyncQdrantClient) -> models.CollectionInfo | None:
            return await client.get_collection(name) if await client.collection_exists(name) else None

        return await self._ask(f"collection {name} cannot be looked at", look, patience)

    async def _count(self, name: str) -> int:
        return (await self._ask(f"collection {name} cannot be counted", lambda client: client.count(name, exact=True))).count

    async def _ask(self, doing: str, question: Callable[[AsyncQdrantClient], Awaitable[T]], patience: float | None = None) -> T:
        return await self.server.ask(doing, question, BUILD_SECONDS, BUILD_PATIENCE if patience is None else patience)


class QdrantIndex:
    """One generation, open for reading; safe to query from several tasks at once."""

    def __init__(self, server: QdrantServer, collection: str, quantised: bool) -> None:
        self.collection = collection
        self._server = server
        again = models.QuantizationSearchParams(rescore=True, oversampling=OVERSAMPLING)
        self._params = models.SearchParams(quantization=again) if quantised else models.SearchParams(exact=True)

    async def legs(
        self, dense: Vector | None, sparse: Sparse | None, sources: Sequence[str], scope: str, depth: int
    ) -> dict[str, tuple[Hit, ...]]:
        """The best ``depth`` points of each leg that has a vector, best first, ties by what names them; one request for all."""
        only = filter_of(sources, scope)
        queries = queries_of(dense, sparse)
        if not queries:
            return {}
        requests = [
            models.QueryRequest(query=query, using=leg, filter=only, params=self._params, limit=depth, with_payload=list(SHOWN))
            for leg, query in queries.items()
        ]
        answers = await self._ask(lambda client: client.query_batch_points(self.collection, requests))
        return {leg: hits(answer.points) for leg, answer in zip(queries, answers, strict=True)}

    async def fuse(
        self, dense: Vector | None, sparse: Sparse | None, sources: Sequence[str], scope: str, depth: int, fusion: Fusion
    ) -> tuple[Hit, ...]:
        """The points of all legs with their fused scores, by one hybrid query inside the server."""
        only = filter_of(sources, scope)
        queries = {leg: query for leg, query in queries_of(dense, sparse).items() if fusion.weights.get(leg, 0.0) > 0}
        if not queries:
            return ()
        prefetch = [
            models.Prefetch(query=query, using=leg, filter=only, params=self._params, limit=depth)
            for leg, query in queries.items()
        ]
        rrf = models.Rrf(k=fusion.rrf_k, weights=[fusion.weights[leg] for leg in queries])
        method: Any = models.RrfQuery(rrf=rrf) if fusion.method == "rrf" else models.FusionQuery(fusion=models.Fusion.DBSF)
        answer = await self._ask(
            lambda client: client.query_points(
                self.collection, prefetch=prefetch, query=method, limit=depth * len(queries), with_payload=list(SHOWN)
            )
        )
        return hits(answer.points)

    async def count(self) -> int:
        """Points in the generation, counted by the server, which must answer at once."""
        doing = f"collection {self.collection} cannot be counted"
        return (await self._server.ask(doing, lambda client: client.count(self.collection, exact=True), CHECK_SECONDS)).count

    async def aclose(self) -> None:
        """Leaves the generation; the connections are the builder's."""

    async def _ask(self, question: Callable[[AsyncQdrantClient], Awaitable[T]]) -> T:
        doing = f"collection {self.collection} cannot be queried"
        return await self._server.ask(doing, question, QUERY_SECONDS, QUERY_PATIENCE)


async def _delete(client: AsyncQdrantClient, name: str) -> None:
    if await client.collection_exists(name):
        await client.delete_collection(name)
