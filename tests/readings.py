"""Whole sources, read once a session as an ingest reads them, for all the tests that look at real documentation."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from vuedocs.config import load
from vuedocs.ingest.chunking import Chunker, ReadPage
from vuedocs.ingest.entities import source_entities, unique
from vuedocs.ingest.fetch import from_folder
from vuedocs.ingest.parse import page_files, read_pages
from vuedocs.ingest.survey import Folders
from vuedocs.records import Chunk, Entity
from vuedocs.sources import find


@dataclass(frozen=True, slots=True)
class Reading:
    """One source: its pages in reading order, their chunks, and its entities by name."""

    pages: tuple[ReadPage, ...]
    chunks: tuple[Chunk, ...]
    entities: dict[str, Entity]


@cache
def read_source(source: str, docs: Path) -> Reading:
    """The docs of a source in the folder ``docs``."""
    found = find(source)
    checkout = from_folder(found, docs)
    files, _, _ = page_files(found, checkout)
    pages, _ = asyncio.run(read_pages(found, checkout.folder, files, Folders(Path("unused"), lambda words, done, total: None)))
    chunks = tuple(Chunker(found, pages, load().parse).chunks())
    return Reading(tuple(pages), chunks, {entity.name: entity for entity in unique(source_entities(source, chunks))})
