"""read_page: a page of the documentation, or one section of it, in parts that every client takes."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Annotated, Any

from mcp.server.mcpserver import MCPServer
from mcp.types import CallToolResult
from pydantic import BaseModel, Field

from vuedocs.errors import QueryError, UsageError
from vuedocs.serving.arguments import make_cursor, read_cursor
from vuedocs.serving.parts import parts
from vuedocs.serving.service import Reading, Service
from vuedocs.serving.shared import READ_ONLY, canonical_source, resource_link, result
from vuedocs.serving.uris import address, asked_page, page_uri

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vuedocs.records import Chunk, Page

PAGE = """\
Read a page of the documentation, or one section of it, in full. Use it with the URL of a passage that docs_search found, when \
the passage is not enough, or of a section that get_related names.

path: a URL, with or without an #anchor; or a path after its source, such as "vue/guide/essentials/computed".
section: an anchor or a heading, for that section and its subsections only; shorter than the whole page.
A long page comes in parts: send the cursor back, with the same path and section, for the next."""

SECTIONS_SHOWN = 60


class PageAnswer(BaseModel):
    """A page, a section of it, or a part of either."""

    title: str
    url: str = Field(description="Cite this.")
    source: str
    version: str = Field(description="Version or commit of the documentation.")
    indexed: str = Field(description="When it was indexed, ISO 8601.")
    text: str = Field(description="Markdown.")
    part: int
    parts: int
    sections: list[str] = Field(description="Of a page in parts: the anchors that section takes.")
    cursor: str | None = Field(description="Send it back for the next part; null after the last.")


def add_page_tool(server: MCPServer[Any], service: Service) -> None:
    """Registers read_page."""

    @server.tool(title="Read a page", description=PAGE, annotations=READ_ONLY)
    async def read_page(
        path: Annotated[str, Field(description="URL, path or route of the page.", max_length=1000)],
        section: Annotated[str | None, Field(description="Anchor or heading; the whole page without it.", max_length=300)] = None,
        cursor: Annotated[str | None, Field(description="From an earlier part of the same page.")] = None,
    ) -> Annotated[CallToolResult, PageAnswer]:
        return await page_result(await service.reader(), path, section or "", cursor)


async def page_result(reader: Reading, asked: str, section: str = "", cursor: str | None = None) -> CallToolResult:
    """One part of a page or section, in both forms. Raises QueryError for what is not indexed."""
    from vuedocs.query.pages import section_chunks

    page, anchor = page_of(await reader.library.pages(), asked_page(asked))
    section = section or anchor
    on_page = await reader.library.page_chunks(page.source, page.path)
    chunks = section_chunks(on_page, section)
    pieces = parts([chunk.text for chunk in chunks]) or [page.text]
    request = (page.source, page.path, section, reader.manifest.generation)
    number = min(read_cursor(cursor, *request), len(pieces) - 1)
    following = make_cursor(str(number + 1), *request) if number + 1 < len(pieces) else None
    answer = page_answer(reader, page, chunks, pieces, number, following)
    link = resource_link(page_uri(page.source, address(page)), f"{page.source}/{address(page)}")
    return result(page_text(answer), answer, [link])


def page_of(pages: Sequence[Page], asked: str) -> tuple[Page, str]:
    """The page and the anchor that ``asked`` names; its source may be called as people call it. Raises QueryError."""
    from vuedocs.query.pages import find_page

    try:
        return find_page(pages, asked)
    except QueryError as error:
        source, slash, path = asked.strip().lstrip("/").partition("/")
        with contextlib.suppress(UsageError):
            named = f"{canonical_source(source)}{slash}"
            return find_page(pages, path if path.lower().startswith(named) else f"{named}{path}")
        raise error


def page_answer(
    reader: Reading, page: Page, chunks: Sequence[Chunk], pieces: Sequence[str], number: int, following: str | None
) -> PageAnswer:
    """The structured form of part ``number``."""
    entry = reader.manifest.source(page.source)
    anchors = [chunk.anchor for chunk in chunks if chunk.anchor] if len(pieces) > 1 else []
    return PageAnswer(
        title=" › ".join(chunks[0].heading_path) if chunks else page.title,
        url=chunks[0].url if chunks else page.url,
        source=page.source,
        version=entry.state if entry else "",
        indexed=entry.indexed if entry else "",
        text=pieces[number],
        part=number + 1,
        parts=len(pieces),
        sections=anchors[:SECTIONS_SHOWN],
        cursor=following,
    )


def page_text(answer: PageAnswer) -> str:
    """A part of a page as Markdown, and after it where it is from and how to go on."""
    ending = f"From [{answer.title}]({answer.url}): {answer.source} {answer.version}, indexed {answer.indexed[:10]}."
    if answer.parts > 1:
        ending += f" Part {answer.part} of {answer.parts}"
        ending += f"; call read_page again with cursor={answer.cursor!r} for the next." if answer.cursor else ", the last."
    if answer.sections and answer.part == 1:
        ending += f"\n\nSections: {', '.join(answer.sections)}"
    return f"{answer.text}\n\n{ending}"
