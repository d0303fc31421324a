"""Plots of benchmark results; each function returns a Figure that is closed already, so a notebook shows it once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from vuedocs.bench.intervals import Interval
from vuedocs.bench.result import BenchResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = ("#2f7d5b", "#35495e", "#d98e04", "#8a5fbf", "#c0504d", "#4f9bd9")
SHOWN = ("ndcg@10", "recall@5", "recall@10", "mrr@10", "right@1", "api_recall@3", "gold_in_answer")


def plot_metrics(results: Mapping[str, BenchResult], metrics: Sequence[str] = SHOWN) -> Figure:
    """Each metric's mean with its 95% interval, one colour a system."""
    names = [name for name in metrics if any(name in result.metrics for result in results.values())]
    figure, axes = _figure(1.1 + 0.28 * len(names) * max(len(results), 2))
    height = 0.8 / len(results)
    for number, (system, result) in enumerate(results.items()):
        rows = [row for row, name in enumerate(names) if name in result.metrics]
        places = [row + (number - (len(results) - 1) / 2) * height for row in rows]
        shown = [result.metrics[names[row]] for row in rows]
        _bars(axes, places, shown, height * 0.9, COLOURS[number % len(COLOURS)], f"{system} (n={result.n})")
    axes.set_yticks(range(len(names)), [_of_fewer(name, results) for name in names])
    axes.invert_yaxis()
    axes.set(xlim=(0, 1.12), xlabel="mean over questions, with 95% bootstrap interval", title=_title(results))
    figure.legend(loc="outside lower center", ncols=3, frameon=False)
    return figure


def _of_fewer(metric: str, results: Mapping[str, BenchResult]) -> str:
    """A metric's name, and how many questions have it where not all do."""
    sizes = {(result.metrics[metric].n, result.n) for result in results.values() if metric in result.metrics}
    of, whole = sizes.pop() if len(sizes) == 1 else (0, 0)
    return metric if of == whole else f"{metric} (n={of})"


def plot_groups(result: BenchResult, attribute: str = "kind", metric: str = "ndcg@10") -> Figure:
    """One metric by kind (or ``source``, ``split``) of question, the best first, with intervals and the overall mean."""
    groups = {name: group for name, group in result.group(attribute).items() if metric in group["metrics"]}
    ordered = sorted(groups, key=lambda name: -groups[name]["metrics"][metric].mean)
    figure, axes = _figure(1.2 + 0.42 * len(ordered))
    shown = [groups[name]["metrics"][metric] for name in ordered]
    _bars(axes, list(range(len(ordered))), shown, 0.7, COLOURS[0], "")
    mean = result.metrics[metric].mean
    axes.axvline(mean, color=COLOURS[1], linestyle="--", linewidth=1)
    axes.text(mean, -0.62, f" all {mean:.3f}", color=COLOURS[1], fontsize=9, va="bottom")
    axes.set_yticks(range(len(ordered)), [f"{name} (n={value.n})" for name, value in zip(ordered, shown, strict=True)])
    axes.invert_yaxis()
    axes.set(xlim=(0, 1.12), xlabel=f"{metric}, mean with 95% bootstrap interval")
    axes.set_title(f"{metric} by {attribute}: level {result.level}, split {result.split}", pad=18)
    return figure


def plot_latency(result: BenchResult) -> Figure:
    """Milliseconds of a warm query by stage, in the order in which they run: median as bar, 95th percentile as mark."""
    stages = list(dict.fromkeys(stage for answer in result.answers for stage in answer.stages))
    times = [[a.stages[stage] for a in result.answers if stage in a.stages] for stage in stages]
    times.append([answer.milliseconds for answer in result.answers])
    medians = [float(np.percentile(values, 50)) for values in times]
    tails = [float(np.percentile(values, 95)) for values in times]
    rows = range(len(times))
    figure, axes = _figure(1.3 + 0.42 * len(times))
    axes.barh(rows, medians, height=0.65, color=[COLOURS[0]] * len(stages) + [COLOURS[1]], label="p50")
    axes.scatter(tails, rows, marker="|", s=220, linewidths=2, color=COLOURS[2], label="p95", zorder=3)
    for row, median, tail in zip(rows, medians, tails, strict=True):
        axes.text(max(median, tail), row, f"  {median:.1f} / {tail:.1f}", va="center", fontsize=9)
    axes.set_yticks(rows, [*stages, "whole query"])
    axes.invert_yaxis()
    axes.set(xlim=(0, max(tails) * 1.25 or 1), xlabel="milliseconds (p50 / p95)")
    axes.set_title(f"latency by stage, warm, one query at a time (n={result.n})", loc="left")
    axes.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=2, frameon=False)
    return figure


def plot_values(result: BenchResult, metric: str = "ndcg@10") -> Figure:
    """How one metric is spread over the questions: a histogram, because a mean hides the questions that got nothing."""
    values = list(result.values[metric].values())
    figure, axes = _figure(3.2)
    axes.hist(values, bins=np.linspace(0, 1, 21).tolist(), color=COLOURS[0], edgecolor="white")
    axes.axvline(float(np.mean(values)), color=COLOURS[1], linestyle="--", linewidth=1, label=f"mean {np.mean(values):.3f}")
    axes.set(xlabel=f"{metric} of a question", ylabel="questions", title=f"{metric} question by question (n={len(values)})")
    axes.legend(frameon=False)
    return figure


def _bars(axes: Axes, places: Sequence[float], values: Sequence[Interval], height: float, colour: str, label: str) -> None:
    means = [value.mean for value in values]
    # An interval is not symmetric, and rounding may put the mean a hair outside of it.
    whiskers = [[max(0.0, v.mean - v.ci95[0]) for v in values], [max(0.0, v.ci95[1] - v.mean) for v in values]]
    axes.barh(places, means, height=height, color=colour, label=label, xerr=whiskers, error_kw={"elinewidth": 1.2, "capsize": 3})
    for place, value in zip(places, values, strict=True):
        axes.text(max(value.mean, value.ci95[1]) + 0.012, place, f"{value.mean:.3f}", va="center", fontsize=9)


def _title(results: Mapping[str, BenchResult]) -> str:
    first = next(iter(results.values()))
    return f"level {first.level}, split {first.split}, {'unscoped' if first.unscoped else 'scoped'}"


def _figure(height: float) -> tuple[Figure, Axes]:
    """A figure that pyplot has forgotten again: shown where it is returned, and garbage after."""
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(8.5, height), layout="constrained")
    pyplot.close(figure)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="x", color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)
    return figure, axes
