"""What a generation holds: the rows of the snapshots of which it is made, one a source, read as records."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from vuedocs.clients.connections import Connection, Connections, fetch
from vuedocs.clients.rows import Record, View, bm25_record, records, storable
from vuedocs.errors import DatabaseError
from vuedocs.records import Bm25Model

IN_ORDER = "array_position(%(snapshots)s, snapshot)"
"""The place of a row's source in its generation."""

SNAPSHOTS_OF = """
    SELECT snapshot.source, snapshot.id FROM vuedocs.generation
    LEFT JOIN unnest(generation.digests) WITH ORDINALITY AS part (digest, place) ON true
    LEFT JOIN vuedocs.snapshot ON snapshot.digest = part.digest
    WHERE generation.name = %s ORDER BY part.place
"""


class Contents:
    """Reads kept generations; which snapshots each is made of is remembered, for a generation never changes."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self._generations: dict[str, dict[str, int]] = {}

    async def read(
        self, view: View[Record], generation: str, where: str, source: str | None = None, *, whole: int = 1, **values: Any
    ) -> tuple[Record, ...]:
        """Records of a source, or of all, in the order that ``where`` says, whose placeholders are ``values``.

        Where fewer than ``whole`` are found, the generation is looked up again: DatabaseError if it is gone.
        """
        async with self._connections.use(f"{view.name} cannot be read") as connection:
            return await self._found(connection, view, generation, where, source, whole, values)

    async def read_apart(self, view: View[Record], generation: str, where: str) -> tuple[Record, ...]:
        """What ``read`` does for all sources, by :meth:`Connections.apart`."""

        async def found(connection: Connection) -> tuple[Record, ...]:
            return await self._found(connection, view, generation, where)

        return await self._connections.apart(f"{view.name} cannot be read", found)

    async def _found(
        self,
        connection: Connection,
        view: View[Record],
        generation: str,
        where: str,
        source: str | None = None,
        whole: int = 1,
        values: Mapping[str, Any] = MappingProxyType({}),
    ) -> tuple[Record, ...]:
        for known in (self._generations.get(generation), None):
            ids = known if known is not None else await self._snapshots(connection, generation)
            chosen = [id for name, id in ids.items() if source in (None, name)]
            query = f"SELECT {view.names} FROM {view.name} WHERE snapshot = ANY(%(snapshots)s) AND {where}"
            found = records(view, await fetch(connection, query, {"snapshots": chosen, **values}))
            if known is None or len(found) >= whole:
                return found
        raise AssertionError("unreachable")

    async def bm25_models(self, generation: str) -> tuple[Bm25Model, ...]:
        """The length statistics and vocabulary of each source; read by :meth:`Connections.apart`."""

        async def found(connection: Connection) -> tuple[Bm25Model, ...]:
            ids = list((await self._snapshots(connection, generation)).values())
            query = "SELECT bm25 FROM vuedocs.snapshot WHERE id = ANY(%s) ORDER BY array_position(%s, id)"
            return tuple(bm25_record(data) for (data,) in await fetch(connection, query, [ids, ids]))

        return await self._connections.apart("BM25 models cannot be read", found)

    async def _snapshots(self, connection: Connection, generation: str) -> dict[str, int]:
        """Source to snapshot of a kept generation, in its order."""
        rows = await fetch(connection, SNAPSHOTS_OF, [storable(generation)])
        self._generations.pop(generation, None)
        if not rows:
            raise DatabaseError(f"generation {generation} is not in the database any more; reopen the published one")
        return self._generations.setdefault(generation, {source: id for source, id in rows if id is not None})
