"""entities: API names with their types, read from the conventions of each source's reference pages; deterministic.

Which headings of which pages name APIs, and of what type, is data (``vuedocs/sources/entities.toml``), as are the curated
synonyms (``vuedocs/sources/synonyms.toml``).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase

from vuedocs.clients import IngestClients
from vuedocs.config import Entities
from vuedocs.records import Chunk, Entity, Ingest
from vuedocs.sources.names import EntityRule, entity_rules, synonyms

PLAIN = re.compile(r"^[a-z][a-z]*$")
"""A name that prose may use as a word: it counts as a mention only inside code."""

_NAME = re.compile(r"^(?:v-|[$@:#.])?[A-Za-z_$][\w$]*(?:[.:-][\w$]+)*$")
_CODE_SPAN = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
_FENCED = re.compile(r"^ *(`{3,}|~{3,})[^\n]*\n(.*?)^ *\1[`~]*\s*$", re.MULTILINE | re.DOTALL)
_IDENTIFIER = re.compile(r"(?:v-|[$@:#])?[A-Za-z_$][\w$]*(?:[.-][A-Za-z_$][\w$]*)*")
_SIGNATURE = re.compile(r"\*\*Type:?\*\*.*?^ *(`{3,})[a-z]*\n(.*?)^ *\1", re.MULTILINE | re.DOTALL)
_SENTENCE = re.compile(r"^(?![#>|\-*`\s<:]|\d+\.|!\[)(.+?[.!?:])(?=\s|$)", re.MULTILINE)


async def entities(state: Ingest, section: Entities, clients: IngestClients) -> Ingest:
    """Adds the entities of every source, and to each chunk the names of those that it speaks of."""
    found = tuple(unique(entity for source in state.sources for entity in source_entities(source, state.chunks)))
    names = {source: tuple(e.name for e in found if e.source == source) for source in state.sources}
    chunks = tuple(
        replace(chunk, entities=mentioned(chunk.text, names.get(chunk.source, ()), section.max_per_chunk))
        for chunk in state.chunks
    )
    return replace(state, entities=found, chunks=chunks).count(entities=len(found))


def source_entities(source: str, chunks: Iterable[Chunk]) -> Iterator[Entity]:
    """The entities that one source's headings define, by the source's rules, the first rule that fits."""
    rules, aliases = entity_rules(source), synonyms(source)
    for chunk in chunks:
        if chunk.source != source or chunk.kind not in ("section", "subsection", "page"):
            continue
        rule = next((rule for rule in rules if fits(rule, chunk)), None)
        if rule is None:
            continue
        for name in heading_names(chunk.title, rule):
            yield Entity(
                name=name,
                type=rule.type,
                source=source,
                chunk_id=chunk.id,
                aliases=spellings(name, aliases.get(name, ())),
                signature=signature(chunk.text),
                since=chunk.since,
                deprecated=bool(re.search(r"\bdeprecated\b", chunk.text[:400], re.IGNORECASE)),
                description=first_sentence(chunk.text),
            )


def fits(rule: EntityRule, chunk: Chunk) -> bool:
    """Whether a rule speaks of this chunk's heading."""
    return (
        chunk.kind in rule.kinds
        and fnmatchcase(chunk.path, rule.pages)
        and not (rule.heading and not re.search(rule.heading, chunk.title))
    )


def heading_names(title: str, rule: EntityRule) -> list[str]:
    """The API names in a heading: ``defineProps() & defineEmits()`` has two, ``Basic Usage`` has none."""
    names = []
    for part in re.split(r"\s*(?:&|,|/|\band\b)\s*", title):
        bare = re.sub(r"\(.*?\)$|<[^<>]*>$", "", part.strip().strip("`"))
        name = bare or part.strip("`<>/ ")
        looks_like_code = bare != part or "<" in title or not name[:1].isupper() or rule.capitals
        if name and looks_like_code and _NAME.match(name):
            names.append(name)
    return names


def spellings(name: str, curated: Sequence[str]) -> tuple[str, ...]:
    """Other ways to write a name: ``keep-alive`` for ``KeepAlive``, ``vModel`` for ``v-model``, and the curated synonyms."""
    kebab = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", name).lower()
    camel = re.sub(r"-(\w)", lambda match: match.group(1).upper(), name)
    return tuple(alias for alias in dict.fromkeys((kebab, camel, *curated)) if alias != name)


def signature(text: str) -> str:
    """The first code block under a **Type** label, ``""`` without one."""
    match = _SIGNATURE.search(text)
    return match.group(2).strip() if match else ""


def first_sentence(text: str) -> str:
    """The first sentence of prose, without markup; ``""`` without one."""
    match = _SENTENCE.search(_FENCED.sub("", text))
    return re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", match.group(1)).strip() if match else ""


def unique(found: Iterable[Entity]) -> Iterator[Entity]:
    """One entity a name and source: the first, which the order of reading puts on the page that defines it."""
    seen: set[str] = set()
    for entity in found:
        if entity.key not in seen:
            seen.add(entity.key)
            yield entity


def mentioned(text: str, names: Sequence[str], limit: int) -> tuple[str, ...]:
    """Names that ``text`` speaks of, the most frequent first, ties by name: in code always, in prose unless plain words."""
    code = _CODE_SPAN.findall(text) + [body for _, body in _FENCED.findall(text)]
    counts: Counter[str] = Counter(token for piece in code for token in _IDENTIFIER.findall(piece))
    prose = _CODE_SPAN.sub(" ", _FENCED.sub(" ", text))
    counts.update(token for token in _IDENTIFIER.findall(prose) if not PLAIN.match(token))
    known = known_counts(counts, names)
    return tuple(sorted(known, key=lambda name: (-known[name], name)))[:limit]


def known_counts(counts: Mapping[str, int], names: Sequence[str]) -> dict[str, int]:
    """The counts of those identifiers that are entities; ``app.use`` in code counts for ``app.use``, not for ``use``."""
    return {name: counts[name] for name in names if counts.get(name)}
