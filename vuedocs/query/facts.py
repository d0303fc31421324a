"""What is known of an API, read from the section that defines it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import dedent

from vuedocs.query.library import Library
from vuedocs.query.reconstruct import blocks, body, cut_at_block
from vuedocs.records import Chunk, Entity, SourceManifest
from vuedocs.spelling import joined

EXAMPLE_CHARACTERS = 2000
"""Longest example that is given; a longer one is left to its page."""
CARD_CHARACTERS = 12_000
"""Of a card: half of it for the section's text, a quarter each for a signature and an example that stand elsewhere."""


@dataclass(frozen=True, slots=True)
class ApiFacts:
    """An API with the section that defines it, an example of its use, and where both are from."""

    entity: Entity
    section: Chunk | None
    """None where the index holds none."""
    example: str
    """A fenced code block; ``""`` where the docs have none."""
    origin: SourceManifest | None


async def api_facts(library: Library, entities: Sequence[Entity]) -> tuple[ApiFacts, ...]:
    """The facts of each entity, in order."""
    homes = await library.chunks([entity.chunk_id for entity in entities])
    return tuple([await _facts(library, entity, homes.get(entity.chunk_id)) for entity in entities])


async def _facts(library: Library, entity: Entity, home: Chunk | None) -> ApiFacts:
    sections = await own_sections(library, home) if home else []
    example = first_example([section.text for section in sections], entity)
    return ApiFacts(entity, home, example, library.manifest.source(entity.source))


async def own_sections(library: Library, home: Chunk) -> list[Chunk]:
    """A section and its subsections, in order."""
    return [
        chunk
        for chunk in await library.page_chunks(home.source, home.path)
        if chunk.kind != "code" and chunk.heading_path[: len(home.heading_path)] == home.heading_path
    ]


def first_example(texts: Sequence[str], entity: Entity) -> str:
    """The first code block, fence included, that has the entity's name in it, is short enough and not the signature; else ``""``.

    In templates the name may be written in kebab case, and a dotted name by its last part.
    """
    name = joined(entity.name.split(".")[-1])
    for block in (code_block(block) for text in texts for block in blocks(text)):
        if len(block) <= EXAMPLE_CHARACTERS and name in joined(block) and not is_signature(block, entity.signature):
            return block
    return ""


def code_block(block: str) -> str:
    """A block of Markdown without its indentation, if it is a fenced code block that holds something; else ``""``."""
    code = dedent(block).strip()
    return code if code.startswith(("```", "~~~")) and code.count("\n") > 1 else ""


def is_signature(code: str, signature: str) -> bool:
    """Whether a code block holds the signature and nothing else."""
    return one_line(code.partition("\n")[2].rpartition("\n")[0]) == one_line(signature)


def details(facts: ApiFacts, limit: int = CARD_CHARACTERS) -> str:
    """What the section says besides the signature and the example, cut at the end of a block to half of ``limit``."""
    if facts.section is None:
        return ""
    said = [
        block
        for block in blocks(body(facts.section))
        if not (code := code_block(block)) or (code != facts.example and not is_signature(code, facts.entity.signature))
    ]
    return cut_at_block("\n\n".join(said), limit // 2)


def short_signature(entity: Entity, limit: int = CARD_CHARACTERS) -> str:
    """The signature, cut at the end of a line to a quarter of ``limit`` characters."""
    whole = dedent(entity.signature)
    return whole if len(whole) <= limit // 4 else whole[: limit // 4].rpartition("\n")[0] + "\n// ..."


def short_description(entity: Entity, limit: int = CARD_CHARACTERS) -> str:
    """The description, cut at the end of a word to a quarter of ``limit`` characters."""
    whole = entity.description
    return whole if len(whole) <= limit // 4 else whole[: limit // 4].rpartition(" ")[0] + " ..."


def card(facts: ApiFacts, limit: int = CARD_CHARACTERS) -> str:
    """The facts as a small Markdown document of about ``limit`` characters at most, with a link to all that there is."""
    entity, section, origin = facts.entity, facts.section, facts.origin
    about = [entity.type, f"since {entity.since}" if entity.since else "", "deprecated" if entity.deprecated else ""]
    text = cut_at_block(body(section), limit // 2) if section else short_description(entity, limit)
    parts = [f"# {entity.name} ({entity.source}: {', '.join(fact for fact in about if fact)})", text]
    if entity.signature and one_line(entity.signature) not in one_line(text):
        parts.append(f"```ts\n{short_signature(entity, limit)}\n```")
    if not any(map(code_block, blocks(text))) and len(facts.example) <= limit // 4:
        parts.append(facts.example)
    if section:
        where = f"From [{' › '.join(section.heading_path)}]({section.url})"
        where += f": {origin.source} {origin.state}, indexed {origin.indexed[:10]}" if origin else ""
        parts.append(f"{where}{'; the section goes on there' if len(body(section)) > limit // 2 else ''}.")
    return "\n\n".join(part for part in parts if part)


def one_line(text: str) -> str:
    """A text with single spaces between its words."""
    return " ".join(text.split())
