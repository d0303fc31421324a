"""vuedocs api, related and page."""

from __future__ import annotations

import argparse
import asyncio

from vuedocs.commands import configured
from vuedocs.commands.search import parse_sources
from vuedocs.errors import QueryError
from vuedocs.query.lookup import api_lookup, find_page
from vuedocs.query.lookup import related as find_related
from vuedocs.query.reader import Reader
from vuedocs.records import Chunk, Entity


def api(options: argparse.Namespace) -> int:
    """Prints what an API is, where it is documented, and its section."""
    print(asyncio.run(_api(options)))
    return 0


def related(options: argparse.Namespace) -> int:
    """Prints the APIs and sections that go with an API."""
    print(asyncio.run(_related(options)))
    return 0


def page(options: argparse.Namespace) -> int:
    """Prints a page, or with ``#anchor`` one section of it, as Markdown."""
    print(asyncio.run(_page(options)))
    return 0


async def _entities(reader: Reader, options: argparse.Namespace) -> tuple[Entity, ...]:
    match = api_lookup(reader.library.names, options.name, parse_sources(options.source))
    if not match.entities:
        hint = f"did you mean {', '.join(match.did_you_mean)}?" if match.did_you_mean else "search for it with `vuedocs search`"
        raise QueryError(f"no API is called {match.name!r} in {options.source}; {hint}")
    return match.entities


async def _api(options: argparse.Namespace) -> str:
    reader = await Reader.open(*configured(options))
    try:
        entities = await _entities(reader, options)
        chunks = await reader.library.chunks([entity.chunk_id for entity in entities])
        return "\n\n".join(entity_text(entity, chunks[entity.chunk_id]) for entity in entities)
    finally:
        await reader.aclose()


def entity_text(entity: Entity, chunk: Chunk) -> str:
    """An entity and the section that defines it, as Markdown."""
    facts = [entity.type, f"since {entity.since}" if entity.since else "", "deprecated" if entity.deprecated else ""]
    return f"# {entity.name} ({entity.source}: {', '.join(fact for fact in facts if fact)})\n\n{chunk.url}\n\n{chunk.text}"


async def _related(options: argparse.Namespace) -> str:
    reader = await Reader.open(*configured(options))
    try:
        entity = (await _entities(reader, options))[0]
        found = await find_related(reader.library, entity)
    finally:
        await reader.aclose()
    lines = [f"# {entity.name} ({entity.source}: {entity.type})", "", "APIs:"]
    lines += [f"- {api.name} ({api.type}): {api.description}" for api in found.apis] or ["- none"]
    lines += ["", "Sections:"]
    lines += [f"- {' › '.join(chunk.heading_path)}: {chunk.url}" for chunk in found.sections] or ["- none"]
    return "\n".join(lines)


async def _page(options: argparse.Namespace) -> str:
    reader = await Reader.open(*configured(options))
    try:
        page, anchor = find_page(await reader.pages(), options.page)
        if not anchor:
            return f"{page.text.rstrip()}\n\nSource: {page.url}"
        chunks = await reader.library.page_chunks(page.source, page.path)
    finally:
        await reader.aclose()
    sections = {chunk.anchor.lower(): chunk for chunk in chunks if chunk.kind != "code"}
    if anchor.lower() not in sections:
        raise QueryError(f"page {page.path} has no section {anchor!r}; it has {', '.join(filter(None, sections))}")
    chunk = sections[anchor.lower()]
    return f"{chunk.text}\n\nSource: {chunk.url}"
