"""parse: pages and chunks out of each source's files.

Chunks of a page in order give back all its text: the page's own text, then its sections (H2) and subsections (H3), each without
what lies below it. Code chunks stand beside them: an example again, with the prose that introduces it.
"""

from __future__ import annotations

import asyncio
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
from vuedocs.sources.readers import read
from vuedocs.sources.site_config import config_file, read_config


async def parse(state: Ingest, section: Parse, clients: ReadingClients) -> Ingest:
    """The state with the pages and chunks of every checkout, and reports of dead links and unread directives.

    Raises SourceError where a checkout holds no page, or a file that is not UTF-8.
    """
    pages: list[Page] = []
    chunks: list[Chunk] = []
    reports: list[str] = []
    for checkout in state.checkouts:
        source = find(checkout.source)
        files, words = page_files(source, checkout)
        documents = await read_pages(source, checkout.folder, files, clients)
        chunker = Chunker(source, documents, section)
        pages += [page_of(source, page) for page in documents]
        chunks += chunker.chunks()
        words += [report for page in documents for report in page.document.reports]
        reports += [f"{source.name}: {report}" for report in (*words, *dict.fromkeys(chunker.dead))]
    return replace(state, pages=tuple(pages), chunks=tuple(chunks)).report(*reports).count(pages=len(pages), chunks=len(chunks))


def page_files(source: Source, checkout: Checkout) -> tuple[list[PageFile], list[str]]:
    """The pages of a checkout in the order of reading, and what of the navigation could not be read.

    Raises SourceError where there is no page.
    """
    file = config_file(checkout.site, source.config) if checkout.site else None
    config = read_config(file, checkout.site, checkout.folder) if file and checkout.site else None
    names = candidates(source, checkout.folder, config.excluded if config else ())
    texts = {name: _text(checkout.folder / name) for name in names}
    navigation = navigation_of(source, checkout.folder, config, texts)
    files, missing = in_reading_order(source, texts, navigation)
    if not files:
        raise SourceError(f"{checkout.folder} holds no page of {source.name}; give the folder of its docs with --docs")
    return files, [*navigation.reports, *missing]


async def read_pages(source: Source, folder: Path, files: Sequence[PageFile], clients: ReadingClients) -> list[ReadPage]:
    """The files with what their markup says; lets others run between two pages."""
    site = Site(source, frozenset(file.path for file in files))
    pages: list[ReadPage] = []
    for number, file in enumerate(files):
        clients.progress(f"parse {source.name}", number, len(files))

        def url(href: str, path: str = file.path) -> str:
            return site.url(href, path)

        pages.append(ReadPage(file, read(file.text, file.name, source, folder, url)))
        await asyncio.sleep(0)
    clients.progress(f"parse {source.name}", len(files), len(files))
    return pages


def _text(file: Path) -> str:
    try:
        return normalise(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise SourceError(f"{file} cannot be read as UTF-8: {error}; mend it or exclude it in registry.toml") from error
