"""vuedocs chunks, sources and status."""

from __future__ import annotations

import argparse
import asyncio
import json
from dataclasses import asdict

from vuedocs.clients.engines import describe, open_database
from vuedocs.clients.watchbook import Watchbook
from vuedocs.commands import configured, table
from vuedocs.commands.check import check
from vuedocs.commands.watch import watch_lines
from vuedocs.config import Config, in_use
from vuedocs.errors import NotIndexedError, UsageError, VuedocsError
from vuedocs.query.pages import find_page
from vuedocs.query.reader import Reader
from vuedocs.records import Chunk, Manifest
from vuedocs.settings import Settings
from vuedocs.sources import find, registry

FIELDS = (
    "id",
    "source",
    "path",
    "route",
    "kind",
    "anchor",
    "url",
    "title",
    "heading_path",
    "position",
    "api_style",
    "since",
    "entities",
    "links",
    "text",
    "content_hash",
)
"""What ``chunks --json`` prints of a chunk."""


def chunks(options: argparse.Namespace) -> int:
    """Lists a source's chunks in reading order."""
    found = asyncio.run(_chunks(options))
    if options.json:
        for chunk in found:
            print(json.dumps(chunk_json(chunk), ensure_ascii=False))
        return 0
    rows = [("kind", "section", "characters", "title"), *((c.kind, c.id, f"{len(c.text):,}", c.title) for c in found)]
    print(table(rows))
    return 0


def chunk_json(chunk: Chunk) -> dict[str, object]:
    """A chunk as ``chunks --json`` prints it."""
    data = asdict(chunk)
    return {field: data[field] for field in FIELDS}


async def _chunks(options: argparse.Namespace) -> tuple[Chunk, ...]:
    source = find(options.source).name
    reader = await Reader.open(*configured(options))
    try:
        if reader.manifest.source(source) is None:
            raise NotIndexedError(f"source {source!r} is not indexed; run `vuedocs ingest {source}`")
        if not options.path:
            return await reader.chunks(source)
        page, _ = find_page(await reader.pages(source), options.path)
        return await reader.library.page_chunks(source, page.path)
    finally:
        await reader.aclose()


def sources(options: argparse.Namespace) -> int:
    """A table of all known sources, and what of each is indexed; with ``--check``, what their docs hold."""
    if options.check:
        return check(options)
    if options.sources or options.docs:
        raise UsageError("sources lists all that are known; names and --docs are for `vuedocs sources --check`")
    _, settings = configured(options)
    manifest = asyncio.run(_published(settings))
    rows: list[tuple[object, ...]] = [
        ("source", "pages", "left out", "chunks", "entities", "points", "version or commit", "indexed", "licence")
    ]
    for source in registry().values():
        entry = manifest.source(source.name) if manifest else None
        state = (
            (
                f"{entry.pages:,}",
                f"{entry.left_out:,}",
                f"{entry.chunks:,}",
                f"{entry.entities:,}",
                f"{entry.points:,}",
                entry.state,
                entry.indexed,
            )
            if entry
            else ("-", "-", "-", "-", "-", "-", "not indexed")
        )
        rows.append((source.name, *state, source.licence))
    print(table(rows))
    return 0


async def _published(settings: Settings) -> Manifest | None:
    database = await open_database(settings)
    try:
        return await database.published()
    finally:
        await database.aclose()


def status(options: argparse.Namespace) -> int:
    """Which engines are in use and where their files are, what is published, and whether it can be read; 1 when it cannot."""
    config, settings = configured(options)
    print(describe(config, settings))
    print(f"config: {config.fingerprint()}, from {in_use(options.config or settings.config)}")
    try:
        lines, healthy = asyncio.run(_status(config, settings))
    except VuedocsError as error:
        print(f"not ready: {error}")
        return error.exit_code
    print(lines)
    return 0 if healthy else 1


async def _status(config: Config, settings: Settings) -> tuple[str, bool]:
    database = await open_database(settings)  # for the reader too: the server runs while anybody uses it
    try:
        print(f"database at: {database.location}")
        for line in await watch_lines(Watchbook(database.connections)):  # first: they matter most where no index can be read
            print(line)
        reader = await Reader.open(config, settings)
        try:
            checks = await reader.check()
            manifest = reader.manifest
        finally:
            await reader.aclose()
    finally:
        await database.aclose()
    lines = [
        f"generation: {manifest.generation}, made {manifest.created}, {manifest.points:,} points",
        *([f"  made by: {', '.join(f'{part} {name}' for part, name in manifest.engines.items())}"] if manifest.engines else []),
        *(f"  {e.source}: {e.pages} pages, {e.state}, indexed {e.indexed}" for e in manifest.sources),
        "checks: " + ", ".join(f"{name} {outcome}" for name, outcome in checks.items()),
    ]
    return "\n".join(lines), all(outcome == "ok" for outcome in checks.values())
