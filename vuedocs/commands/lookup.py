"""vuedocs api, related and page."""

from __future__ import annotations

import argparse
import asyncio

from vuedocs.commands import configured
from vuedocs.commands.search import parse_sources
from vuedocs.errors import QueryError
from vuedocs.query.facts import api_facts, card
from vuedocs.query.fitting import check_sources
from vuedocs.query.lookup import ApiMatch, api_lookup, refusal, remarks
from vuedocs.query.pages import find_page, section_chunks
from vuedocs.query.reader import Reader
from vuedocs.query.related import related as find_related
from vuedocs.query.related import related_text


def api(options: argparse.Namespace) -> int:
    """Prints what an API is, as its section says it, and where that is; for each source that has the name."""
    print(asyncio.run(_api(options)))
    return 0


def related(options: argparse.Namespace) -> int:
    """Prints the APIs and sections that go with an API."""
    print(asyncio.run(_related(options)))
    return 0


def page(options: argparse.Namespace) -> int:
    """Prints a page, or with ``#anchor`` one section of it and its subsections, as Markdown."""
    print(asyncio.run(_page(options)))
    return 0


def _match(reader: Reader, options: argparse.Namespace) -> ApiMatch:
    sources = parse_sources(options.source)
    check_sources(reader.manifest, sources)
    match = api_lookup(reader.library.names, options.name, sources)
    if not match.entities:
        raise QueryError(refusal(match, sources or reader.manifest.source_names))
    return match


async def _api(options: argparse.Namespace) -> str:
    reader = await Reader.open(*configured(options))
    try:
        match = _match(reader, options)
        cards = [card(facts) for facts in await api_facts(reader.library, match.entities)]
    finally:
        await reader.aclose()
    return "\n\n".join([*(f"Note: {remark}." for remark in remarks(match)), *cards])


async def _related(options: argparse.Namespace) -> str:
    reader = await Reader.open(*configured(options))
    try:
        match = _match(reader, options)
        found = [related_text(await find_related(reader.library, entity)) for entity in match.entities]
    finally:
        await reader.aclose()
    return "\n\n".join([*(f"Note: {remark}." for remark in remarks(match)), *found])


async def _page(options: argparse.Namespace) -> str:
    reader = await Reader.open(*configured(options))
    try:
        page, anchor = find_page(await reader.pages(), options.page)
        if not anchor:
            return f"{page.text.rstrip()}\n\nSource: {page.url}"
        chunks = section_chunks(await reader.library.page_chunks(page.source, page.path), anchor)
    finally:
        await reader.aclose()
    return "\n\n".join([*(chunk.text.strip() for chunk in chunks), f"Source: {chunks[0].url}"])
