"""read_page: one page, or one section of it, in parts that every client takes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rapidfuzz import process

from vuedocs.errors import QueryError

if TYPE_CHECKING:
    from vuedocs.records import Chunk, Page

PART_CHARACTERS = 24_000
"""Of one answer, about 6,000 tokens; the rest comes by cursor."""
SUGGESTED = 5


def find_page(asked: str, pages: Sequence[Page]) -> tuple[Page, str]:
    """The page that ``asked`` names, and the anchor it holds.

    ``asked`` is a URL, a path, a route, or either after the source's name (``vue/guide/introduction``); ``.md``, ``.html`` and
    slashes at the ends do not matter. Raises QueryError when there is none, with the nearest pages, or when two sources have one.
    """
    address, _, anchor = asked.strip().partition("#")
    wanted = plain(address)
    found = [page for page in pages if wanted in names_of(page)]
    if not found:
        known = {f"{page.source}/{page.route or page.path}": page for page in pages}
        near = [match[0] for match in process.extract(wanted[:200], list(known), limit=SUGGESTED)]
        hint = f"near it: {', '.join(near)}. docs_search finds pages by content."
        raise QueryError(f"The page {asked[:200]!r} is not indexed; {hint}")
    if len({page.source for page in found}) > 1:
        choices = ", ".join(f"{page.source}/{page.path}" for page in found)
        raise QueryError(f"{asked!r} is a page of several sources; give one of {choices}.")
    return found[0], anchor


def names_of(page: Page) -> set[str]:
    """All that a page may be called, in the form of :func:`plain`."""
    own = {plain(page.path), plain(page.route)} - {""}
    return own | {f"{page.source}/{name}".lower() for name in own} | {plain(page.url)}


def plain(address: str) -> str:
    """An address without scheme, query, suffix and slashes at its ends, in lower case."""
    address = address.split("?")[0].split("://")[-1].strip("/ ").lower()
    for suffix in (".html", ".md", "/index"):
        address = address.removesuffix(suffix)
    return address.strip("/")


def section_chunks(chunks: Sequence[Chunk], section: str) -> list[Chunk]:
    """The chunks of a section, its subsections with it; of the page for ``""``. ``section`` is an anchor or a heading.

    Raises QueryError, with the page's sections, when there is none.
    """
    texts = [chunk for chunk in chunks if chunk.kind != "code"]
    wanted = section.strip().lstrip("#").casefold()
    if not wanted:
        return texts
    start = next((n for n, chunk in enumerate(texts) if wanted in (chunk.anchor.casefold(), chunk.title.casefold())), None)
    if start is None:
        anchors = ", ".join(chunk.anchor for chunk in texts if chunk.anchor)
        raise QueryError(f"The page has no section {section[:100]!r}; its sections are {anchors[:1200]}.")
    first = texts[start]
    depth = len(first.heading_path)
    rest = texts[start + 1 :]
    end = next((n for n, chunk in enumerate(rest) if len(chunk.heading_path) <= depth), len(rest))
    return [first, *rest[:end]]


def parts(texts: Sequence[str], limit: int = PART_CHARACTERS) -> list[str]:
    """``texts`` joined into parts of at most ``limit`` characters, split between texts if possible, else between lines."""
    pieces = [piece for text in texts for piece in split_lines(text.strip(), limit) if piece]
    joined: list[str] = []
    for piece in pieces:
        if joined and len(joined[-1]) + len(piece) + 2 <= limit:
            joined[-1] += f"\n\n{piece}"
        else:
            joined.append(piece)
    return joined


def split_lines(text: str, limit: int) -> list[str]:
    """``text`` in pieces of whole lines; only a line longer than ``limit`` is broken. Fences stay balanced."""
    if len(text) <= limit:
        return [text]
    pieces: list[str] = []
    lines: list[str] = []
    fence = ""
    step = limit // 2
    for line in (whole[start : start + step] for whole in text.split("\n") for start in range(0, len(whole) or 1, step)):
        if lines and sum(map(len, lines)) + len(lines) + len(line) + 2 * len(fence) + 2 > limit:
            pieces.append("\n".join([*lines, *([closing(fence)] if fence else [])]))
            lines = [fence] if fence else []
        fence = fence_after(line, fence)
        lines.append(line)
    return [*pieces, "\n".join(lines)]


def fence_after(line: str, fence: str) -> str:
    """The opening line of the code block that is open after ``line``, or ``""``."""
    mark = line.strip()
    if not mark.startswith(("```", "~~~")):
        return fence
    if not fence:
        return line
    return "" if mark.startswith(closing(fence)) and not mark.strip(mark[0]) else fence


def closing(fence: str) -> str:
    """The line that closes a code block opened by ``fence``."""
    mark = fence.strip()
    return mark[: len(mark) - len(mark.lstrip(mark[0]))]
