"""hype: hypothetical questions that a chunk answers, kept as points of their own (HyPE, SSRN 5139335).

Questions come from packs, where one was written for exactly this section, else from a language model by config, and from rules
over headings and entities.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from vuedocs.config import Hype
from vuedocs.config.prompts import prompt
from vuedocs.ingest.clients import IngestClients
from vuedocs.ingest.packs import Pack, pack_for
from vuedocs.ingest.writing import prompts_for, written
from vuedocs.records import Chunk, Entity, Ingest, Question


async def hype(state: Ingest, section: Hype, clients: IngestClients) -> Ingest:
    """Adds the questions of every section."""
    if section.method == "none":
        return state
    defined: dict[str, list[Entity]] = defaultdict(list)
    for entity in state.entities:
        defined[entity.chunk_id].append(entity)
    answers: Mapping[str, Sequence[str]] = {}
    if section.method == "gemini":
        state, answers = await model_questions(state, section, clients)
    questions = tuple(
        question
        for chunk in state.chunks
        if chunk.kind != "code"
        for question in chunk_questions(
            chunk, defined[chunk.id], pack_for(chunk) if section.packs else None, section, answers.get(chunk.id, ())
        )
    )
    by_hand = sum(question.origin != "rule" for question in questions)
    return replace(state, questions=questions).count(questions=len(questions), written_questions=by_hand)


async def model_questions(state: Ingest, section: Hype, clients: IngestClients) -> tuple[Ingest, Mapping[str, Sequence[str]]]:
    """The state with its counts and reports, and the questions that a language model wrote, by chunk id.

    A section whose answer was too short keeps the questions that it has, and rules add theirs.
    """
    chunks = [chunk for chunk in state.chunks if chunk.kind != "code" and chunk.has_text]
    chunks = [chunk for chunk in chunks if not (section.packs and pack_for(chunk))]
    prompts = prompts_for(chunks, state.pages, prompt("questions").format(count=section.written), schema(section.written))
    outcome = await written(prompts, "hype", section, partial(questions_problem, section.written), clients)
    state = state.count(questions_asked=outcome.asked, questions_failed=len(outcome.failures))
    questions = {id: texts_of(answer) for id, answer in outcome.answers.items()}
    return state.report(*outcome.reports("hype", section.model)), questions


def schema(count: int) -> Mapping[str, Any]:
    """JSON Schema of an answer with so many questions."""
    questions = {"type": "array", "items": {"type": "string"}, "minItems": count, "maxItems": count}
    return {"type": "object", "properties": {"questions": questions}, "required": ["questions"]}


def texts_of(answer: Mapping[str, Any]) -> list[str]:
    """The questions of an answer, each once, blank ones left out."""
    given = answer.get("questions")
    texts = [" ".join(text.split()) for text in given if isinstance(text, str)] if isinstance(given, list) else []
    return list(dict.fromkeys(text for text in texts if text))


def questions_problem(count: int, answer: Mapping[str, Any]) -> str:
    """What is wrong with a model's questions; ``""`` for nothing."""
    found = len(texts_of(answer))
    return "" if found >= count else f"{found} questions of {count}"


def chunk_questions(
    chunk: Chunk, entities: Sequence[Entity], pack: Pack | None, section: Hype, model_texts: Sequence[str] = ()
) -> list[Question]:
    """A chunk's questions, the written ones first, no wording twice, at most ``max_per_chunk``."""
    wordings = [(text, "pack") for text in pack.questions] if pack else [(text, section.model) for text in model_texts]
    enough = bool(pack) or (bool(model_texts) and len(model_texts) >= section.written)
    if section.rules == "always" or (section.rules == "without_pack" and not enough):
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
