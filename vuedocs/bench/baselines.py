"""The gate: is a result worse than a stored one, or dearer than its budget.

A baseline is what ``vuedocs baseline`` keeps of a run: ``metrics.json`` and ``per_question.jsonl`` at least.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vuedocs.bench.alignment import moved
from vuedocs.bench.comparison import aligned, check_comparable
from vuedocs.bench.intervals import Difference, difference, holm
from vuedocs.bench.lost import RELEVANT
from vuedocs.bench.report import metrics_document
from vuedocs.bench.result import BenchResult
from vuedocs.bench.stored import StoredRun, read_stored, stored
from vuedocs.records import Manifest

DELIVERED = "delivered"
"""The share of a question's golden sections that are among the ten best and in the answer."""
HELD = ("ndcg@10", "recall@5", "api_recall@3", DELIVERED)
"""What must not fall: the ranking by the first two; by the rest the answer, which reconstruct may spoil behind it."""
ALPHA = 0.05
"""Chance of a false alarm, over all of them."""
LEAST = 0.005
"""Smaller falls pass, however sure: on vue ``search.leg_depth=90`` cost .001 with p < .05, since the few that moved all fell."""
BUDGETS = {"tokens an answer": 1.10, "p95 of a query / p95 of detect": 1.50, "points of the index": 1.25}
"""How many times the baseline's value each may be.

Latency is held against ``detect``, which is almost only the model's forward pass, of the same run: so that another machine, or a
busy one, is no regression.
"""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the gate found."""

    worse: tuple[str, ...]
    """In words, each metric that fell by more than noise and each budget that is broken; empty: passed."""
    summary: str
    """Markdown: the verdict, metrics, budgets, and the questions that moved."""


def read_baseline(path: Path) -> StoredRun:
    """The baseline in a folder, or beside the ``metrics.json`` that ``path`` names. Raises QuestionsError."""
    return read_stored(path, "baseline")


def gate(result: BenchResult, baseline_path: Path) -> tuple[str, ...]:
    """What has become worse than the baseline, in words; empty when nothing has.

    Each of HELD fails when it fell by LEAST or more, and is below 0 by a one-sided paired sign-flip test at .05, Holm-adjusted
    for those that both have. Raises QuestionsError for a baseline of another level, scope or set of questions.
    """
    return in_words(falls(result, read_baseline(baseline_path)), result, baseline_path)


@dataclass(frozen=True, slots=True)
class Fall:
    """How one of HELD differs from the baseline's."""

    before: float
    """The baseline's mean over all of its questions."""
    now: float
    test: Difference
    """Over the questions of both."""


def in_words(found: Mapping[str, Fall], result: BenchResult, baseline_path: Path) -> tuple[str, ...]:
    """What fell by LEAST or more and by more than noise."""
    return tuple(
        f"{name} fell from {fall.before:.3f} to {fall.now:.3f}: {fall.test.mean:+.3f} "
        f"[{fall.test.ci95[0]:+.3f}, {fall.test.ci95[1]:+.3f}], one-sided paired test p={fall.test.p:.4f} (Holm), "
        f"n={fall.test.n}, level {result.level}, split {result.split}, against {baseline_path}"
        for name, fall in found.items()
        if fall.test.mean <= -LEAST and fall.test.p < ALPHA
    )


def falls(result: BenchResult, baseline: StoredRun) -> dict[str, Fall]:
    """How a result differs from a baseline in what must not fall. Raises QuestionsError for another set."""
    check_comparable(result, baseline.summary, f"baseline {baseline.folder}")
    now, before = held(stored(result, "now")), held(baseline)
    return {name: Fall(_mean(before[name]), _mean(now[name]), test) for name, test in one_sided(now, before).items()}


def one_sided(now: Mapping[str, Mapping[str, float]], before: Mapping[str, Mapping[str, float]]) -> dict[str, Difference]:
    """The paired difference of each of HELD that both have, one-sided, Holm-adjusted."""
    tests = {name: difference(now[name], before[name], "less") for name in HELD if now.get(name) and before.get(name)}
    adjusted = holm({name: test.p for name, test in tests.items()})
    return {name: Difference(test.mean, test.ci95, adjusted[name], test.n) for name, test in tests.items()}


def held(run: StoredRun) -> dict[str, dict[str, float]]:
    """Each of HELD to its value a question; empty where a run does not keep what it is made of."""
    return {name: delivered(run) if name == DELIVERED else run.values(name) for name in HELD}


def delivered(run: StoredRun) -> dict[str, float]:
    """DELIVERED a question, from the sections that were lost."""
    wanted = {id: sum(grade >= RELEVANT for grade in grades.values()) for id, grades in run.qrels.items()}
    return {id: 1 - len(row["lost"]) / wanted[id] for id, row in run.rows.items() if "lost" in row and wanted.get(id)}


def judge(result: BenchResult, baseline_path: Path, manifest: Manifest) -> Verdict:
    """The gate's whole verdict: quality and budgets. Raises QuestionsError as :func:`gate` does."""
    baseline = read_baseline(baseline_path)
    now = costs(metrics_document(result), manifest)
    before = costs(baseline.summary, baseline.facts.get("index"))
    broken = tuple(
        f"{name} rose from {before[name]:.2f} to {now[name]:.2f}, over its budget of {BUDGETS[name]:.2f} times the baseline's"
        for name in BUDGETS
        if name in before and name in now and now[name] > BUDGETS[name] * before[name]
    )
    found = falls(result, baseline)
    worse = in_words(found, result, baseline_path) + broken
    verdict = "WORSE than the baseline" if worse else "not worse than the baseline by more than noise"
    basis = f"n={result.n}, level {result.level}, split {result.split}, config {result.config}, baseline {baseline_path.name}"
    rows = [["metric", "baseline", "now", "difference [95% interval] one-sided p (Holm)"]]
    for name, fall in found.items():
        rows.append([name, f"{fall.before:.3f}", f"{fall.now:.3f}", str(fall.test)])
    spent = [["budget", "baseline", "now", "allowed"]]
    for name, factor in BUDGETS.items():
        allowed = before[name] * factor if name in before else None
        spent.append([name, _number(before.get(name)), _number(now.get(name)), _number(allowed)])
    changed = moved(stored(result, "this run"), baseline, result.values["ndcg@10"], top=15)
    table = ["question by question:", "", "```", *changed, "```"]
    lines = [f"### Retrieval: {verdict}", "", basis, "", *(f"- {words}" for words in worse), *([""] if worse else [])]
    return Verdict(worse, "\n".join([*lines, *aligned(rows), "", *aligned(spent), "", *table]) + "\n")


def costs(summary: Mapping[str, Any], index: Manifest | Mapping[str, Any] | None) -> dict[str, float]:
    """What the budgets are about, as far as a run's files know it; points are those of the sources that were asked about."""
    found = {"tokens an answer": float(summary["tokens"]["mean"])}
    times = summary["latency_ms"]
    if detect := times["stages"].get("detect", {}).get("p95"):
        found["p95 of a query / p95 of detect"] = times["p95"] / detect
    if isinstance(index, Manifest):
        points = {entry.source: entry.points for entry in index.sources}
    else:
        points = {entry["source"]: entry["points"] for entry in index["sources"]} if index else {}
    if points:
        found["points of the index"] = float(sum(points.get(source, 0) for source in summary["by_source"]))
    return found


def _mean(values: Mapping[str, float]) -> float:
    return sum(values.values()) / len(values)


def _number(value: float | None) -> str:
    return "not known" if value is None else f"{value:,.2f}"
