"""What a point looks like in either Qdrant, the embedded engine or a server: vectors by name, payload, and hits in order."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Mapping
from typing import Any

from vuedocs.records import Hit, Point

FILTERED = ("source", "scopes")
"""Payload fields that queries filter by; each has an index."""

SHOWN = ("chunk", "kind", "number", "text")
"""Payload fields that a hit is made of."""


def dense_name(point: Point) -> str:
    """Which named vector holds the point's dense one: questions have their own, so that each is a leg."""
    return "question" if point.kind == "question" else "dense"


def filters_of(point: Point) -> dict[str, Any]:
    """The part of the payload that queries filter by."""
    return {"source": point.source, "scopes": list(point.scopes)}


def payload_of(point: Point) -> dict[str, Any]:
    """What a server keeps beside the vectors; the text of questions only, since a chunk's stands in the database."""
    payload = {**filters_of(point), "chunk": point.chunk_id, "kind": point.kind, "number": point.number}
    return {**payload, "text": point.text} if point.kind == "question" else payload


def hits(points: Iterable[Any]) -> tuple[Hit, ...]:
    """Scored points with their payloads, best first, ties by what names them."""
    return ranked([_hit(point.payload, point.score) for point in points])


def _hit(payload: Mapping[str, Any], score: float) -> Hit:
    return Hit(payload["chunk"], payload["kind"], payload["number"], score, payload.get("text", ""))


def ranked(found: Iterable[Hit]) -> tuple[Hit, ...]:
    """Best first, ties by what names them."""
    return tuple(sorted(found, key=_place))


def _place(hit: Hit) -> tuple[float, str, str, int]:
    return -hit.score, hit.chunk_id, hit.kind, hit.number


async def batches(
    points: AsyncIterable[Point], count: int, size: Callable[[Point], int] = lambda point: 0, limit: int = 0
) -> AsyncIterator[list[Point]]:
    """Groups of at most ``count`` points whose sizes add up to ``limit`` at most; a point above the limit is alone."""
    batch: list[Point] = []
    total = 0
    async for point in points:
        total += size(point)
        if batch and (len(batch) == count or total > limit):
            yield batch
            batch, total = [], size(point)
        batch.append(point)
    if batch:
        yield batch
