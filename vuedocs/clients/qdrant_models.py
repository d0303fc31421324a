"""Collections, points and queries in the words of qdrant-client."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from qdrant_client import models

from vuedocs.clients.points import dense_name, payload_of
from vuedocs.records import Point, Sparse, Vector


def vector_params(dims: int, quantisation: str, on_disk: bool) -> models.VectorParams:
    """How dense vectors are kept. But for int8 no graph is built, since all vectors are compared."""
    memory = models.Memory.COLD if on_disk else None
    if quantisation != "int8":
        kind = models.Datatype.TURBO8 if quantisation == "turbo8" else None
        graph = models.HnswConfigDiff(m=0)
        return models.VectorParams(size=dims, distance=models.Distance.COSINE, memory=memory, datatype=kind, hnsw_config=graph)
    int8 = models.ScalarQuantizationConfig(type=models.ScalarType.INT8, memory=models.Memory.PINNED)
    return models.VectorParams(
        size=dims, distance=models.Distance.COSINE, memory=memory, quantization_config=models.ScalarQuantization(scalar=int8)
    )


def row(point: Point) -> models.PointStruct:
    """A point as the server takes it."""
    vectors: dict[str, Any] = {}
    if point.dense is not None:
        vectors[dense_name(point)] = point.dense.tolist()
    if point.sparse is not None:
        vectors["sparse"] = models.SparseVector(indices=list(point.sparse.indices), values=list(point.sparse.values))
    return models.PointStruct(id=point.id, vector=vectors, payload=payload_of(point))


def upper_size(point: Point) -> int:
    """Bytes that a point has as JSON, at most: 25 a number, 6 a character that is escaped."""
    numbers = (0 if point.dense is None else len(point.dense)) + (0 if point.sparse is None else 2 * len(point.sparse.indices))
    texts = (point.chunk_id, point.source, point.text, *point.scopes)
    return 400 + 25 * numbers + sum(6 * len(text) + 4 for text in texts)


def queries_of(dense: Vector | None, sparse: Sparse | None) -> dict[str, Any]:
    """The query of each leg, by the name of its vector."""
    queries: dict[str, Any] = {}
    if dense is not None:
        queries["dense"] = queries["question"] = dense.tolist()
    if sparse is not None and sparse.indices:
        queries["sparse"] = models.SparseVector(indices=list(sparse.indices), values=list(sparse.values))
    return queries


def filter_of(sources: Sequence[str], scope: str) -> models.Filter | None:
    """Only points of these sources (empty: all) and this scope."""
    conditions: list[models.Condition] = []
    if sources:
        conditions.append(models.FieldCondition(key="source", match=models.MatchAny(any=list(sources))))
    if scope != "all":
        conditions.append(models.FieldCondition(key="scopes", match=models.MatchValue(value=scope)))
    return models.Filter(must=conditions) if conditions else None


def mark_of(info: models.CollectionInfo) -> Mapping[str, Any]:
    """What :meth:`QdrantBuilder.build` wrote into the collection's metadata when it was complete."""
    mark: Mapping[str, Any] = (info.config.metadata or {}).get("vuedocs", {})
    return mark


def sizes(info: models.CollectionInfo) -> dict[str, int]:
    """Dimensions of the collection's named vectors."""
    vectors = info.config.params.vectors
    return {name: params.size for name, params in vectors.items()} if isinstance(vectors, dict) else {}
