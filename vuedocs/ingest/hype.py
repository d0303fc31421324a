"""hype: hypothetical questions that a chunk answers, kept as points of their own (HyPE, SSRN 5139335).

Questions come from packs, where one was written for exactly this section, and from rules over headings and entities.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace

from vuedocs.clients import IngestClients
from vuedocs.config import Hype
from vuedocs.ingest.packs import Pack, pack_for
from vuedocs.records import Chunk, Entity, Ingest, Question


async def hype(state: Ingest, section: Hype, clients: IngestClients) -> Ingest:
    """Adds the questions of every section."""
    if section.method == "none":
        return state
    defined: dict[str, list[Entity]] = defaultdict(list)
    for entity in state.entities:
        defined[entity.chunk_id].append(entity)
    questions = tuple(
        question
        for chunk in state.chunks
        if chunk.kind != "code"
        for question in chunk_questions(chunk, defined[chunk.id], pack_for(chunk) if section.packs else None, section)
    )
    written = sum(question.origin == "pack" for question in questions)
    return replace(state, questions=questions).count(questions=len(questions), written_questions=written)


def chunk_questions(chunk: Chunk, entities: Sequence[Entity], pack: Pack | None, section: Hype) -> list[Question]:
    """A chunk's questions, the written ones first, no wording twice, at most ``max_per_chunk``."""
    wordings = [(text, "pack") for text in pack.questions] if pack else []
    if section.rules == "always" or (section.rules == "without_pack" and not wordings):
        wordings += [(text, "rule") for text in rule_questions(chunk, entities)]
    unique: dict[str, Question] = {}
    for text, origin in wordings:
        unique.setdefault(text.lower(), Question(chunk.id, text, origin))
    return list(unique.values())[: section.max_per_chunk]


def rule_questions(chunk: Chunk, entities: Sequence[Entity]) -> Iterator[str]:
    """Questions made from a chunk's heading and the APIs that it defines."""
    page, title = chunk.heading_path[0], chunk.title
    for entity in entities:
        yield f"What does {entity.name} do and how do I use it?"
        if entity.description:
            yield f"{entity.type} {entity.name}: {entity.description}"
    if entities:
        return
    if chunk.kind == "page":
        yield f"What is {title}?"
        yield f"How do I get started with {title}?"
    else:
        yield f"{title} in {page}"
        yield f"How do I handle {' '.join(chunk.heading_path[1:])} with {page}?"
