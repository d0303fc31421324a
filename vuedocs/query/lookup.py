"""Looking an API up by name, as it is asked for: one look-up for the command line and the server.

A name is taken as it stands, else by what it can only mean: another case, signs or spaces (``keep alive``, ``<KeepAlive />``),
the end of a dotted name, a part of one. What is nearest by spelling is suggested, never given as if it had been asked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from rapidfuzz import fuzz, process

from vuedocs.errors import QueryError
from vuedocs.records import Entity
from vuedocs.sources import registry
from vuedocs.spelling import joined

SUGGESTIONS = 3
SIMILAR = 65.0
"""rapidfuzz ratio, of 100, from which a name is worth suggesting."""
CERTAIN = 80.0
"""From which the nearest name is what was meant, if it was a name: ``comuted`` has 93, ``useFecth`` 88, ``v-modal`` 86."""
MAX_NAME = 200
CERTAIN_SYNONYM = 90.0
"""The same where only a synonym is so near: ``useFecth`` is 82 like React's ``useEffect``, and means no `watchEffect`."""
SPREAD = 15.0
"""How much less like it than the nearest another name may be to be suggested beside it."""
SHORTHANDS = {"@": "v-on", ":": "v-bind", "#": "v-slot"}
"""Signs that Vue's templates write for directives."""
MODIFIERS = {
    **dict.fromkeys((".stop", ".prevent", ".capture", ".self", ".once", ".passive"), "v-on"),
    **dict.fromkeys((".lazy", ".number", ".trim"), "v-model"),
}
"""Modifiers that people look up alone, by the directive whose they are."""
KINDS = frozenset(
    ("api", "attribute", "component", "composable", "directive", "element", "function", "helper", "hook", "macro", "method",
     "option", "property", "tag")
)  # fmt: skip
"""Words that people put after a name to say what it is: ``is attribute``, ``created hook``."""

Names = Mapping[str, tuple[Entity, ...]]
"""Entities by lower-cased name and alias, as :attr:`vuedocs.query.library.Library.names` has them."""


@dataclass(frozen=True, slots=True)
class ApiMatch:
    """What a name stands for. Without ``entities`` it stands for nothing that is known."""

    name: str
    """As it was asked for, without its quotes, brackets and arguments."""
    entities: tuple[Entity, ...]
    """One or more a source; those written exactly so first, then in the registry's order of sources."""
    how: Literal["name", "part", "nothing"]
    """``name``: it is one, or another spelling or a synonym of one. ``part``: a part of it, or it is a part of one."""
    did_you_mean: tuple[Entity, ...] = ()
    """Where it stands for nothing: the nearest names, best first."""
    certain: bool = False
    """Whether the first of those is so near that it must be what was meant."""
    elsewhere: tuple[str, ...] = ()
    """Sources beside those asked for that have an API of this name."""


def api_lookup(names: Names, name: str, sources: Sequence[str] = ()) -> ApiMatch:
    """What ``name`` stands for in ``sources``, in all where none are given. Raises QueryError for a blank or over-long name."""
    if len(name) > MAX_NAME:
        raise QueryError(f"the API name has {len(name):,} characters and may have {MAX_NAME}; give one name, such as `computed`")
    wanted = called(names, name)
    if not wanted:
        raise QueryError("the API name is blank; give a name such as `computed` or `v-model`")
    everywhere = spelt(names, wanted)
    found = of_sources(everywhere, sources)
    if found:
        return ApiMatch(wanted, in_order(found, wanted), "name")
    elsewhere = tuple(dict.fromkeys(entity.source for entity in in_order(everywhere, wanted)))
    parts = [] if elsewhere else of_sources(part_of(names, wanted), sources)
    if parts:
        return ApiMatch(wanted, in_order(parts, wanted), "part")
    near = list(nearest(names, wanted, sources))
    best = near[0][1] if near else 0.0
    by_name = bool(near) and fuzz.ratio(joined(near[0][0].name), joined(wanted)) >= CERTAIN
    likely = tuple(entity for entity, likeness in near if likeness >= best - SPREAD)[:SUGGESTIONS]
    return ApiMatch(wanted, (), "nothing", likely, best >= (CERTAIN if by_name else CERTAIN_SYNONYM) and not elsewhere, elsewhere)


def called(names: Names, name: str) -> str:
    """The name as it is looked for: bare, unless it is one with its brackets (``<script setup>``, ``<template>``)."""
    tag = re.sub(r"""\s+[\w:@-]+=(?:"[^"]*"|'[^']*')""", "", unquoted(name))
    return tag if tag.lower() in names else bare(name)


def unquoted(name: str) -> str:
    """A name on one line, without quotes, backticks and the signs that end a sentence."""
    return " ".join(name.split()).strip("`'\"“”‘’ ;,?")


def bare(name: str) -> str:
    """A name without what people write around it: quotes, backticks, a tag's brackets and attributes, a call's arguments."""
    text = unquoted(name)
    tag = re.fullmatch(r"</?\s*([^\s<>/]+)[^<>]*>?", text)
    text = tag.group(1) if tag else text
    return re.sub(r"(?<=[\w$])\s*(?:<[^<>]*>)?\s*\(.*\)?$", "", text).strip(" <>/")


def spelt(names: Names, wanted: str) -> list[Entity]:
    """The entities of this name: by name or alias, case apart; else those whose name differs in signs and spaces only."""
    found = names.get(wanted.lower())
    if found is None:
        key = joined(wanted)
        found = tuple(entity for known, same in names.items() if key and joined(known) == key for entity in same)
    exact = {entity.source for entity in found if entity.name == wanted}
    return unique(entity for entity in found if entity.name == wanted or entity.source not in exact)


def part_of(names: Names, wanted: str) -> list[Entity]:
    """The entities whose dotted name ends in ``wanted``; else those that a part of ``wanted`` names: the directive of
    ``v-model.trim``, ``.trim`` and ``@click``, the last parts of ``Vue.nextTick``, what stands before a word of KINDS."""
    ending = "." + wanted.lower()
    found = unique(entity for same in names.values() for entity in same if entity.name.lower().endswith(ending))
    before, _, kind = wanted.lower().rpartition(" ")
    if not found and before and kind in KINDS:
        return spelt(names, before)
    shorthand = "" if "/" in wanted else SHORTHANDS.get(wanted[0], "")  # @vueuse/core is a package, not an event
    sign = MODIFIERS.get(wanted.lower(), shorthand)
    directive = sign or (re.split(r"[.:]", wanted.lower())[0] if wanted.startswith("v-") else "")
    rest = directive or wanted.lower().partition(".")[2]
    while rest and not found:
        found = unique(names.get(rest, ()))
        rest = rest.partition(".")[2]
    return found


def nearest(names: Names, wanted: str, sources: Sequence[str]) -> Iterator[tuple[Entity, float]]:
    """The entities of ``sources`` whose name or alias is most like ``wanted``, best first, each once with its likeness of 100."""
    known = [key for key, same in names.items() if of_sources(same, sources)]
    matches = process.extract(wanted.lower(), known, scorer=fuzz.ratio, score_cutoff=SIMILAR, limit=4 * SUGGESTIONS)
    seen: set[str] = set()
    for key, likeness, _ in matches:
        for entity in in_order(of_sources(names[key], sources), wanted):
            if entity.name not in seen:
                seen.add(entity.name)
                yield entity, likeness


def refusal(match: ApiMatch, sources: Sequence[str]) -> str:
    """What is said of a name that stands for nothing in ``sources``, which are all that were looked in."""
    sentences = [f"no API is called `{match.name}` in {', '.join(sources)}"]
    if match.elsewhere:
        sentences.append(f"{' and '.join(match.elsewhere)} {'has' if len(match.elsewhere) == 1 else 'have'} one of this name")
    if match.did_you_mean:
        sentences.append(f"did you mean {' or '.join(f'`{entity.name}`' for entity in match.did_you_mean)}?")
    return "; ".join(sentences)


def remarks(match: ApiMatch) -> tuple[str, ...]:
    """What the reader must be told where the entities are not called as they were asked for."""
    if match.how == "part":
        names = " and ".join(dict.fromkeys(f"`{entity.name}`" for entity in match.entities))
        return (f"`{match.name}` is no name of its own; this is {names}",)
    synonyms = [entity for entity in match.entities if joined(entity.name) != joined(match.name)]
    return tuple(f"in {entity.source}, `{match.name}` stands for `{entity.name}`" for entity in synonyms)


def in_order(entities: Iterable[Entity], wanted: str) -> tuple[Entity, ...]:
    """Those that are written exactly so first, then by source as the registry has them."""
    order = {source: number for number, source in enumerate(registry())}
    return tuple(sorted(entities, key=lambda entity: (entity.name != wanted, order.get(entity.source, len(order)))))


def of_sources(entities: Iterable[Entity], sources: Sequence[str]) -> list[Entity]:
    """Those of ``sources``; all where none are given."""
    return [entity for entity in entities if not sources or entity.source in sources]


def unique(entities: Iterable[Entity]) -> list[Entity]:
    """Each entity once."""
    return list({entity.key: entity for entity in entities}.values())
