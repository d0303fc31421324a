"""Look-ups beside the search pipeline: an API by name, what it is used with, a page by whatever a person calls it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from rapidfuzz import fuzz, process

from vuedocs.errors import QueryError
from vuedocs.query.expand import target_id
from vuedocs.query.library import Library
from vuedocs.records import Chunk, Entity, Page

SUGGESTIONS = 5
SIMILAR = 60.0
"""rapidfuzz ratio from which a name is worth suggesting."""


@dataclass(frozen=True, slots=True)
class ApiMatch:
    """The entities that a name stands for; where it stands for none, the nearest names."""

    name: str
    entities: tuple[Entity, ...]
    did_you_mean: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Related:
    """What goes with an API: APIs that its sections speak of, and sections that they link to, the most telling first."""

    entity: Entity
    apis: tuple[Entity, ...]
    sections: tuple[Chunk, ...]


def api_lookup(names: Mapping[str, tuple[Entity, ...]], name: str, sources: Sequence[str] = ()) -> ApiMatch:
    """Entities by name or alias, of ``sources`` where any are given: exactly, then without case and signs; else suggestions."""
    wanted = name.strip().strip("`<>/ ").removesuffix("()")
    if not wanted:
        raise QueryError("the API name is blank; give a name such as `computed` or `v-model`")
    for spelling in (wanted, wanted.lstrip("@:#$."), wanted.replace(" ", ""), wanted.replace(" ", "-")):
        found = tuple(entity for entity in names.get(spelling.lower(), ()) if not sources or entity.source in sources)
        if found:
            exact = tuple(entity for entity in found if entity.name == wanted)
            return ApiMatch(wanted, exact + tuple(entity for entity in found if entity not in exact))
    near = process.extract(wanted.lower(), list(names), scorer=fuzz.ratio, score_cutoff=SIMILAR, limit=4 * SUGGESTIONS)
    suggestions = [entity.name for key, _, _ in near for entity in names[key] if not sources or entity.source in sources]
    return ApiMatch(wanted, (), tuple(dict.fromkeys(suggestions))[:SUGGESTIONS])


async def related(library: Library, entity: Entity, limit: int = 10) -> Related:
    """What goes with ``entity``, by the text and the links of the page section that defines it and of its subsections."""
    home = (await library.chunks([entity.chunk_id])).get(entity.chunk_id)
    if home is None:
        return Related(entity, (), ())
    own = [
        chunk
        for chunk in await library.page_chunks(home.source, home.path)
        if chunk.heading_path[: len(home.heading_path)] == home.heading_path
    ]
    counts: Counter[str] = Counter(name for chunk in own for name in chunk.entities)
    apis = [
        match
        for name, _ in counts.most_common()
        if name != entity.name
        for match in library.names.get(name.lower(), ())
        if match.source == entity.source and match.name == name
    ]
    order = {"high": 0, "medium": 1, "low": 2}
    links = sorted((link for chunk in own for link in chunk.links), key=lambda link: order[link.priority])
    ids = dict.fromkeys(target_id(home.source, link) for link in links)
    chunks = await library.chunks(list(ids))
    sections = [chunks[id] for id in ids if id in chunks and id not in {chunk.id for chunk in own}]
    return Related(entity, tuple(dict.fromkeys(apis))[:limit], tuple(sections)[:limit])


def find_page(pages: Sequence[Page], name: str, sources: Sequence[str] = ()) -> tuple[Page, str]:
    """A page by path, route or URL, with or without its source before it; and the anchor that the name ended with.

    Raises QueryError with the nearest pages for a name that is none.
    """
    wanted, _, anchor = name.strip().partition("#")
    candidates = [page for page in pages if not sources or page.source in sources]
    for page in candidates:
        if clean(wanted) in page_names(page):
            return page, unquote(anchor)
    near = process.extract(clean(wanted), [f"{p.source}/{p.route}" for p in candidates], scorer=fuzz.WRatio, limit=3)
    words = ", ".join(match for match, _, _ in near) or "none are indexed"
    raise QueryError(f"there is no page {name!r}; the nearest are {words}")


def page_names(page: Page) -> set[str]:
    """Everything that a page is called, cleaned."""
    names = {page.path, page.route, f"{page.source}/{page.path}", f"{page.source}/{page.route}", page.url}
    return {clean(name) for name in names}


def clean(name: str) -> str:
    """A path, route or URL without host, suffix, ``index`` and slashes at the ends."""
    parts = urlsplit(name)
    bare = unquote(f"{parts.netloc}/{parts.path}" if parts.scheme else name).strip("/").lower()
    for suffix in (".html", ".md", ".mdx"):
        bare = bare.removesuffix(suffix)
    return bare.removesuffix("/index").removesuffix("index") if bare.endswith("/index") or bare == "index" else bare
