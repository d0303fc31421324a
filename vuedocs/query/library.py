"""What query stages read besides the index: chunks, entities and the vocabulary of one generation, cached."""

from __future__ import annotations

import asyncio
from collections import OrderedDict, defaultdict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Generic, TypeVar

from vuedocs.clients import Database
from vuedocs.query.relations import Relations, relations_of
from vuedocs.query.rocchio import SectionVectors, section_vectors
from vuedocs.query.terms import Terms
from vuedocs.records import Bm25Model, Chunk, Entity, Manifest, Page

CACHED = 20_000
"""Chunks, and vectors of chunks: about 60 and 40 MB of the largest index."""

Value = TypeVar("Value")


class Recently(Generic[Value]):
    """Values by id, read when they are asked for first; the least recently used go first."""

    def __init__(self, read: Callable[[Sequence[str]], Awaitable[Mapping[str, Value]]]) -> None:
        self._read = read
        self._kept: OrderedDict[str, Value] = OrderedDict()

    async def get(self, ids: Sequence[str]) -> dict[str, Value]:
        """Those that exist among ``ids``."""
        missing = [id for id in ids if id not in self._kept]
        read = await self._read(missing) if missing else {}
        found = {id: value for id in ids if (value := read.get(id, self._kept.get(id))) is not None}
        self.keep(found)
        return found

    def keep(self, values: Mapping[str, Value]) -> None:
        """Takes in values as the ones that were used last."""
        self._kept.update(values)
        for id in values:
            self._kept.move_to_end(id)
        while len(self._kept) > CACHED:
            self._kept.popitem(last=False)


class Library:
    """One generation's text. A generation never changes, so that nothing here goes stale."""

    def __init__(self, database: Database, manifest: Manifest, entities: Sequence[Entity], models: Sequence[Bm25Model]) -> None:
        self.manifest = manifest
        self.vocabulary = frozenset(token for model in models for token in model.vocabulary)
        self.terms = Terms(models)
        self.names = by_name(entities)
        self._database = database
        self._chunks = Recently[Chunk](lambda ids: database.chunks(manifest.generation, ids))
        self._vectors = Recently[SectionVectors](self._read_vectors)
        self._on_pages: dict[tuple[str, str], tuple[str, ...]] = {}
        self._pages: tuple[Page, ...] | None = None
        self._relations: dict[str, Relations] = {}

    @classmethod
    async def open(cls, database: Database, manifest: Manifest) -> Library:
        """The library of a published generation."""
        reading = database.entities(manifest.generation), database.bm25_models(manifest.generation)
        entities, models = await asyncio.gather(*reading)
        return cls(database, manifest, entities, models)

    async def chunks(self, ids: Sequence[str]) -> dict[str, Chunk]:
        """The chunks that exist among ``ids``."""
        return await self._chunks.get(ids)

    async def vectors(self, ids: Sequence[str]) -> dict[str, SectionVectors]:
        """What the index holds of the own text of these chunks."""
        return await self._vectors.get(ids)

    async def _read_vectors(self, ids: Sequence[str]) -> dict[str, SectionVectors]:
        return section_vectors(await self._database.windows(self.manifest.generation, ids))

    async def page_chunks(self, source: str, path: str) -> tuple[Chunk, ...]:
        """A page's chunks in reading order; empty when there is no such page. One that was read is not asked for again: under
        load a connection to the database is what calls wait for."""
        if (source, path) in self._on_pages:
            ids = self._on_pages[source, path]
            known = await self.chunks(ids)
            return tuple(known[id] for id in ids)
        found = await self._database.page_chunks(self.manifest.generation, source, path)
        if found:
            self._on_pages[source, path] = tuple(chunk.id for chunk in found)
            self._chunks.keep({chunk.id: chunk for chunk in found})
        return found

    async def all_chunks(self, source: str | None = None) -> tuple[Chunk, ...]:
        """All chunks of a source, or of all, in reading order."""
        return await self._database.all_chunks(self.manifest.generation, source)

    async def pages(self, source: str | None = None) -> tuple[Page, ...]:
        """All pages of a source, or of all, in reading order."""
        if self._pages is None:
            self._pages = await self._database.pages(self.manifest.generation)
        return self._pages if source is None else tuple(page for page in self._pages if page.source == source)

    async def relations(self, source: str) -> Relations:
        """How the sections of a source hang together."""
        if source not in self._relations:
            self._relations[source] = relations_of(await self.all_chunks(source))
        return self._relations[source]


def by_name(entities: Sequence[Entity]) -> Mapping[str, tuple[Entity, ...]]:
    """Entities by lower-cased name and alias; one name may stand for one entity of each source."""
    names: dict[str, list[Entity]] = defaultdict(list)
    for entity in entities:
        for name in dict.fromkeys(name.lower() for name in (entity.name, *entity.aliases)):
            names[name].append(entity)
    return {name: tuple(same) for name, same in names.items()}
