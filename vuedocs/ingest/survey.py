"""What the docs of a source hold, without an index: counts, dead links, and how far the site's own renderer agrees."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vuedocs.clients import Progress, ReadingClients
from vuedocs.config import Config
from vuedocs.errors import SourceError
from vuedocs.ingest.chunking import Chunker, ReadPage
from vuedocs.ingest.entities import source_entities, unique
from vuedocs.ingest.fetch import fetch
from vuedocs.ingest.parse import page_files, parse, read_pages
from vuedocs.records import Checkout, Chunk, Ingest
from vuedocs.sources import find
from vuedocs.sources.code import label, language


@dataclass(frozen=True, slots=True)
class Folders:
    """What reading docs needs of the outside world."""

    home: Path
    progress: Progress


@dataclass(frozen=True, slots=True)
class Agreement:
    """A source's headings and code blocks beside what its renderer makes of the same files."""

    headings: int
    code_blocks: int
    """0 where the renderer's output has none."""
    differences: tuple[str, ...]
    """One for each page whose headings or code blocks differ, and for each that is not read at all."""


@dataclass(frozen=True, slots=True)
class Survey:
    """One source's docs in numbers."""

    checkout: Checkout
    pages: int
    sections: int
    code_blocks: int
    entities: int
    links: int
    """Links between sections of the source, each target of a section once."""
    dead: tuple[str, ...]
    reports: tuple[str, ...]
    """Directives and parts of the navigation that could not be read."""
    agreement: Agreement | None
    """None where there is no renderer's output of this source."""


async def read_chunks(name: str, docs: Path | None, config: Config, clients: ReadingClients) -> tuple[Chunk, ...]:
    """The chunks of the source ``name`` as an ingest would make them from its docs. Raises SourceError."""
    state = await fetch(Ingest((find(name).name,), docs), config.fetch, clients)
    return (await parse(state, config.parse, clients)).chunks


async def survey(name: str, docs: Path | None, config: Config, clients: ReadingClients) -> Survey:
    """Reads the docs of the source ``name`` as an ingest would. Raises SourceError."""
    source = find(name)
    state = await fetch(Ingest((source.name,), docs), config.fetch, clients)
    checkout = state.checkouts[0]
    files, unread, words = page_files(source, checkout)
    pages, unreadable = await read_pages(source, checkout.folder, files, clients)
    chunker = Chunker(source, pages, config.parse)
    chunks = [chunk for chunk in chunker.chunks() if chunk.kind != "code"]
    oracle = docs.parent / "oracles" / f"{source.name}.json" if docs else None
    return Survey(
        checkout=checkout,
        pages=len(pages),
        sections=len(chunks),
        code_blocks=sum(len(page.document.fences) for page in pages),
        entities=sum(1 for _ in unique(source_entities(source.name, chunks))),
        links=sum(len(chunk.links) for chunk in chunks),
        dead=tuple(dict.fromkeys(chunker.dead)),
        reports=(*unread, *unreadable, *words, *(report for page in pages for report in page.document.reports)),
        agreement=agreement(pages, rendered(oracle)) if oracle and oracle.is_file() else None,
    )


def rendered(file: Path) -> Mapping[str, Any]:
    """A renderer's output: headings and code blocks by file. Raises SourceError where the file is none."""
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise SourceError(f"{file} cannot be read: {error}; mend or remove it") from error
    if not isinstance(data, dict) or not all(isinstance(page, dict) and "headings" in page for page in data.values()):
        raise SourceError(f"{file} is no renderer's output; it maps file names to objects with headings and fences")
    return data


def agreement(pages: Sequence[ReadPage], expected: Mapping[str, Any]) -> Agreement:
    """Compares the pages that ``expected`` names, heading by heading (level, anchor) and block by block (language, label)."""
    by_name = {page.file.name: page for page in pages}
    differences: list[str] = []
    for name, page in expected.items():
        if name in by_name:
            differences += [f"{name}: {words}" for words in _differences(by_name[name], page)]
    compared = [page for name, page in expected.items() if name in by_name]
    headings = sum(len(page["headings"]) for page in compared)
    return Agreement(headings, sum(len(page.get("fences", ())) for page in compared), tuple(differences))


def _differences(page: ReadPage, expected: Mapping[str, Any]) -> Iterator[str]:
    """Where a page differs first; output that says nothing of nesting has no headings in lists, quotes and boxes."""
    wanted = [(heading["level"], heading["id"]) for heading in expected["headings"]]
    nested = any("nested" in heading for heading in expected["headings"])
    found = [(h.level, h.anchor) for h in page.document.headings if nested or not h.nested]
    if found != wanted:
        yield f"headings differ, {_first(found, wanted)}"
    if "fences" in expected:
        blocks = [(language(info), label(info)) for info in page.document.fences]
        rendered_blocks = [(language(fence["info"]), label(fence["info"])) for fence in expected["fences"]]
        if blocks != rendered_blocks:
            yield f"code blocks differ, {_first(blocks, rendered_blocks)}"


def _first(found: Sequence[object], wanted: Sequence[object]) -> str:
    place = next((n for n, (a, b) in enumerate(zip(found, wanted, strict=False)) if a != b), min(len(found), len(wanted)))
    read, meant = (repr(items[place]) if place < len(items) else "none" for items in (found, wanted))
    return f"number {place + 1} is read as {read}, the site has {meant}"
