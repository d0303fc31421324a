"""Records as rows of the database and back: pure functions, one pair a table.

PostgreSQL stores no NUL character, and UTF-8 no lone surrogate: both become U+FFFD on the way in. All else comes back equal.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Generic, TypeVar

import numpy as np
from psycopg.types.json import Jsonb

from vuedocs.records import Bm25Model, Chunk, Entity, Link, Manifest, Page, Point, SourceManifest, Sparse, Window

Record = TypeVar("Record")
Row = tuple[Any, ...]

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def storable(value: Any) -> Any:
    """``value`` with what PostgreSQL cannot store replaced by U+FFFD, in strings at any depth of lists and mappings."""
    if isinstance(value, str):
        return _UNSTORABLE.sub("\ufffd", value)
    if isinstance(value, (list, tuple)):
        return [storable(item) for item in value]
    if isinstance(value, Jsonb):
        return Jsonb(storable(value.obj))
    if isinstance(value, Mapping):
        return {storable(key): storable(item) for key, item in value.items()}
    return value


@dataclass(frozen=True, slots=True)
class View(Generic[Record]):
    """How one record is read: the columns with their PostgreSQL types, in the order of the rows."""

    name: str
    """Of the database's table."""
    columns: Mapping[str, str]
    record: Callable[[Row], Record]

    @property
    def names(self) -> str:
        """The columns, for SQL."""
        return ", ".join(self.columns)


@dataclass(frozen=True, slots=True)
class Table(View[Record]):
    """How one record is kept: read, and written."""

    row: Callable[[Record, int], Row]
    """The record's values; the number is its place among those written together."""

    def storable_row(self, record: Record, number: int) -> Row:
        """A row that PostgreSQL takes."""
        return tuple(storable(value) for value in self.row(record, number))


def page_row(page: Page, number: int) -> Row:
    """See PAGES."""
    return (
        page.source, page.path, page.route, page.url, page.title, page.section, page.position, page.description, page.text,
        page.content_hash,
    )  # fmt: skip


def page_record(row: Row) -> Page:
    """See PAGES."""
    return Page(*row)


def chunk_row(chunk: Chunk, number: int) -> Row:
    """See CHUNKS."""
    links = Jsonb([[link.target, link.text, link.priority] for link in chunk.links])
    return (
        chunk.id, chunk.source, chunk.path, chunk.route, chunk.kind, chunk.anchor, chunk.url, chunk.title, chunk.heading_path,
        *chunk.position, chunk.text, chunk.content_hash, chunk.api_style, chunk.since, links, chunk.entities, chunk.context,
    )  # fmt: skip


def chunk_record(row: Row) -> Chunk:
    """See CHUNKS."""
    id, source, path, route, kind, anchor, url, title, heading_path, page_position, place, *rest = row
    text, content_hash, api_style, since, links, entities, context = rest
    return Chunk(
        id, source, path, route, kind, anchor, url, title, tuple(heading_path), (page_position, place), text, content_hash,
        api_style, since, tuple(Link(*link) for link in links), tuple(entities), context,
    )  # fmt: skip


def entity_row(entity: Entity, number: int) -> Row:
    """See ENTITIES."""
    return (
        number, entity.name, entity.type, entity.source, entity.chunk_id, entity.aliases, entity.signature, entity.since,
        entity.deprecated, entity.description,
    )  # fmt: skip


def entity_record(row: Row) -> Entity:
    """See ENTITIES."""
    _, name, type, source, chunk_id, aliases, *rest = row
    return Entity(name, type, source, chunk_id, tuple(aliases), *rest)


def point_row(point: Point, number: int) -> Row:
    """See POINTS."""
    sparse = point.sparse
    return (
        number, point.id, point.chunk_id, point.source, point.kind, point.number, point.text, point.scopes,
        None if point.dense is None else np.asarray(point.dense, dtype="<f4").tobytes(),
        None if sparse is None else np.asarray(sparse.indices, dtype="<u4").tobytes(),
        None if sparse is None else np.asarray(sparse.values, dtype="<f8").tobytes(),
    )  # fmt: skip


def point_record(row: Row) -> Point:
    """See POINTS."""
    _, id, chunk_id, source, kind, number, text, scopes, dense, indices, values = row
    return Point(
        id, chunk_id, source, kind, number, text, tuple(scopes),
        None if dense is None else np.frombuffer(dense, dtype="<f4").astype(np.float32),
        None if indices is None else Sparse(
            tuple(np.frombuffer(indices, dtype="<u4").tolist()), tuple(np.frombuffer(values, dtype="<f8").tolist())
        ),
    )  # fmt: skip


def window_record(row: Row) -> Window:
    """See WINDOWS."""
    chunk_id, dense, indices, values = row
    return Window(
        chunk_id, np.frombuffer(dense, "<f4"), np.frombuffer(indices or b"", "<u4"), np.frombuffer(values or b"", "<f8")
    )


def manifest_json(manifest: Manifest | SourceManifest | Bm25Model) -> Jsonb:
    """A manifest or BM25 model as JSON."""
    return Jsonb(storable(asdict(manifest)))


def manifest_record(data: Mapping[str, Any]) -> Manifest:
    """The manifest that :func:`manifest_json` made."""
    return Manifest(**{**data, "sources": tuple(SourceManifest(**entry) for entry in data["sources"])})


def bm25_record(data: Mapping[str, Any]) -> Bm25Model:
    """The BM25 model that :func:`manifest_json` made."""
    lists = {name: tuple(data.get(name, ())) for name in ("vocabulary", "frequencies")}
    return Bm25Model(**{**data, **lists})


def _columns(type: str, names: str) -> Mapping[str, str]:
    return dict.fromkeys(names.split(), type)


PAGES = Table(
    "vuedocs.page",
    {
        **_columns("text", "source path route url title section"),
        "position": "int4",
        **_columns("text", "description text content_hash"),
    },
    page_record,
    page_row,
)
CHUNKS = Table(
    "vuedocs.chunk",
    {
        **_columns("text", "id source path route kind anchor url title"),
        "heading_path": "text[]",
        **_columns("int4", "page_position place"),
        **_columns("text", "text content_hash api_style since"),
        "links": "jsonb",
        "entities": "text[]",
        "context": "text",
    },
    chunk_record,
    chunk_row,
)
ENTITIES = Table(
    "vuedocs.entity",
    {
        "number": "int4",
        **_columns("text", "name type source chunk_id"),
        "aliases": "text[]",
        **_columns("text", "signature since"),
        "deprecated": "bool",
        "description": "text",
    },
    entity_record,
    entity_row,
)
POINTS = Table(
    "vuedocs.point",
    {
        "place": "int4",
        **_columns("text", "id chunk_id source kind"),
        "number": "int4",
        "text": "text",
        "scopes": "text[]",
        **_columns("bytea", "dense sparse_indices sparse_values"),
    },
    point_record,
    point_row,
)
WINDOWS = View(
    POINTS.name,
    {name: POINTS.columns[name] for name in ("chunk_id", "dense", "sparse_indices", "sparse_values")},
    window_record,
)
"""Points without what a reranker does not need: half the time."""


def records(view: View[Record], rows: Sequence[Row]) -> tuple[Record, ...]:
    """Rows as they come from the database, as records."""
    return tuple(view.record(row) for row in rows)
