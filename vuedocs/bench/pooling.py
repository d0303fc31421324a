"""Pooling: which sections somebody should judge, found by systems that differ, shown blind.

A section that no system finds is taken for wrong, and one that only the system under test finds is punished for it: so the ten
best of several different systems are judged together, in an order that says nothing about who found what (Sparck Jones and van
Rijsbergen 1975; as TREC does it since 1992).
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from vuedocs.bench.questions import GoldenQuestion
from vuedocs.bench.result import VARIANTS
from vuedocs.bench.runs import SearchReader, run
from vuedocs.errors import StorageError
from vuedocs.records import Chunk

_SEMANTIC = ("search.sparse_weight=0", "search.name_weight=0", "rerank.method=none")

SYSTEMS: Mapping[str, tuple[str, ...]] = {
    "BM25 alone": VARIANTS["BM25 alone"],
    "dense alone": VARIANTS["dense alone"],
    "questions alone": (*_SEMANTIC, "resolve.question_weight=1"),
    "hybrid RRF": ("search.fusion=rrf", "search.rrf_k=61", "search.name_weight=0", "rerank.method=none"),
    "whole pipeline": (),
}
"""What is pooled, as config overrides over one index."""
DEPTH = 10
"""Sections that each system adds to a question's pool."""


@dataclass(frozen=True, slots=True)
class PoolEntry:
    """One question and what is to be judged for it."""

    question: GoldenQuestion
    sections: tuple[str, ...]
    """Section keys, shuffled."""


async def pool(
    reader: SearchReader,
    questions: Sequence[GoldenQuestion],
    systems: Mapping[str, Sequence[str]] = SYSTEMS,
    depth: int = DEPTH,
    *,
    unjudged: bool = False,
    progress: bool = True,
) -> tuple[PoolEntry, ...]:
    """The ``depth`` best sections of each system together with those judged already, by question, ids ascending.

    With ``unjudged`` only those that nobody has judged. Questions must be of one source; the order is shuffled by a seed of the
    question's id, so that it repeats and says nothing.
    """
    found: dict[str, set[str]] = {question.id: set() for question in questions}
    for overrides in systems.values():
        config = reader.config.override(*overrides)
        for answer in await run(reader, questions, config=config, skip=("expand",), progress=progress):
            found[answer.id].update(list(answer.ranking)[:depth])
    ordered = sorted(questions, key=lambda question: question.id)
    return tuple(PoolEntry(question, pooled(question, found[question.id], unjudged)) for question in ordered)


def pooled(question: GoldenQuestion, found: Iterable[str], unjudged: bool) -> tuple[str, ...]:
    """What is to be judged for one question, shuffled."""
    judged = set(question.judged)
    keys = sorted(set(found) - judged if unjudged else set(found) | judged)
    random.Random(question.id).shuffle(keys)
    return tuple(keys)


@dataclass(frozen=True, slots=True)
class Row:
    """A question as a judge reads it: no grade, rank or finder in sight."""

    id: str
    source: str
    question: str
    candidates: tuple[Mapping[str, str], ...]
    """Section key, headings, address and text of each."""


def sheet(entries: Iterable[PoolEntry], chunks: Iterable[Chunk]) -> list[Row]:
    """The pool as a judge reads it; questions with nothing to judge are left out."""
    sections = {(chunk.source, chunk.section): chunk for chunk in chunks if chunk.kind != "code"}
    rows = []
    for entry in entries:
        source = entry.question.source
        shown = tuple(candidate(key, sections.get((source, key))) for key in entry.sections)
        rows.append(Row(entry.question.id, source, entry.question.question, shown))
    return [row for row in rows if row.candidates]


def candidate(key: str, chunk: Chunk | None) -> dict[str, str]:
    """One section to judge; a judged key that the index does not hold has no text (`bench --check` names it)."""
    if chunk is None:
        return {"section": key, "heading": "", "url": "", "text": ""}
    return {"section": key, "heading": " › ".join(chunk.heading_path), "url": chunk.url, "text": chunk.text}


def write_sheet(rows: Iterable[Row], path: Path) -> None:
    """One JSON object a line. Raises StorageError."""
    text = "".join(json.dumps(asdict(row), ensure_ascii=False) + "\n" for row in rows)
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise StorageError(f"the pool cannot be written to {path}: {error}; give another file with --out") from error
