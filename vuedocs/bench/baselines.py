"""Baselines: is a result worse than one that was stored.

A baseline is what ``--out`` wrote: a folder with ``metrics.json`` and ``per_question.jsonl``.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from vuedocs.bench.comparison import check_comparable
from vuedocs.bench.intervals import difference, holm
from vuedocs.bench.result import BenchResult
from vuedocs.bench.stored import GATED, StoredRun, read_stored

ALPHA = 0.05
"""Chance of a false alarm, over both metrics."""


def read_baseline(path: Path) -> StoredRun:
    """The baseline in a folder, or beside the ``metrics.json`` that ``path`` names. Raises QuestionsError."""
    return read_stored(path, "baseline")


def gate(result: BenchResult, baseline_path: Path) -> tuple[str, ...]:
    """What has become worse than the baseline, in words; empty when nothing has.

    nDCG@10 and recall@5 each fail when their paired difference is below 0 by a one-sided sign-flip test at .05, Holm-adjusted
    for the two. Raises QuestionsError for a baseline of another level, scope or set of questions.
    """
    baseline = read_baseline(baseline_path)
    check_comparable(result, baseline.summary, f"baseline {baseline_path}")
    tests = {name: difference(result.values[name], baseline.values(name), "less") for name in GATED}
    adjusted = holm({name: test.p for name, test in tests.items()})
    return tuple(
        f"{name} fell from {_mean(baseline.values(name)):.3f} to {result.metrics[name].mean:.3f}: {test.mean:+.3f} "
        f"[{test.ci95[0]:+.3f}, {test.ci95[1]:+.3f}], one-sided paired test p={adjusted[name]:.4f} (Holm), "
        f"n={test.n}, level {result.level}, split {result.split}, against {baseline_path}"
        for name, test in tests.items()
        if test.mean < 0 and adjusted[name] < ALPHA
    )


def _mean(values: Mapping[str, float]) -> float:
    return sum(values.values()) / len(values)
