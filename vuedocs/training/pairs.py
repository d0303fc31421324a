"""Training examples: a section, and the questions of its pack.

Passages are cut as the product cuts windows: the section's context, which counts, then a piece of its text. The context's written
sentence is left out of half of them, so that the model also serves docs for which nobody has written one.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rapidfuzz import fuzz, process

from vuedocs.clients import Embedder, ReadingClients
from vuedocs.config import Config
from vuedocs.ingest.embed import cut_tokens, plain
from vuedocs.ingest.packs import pack_for
from vuedocs.ingest.survey import read_chunks
from vuedocs.records import Chunk

TOO_NEAR = 90.0
"""Token-sort ratio, 0 to 100, from which a training question counts as a golden question in other words."""


@dataclass(frozen=True, slots=True)
class Example:
    """A section as training sees it, and what was asked of it."""

    chunk_id: str
    source: str
    breadcrumb: str
    sentence: str
    """The written sentence of context."""
    text: str
    questions: tuple[str, ...]


async def sections(docs: Path, sources: Sequence[str], config: Config, clients: ReadingClients) -> list[Chunk]:
    """The searchable sections of ``sources``, as the product reads them from the folder ``docs``."""
    read = [await read_chunks(source, docs, config, clients) for source in sources]
    return [chunk for chunks in read for chunk in chunks if chunk.kind != "code" and chunk.has_text]


def examples(chunks: Iterable[Chunk]) -> list[Example]:
    """One example for every section that a pack fits and asks of, in the order of reading."""
    packed = ((chunk, pack_for(chunk)) for chunk in chunks)
    return [
        Example(chunk.id, chunk.source, " > ".join(chunk.heading_path), pack.context, plain(chunk.text), pack.questions)
        for chunk, pack in packed
        if pack and pack.questions
    ]


def apart(found: Sequence[Example], golden: Iterable[str]) -> list[Example]:
    """The examples without the questions that are golden ones in the same or nearly the same words."""
    wordings = [words(question) for question in golden]

    def is_apart(question: str) -> bool:
        near = process.extractOne(words(question), wordings, scorer=fuzz.token_sort_ratio, score_cutoff=TOO_NEAR)
        return near is None

    kept = (replace(each, questions=tuple(filter(is_apart, each.questions))) for each in found)
    return [each for each in kept if each.questions]


def words(question: str) -> str:
    """A question in lower case without its punctuation, to compare wordings by."""
    return " ".join(re.findall(r"[\w$@.-]+", question.lower()))


def passage(example: Example, tokens: int, embedder: Embedder, chance: random.Random) -> str:
    """A random window of ``tokens`` tokens, with its context; half of all windows have the written sentence of it."""
    sentence = f". {example.sentence}" if example.sentence and chance.random() < 0.5 else ""
    size = tokens - 2  # the model's own two marks
    head = cut_tokens(f"{example.breadcrumb}{sentence}", size // 3, embedder)
    room = size - len(embedder.offsets(head))
    offsets = embedder.offsets(example.text)
    if len(offsets) <= room:
        return f"{head}\n{example.text}"
    # The start of a section says what it is about: it is drawn as often as all other places together.
    start = 0 if chance.random() < 0.5 else chance.randrange(len(offsets) - room + 1)
    return f"{head}\n{example.text[offsets[start][0] : offsets[start + room - 1][1]]}"


def batches(
    found: Sequence[Example], near: Mapping[str, Sequence[str]], size: int, group: int, chance: random.Random
) -> list[list[Example]]:
    """All examples once, in random batches of ``size`` that are made of groups of up to ``group`` sections ``near`` each other.

    What a question must be told apart from is then in its own batch, and costs no further passage. A last batch that is not full
    is left out.
    """
    waiting = {example.chunk_id: example for example in found}
    order: list[Example] = []
    for example in chance.sample(found, len(found)):
        if example.chunk_id not in waiting:
            continue
        neighbours = [id for id in near.get(example.chunk_id, ()) if id in waiting and id != example.chunk_id]
        members = [example.chunk_id, *chance.sample(neighbours, min(group - 1, len(neighbours)))]
        order += [waiting.pop(id) for id in members]
    return [order[start : start + size] for start in range(0, len(order) - size + 1, size)]
