"""embed: vectors for every window, example and question, and BM25 weights for every section.

Vectors are remembered in the database under sha256(model, task, parameters, text), block by block, so that a killed run resumes
and an edited page costs only its own texts.
"""

from __future__ import annotations

import re
import uuid
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from vuedocs import lexical
from vuedocs.clients import Embedder
from vuedocs.clients.parallel import in_parallel
from vuedocs.config import Embed
from vuedocs.errors import IncompleteError
from vuedocs.ingest.clients import IngestClients
from vuedocs.ingest.enrich import sentence_of
from vuedocs.ingest.memory import memory_key
from vuedocs.records import Bm25Model, Chunk, Ingest, Point, Question, Vector, scopes_of

_LINK = re.compile(r"\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\([^()\s]*(?:\([^()\s]*\))?[^()\s]*\)")


async def embed(state: Ingest, section: Embed, clients: IngestClients) -> Ingest:
    """Adds the points of all chunks and questions, with their vectors, and each source's BM25 model."""
    questions: dict[str, list[Question]] = defaultdict(list)
    for question in state.questions:
        questions[question.chunk_id].append(question)
    scopes = {(page.source, page.path): scopes_of(page.route, page.path) for page in state.pages}
    chunks = [chunk for chunk in state.chunks if chunk.has_text and (chunk.kind != "code" or section.code)]
    points: list[Point] = []
    for chunk in chunks:
        points.extend(chunk_points(chunk, questions[chunk.id], scopes[chunk.source, chunk.path], section, clients.embedder))
    dense, embedded = await vectors([point.text for point in points], section, clients)
    points, models = with_bm25([replace(point, dense=dense[point.text]) for point in points], chunks, questions, section)
    state = replace(state, points=tuple(points), bm25=models)
    return state.count(points=len(points), embedded=embedded, remembered=len(dense) - embedded)


def plain(text: str) -> str:
    """``text`` without the addresses of its links: they are noise in a vector and in BM25."""
    return _LINK.sub(r"\1", text)


def chunk_points(
    chunk: Chunk, questions: Sequence[Question], scopes: tuple[str, ...], section: Embed, embedder: Embedder
) -> list[Point]:
    """The points of one chunk, still without vectors: its windows (or its one example), then its questions."""
    kind = "code" if chunk.kind == "code" else "window"
    texts = [(kind, text) for text in windows(chunk.context, plain(chunk.text), section, embedder)]
    texts = texts[:1] if kind == "code" else texts
    texts += [("question", question.text) for question in questions]
    numbers: dict[str, int] = defaultdict(int)
    points = []
    for point_kind, text in texts:
        number = numbers[point_kind]
        numbers[point_kind] += 1
        points.append(
            Point(
                id=str(uuid.uuid5(uuid.NAMESPACE_URL, f"vuedocs:{chunk.id}/{point_kind}/{number}")),
                chunk_id=chunk.section_id,
                source=chunk.source,
                kind=point_kind,  # type: ignore[arg-type]
                number=number,
                text=text,
                scopes=scopes,
            )
        )
    return points


def windows(context: str, text: str, section: Embed, embedder: Embedder) -> list[str]:
    """``text`` in overlapping pieces of at most ``window_tokens`` tokens, each after ``context``, which counts.

    A context longer than a third of a window is cut, so that every window is mostly the section's own.
    """
    size = min(section.window_tokens, embedder.max_tokens) - 2  # the model's own two marks
    head = cut_tokens(context, size // 3, embedder)
    room = size - len(embedder.offsets(head))
    offsets = embedder.offsets(text)
    step = max(1, room - section.window_overlap)
    starts = range(0, max(1, len(offsets) - section.window_overlap), step)
    pieces = [text[offsets[start][0] : offsets[min(start + room, len(offsets)) - 1][1]] for start in starts] if offsets else [""]
    return [f"{head}\n{piece}" if head else piece for piece in pieces]


def cut_tokens(text: str, limit: int, embedder: Embedder) -> str:
    """The first ``limit`` tokens of ``text``."""
    offsets = embedder.offsets(text)
    return text if len(offsets) <= limit else text[: offsets[limit - 1][1]]


async def vectors(texts: Iterable[str], section: Embed, clients: IngestClients) -> tuple[dict[str, Vector], int]:
    """Each distinct text's vector, and how many had to be embedded; the rest was remembered."""
    keys = {text: memory_key(clients.embedder.name, "passage", {"dims": section.dims}, text) for text in texts}
    known = await clients.database.remembered(list(keys.values()))
    dense = {text: np.frombuffer(known[key], np.float32) for text, key in keys.items() if key in known}
    missing = [text for text in keys if text not in dense]
    done = 0

    async def keep(found: Mapping[str, Vector]) -> None:
        dense.update(found)
        await clients.database.remember({keys[text]: vector.tobytes() for text, vector in found.items()}, "vector")

    async def embed_block(block: Sequence[str]) -> None:
        nonlocal done
        try:
            await keep(dict(zip(block, await clients.embedder.embed(block), strict=True)))
        except IncompleteError as error:
            await keep({block[place]: vector for place, vector in error.arrived.items()})
            raise error.cause from None
        done += len(block)
        clients.progress("embed", done, len(missing))

    if missing:
        clients.progress("embed", 0, len(missing))
    await in_parallel((partial(embed_block, block) for block in clients.embedder.plan(missing)), clients.embedder.parallel)
    return dense, len(missing)


def with_bm25(
    points: Sequence[Point], chunks: Sequence[Chunk], questions: Mapping[str, Sequence[Question]], section: Embed
) -> tuple[list[Point], tuple[Bm25Model, ...]]:
    """The points with each chunk's BM25 weights on its first window, and the statistics of each source they were made with."""
    documents = {
        chunk.id: lexical.tokenise(lexical_document(chunk, questions.get(chunk.id, ()), section))
        for chunk in chunks
        if chunk.kind != "code"
    }
    by_source: dict[str, list[str]] = defaultdict(list)
    for chunk in chunks:
        if chunk.id in documents:
            by_source[chunk.source].append(chunk.id)
    models = {source: bm25_model(source, [documents[id] for id in ids]) for source, ids in by_source.items()}
    weighted = [
        replace(
            point,
            sparse=lexical.bm25_weights(documents[point.chunk_id], models[point.source].average_length, section.k1, section.b),
        )
        if point.kind == "window" and point.number == 0
        else point
        for point in points
    ]
    return weighted, tuple(models.values())


def bm25_model(source: str, documents: Sequence[Sequence[str]]) -> Bm25Model:
    """The statistics of a source's documents, each given by its tokens."""
    counts = Counter(token for document in documents for token in set(document))
    vocabulary = tuple(sorted(counts))
    average = sum(map(len, documents)) / len(documents)
    return Bm25Model(source, len(documents), average, vocabulary, tuple(counts[token] for token in vocabulary))


def lexical_document(chunk: Chunk, questions: Sequence[Question], section: Embed) -> str:
    """What BM25 reads of a chunk: breadcrumb, text, its sentence of context, and the questions that it answers, as configured."""
    breadcrumb = " ".join(chunk.heading_path)
    asked = "\n".join(question.text for question in questions)
    lines = [breadcrumb] * section.breadcrumb_repeats + [plain(chunk.text)]
    lines += [sentence_of(chunk)] if section.context_in_bm25 else []
    lines += [asked] * section.question_repeats
    return "\n".join(lines)
