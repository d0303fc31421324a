"""Finding a page by whatever a person calls it, and a section of it."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import unquote

from rapidfuzz import fuzz, process

from vuedocs.errors import QueryError
from vuedocs.records import Chunk, Page

SUGGESTIONS = 3
SHOWN = 100
"""Characters of what was asked for that an error repeats."""


def find_page(pages: Sequence[Page], asked: str) -> tuple[Page, str]:
    """The page that ``asked`` names, and the anchor that it ends with.

    ``asked`` is a path, a route, a URL, or one of the first two after its source (``vue/guide/introduction``); case, suffix and
    slashes at the ends do not matter. Raises QueryError with the nearest pages for a name that is none, and with the choices for
    one that several sources have.
    """
    address, _, anchor = asked.strip().partition("#")
    wanted = plain(address)
    found = [page for page in pages if wanted in names_of(page)] if wanted else []
    if not found:
        raise QueryError(refusal(pages, asked, wanted))
    if len({page.source for page in found}) > 1:
        choices = ", ".join(address_of(page) for page in found)
        raise QueryError(f"{asked[:SHOWN]!r} is a page of several sources; give one of {choices}")
    return found[0], unquote(anchor)


def refusal(pages: Sequence[Page], asked: str, wanted: str) -> str:
    """What is said of ``asked``, in the form of :func:`plain` ``wanted``, that names no page: what to ask for instead."""
    if not wanted:
        return "the path of the page is blank; give a URL or a path, such as `vue/guide/introduction`"
    sites = dict.fromkeys(plain(page.url).partition("/")[0] for page in pages)
    site = wanted.partition("/")[0]
    if "://" in asked and site not in sites:
        alike = [address_of(page) for page in pages if page.route and wanted.endswith(f"/{plain(page.route)}")]
        hint = f"; the same path has {' and '.join(alike[:SUGGESTIONS])}" if alike else ""
        held = ", ".join(sites) or "none"
        return f"{asked[:SHOWN]!r} is not indexed, nor is any page of {site[:SHOWN]}; indexed are {held}{hint}"
    near = process.extract(wanted[:500], [address_of(page) for page in pages], scorer=fuzz.WRatio, limit=SUGGESTIONS)
    words = ", ".join(match for match, _, _ in near) or "none are indexed"
    return f"the page {asked[:SHOWN]!r} is not indexed; the nearest are {words}"


def address_of(page: Page) -> str:
    """What to call a page, whatever else is indexed: its source and route."""
    return f"{page.source}/{page.route or page.path}"


def names_of(page: Page) -> set[str]:
    """All that a page may be called, in the form of :func:`plain`."""
    own = {plain(page.path), plain(page.route)} - {""}
    return own | {plain(f"{page.source}/{name}") for name in own} | {plain(page.url)}


def plain(address: str) -> str:
    """An address without scheme, query, suffix, ``index`` and slashes at its ends, decoded and in lower case."""
    bare = unquote(address.split("?")[0].split("://")[-1]).strip("/ ").lower()
    for suffix in (".html", ".md", ".mdx"):
        bare = bare.removesuffix(suffix)
    return bare.removesuffix("/index").strip("/")


def section_chunks(chunks: Sequence[Chunk], section: str) -> list[Chunk]:
    """The chunks of a section and of its subsections, in order; of the whole page for ``""``. Examples are in their sections.

    ``section`` is an anchor or a heading. Raises QueryError, with the page's sections, when there is none.
    """
    texts = [chunk for chunk in chunks if chunk.kind != "code"]
    wanted = section.strip().lstrip("#").strip().casefold()
    if not wanted:
        return texts
    start = next((n for n, chunk in enumerate(texts) if wanted in (chunk.anchor.casefold(), chunk.title.casefold())), None)
    if start is None:
        anchors = ", ".join(chunk.anchor for chunk in texts if chunk.anchor)
        raise QueryError(f"the page has no section {section[:SHOWN]!r}; its sections are {anchors[:1200] or 'none'}")
    depth = len(texts[start].heading_path)
    rest = texts[start + 1 :]
    end = next((n for n, chunk in enumerate(rest) if len(chunk.heading_path) <= depth), len(rest))
    return texts[start : start + 1 + end]
