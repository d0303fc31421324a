"""Views of what entities found: API names by type, what is known of them, where they are mentioned."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from vuedocs.query.detect import ENGLISH
from vuedocs.records import Chunk, Entity, Ingest
from vuedocs.sources.names import synonyms
from vuedocs.workbench import plots
from vuedocs.workbench.tables import Findings, Link, Table, clip, share

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def by_type(state: Ingest) -> Figure:
    """How many names there are of each type."""
    counts = Counter(entity.type for entity in state.entities)
    return plots.bars(dict(counts.most_common()), "entities", "API names by type")


def names(state: Ingest) -> Table:
    """Every type with its names."""
    grouped: dict[str, list[str]] = {}
    for entity in state.entities:
        grouped.setdefault(entity.type, []).append(entity.name)
    rows = [(kind, len(found), found) for kind, found in sorted(grouped.items(), key=lambda item: -len(item[1]))]
    return Table(("type", "entities", "names"), rows)


def described(state: Ingest, top: int) -> Table:
    """What is known of names that have a signature or say since when they exist."""
    chosen = [entity for entity in state.entities if entity.since or entity.signature or entity.deprecated]
    ordered = sorted(chosen, key=lambda entity: (not entity.since, not entity.deprecated))
    homes = _homes(state)
    rows = [
        (
            _linked(entity, homes),
            entity.type,
            entity.since,
            entity.deprecated,
            clip(entity.signature, 90),
            clip(entity.description, 110),
        )
        for entity in ordered[:top]
    ]
    columns = ("name", "type", "since", "deprecated", "signature", "description")
    return Table(columns, rows, f"Names with a badge or a signature: {len(chosen)}, of which {len(rows)} are shown")


def mentions(state: Ingest, top: int) -> Figure:
    """The names that most sections speak of."""
    return plots.bars(dict(_mentions(state).most_common(top)), "sections that speak of it", "The names that are mentioned most")


def never_mentioned(state: Ingest) -> Table:
    """Names that no section but the one that defines them speaks of."""
    own = {(entity.chunk_id, entity.name) for entity in state.entities}
    elsewhere = {name for chunk in _prose(state) for name in chunk.entities if (chunk.id, name) not in own}
    homes = _homes(state)
    rows = [
        (_linked(entity, homes), entity.type, clip(entity.description))
        for entity in state.entities
        if entity.name not in elsewhere
    ]
    return Table(("name", "type", "description"), rows, f"Names that only their own section speaks of: {len(rows)}", height=320)


def spoken(state: Ingest) -> Table:
    """What people say instead of a name: the curated table, and whether the name is there."""
    known = {(entity.source, entity.name): entity for entity in state.entities}
    homes = _homes(state)
    rows = [
        (_linked(known[source, name], homes) if (source, name) in known else name, words, (source, name) in known)
        for source in state.sources
        for name, words in synonyms(source).items()
    ]
    return Table(("name", "people say", "an entity here"), rows, "Curated synonyms", height=360)


def findings(state: Ingest) -> Findings:
    """What stands out."""
    prose, entities = _prose(state), state.entities
    lost = [name for source in state.sources for name in synonyms(source) if name not in {entity.name for entity in entities}]
    english = sorted(entity.name for entity in entities if entity.name.lower() in ENGLISH)
    return Findings(
        [
            f"{len(entities):,} API names of {len({entity.type for entity in entities})} types.",
            f"{share(sum(bool(e.signature) for e in entities), len(entities))} have a signature, "
            f"{share(sum(bool(e.since) for e in entities), len(entities))} a version, "
            f"{share(sum(not e.description for e in entities), len(entities))} have no description.",
            f"{share(sum(not chunk.entities for chunk in prose), len(prose))} chunks of prose speak of no API.",
            f"{len(english)} names are English words too and count in a query only beside code: {', '.join(english[:20])}"
            f"{' …' if len(english) > 20 else ''}.",
            f"Curated synonyms without an entity: {', '.join(lost) or 'none'}.",
        ]
    )


def _prose(state: Ingest) -> list[Chunk]:
    return [chunk for chunk in state.chunks if chunk.kind != "code"]


def _mentions(state: Ingest) -> Counter[str]:
    return Counter(name for chunk in _prose(state) for name in chunk.entities)


def _homes(state: Ingest) -> dict[str, str]:
    return {chunk.id: chunk.url for chunk in state.chunks}


def _linked(entity: Entity, homes: dict[str, str]) -> Link:
    return Link(entity.name, homes.get(entity.chunk_id, ""))
