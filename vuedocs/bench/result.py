"""Benchmark: a set of golden questions through a reader, to metrics with intervals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from vuedocs.bench import metrics, runs
from vuedocs.bench.cost import UNCOUNTED, Cost
from vuedocs.bench.intervals import Interval, interval
from vuedocs.bench.lost import Lost, lost
from vuedocs.bench.questions import GoldenQuestion, Level, check_keys, digest, page_of
from vuedocs.config import Config
from vuedocs.records import Chunk

PER_QUESTION = Mapping[str, Mapping[str, float]]
"""Metric to {question id: value}."""

VARIANTS: Mapping[str, tuple[str, ...]] = {
    "whole pipeline": (),
    "BM25 alone": ("search.dense_weight=0", "search.name_weight=0", "rerank.method=none"),
    "dense alone": ("search.sparse_weight=0", "search.name_weight=0", "rerank.method=none", "resolve.question_weight=0"),
}
"""What every report sets the pipeline beside, as config overrides over one index."""


@dataclass(frozen=True)
class BenchResult:
    """One benchmark: what ran, what came out, question by question, and how sure the means are."""

    level: Level
    split: str
    """``dev``, ``test``, or ``all`` for a set that holds both."""
    unscoped: bool
    skip: tuple[str, ...]
    """Stages that were left out."""
    config: str
    """The config's fingerprint."""
    index: str
    """The index generation."""
    questions: tuple[GoldenQuestion, ...]
    answers: tuple[runs.Answer, ...]
    """In the order of ids, as ``questions``."""
    qrels: Mapping[str, Mapping[str, int]]
    run: Mapping[str, Mapping[str, float]]
    """As scored: sorted, with strictly decreasing scores."""
    values: PER_QUESTION
    """Metric to {question id: value}; API recall holds only the questions that name APIs."""
    metrics: Mapping[str, Interval]
    lost: Mapping[str, tuple[Lost, ...]] = field(default_factory=dict)
    """Question id to its missed golden sections, with the stage that lost each."""
    cost: Cost = UNCOUNTED
    """What paid services billed for it, where that was counted."""

    @property
    def n(self) -> int:
        """Questions in the mean: all of them."""
        return len(self.questions)

    @property
    def questions_digest(self) -> str:
        """Equal for equal questions and judgements: results of different sets are never compared."""
        return digest(self.questions)

    def group(self, attribute: str) -> dict[str, dict[str, Any]]:
        """``{value: {"n": .., "metrics": {name: Interval}}}`` by ``source``, ``kind`` or ``split`` of the questions."""
        groups: dict[str, list[str]] = {}
        for question in self.questions:
            groups.setdefault(getattr(question, attribute), []).append(question.id)
        return {name: {"n": len(ids), "metrics": summarise(self.values, ids)} for name, ids in sorted(groups.items())}


async def benchmark(
    reader: runs.SearchReader,
    questions: Sequence[GoldenQuestion],
    level: Level = "section",
    unscoped: bool = False,
    config: Config | None = None,
    skip: Sequence[str] = (),
    *,
    progress: bool = True,
) -> BenchResult:
    """Asks every question and scores what comes back; ``config`` stands in for the reader's own, ``skip`` leaves stages out.

    Raises QuestionsError for a key that the index does not hold, NotIndexedError for a source that it does not hold.
    """
    config = config or reader.config
    ordered = tuple(sorted(questions, key=lambda question: question.id))
    chunks = {source: await reader.chunks(source) for source in sorted({question.source for question in ordered})}
    check_keys(ordered, {source: {chunk.section for chunk in of_source} for source, of_source in chunks.items()}, level)
    answers = await runs.run(reader, ordered, unscoped=unscoped, config=config, skip=skip, progress=progress)
    qrels = runs.qrels_of(ordered, level)
    run = {
        id: metrics.unique_scores(ranking, id) for id, ranking in runs.run_of(answers, level, config.rerank.page_weight).items()
    }
    values = metrics.score(qrels, run) | metrics.score_answers(ordered, {answer.id: answer for answer in answers})
    splits = {question.split for question in ordered}
    return BenchResult(
        level=level,
        split=splits.pop() if len(splits) == 1 else "all",
        unscoped=unscoped,
        skip=tuple(skip),
        config=config.fingerprint(),
        index=reader.manifest.generation,
        questions=ordered,
        answers=answers,
        qrels=qrels,
        run=run,
        values=values,
        metrics=summarise(values, [question.id for question in ordered]),
        lost=losses(ordered, answers, run, level, {source: searched_keys(of_source) for source, of_source in chunks.items()}),
    )


def searched_keys(chunks: Iterable[Chunk]) -> frozenset[str]:
    """The section keys of which an index holds points."""
    return frozenset(chunk.section for chunk in chunks if chunk.has_text)


def losses(
    questions: Sequence[GoldenQuestion],
    answers: Sequence[runs.Answer],
    run: Mapping[str, Iterable[str]],
    level: Level,
    searched: Mapping[str, Iterable[str]],
) -> dict[str, tuple[Lost, ...]]:
    """The missed golden sections (at page level, pages) of each question; those of a system without traces are not known."""
    home = runs.home_source(questions)
    by_id = {answer.id: answer.trace for answer in answers}
    found = {}
    for question in questions:
        trace = by_id.get(question.id)
        if trace is None:
            continue
        prefix = "" if question.source == home else f"{question.source}/"
        order = [key.removeprefix(prefix) for key in run.get(question.id, ())]
        relevant, known = question.relevant, set(searched[question.source])
        if level == "page":
            relevant, trace, known = runs.fold_grades(relevant), trace.pages(), {page_of(key) for key in known}
        found[question.id] = lost(relevant, trace, known, order)
    return found


def summarise(values: PER_QUESTION, ids: Iterable[str]) -> dict[str, Interval]:
    """The mean with its interval of each metric over ``ids``; a metric that none of them has (API recall) is left out."""
    chosen = sorted(ids)
    found = {name: [by_id[id] for id in chosen if id in by_id] for name, by_id in values.items()}
    return {name: interval(numbers) for name, numbers in found.items() if numbers}
