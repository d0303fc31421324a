"""Shards, points and queries in the words of Qdrant Edge."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import qdrant_edge as qe

from vuedocs.clients.points import dense_name, filters_of
from vuedocs.records import Point, Sparse, Vector


def shape(dims: int, quantisation: str) -> Any:
    """A shard without a write-ahead log: it takes no lock."""
    kind = qe.VectorStorageDatatype.Turbo8 if quantisation == "turbo8" else qe.VectorStorageDatatype.Float32
    vector = qe.EdgeVectorParams(size=dims, distance=qe.Distance.Cosine, datatype=kind)
    return qe.EdgeConfig(
        vectors={"dense": vector, "question": vector},
        sparse_vectors={"sparse": qe.EdgeSparseVectorParams(modifier=qe.Modifier.Idf)},
        wal_enabled=False,
    )


def row(number: int, point: Point) -> Any:
    """A point as the engine takes it, under its number."""
    vectors: dict[str, Any] = {}
    if point.dense is not None:
        vectors[dense_name(point)] = point.dense.tolist()
    if point.sparse is not None:
        vectors["sparse"] = _sparse(point.sparse)
    return qe.Point(number, vectors, filters_of(point))


def plain(vector: Any) -> Any:
    """A vector that the engine gave back, as lists."""
    return vector if isinstance(vector, list) else [list(vector.indices), list(vector.values)]


def queries_of(dense: Vector | None, sparse: Sparse | None) -> dict[str, Any]:
    """The query of each leg, by the name of its vector."""
    queries: dict[str, Any] = {}
    if dense is not None:
        values = dense.tolist()
        queries = {leg: qe.Query.Nearest(values, using=leg) for leg in ("dense", "question")}
    if sparse is not None and sparse.indices:
        queries["sparse"] = qe.Query.Nearest(_sparse(sparse), using="sparse")
    return queries


def filter_of(sources: Sequence[str], scope: str) -> Any:
    """Only points of these sources (empty: all) and this scope.

    One condition a source: the engine takes a third longer over one that holds several, or a list of one.
    """
    within = [] if scope == "all" else [_is("scopes", scope)]
    return qe.Filter(must=within, should=[_is("source", source) for source in sources]) if sources or within else None


def _is(key: str, value: str) -> Any:
    return qe.FieldCondition(key=key, match=qe.MatchValue(value))


def _sparse(vector: Sparse) -> Any:
    return qe.SparseVector(list(vector.indices), list(vector.values))
