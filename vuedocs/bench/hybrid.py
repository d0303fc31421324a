"""The plain hybrid that everybody builds: reciprocal rank fusion of one dense and one lexical leg, and nothing else.

It is made of the legs of a run of the whole pipeline. Both read the same index, and the difference is what the pipeline adds:
question points, names, blending by scores, pages, links and reranking. Both legs read texts with the sentences of context and the
questions that ingest joined to them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from vuedocs.bench import runs
from vuedocs.bench.outside import outside_result
from vuedocs.bench.result import BenchResult
from vuedocs.errors import UsageError

NAME = "hybrid RRF"
LEGS = ("dense", "sparse")
K = 60
"""Cormack et al. (SIGIR 2009); ranks begin with 1."""


def hybrid_rrf(result: BenchResult) -> BenchResult:
    """What the two legs of ``result``, fused by their ranks alone, are worth; a page is as good as its best section.

    Raises UsageError for a result whose legs are not known, or that had no such legs.
    """
    home = runs.home_source(result.questions)
    sources = {question.source for question in result.questions}
    rankings = {}
    for question, answer in zip(result.questions, result.answers, strict=True):
        legs = answer.trace.legs if answer.trace else {}
        if not set(LEGS) & legs.keys():
            raise UsageError(f"question {question.id} has no {' and no '.join(LEGS)} leg; give a run of the whole pipeline")
        fused = rrf(legs.get(leg, ()) for leg in LEGS)
        rankings[question.id] = {
            key if home or key.partition("/")[0] in sources else f"{question.source}/{key}": value for key, value in fused.items()
        }
    return outside_result(NAME, result.questions, result.level, rankings, result.index, (), result.unscoped)


def rrf(legs: Iterable[Sequence[str]], k: int = K) -> dict[str, float]:
    """Key to the sum of 1 / (k + rank) over the legs that found it, best first, ties by key."""
    fused: dict[str, float] = {}
    for keys in legs:
        for rank, key in enumerate(keys, start=1):
            fused[key] = fused.get(key, 0.0) + 1 / (k + rank)
    return dict(sorted(fused.items(), key=lambda item: (-item[1], item[0])))
