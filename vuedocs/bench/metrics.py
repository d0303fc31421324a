"""Metrics: from judgements and a run to one value a question.

nDCG is trec_eval's: linear gains, the ideal ranking from the judgements. Recall and MRR count grade 2 and better as relevant,
since grade 1 only helps. All are ranx's own; it is imported where it is used, because that takes seconds.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Mapping, Sequence
from types import ModuleType

import numpy as np

from vuedocs.bench.questions import GoldenQuestion, page_of
from vuedocs.bench.runs import Answer, full_key, home_source
from vuedocs.errors import QuestionsError

Qrels = Mapping[str, Mapping[str, int]]
Run = Mapping[str, Mapping[str, float]]
Values = dict[str, float]
"""Question id to value."""

RANX_METRICS = {
    "ndcg@10": "ndcg@10",
    "recall@5": "recall@5-l2",
    "recall@10": "recall@10-l2",
    "mrr@10": "mrr@10-l2",
    "right@1": "hit_rate@1-l3",
}
"""Our name and ranx's: ``-l2`` counts grades from 2 on. ``right@1``: the first one answers the question fully (grade 3)."""
ANSWER_METRICS = ("api_recall@3", "api_recall", "gold_in_answer")


def score(qrels: Qrels, run: Run) -> dict[str, Values]:
    """Each ranking metric's value a question, ids ascending, for all judged questions.

    A question that is missing from the run scores 0 and stays. Ties are broken by key, so the order of a run's mapping does
    not matter. Raises QuestionsError for a question without judgements, ValueError for a score that is not finite.
    """
    ids = sorted(qrels)
    for id in ids:
        if not qrels[id]:
            raise QuestionsError(f"question {id} has no judgements, so nothing can be scored; judge a section, or drop it")
    rankings = {id: unique_scores(run.get(id, {}), id) for id in ids}
    values = {name: dict.fromkeys(ids, 0.0) for name in RANX_METRICS}
    answered = {id: ranking for id, ranking in rankings.items() if ranking}
    if answered:
        for name, found in _evaluate({id: dict(qrels[id]) for id in ids}, answered).items():
            values[name] |= found
    values["judged@10"] = {id: judged_share(qrels[id], list(rankings[id])[:10]) for id in ids}
    return values


def unique_scores(ranking: Mapping[str, float], id: str = "") -> dict[str, float]:
    """The ranking sorted by (score descending, key ascending), with strictly decreasing scores.

    ranx keeps the order of insertion among ties and trec_eval takes the higher key: with unique scores both agree. Steps are of
    single precision, which is what trec_eval reads. Raises ValueError for NaN and infinity.
    """
    for key, value in ranking.items():
        if not math.isfinite(value):
            raise ValueError(f"question {id}: the score of {key!r} is {value}; a run's scores must be finite numbers")
    unique: dict[str, float] = {}
    below = np.float32(np.inf)
    for key in sorted(ranking, key=lambda key: (-ranking[key], key)):
        below = min(np.float32(ranking[key]), np.nextafter(below, np.float32(-np.inf)))
        unique[key] = float(below)
    return unique


def judged_share(judgements: Mapping[str, int], top: Sequence[str]) -> float:
    """The share of ``top`` that somebody has judged; unjudged ones count as wrong, which is hard on new systems."""
    return sum(key in judgements for key in top) / len(top) if top else 0.0


def _evaluate(qrels: dict[str, dict[str, int]], run: dict[str, dict[str, float]]) -> dict[str, Values]:
    ranx = _ranx()
    table = ranx.Run.from_dict(run)
    names = list(RANX_METRICS.values())
    ranx.evaluate(ranx.Qrels.from_dict(qrels), table, names, return_mean=False, make_comparable=True, threads=1)
    return {name: {id: float(value) for id, value in table.scores[of].items()} for name, of in RANX_METRICS.items()}


def _ranx() -> ModuleType:
    """ranx without its compiler, if this process has not loaded it yet.

    Measured on two cores: 500 questions of 60 candidates take 0.3 s uncompiled; compiling takes over a minute the first time and
    10 s from the cache.
    """
    if "ranx" not in sys.modules:
        from numba.core import config

        config.DISABLE_JIT = True  # type: ignore[attr-defined]
    import ranx

    module: ModuleType = ranx
    return module


def score_answers(questions: Sequence[GoldenQuestion], answers: Mapping[str, Answer]) -> dict[str, Values]:
    """Each answer metric's value a question; API recall only for questions that name APIs.

    ``api_recall@3``: share of the API names in the three best passages; ``api_recall``: in the whole answer;
    ``gold_in_answer``: 1 where a page of a best-graded section is quoted, else 0. No answer scores 0.
    """
    home = home_source(questions)
    values: dict[str, Values] = {name: {} for name in ANSWER_METRICS}
    for question in sorted(questions, key=lambda question: question.id):
        answer = answers.get(question.id)
        if question.apis:
            values["api_recall@3"][question.id] = api_recall(question.apis, answer.passages[:3] if answer else ())
            values["api_recall"][question.id] = api_recall(question.apis, answer.passages if answer else ())
        best = max(question.relevant.values())
        gold = {full_key(question.source, page_of(key), home) for key, grade in question.relevant.items() if grade == best}
        values["gold_in_answer"][question.id] = float(bool(answer and gold & answer.pages))
    return values


def api_recall(apis: Sequence[str], texts: Sequence[str]) -> float:
    """The share of ``apis`` that occur in ``texts``: case-sensitive, as whole names, so that ``refs`` holds no ``ref``.

    A name ends where no letter, digit, ``_`` or ``$`` follows, nor a hyphen with a letter behind it: ``v-model`` holds no
    ``model``. ``ref()`` and ``<KeepAlive>`` among ``apis`` mean the bare names. Raises ValueError for no names at all.
    """
    if not apis:
        raise ValueError("a question that names no API has no API recall")
    return sum(any(name_pattern(name).search(text) for text in texts) for name in apis) / len(apis)


def name_pattern(name: str) -> re.Pattern[str]:
    """The pattern that finds an API name as a whole; an end that is a sign (``.lazy``, ``vue:``) needs no bound."""
    bare = name.removesuffix("()").removeprefix("<").removesuffix(">")
    before = r"(?<![\w$])(?<!\w-)" if re.match(r"[\w$]", bare) else ""
    after = r"(?![\w$])(?!-\w)" if re.search(r"[\w$]$", bare) else ""
    return re.compile(before + re.escape(bare) + after)
