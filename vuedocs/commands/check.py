"""vuedocs sources --check."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Iterator, Sequence
from pathlib import Path

from vuedocs.commands import configured, table
from vuedocs.config import Config
from vuedocs.errors import SourceError
from vuedocs.ingest.session import silent
from vuedocs.ingest.survey import Folders, Survey, survey
from vuedocs.settings import Settings
from vuedocs.sources import find, registry


def check(options: argparse.Namespace) -> int:
    """Reads the docs and prints what they hold, their dead links, and where the sites' renderers differ; 1 where one does."""
    config, settings = configured(options)
    surveys = asyncio.run(_surveys(chosen(options.sources, settings.docs), config, settings))
    print(table(rows(surveys)))
    for heading, lines in (("dead links", dead_links), ("not read", unread), ("renderers", renderers)):
        listed = [line for one in surveys for line in lines(one)]
        if listed:
            print(f"\n{heading}:\n" + "\n".join(f"  {line}" for line in listed))
    return 1 if any(one.agreement and one.agreement.differences for one in surveys) else 0


def chosen(names: Sequence[str], docs: Path | None) -> list[str]:
    """The sources that are named, or all of which there are docs. Raises SourceError for an unknown name, or no such folder."""
    if names:
        return [find(name).name for name in names]
    if docs is not None and not docs.is_dir():
        raise SourceError(f"{docs} is no folder; give the folder of checkouts or exports with --docs or VUEDOCS_DOCS")
    return [source.name for source in registry().values() if docs is None or source.bundled or (docs / source.name).is_dir()]


async def _surveys(names: Sequence[str], config: Config, settings: Settings) -> list[Survey]:
    return [await survey(name, settings.docs, config, Folders(settings.home, silent)) for name in names]


def rows(surveys: Sequence[Survey]) -> list[tuple[str, ...]]:
    """The table: one row a source."""
    heading = ("source", "pages", "sections", "code blocks", "entities", "links", "dead links", "commit", "date", "licence")
    return [heading, *(_row(one) for one in surveys)]


def _row(one: Survey) -> tuple[str, ...]:
    counts = (one.pages, one.sections, one.code_blocks, one.entities, one.links, len(one.dead))
    about = one.checkout
    date = about.date.date().isoformat() if about.date else "-"
    return (about.source, *(f"{count:,}" for count in counts), about.commit[:12], date, find(about.source).licence)


def dead_links(one: Survey) -> Iterator[str]:
    """A line for each link that leads nowhere."""
    yield from (f"{one.checkout.source}: {words}" for words in one.dead)


def unread(one: Survey) -> Iterator[str]:
    """A line for each directive, and each part of the navigation, that could not be read."""
    yield from (f"{one.checkout.source}: {words}" for words in one.reports)


def renderers(one: Survey) -> Iterator[str]:
    """How many headings and code blocks are as the site's renderer has them, and a line for each page that differs."""
    if one.agreement is None:
        return
    found = one.agreement
    verdict = f"{len(found.differences)} differences" if found.differences else "all as the site's renderer has them"
    yield f"{one.checkout.source}: {found.headings:,} headings, {found.code_blocks:,} code blocks: {verdict}"
    yield from (f"{one.checkout.source}: {words}" for words in found.differences)
