"""Baselines: is a result worse than one that was stored.

A baseline is what ``--out`` wrote: a folder with ``metrics.json`` and ``per_question.jsonl``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vuedocs.bench.comparison import check_comparable
from vuedocs.bench.intervals import difference, holm
from vuedocs.bench.result import BenchResult
from vuedocs.errors import QuestionsError

GATED = ("ndcg@10", "recall@5")
ALPHA = 0.05
"""Chance of a false alarm, over both metrics."""


@dataclass(frozen=True, slots=True)
class Baseline:
    """A stored result to compare with."""

    path: Path
    summary: Mapping[str, Any]
    """``metrics.json``."""
    values: Mapping[str, Mapping[str, float]]
    """Metric to {question id: value}."""


def read_baseline(path: Path) -> Baseline:
    """The baseline in a folder, or beside the ``metrics.json`` that ``path`` names.

    Raises QuestionsError when it is not there, damaged, or does not hold the values of every question.
    """
    remedy = "give the folder that `vuedocs bench --out` wrote"
    if not path.exists():
        raise QuestionsError(f"baseline {path} is not there; {remedy}")
    folder = path if path.is_dir() else path.parent
    try:
        summary = json.loads((folder / "metrics.json").read_text(encoding="utf-8"))
        lines = (folder / "per_question.jsonl").read_text(encoding="utf-8").splitlines()
        rows = {row["id"]: row["metrics"] for row in map(json.loads, lines)}
        complete = summary["n"] == len(rows) and all(name in row for row in rows.values() for name in GATED)
    except FileNotFoundError as error:
        raise QuestionsError(f"baseline {path}: {error.filename} is not there; {remedy}") from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise QuestionsError(f"baseline {path} cannot be read: {error!r}; {remedy}") from error
    if not complete:
        raise QuestionsError(f"baseline {path}: per_question.jsonl does not hold all {summary['n']} questions; {remedy}")
    names = sorted({name for row in rows.values() for name in row})
    return Baseline(path, summary, {name: {id: row[name] for id, row in rows.items() if name in row} for name in names})


def gate(result: BenchResult, baseline_path: Path) -> tuple[str, ...]:
    """What has become worse than the baseline, in words; empty when nothing has.

    nDCG@10 and recall@5 each fail when their paired difference is below 0 by a one-sided sign-flip test at .05, Holm-adjusted
    for the two. Raises QuestionsError for a baseline of another level, scope or set of questions.
    """
    baseline = read_baseline(baseline_path)
    check_comparable(result, baseline.summary, f"baseline {baseline_path}")
    tests = {name: difference(result.values[name], baseline.values[name], "less") for name in GATED}
    adjusted = holm({name: test.p for name, test in tests.items()})
    return tuple(
        f"{name} fell from {_mean(baseline.values[name]):.3f} to {result.metrics[name].mean:.3f}: {test.mean:+.3f} "
        f"[{test.ci95[0]:+.3f}, {test.ci95[1]:+.3f}], one-sided paired test p={adjusted[name]:.4f} (Holm), "
        f"n={test.n}, level {result.level}, split {result.split}, against {baseline_path}"
        for name, test in tests.items()
        if test.mean < 0 and adjusted[name] < ALPHA
    )


def _mean(values: Mapping[str, float]) -> float:
    return sum(values.values()) / len(values)
