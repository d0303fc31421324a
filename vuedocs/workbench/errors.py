"""Views of failures: the misses worst first, the passages beside the gold, and the kinds that they fall into."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from vuedocs.bench import BenchResult
from vuedocs.bench.failures import GOOD, WORDS, Failure, Instead, clusters, cost, failures
from vuedocs.bench.lost import REMEDIES
from vuedocs.records import Chunk
from vuedocs.workbench import plots
from vuedocs.workbench.tables import Findings, Link, Table, clip, share

if TYPE_CHECKING:
    from matplotlib.figure import Figure

STAGES = (*REMEDIES, "too low")
EXCERPT = 900
"""Characters of a section that are shown beside another."""


def misses(result: BenchResult, top: int) -> Table:
    """The questions below the mark, worst first: what was wanted, which stage lost it and why, and what a person would do."""
    rows = [_miss(failure) for failure in failures(result)[:top]]
    columns = ("nDCG@10", "kind", "question", "missed (grade)", "lost", "came first", "what may help")
    return Table(columns, rows, f"Worst first: questions below {GOOD} ({result.split} split, {result.level} level)", height=720)


def _miss(failure: Failure) -> tuple[object, ...]:
    question = failure.question
    where = f"{failure.stage}\n{failure.lost.why}" if failure.lost else f"{failure.stage}\nfound, but not among the first"
    wanted = f"{failure.gold} ({failure.lost.grade if failure.lost else question.relevant.get(failure.gold, '')})"
    first = "\n".join(f"{place} {key}" for place, key in enumerate(failure.first, 1)) or "nothing"
    help = "\n".join(f"{number}. {words}" for number, words in enumerate(failure.remedies, 1))
    return failure.ndcg, question.kind, f"{question.question}\n[{question.id}]", wanted, where, first, help


def beside(result: BenchResult, chunks: Iterable[Chunk], top: int) -> Table:
    """The text of the missed section beside that of the first ones: would a reader say that the order is wrong?"""
    sections = {(chunk.source, chunk.section): chunk for chunk in chunks if chunk.kind != "code"}
    rows = []
    for failure in failures(result)[:top]:
        source = failure.question.source
        gold = sections.get((source, failure.gold))
        first = [sections.get((source, key)) for key in failure.first[:2]]
        others = "\n\n".join(_excerpt(chunk, EXCERPT // len(first)) for chunk in first if chunk)
        rows.append(
            (f"{failure.question.question}\n[{failure.question.id}]", _link(gold), _excerpt(gold, EXCERPT), others or "nothing")
        )
    return Table(("question", "address", "the missed section", "what came first"), rows, height=900)


def by_stage(result: BenchResult) -> Figure:
    """Questions below the mark by the stage that lost their best missed section, and what came instead."""
    found = failures(result)
    instead: list[Instead] = [kind for kind in WORDS if any(failure.instead == kind for failure in found)]
    stages = [stage for stage in STAGES if any(failure.stage == stage for failure in found)]
    counts = np.array([[sum(f.stage == s and f.instead == i for f in found) for s in stages] for i in instead])
    title = f"{share(len(found), result.n)} questions are below nDCG@10 {GOOD}:\nwhere the gold was lost, and to what"
    return plots.stacked(stages, [WORDS[kind] for kind in instead], counts.reshape(len(instead), len(stages)), "questions", title)


def kinds(result: BenchResult) -> Table:
    """The kinds of failure, those that cost most first, with examples."""
    found = failures(result)
    rows = [
        (
            stage,
            WORDS[instead],
            len(members),
            cost(members) / result.n,
            f"{sum(failure.unjudged > 0 for failure in members)}",
            "\n".join(clip(failure.question.question, 90) for failure in members[:3]),
            members[0].remedies[-1],
        )
        for (stage, instead), members in clusters(found).items()
    ]
    columns = ("lost", "instead", "questions", "nDCG@10 at stake", "with unjudged first", "such as", "what may help")
    return Table(
        columns, rows, "Kinds of failure; at stake: what the set's mean would gain if all of a kind were perfect", height=640
    )


def unjudged(result: BenchResult) -> Table:
    """Sections among the first of failed questions that nobody has judged: judge these before anything is tuned."""
    asked: dict[str, list[str]] = {}
    for failure in failures(result):
        for key in failure.first:
            if key not in failure.judged:
                asked.setdefault(key, []).append(failure.question.id)
    rows = [(key, len(ids), ids) for key, ids in sorted(asked.items(), key=lambda item: (-len(item[1]), item[0]))[:30]]
    return Table(("section", "times among the first three", "questions"), rows, "Never judged")


def findings(result: BenchResult) -> Findings:
    """What stands out."""
    found = failures(result)
    if not found:
        return Findings([f"No question of {result.n} is below nDCG@10 {GOOD}."])
    (stage, instead), members = next(iter(clusters(found).items()))
    stages = Counter(failure.stage for failure in found)
    holes = [failure for failure in found if failure.unjudged]
    same = sum(failure.instead == "same page" for failure in found)
    return Findings(
        [
            f"{share(len(found), result.n)} questions are below nDCG@10 {GOOD} ({result.split} split, {result.level} level).",
            f"Where their best missed section was lost: {', '.join(f'{name} {count}' for name, count in stages.most_common())}.",
            f"The kind that costs most: lost “{stage}”, {WORDS[instead]}: {len(members)} questions, "
            f"{cost(members) / result.n:.3f} of the mean.",
            f"In {same} the right page came first with another section.",
            f"{share(len(holes), len(found))} have a section among the first three that nobody judged: some of these are "
            "no failures.",
        ]
    )


def _link(chunk: Chunk | None) -> Link | str:
    return Link(chunk.section, chunk.url) if chunk else "not in the index"


def _excerpt(chunk: Chunk | None, length: int) -> str:
    if chunk is None:
        return "not in the index"
    text = chunk.text if len(chunk.text) <= length else chunk.text[:length].rstrip() + " …"
    return f"{' › '.join(chunk.heading_path)}\n{text}"
