"""api_lookup and get_related: API names, exactly, else by spelling; and what stands beside them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from rapidfuzz import fuzz, process

from vuedocs.serving.arguments import squeeze

if TYPE_CHECKING:
    from vuedocs.records import Chunk, Entity

NEAR = 70.0
"""Least likeness, of 100, of a name that is suggested."""


def lookup(name: str, names: Mapping[str, tuple[Entity, ...]], sources: Sequence[str]) -> tuple[Entity, ...]:
    """The entities called ``name``, of ``sources`` (all when empty): as it stands, else without case and punctuation."""
    plain = name.strip().strip("`<>").removesuffix("()").lower()
    found = names.get(plain) or tuple(
        entity for known, entities in names.items() if squeeze(known) == squeeze(plain) for entity in entities
    )
    return tuple({entity.key: entity for entity in found if not sources or entity.source in sources}.values())


def near_names(name: str, names: Mapping[str, tuple[Entity, ...]], sources: Sequence[str]) -> tuple[str, ...]:
    """The names most like ``name``, best first, at most three."""
    known = [key for key, entities in names.items() if not sources or any(entity.source in sources for entity in entities)]
    matches = process.extract(name.lower(), known, scorer=fuzz.ratio, score_cutoff=NEAR, limit=6)
    return tuple(dict.fromkeys(names[match[0]][0].name for match in matches))[:3]


def elsewhere(name: str, names: Mapping[str, tuple[Entity, ...]]) -> tuple[str, ...]:
    """Sources, whichever were asked for, that have an API called ``name``."""
    return tuple(dict.fromkeys(entity.source for entity in lookup(name, names, ())))


def first_example(text: str) -> str:
    """The first code block of a Markdown text, fences included, or ``""``."""
    lines = text.split("\n")
    start = next((n for n, line in enumerate(lines) if line.startswith("```")), None)
    if start is None:
        return ""
    end = next((n for n in range(start + 1, len(lines)) if lines[n].startswith("```")), None)
    return "" if end is None else "\n".join(lines[start : end + 1])


def related_names(chunks: Iterable[Chunk], name: str) -> tuple[str, ...]:
    """The other entities that these chunks speak of, the most frequent first."""
    counts: dict[str, int] = {}
    for chunk in chunks:
        for other in chunk.entities:
            if other != name:
                counts[other] = counts.get(other, 0) + 1
    return tuple(sorted(counts, key=lambda other: -counts[other]))


def linked_ids(chunks: Iterable[Chunk]) -> tuple[str, ...]:
    """Chunk ids that these chunks link to, high priority first."""
    order = {"high": 0, "medium": 1, "low": 2}
    links = [(order[link.priority], f"{chunk.source}/{link.target}") for chunk in chunks for link in chunk.links]
    return tuple(dict.fromkeys(target for _, target in sorted(links, key=lambda link: link[0])))
