"""A run: what the pipeline returned for each golden question.

The ranking is the one that the pipeline ends with, its candidates after ``rerank``; the answer is what the tool returns. Both
come from the query pipeline as it serves, through :class:`vuedocs.query.reader.Reader`.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from tqdm import tqdm

from vuedocs.bench.lost import Trace, trace_of
from vuedocs.bench.questions import GoldenQuestion, Level, page_of
from vuedocs.config import Config
from vuedocs.errors import ProviderError
from vuedocs.records import Candidate, Chunk, Manifest, Passage, Search
from vuedocs.stages import Result
from vuedocs.tokens import estimate

Ranking = Mapping[str, float]
"""Section key (or page) to score, best first."""


class SearchReader(Protocol):
    """What the bench needs of a reader."""

    @property
    def config(self) -> Config: ...

    @property
    def manifest(self) -> Manifest: ...

    async def search(self, search: Search, *, config: Config | None = None, skip: Sequence[str] = ()) -> Result[Search]: ...

    async def chunks(self, source: str | None = None) -> tuple[Chunk, ...]: ...


@dataclass(frozen=True, slots=True)
class Answer:
    """What one question got."""

    id: str
    ranking: Ranking
    text: str
    """The answer as the tool returns it."""
    tokens: int
    passages: tuple[str, ...]
    """The answer's passages with their headings, the best-ranked first (not in reading order)."""
    pages: frozenset[str]
    """Pages that the answer quotes, as keys."""
    milliseconds: float
    """Wall time of the whole query."""
    stages: Mapping[str, float]
    """Milliseconds by stage."""
    trace: Trace | None = None
    """What each stage ended with, to say where a section was lost; None for a system that is not this pipeline."""


async def run(
    reader: SearchReader,
    questions: Sequence[GoldenQuestion],
    *,
    unscoped: bool = False,
    config: Config | None = None,
    skip: Sequence[str] = (),
    progress: bool = True,
) -> tuple[Answer, ...]:
    """One answer a question, in the order of ids; one query at a time, after an untimed one, so that latency is honest.

    Raises ProviderError for a question of which a stage failed.
    """
    ordered = sorted(questions, key=lambda question: question.id)
    home = home_source(ordered)
    if ordered:
        await reader.search(search_for(ordered[0], unscoped), config=config, skip=skip)
    answers = []
    for question in tqdm(ordered, desc="questions", unit="q", disable=None if progress else True):
        started = time.perf_counter()
        result = await reader.search(search_for(question, unscoped), config=config, skip=skip)
        milliseconds = (time.perf_counter() - started) * 1000
        answers.append(answer_of(question, result, home, milliseconds))
    return tuple(answers)


def home_source(questions: Sequence[GoldenQuestion]) -> str:
    """The one source that all the questions are about; ``""`` where they are about several."""
    sources = {question.source for question in questions}
    return sources.pop() if len(sources) == 1 else ""


def full_key(source: str, key: str, home: str) -> str:
    """The key that judgements and run share: as it is for the set's one source, else with the source before it."""
    return key if source == home else f"{source}/{key}"


def answer_of(question: GoldenQuestion, result: Result[Search], home: str, milliseconds: float) -> Answer:
    """What a pipeline's result means for the bench.

    Raises ProviderError where a stage failed and was gone round: its numbers would be those of another pipeline.
    """
    if result.state.degraded:
        raise ProviderError(
            f"question {question.id} cannot be scored: {', '.join(result.state.degraded)} failed and was gone round; "
            "run it again, what was paid for is remembered"
        )
    candidates = ranked(result)
    places = {candidate.chunk_id: place for place, candidate in reversed(list(enumerate(candidates)))}
    passages = sorted(result.state.passages, key=lambda passage: (places.get(passage.chunk_id, len(places)), passage.chunk_id))
    return Answer(
        id=question.id,
        ranking=ranking_of(candidates, home),
        text=result.state.text,
        tokens=estimate(result.state.text),
        passages=tuple(heading_and_text(passage) for passage in passages),
        pages=frozenset(_page_key(passage.chunk_id, passage.source, home) for passage in passages),
        milliseconds=milliseconds,
        stages=result.milliseconds,
        trace=trace_of(result, question.source),
    )


def heading_and_text(passage: Passage) -> str:
    """What the tool shows of a passage, without its address: the anchor of a URL is no mention of an API."""
    return f"{' › '.join(passage.heading_path)}\n\n{passage.text}"


def ranked(result: Result[Search]) -> tuple[Candidate, ...]:
    """The candidates after ``rerank``, best first; where that stage was left out, after the last stage before the answer."""
    states = [step.state for step in result.steps if step.stage != "reconstruct"]
    if not states:
        return ()
    return states[-1].candidates


def ranking_of(candidates: Sequence[Candidate], home: str) -> dict[str, float]:
    """Section key to score, in the candidates' order; the first (best) of several candidates of one section counts.

    The pipeline's order is what readers get, so a candidate below another never scores above it here: a linked section that
    was only appended keeps its place.
    """
    ranking: dict[str, float] = {}
    ceiling = math.inf
    for candidate in candidates:
        if candidate.chunk is None:
            raise ValueError(f"candidate {candidate.chunk_id} has no chunk; the resolve stage sets it and cannot be left out")
        ceiling = min(candidate.order, ceiling)
        ranking.setdefault(full_key(candidate.chunk.source, candidate.chunk.section, home), ceiling)
    return ranking


def fold_pages(ranking: Ranking, page_weight: float) -> dict[str, float]:
    """A page's score: the sum of its sections' scores, best first, the n-th (from 0) weighted by ``page_weight ** n``.

    A page that answers in several places is the better page, but each further place says less: a plain sum of all candidates
    lets long pages win (on the sample docs' questions at .3, page nDCG@10 .746; the best section alone .781; this .814, n = 56).
    The order of sections is left alone. Negative scores add nothing, so a further section never lowers its page. Best first,
    ties by key.
    """
    sections: dict[str, list[float]] = {}
    for key, value in ranking.items():
        sections.setdefault(page_of(key), []).append(value)
    pages = {page: _page_score(values, page_weight) for page, values in sections.items()}
    return dict(sorted(pages.items(), key=lambda item: (-item[1], item[0])))


def _page_score(values: Sequence[float], page_weight: float) -> float:
    best, *others = sorted(values, reverse=True)
    # A NaN must come through, so that it is refused when the run is scored.
    return best + math.fsum(page_weight**n * (value if value != value else max(value, 0.0)) for n, value in enumerate(others, 1))


def fold_grades(judgements: Mapping[str, int]) -> dict[str, int]:
    """A page's grade: the best of its sections'."""
    pages: dict[str, int] = {}
    for key, grade in judgements.items():
        pages[page_of(key)] = max(grade, pages.get(page_of(key), 0))
    return pages


def judgements_at(question: GoldenQuestion, level: Level) -> dict[str, int]:
    """A question's judgements at a level: keys as its file has them, or pages."""
    return fold_grades(question.relevant) if level == "page" else question.judged


def qrels_of(questions: Sequence[GoldenQuestion], level: Level) -> dict[str, dict[str, int]]:
    """The judgements ``{id: {key: grade}}`` at a level, ids and keys ascending.

    Grade 0 is there for sections only: one section that does not help says nothing about the others of its page.
    """
    home = home_source(questions)
    qrels = {}
    for question in sorted(questions, key=lambda question: question.id):
        judgements = judgements_at(question, level)
        qrels[question.id] = {full_key(question.source, key, home): judgements[key] for key in sorted(judgements)}
    return qrels


def run_of(answers: Sequence[Answer], level: Level, page_weight: float) -> dict[str, dict[str, float]]:
    """The run ``{id: {key: score}}`` at a level, ids ascending."""
    ordered = sorted(answers, key=lambda answer: answer.id)
    return {a.id: fold_pages(a.ranking, page_weight) if level == "page" else dict(a.ranking) for a in ordered}


def search_for(question: GoldenQuestion, unscoped: bool) -> Search:
    """The search that puts a question: in its own source, or in all."""
    return Search(query=question.question, sources=() if unscoped else (question.source,))


def _page_key(chunk_id: str, source: str, home: str) -> str:
    section = chunk_id.removeprefix(f"{source}/").partition("~code-")[0]
    return full_key(source, page_of(section), home)
