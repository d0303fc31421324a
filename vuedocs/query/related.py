"""What goes with an API: by the links of the section that defines it, by those that lead to it, and by what speaks of it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from vuedocs.query.facts import own_sections
from vuedocs.query.library import Library
from vuedocs.query.relations import Relations
from vuedocs.records import Chunk, Entity
from vuedocs.spelling import joined

LIMIT = 10

Why = Literal["linked from its reference", "links to it", "speaks of it"]


@dataclass(frozen=True, slots=True)
class RelatedSection:
    """A section to read next, and why."""

    chunk: Chunk
    why: Why


@dataclass(frozen=True, slots=True)
class Related:
    """What goes with one API, all of its own source, the most telling first."""

    entity: Entity
    apis: tuple[Entity, ...]
    sections: tuple[RelatedSection, ...]


async def related(library: Library, entity: Entity, limit: int = LIMIT) -> Related:
    """At most ``limit`` APIs and ``limit`` sections that go with ``entity``."""
    home = (await library.chunks([entity.chunk_id])).get(entity.chunk_id)
    if home is None:
        return Related(entity, (), ())
    own = await own_sections(library, home)
    relations = await library.relations(entity.source)
    ways = ways_from(entity, [chunk.id for chunk in own], relations)
    chunks = await library.chunks(list(ways)[: 3 * limit])
    sections = tuple(RelatedSection(chunks[id], why) for id, why in ways.items() if id in chunks)[:limit]
    near = [*own, *(section.chunk for section in sections)]
    names = apis_beside(entity, near, relations)
    apis = [api for name in names for api in library.names.get(name.lower(), ()) if (api.name, api.source) == (name, home.source)]
    return Related(entity, tuple(apis[:limit]), sections)


def ways_from(entity: Entity, own: Sequence[str], relations: Relations) -> dict[str, Why]:
    """Ids of sections and how each is reached, each once, without ``own``: first where the definition leads by links between
    guide and reference, then what so leads to it, what has its name in the heading, the weaker links, and what speaks of it."""
    found: dict[str, Why] = {}
    for id, why in _ways(entity, own, relations):
        if id not in own:
            found.setdefault(id, why)
    return found


def _ways(entity: Entity, own: Sequence[str], relations: Relations) -> Iterator[tuple[str, Why]]:
    outgoing = [link for id in own for link in relations.outgoing.get(id, ())]
    incoming = [link for id in own for link in relations.incoming.get(id, ())]
    yield from ((id, "linked from its reference") for priority, id in outgoing if priority == "high")
    yield from ((id, "links to it") for priority, id in incoming if priority == "high")
    yield from ((id, "speaks of it") for id in relations.headed.get(joined(entity.name), ()))
    for weaker in ("medium", "low"):
        yield from ((id, "linked from its reference") for priority, id in outgoing if priority == weaker)
        yield from ((id, "links to it") for priority, id in incoming if priority == weaker)
    yield from ((id, "speaks of it") for id in relations.speaking.get(entity.name, ()))


def apis_beside(entity: Entity, near: Iterable[Chunk], relations: Relations) -> list[str]:
    """Names of the other APIs that these sections speak of, those first that few other sections speak of (tf-idf)."""
    counts = Counter(name for chunk in near for name in chunk.entities if name != entity.name)
    weights = {name: count * math.log(relations.sections / len(relations.speaking[name])) for name, count in counts.items()}
    return sorted(weights, key=lambda name: (-weights[name], name))


def related_text(found: Related) -> str:
    """What goes with an API, as a small Markdown document with links."""
    lines = [f"# {found.entity.name} ({found.entity.source}: {found.entity.type})", "", "APIs:"]
    lines += [api_line(api) for api in found.apis] or ["- none that its documentation speaks of"]
    lines += ["", "Sections:"]
    lines += [
        f"- [{' › '.join(section.chunk.heading_path)}]({section.chunk.url}) ({section.why})" for section in found.sections
    ] or ["- none that its documentation links to"]
    return "\n".join(lines)


def api_line(api: Entity) -> str:
    """An API with its type and what it is, on one line."""
    return f"- `{api.name}` ({api.type}){': ' if api.description else ''}{api.description}"
