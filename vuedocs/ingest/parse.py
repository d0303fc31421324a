"""parse: pages and chunks out of each source's files.

Chunks of a page in order give back all its text: the page's own text, then its sections (H2) and subsections (H3), each without
what lies below it. Code chunks stand beside them: an example again, with the prose that introduces it.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from vuedocs.clients import ReadingClients
from vuedocs.config import Parse
from vuedocs.errors import SourceError
from vuedocs.ingest.chunking import Chunker, ReadPage, page_of
from vuedocs.records import Checkout, Chunk, Ingest, Page
from vuedocs.sources import Source, find
from vuedocs.sources.front import normalise
from vuedocs.sources.links import Site
from vuedocs.sources.order import navigation_of
from vuedocs.sources.pages import PageFile, candidates, in_reading_order
from vuedocs.sources.plain_yaml import UNSEEN
from vuedocs.sources.readers import read
from vuedocs.sources.site_config import config_file, read_config

LARGEST_PAGE = 1 << 20
"""Bytes. The largest of 2,500 real pages has 100,000. Prose takes 1 microsecond a byte, the worst of markup 10."""

MOST_TEXT = 30_000_000
"""Characters of one source's pages together; the largest known has 1,400,000."""

MOST_PAGES = 20_000
"""Of one source; the largest known has 600."""

UNREADABLE = (ArithmeticError, LookupError, RecursionError, TypeError, ValueError)
"""What a reader of markup may raise on a page that nobody thought of: the page is left out, and the others are read."""

LONGEST_REASON = 200
"""Characters of such an error that are reported; it may quote the page."""


async def parse(state: Ingest, section: Parse, clients: ReadingClients) -> Ingest:
    """The state with the pages and chunks of every checkout, and reports of dead links and unread directives.

    A page that cannot be read is reported and left out: it stands in ``left_out`` as well. Raises SourceError where a checkout
    holds no page that can.
    """
    pages: list[Page] = []
    chunks: list[Chunk] = []
    reports: list[str] = []
    left_out: list[tuple[str, str]] = []
    for checkout in state.checkouts:
        source = find(checkout.source)
        files, unread, words = page_files(source, checkout)
        documents, unreadable = await read_pages(source, checkout.folder, files, clients)
        chunker = Chunker(source, documents, section)
        pages += [page_of(source, page) for page in documents]
        chunks += chunker.chunks()
        words += [report for page in documents for report in page.document.reports]
        reports += [f"{source.name}: {report}" for report in (*unread, *unreadable, *words, *dict.fromkeys(chunker.dead))]
        left_out += [(source.name, report) for report in (*unread, *unreadable)]
    state = replace(state, pages=tuple(pages), chunks=tuple(chunks), left_out=tuple(left_out))
    return state.report(*reports).count(pages=len(pages), chunks=len(chunks))


def page_files(source: Source, checkout: Checkout) -> tuple[list[PageFile], list[str], list[str]]:
    """The pages of a checkout in the order of reading, words on files that are no page, and what of the navigation is not read.

    Raises SourceError where there is no page.
    """
    file = config_file(checkout.site, source.config) if checkout.site else None
    config = read_config(file, checkout.site, checkout.folder) if file and checkout.site else None
    names = candidates(source, checkout.folder, config.excluded if config else ())
    texts, unread = page_texts(checkout.folder, names)
    navigation = navigation_of(source, checkout.folder, config, texts)
    files, missing = in_reading_order(source, texts, navigation)
    if not files:
        raise SourceError(f"{checkout.folder} holds no page of {source.name}; give the folder of its docs with --docs")
    return files, unread, [*navigation.reports, *missing]


async def read_pages(
    source: Source, folder: Path, files: Sequence[PageFile], clients: ReadingClients
) -> tuple[list[ReadPage], list[str]]:
    """The files with what their markup says, and words on those that no reader can read; lets others run between two pages."""
    site = Site(source, frozenset(file.path for file in files))
    pages: list[ReadPage] = []
    left_out: list[str] = []
    for number, file in enumerate(files):
        clients.progress(f"parse {source.name}", number, len(files))

        def url(href: str, path: str = file.path) -> str:
            return site.url(href, path)

        try:
            pages.append(ReadPage(file, read(file.text, file.name, source, folder, url)))
        except UNREADABLE as error:
            reason = UNSEEN.sub("", f"{type(error).__name__}: {error}")[:LONGEST_REASON]
            left_out.append(f"{file.name} is left out: reading it raised {reason}; report it, with the page")
        await asyncio.sleep(0)
    clients.progress(f"parse {source.name}", len(files), len(files))
    return pages, left_out


def page_texts(folder: Path, names: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    """The text of each file, and words on those that are none, or are too large. SourceError where all are too much."""
    if len(names) > MOST_PAGES:
        raise SourceError(f"{folder} holds {len(names):,} pages; {MOST_PAGES:,} are read. Give the folder of the docs alone")
    texts: dict[str, str] = {}
    unread: list[str] = []
    room = MOST_TEXT
    for name in names:
        printable = os.fsencode(name).decode("utf-8", "backslashreplace")
        if printable != name:
            unread.append(f"{printable} is left out: its name is not UTF-8; rename it")
            continue
        if UNSEEN.search(name):
            unread.append(f"{name!a} is left out: its name holds characters that nobody sees; rename it")
            continue
        try:
            texts[name] = page_text(folder / name)
        except ValueError as error:
            unread.append(f"{name} is left out: {error}")
            continue
        room -= len(texts[name])
        if room < 0:
            raise SourceError(f"{folder} holds more than {MOST_TEXT:,} characters of pages. Give the folder of the docs alone")
    return texts, unread


def page_text(file: Path) -> str:
    """A page's text. ValueError, in words, where it is none."""
    try:
        if file.stat().st_size > LARGEST_PAGE:
            raise ValueError(f"it has {file.stat().st_size:,} bytes, {LARGEST_PAGE:,} are read")
        data = file.read_bytes()
    except OSError as error:
        raise ValueError(f"it cannot be read: {error.strerror}") from error
    if b"\0" in data:
        raise ValueError("it is no text, but binary")
    try:
        return normalise(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise ValueError(f"it is not UTF-8: {error.reason} at byte {error.start:,}") from error
