"""Views of the questions that chunks answer."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from vuedocs.records import Chunk, Ingest, Question
from vuedocs.workbench import plots
from vuedocs.workbench.tables import Card, Cards, Findings, Link, Table, clip, evenly, share

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def examples(state: Ingest, count: int) -> Cards:
    """Chunks spread over the docs, each below its questions."""
    prose, asked = _prose(state), _by_chunk(state)
    chosen = [prose[place] for place in evenly(prose, count)]
    return Cards(
        [
            Card(
                chunk.id,
                f"{len(asked[chunk.id])} questions",
                chunk.text,
                chunk.kind,
                "\n".join(f"? {question.text}  ({question.origin})" for question in asked[chunk.id]) or "none",
            )
            for chunk in chosen
        ]
    )


def per_chunk(state: Ingest) -> Figure:
    """Questions a chunk, by kind of chunk."""
    asked = _by_chunk(state)
    groups: dict[str, list[float]] = defaultdict(list)
    for chunk in _prose(state):
        groups[chunk.kind].append(len(asked[chunk.id]))
    return plots.histograms(groups, "questions of a chunk", "Questions by kind of chunk", ylabel="chunks")


def origins(state: Ingest) -> Figure:
    """Who wrote the questions."""
    counts = Counter(question.origin for question in state.questions)
    notes = {name: share(count, len(state.questions)) for name, count in counts.items()}
    return plots.bars(dict(counts.most_common()), "questions", "Questions by origin", notes=notes)


def ambiguous(state: Ingest, top: int) -> Table:
    """Wordings that several chunks claim to answer: a query like it cannot choose between them."""
    claims = _claims(state)
    urls = {chunk.id: chunk.url for chunk in state.chunks}
    shared = sorted(((text, ids) for text, ids in claims.items() if len(ids) > 1), key=lambda item: -len(item[1]))
    rows = [(text, len(ids), Link(ids[0], urls[ids[0]]), ids[1:4]) for text, ids in shared[:top]]
    caption = f"Wordings that more than one chunk answers: {len(shared)}, of which {len(rows)} are shown"
    return Table(("question", "chunks", "the first", "and"), rows, caption)


def without(state: Ingest, top: int) -> Table:
    """Chunks of prose that no question leads to."""
    asked = _by_chunk(state)
    bare = [chunk for chunk in _prose(state) if not asked[chunk.id]]
    rows = [(Link(chunk.id, chunk.url), chunk.kind, clip(chunk.text)) for chunk in bare[:top]]
    return Table(("chunk", "kind", "begins"), rows, f"Chunks without a question: {len(bare)}", height=320)


def findings(state: Ingest) -> Findings:
    """What stands out."""
    prose, asked = _prose(state), _by_chunk(state)
    origins = Counter(question.origin for question in state.questions)
    words = sorted(len(question.text.split()) for question in state.questions)
    reached = sum(bool(asked[chunk.id]) for chunk in prose)
    real = sum(question.text.rstrip().endswith("?") for question in state.questions)
    shared = {text for text, ids in _claims(state).items() if len(ids) > 1}
    said = ", ".join(f"{share(count, len(state.questions))} by {name}" for name, count in origins.most_common())
    return Findings(
        [
            f"{len(state.questions):,} questions; {share(reached, len(prose))} chunks of prose have one; {said}.",
            f"Half of them have at most {words[len(words) // 2] if words else 0} words; "
            f"{share(real, len(words))} end with a question mark, the rest are headings and descriptions.",
            f"{len(shared)} wordings lead to more than one chunk.",
        ]
    )


def _prose(state: Ingest) -> list[Chunk]:
    return [chunk for chunk in state.chunks if chunk.kind != "code"]


def _by_chunk(state: Ingest) -> dict[str, list[Question]]:
    asked: dict[str, list[Question]] = defaultdict(list)
    for question in state.questions:
        asked[question.chunk_id].append(question)
    return asked


def _claims(state: Ingest) -> dict[str, list[str]]:
    claims: dict[str, list[str]] = defaultdict(list)
    for question in state.questions:
        claims[question.text].append(question.chunk_id)
    return claims
