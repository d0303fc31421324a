"""How the sections of one source hang together: which link to which, and which speak of which API; built once, then looked up."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter

from vuedocs.records import Chunk, LinkPriority
from vuedocs.spelling import joined

Linked = Sequence[tuple[LinkPriority, str]]
"""Priorities of links and ids of the sections at their other end, in reading order."""


@dataclass(frozen=True, slots=True)
class Relations:
    """The links and mentions of one source's sections, by id of section and by name of API."""

    outgoing: Mapping[str, Linked]
    incoming: Mapping[str, Linked]
    headed: Mapping[str, Sequence[str]]
    """By a name without signs and case: the sections whose heading it is."""
    speaking: Mapping[str, Sequence[str]]
    """By API: the sections that speak of it, first those that do so more than of any other."""
    sections: int


def relations_of(chunks: Iterable[Chunk]) -> Relations:
    """The relations of one source's chunks; examples belong to their sections."""
    outgoing: dict[str, list[tuple[LinkPriority, str]]] = defaultdict(list)
    incoming: dict[str, list[tuple[LinkPriority, str]]] = defaultdict(list)
    headed: dict[str, list[str]] = defaultdict(list)
    speaking: dict[str, list[tuple[int, str]]] = defaultdict(list)
    texts = [chunk for chunk in chunks if chunk.kind != "code"]
    for chunk in texts:
        headed[joined(chunk.title)].append(chunk.id)
        for place, name in enumerate(chunk.entities):
            speaking[name].append((place, chunk.id))
        for link in chunk.links:
            target = f"{chunk.source}/{link.target}"
            outgoing[chunk.id].append((link.priority, target))
            incoming[target].append((link.priority, chunk.id))
    by_place = {name: [id for _, id in sorted(places, key=itemgetter(0))] for name, places in speaking.items()}
    return Relations(outgoing, incoming, headed, by_place, len(texts))
