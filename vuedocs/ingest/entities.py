"""entities: API names with their types, read from the conventions of each source's reference pages; deterministic.

Which headings of which pages name APIs, and of what type, is data (``vuedocs/sources/entities.toml``), as are the curated
synonyms (``vuedocs/sources/synonyms.toml``).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from vuedocs.config import Entities
from vuedocs.ingest.clients import IngestClients
from vuedocs.ingest.entity_names import PLAIN, fits, kind_of, names_in, signature, spellings
from vuedocs.ingest.sentences import FENCED, first_paragraph, first_sentence
from vuedocs.records import Chunk, Entity, Ingest
from vuedocs.sources.names import EntityRule, definitions, entity_rules, synonyms

_CODE_SPAN = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
_IDENTIFIER = re.compile(r"(?:v-|[$@:#])?[A-Za-z_$][\w$]*(?:[.-][A-Za-z_$][\w$]*)*")
_DEPRECATED = re.compile(
    r"\*\*Deprecated:?\*\*|^Deprecated\b(?! \w+:)|^#.*\(deprecated\)|\bis (?:now )?deprecated\b", re.MULTILINE | re.IGNORECASE
)
_TYPE_TITLES = frozenset({"Type", "Signature", "Type Signature"})
"""Sections that hold the signature of the page's own name."""


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
    """The entities of one source: what the table of definitions says, then what headings define by the first rule that fits."""
    own = [chunk for chunk in chunks if chunk.source == source and chunk.kind != "code"]
    types = {chunk.path: chunk.text for chunk in reversed(own) if chunk.title in _TYPE_TITLES}
    rules, defined, curated = entity_rules(source), definitions(source), synonyms(source)
    for chunk in own:
        for name, kind in defined.get(chunk.section, ()):
            yield _entity(name, kind, chunk, spellings(name, curated.get(name, ())), chunk.text, signature(chunk.text))
    for chunk in own:
        below = types.get(chunk.path, "") if chunk.kind == "page" else ""
        page_type = signature(f"**Type**\n\n{below.partition(chr(10))[2]}") if below else ""
        for rule in chosen(rules, chunk):
            for name, text in names_in(chunk, rule):
                aliases = spellings(name, curated.get(name, ()), rule)
                yield _entity(name, kind_of(text, rule), chunk, aliases, text, signature(text) or page_type)


def chosen(rules: Sequence[EntityRule], chunk: Chunk) -> list[EntityRule]:
    """The rules that count for a chunk: the first that fits its heading, and all that fit its tables."""
    fitting = [rule for rule in rules if fits(rule, chunk)]
    headings = [rule for rule in fitting if not rule.rows][:1]
    return [rule for rule in (*headings, *(rule for rule in fitting if rule.rows)) if rule.type]


def _entity(name: str, kind: str, chunk: Chunk, aliases: tuple[str, ...], text: str, written: str) -> Entity:
    """The entity that ``text``, which may be a part of the chunk's, speaks of."""
    return Entity(
        name=name,
        type=kind,
        source=chunk.source,
        chunk_id=chunk.id,
        aliases=aliases,
        signature=written,
        since=chunk.since,
        deprecated=bool(_DEPRECATED.search(text[:400])),
        description=first_sentence(first_paragraph(text)),
    )


def unique(found: Iterable[Entity]) -> Iterator[Entity]:
    """One entity a name and source: the first, which the order of reading puts on the page that defines it.

    An alias that is another entity's name in the source, or the alias of several, is no name of either.
    """
    kept: dict[str, Entity] = {}
    for entity in found:
        kept.setdefault(entity.key, entity)
    said = Counter((entity.source, alias) for entity in kept.values() for alias in entity.aliases)
    for entity in kept.values():
        known = (alias for alias in entity.aliases if said[entity.source, alias] == 1 and f"{entity.source}:{alias}" not in kept)
        yield replace(entity, aliases=tuple(known))


def mentioned(text: str, names: Sequence[str], limit: int) -> tuple[str, ...]:
    """Names that ``text`` speaks of, the most frequent first, ties by name: in code always, in prose unless plain words."""
    code = _CODE_SPAN.findall(text) + [body for _, body in FENCED.findall(text)]
    counts: Counter[str] = Counter(token for piece in code for token in _IDENTIFIER.findall(piece))
    prose = _CODE_SPAN.sub(" ", FENCED.sub(" ", text))
    counts.update(token for token in _IDENTIFIER.findall(prose) if not PLAIN.match(token))
    known = known_counts(counts, names)
    return tuple(sorted(known, key=lambda name: (-known[name], name)))[:limit]


def known_counts(counts: Mapping[str, int], names: Sequence[str]) -> dict[str, int]:
    """The counts of those identifiers that are entities; ``app.use`` in code counts for ``app.use``, not for ``use``."""
    return {name: counts[name] for name in names if counts.get(name)}
