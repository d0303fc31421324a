"""Qdrant's REST interface, as far as a vector index of this project needs it, over qdrant-client's own ``:memory:`` double.

Faults besides the transport's: ``503`` (not ready yet), ``500``, ``413`` (too large), ``429`` (with Retry-After) and ``401``. A
wrong dimension is refused by the double itself, a filter on a field without an index as in strict mode, a body above ``largest``
as by the server.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel, TypeAdapter
from qdrant_client import AsyncQdrantClient, models
from starlette.requests import Request
from starlette.routing import Route

from .transport import Answer, Provider, endpoint

FAULTS = {
    "503": (503, "Service Unavailable", {}),
    "500": (500, "Service internal error: No space left on device", {}),
    "413": (413, "Payload reached size limit.", {}),
    "429": (429, "Rate limit exceeded: Write rate limit exceeded", {"retry-after": "1"}),
    "401": (401, "Invalid API key or JWT", {}),
}


@dataclass
class Kept:
    """What the stand-in holds, and how it is set up."""

    client: AsyncQdrantClient = field(default_factory=lambda: AsyncQdrantClient(":memory:"))
    indexes: dict[str, dict[str, Any]] = field(default_factory=dict)
    """By collection, its payload indexes as they were asked for."""
    made: dict[str, dict[str, Any]] = field(default_factory=dict)
    """By collection, the request that made it."""
    key: str = ""
    """What ``api-key`` must be; ``""``: anybody may."""
    version: str = "1.20.0"
    largest: int = 32 * 2**20
    """Bytes of a request."""
    sizes: list[int] = field(default_factory=list)
    """Bytes of each upload."""


Operation = Callable[[Kept, dict[str, Any], str], Awaitable[Any]]
"""Called with the body and the collection; what it returns is the ``result``."""


def error(status: int, words: str, headers: dict[str, str] | None = None) -> Answer:
    """An error as Qdrant words it."""
    return Answer({"status": {"error": words}, "time": 0.0}, status, headers=headers or {})


async def root(kept: Kept, body: dict[str, Any], name: str) -> Any:
    return {"title": "qdrant - vector search engine", "version": kept.version}


async def collections(kept: Kept, body: dict[str, Any], name: str) -> Any:
    return await kept.client.get_collections()


async def exists(kept: Kept, body: dict[str, Any], name: str) -> Any:
    return {"exists": await kept.client.collection_exists(name)}


async def look(kept: Kept, body: dict[str, Any], name: str) -> Any:
    return await kept.client.get_collection(name)


async def create(kept: Kept, body: dict[str, Any], name: str) -> Any:
    wanted = models.CreateCollection(**body)
    kept.made[name], kept.indexes[name] = body, {}
    return await kept.client.create_collection(
        name, vectors_config=wanted.vectors, sparse_vectors_config=wanted.sparse_vectors, metadata=wanted.metadata
    )


async def change(kept: Kept, body: dict[str, Any], name: str) -> Any:
    return await kept.client.update_collection(name, metadata=body.get("metadata"))


async def delete(kept: Kept, body: dict[str, Any], name: str) -> Any:
    return await kept.client.delete_collection(name)


async def index(kept: Kept, body: dict[str, Any], name: str) -> Any:
    kept.indexes[name][body["field_name"]] = body["field_schema"]
    return {"operation_id": 0, "status": "completed"}


async def upsert(kept: Kept, body: dict[str, Any], name: str) -> Any:
    points = models.PointsList(**body).points
    return await kept.client.upsert(name, points)


async def count(kept: Kept, body: dict[str, Any], name: str) -> Any:
    return await kept.client.count(name, exact=True)


async def query(kept: Kept, body: dict[str, Any], name: str) -> Any:
    return (await query_batch(kept, {"searches": [body]}, name))[0]


async def query_batch(kept: Kept, body: dict[str, Any], name: str) -> Any:
    for text in filtered(body):
        if text not in kept.indexes.get(name, {}):
            raise ValueError(f'Bad request: Index required but not found for "{text}" of one of the following types: [keyword]')
    requests = [models.QueryRequest(**plain(search)) for search in body["searches"]]
    return await kept.client.query_batch_points(name, requests)


async def aliases(kept: Kept, body: dict[str, Any], name: str) -> Any:
    return await kept.client.get_aliases()


async def move_aliases(kept: Kept, body: dict[str, Any], name: str) -> Any:
    return await kept.client.update_collection_aliases(models.ChangeAliasesOperation(**body).actions)


def plain(search: dict[str, Any]) -> dict[str, Any]:
    """A query without what has no effect on the double, which warns of it."""
    bare = {key: value for key, value in search.items() if key != "params"}
    return {**bare, "prefetch": [plain(part) for part in search["prefetch"]]} if search.get("prefetch") else bare


def filtered(value: Any) -> list[str]:
    """The payload fields that conditions anywhere in a request name."""
    if isinstance(value, list):
        return [name for item in value for name in filtered(item)]
    if not isinstance(value, dict):
        return []
    own = [value["key"]] if "key" in value and "match" in value else []
    return own + [name for item in value.values() for name in filtered(item)]


def serve(kept: Kept, operation: Operation) -> Callable[[dict[str, Any], str, Request], Awaitable[Answer]]:
    """``operation`` behind the faults, the key and the limit of size."""

    async def answer(body: dict[str, Any], fault: str, request: Request) -> Answer:
        if fault:
            status, words, headers = FAULTS[fault]
            return error(status, words, headers)
        if kept.key and operation is not root and request.headers.get("api-key") != kept.key:
            return error(*FAULTS["401"])
        size = len(await request.body())
        if size > kept.largest:
            return error(*FAULTS["413"])
        if operation is upsert:
            kept.sizes.append(size)
        try:
            found = await operation(kept, body, request.path_params.get("collection", ""))
        except ValueError as refused:
            return error(404 if "not found" in str(refused) and "Index" not in str(refused) else 400, str(refused))
        result = found if operation is not root else None
        return Answer(found if operation is root else {"result": as_json(result), "status": "ok", "time": 0.001})

    return answer


def as_json(value: Any) -> Any:
    """A result of the client as the wire has it."""
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json", exclude_none=True)
    return [as_json(item) for item in value] if isinstance(value, list) else TypeAdapter(Any).dump_python(value, mode="json")


OPERATIONS: list[tuple[str, str, str, Operation]] = [
    ("GET", "/", "root", root),
    ("GET", "/collections", "collections", collections),
    ("GET", "/collections/{collection}/exists", "collection", exists),
    ("GET", "/collections/{collection}", "collection", look),
    ("PUT", "/collections/{collection}", "create", create),
    ("PATCH", "/collections/{collection}", "finish", change),
    ("DELETE", "/collections/{collection}", "delete", delete),
    ("PUT", "/collections/{collection}/index", "index", index),
    ("PUT", "/collections/{collection}/points", "upsert", upsert),
    ("POST", "/collections/{collection}/points/count", "count", count),
    ("POST", "/collections/{collection}/points/query", "query", query),
    ("POST", "/collections/{collection}/points/query/batch", "query", query_batch),
    ("GET", "/aliases", "aliases", aliases),
    ("POST", "/collections/aliases", "aliases", move_aliases),
]
"""Method, path, the name that faults and counts go by, and what is done."""


def routes(provider: Provider, kept: Kept) -> list[Route]:
    """The routes of the server; the more special paths first."""
    ordered = sorted(OPERATIONS, key=lambda operation: "{" in operation[1])
    return [Route(path, endpoint(provider, name, serve(kept, run)), methods=[method]) for method, path, name, run in ordered]
