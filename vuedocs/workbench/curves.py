"""Plots of tuning: curves of one key with their interval bands, and quality against its price."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from vuedocs.bench import Difference
from vuedocs.bench.selection import front
from vuedocs.workbench.effects import BETTER, UNCLEAR, WORSE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Curve:
    """One key's values, the differences to the present value, and where the present value is."""

    key: str
    values: Sequence[Any]
    effects: Sequence[Difference]
    """In the order of ``values``; the present value's is 0."""
    present: Any
    level: float
    """The mean at the present value."""


def curves(shown: Sequence[Curve], name: str, note: str) -> Figure:
    """A panel a key: the mean over its values, the band of the paired 95% interval against the present value, which is marked."""
    from matplotlib import pyplot

    columns = min(2, len(shown))
    rows = -(-len(shown) // columns)
    size = (4.6 * columns, 0.7 + 2.45 * rows)
    figure, grid = pyplot.subplots(rows, columns, figsize=size, sharey=True, layout="constrained", squeeze=False)
    pyplot.close(figure)
    for axes, curve in zip(grid.flat, shown, strict=False):
        _curve(axes, curve)
    for axes in list(grid.flat)[len(shown) :]:
        axes.set_visible(False)
    for axes in grid[:, 0]:
        axes.set_ylabel(name)
    figure.suptitle(note, fontsize=9.5)
    return figure


def _curve(axes: Axes, curve: Curve) -> None:
    numbers = all(isinstance(value, int | float) and not isinstance(value, bool) for value in curve.values)
    places = list(curve.values) if numbers else list(range(len(curve.values)))
    means = [curve.level + effect.mean for effect in curve.effects]
    lows = [curve.level + effect.ci95[0] for effect in curve.effects]
    highs = [curve.level + effect.ci95[1] for effect in curve.effects]
    here = places[list(curve.values).index(curve.present)]
    _bare(axes)
    axes.axhline(curve.level, color="#999999", linewidth=0.8, linestyle=":")
    axes.axvline(here, color="black", linewidth=0.9, linestyle="--")
    if numbers:
        axes.fill_between(places, lows, highs, color=BETTER, alpha=0.18, linewidth=0)
        axes.plot(places, means, color=BETTER, linewidth=1.6)
    else:
        axes.vlines(places, lows, highs, color=BETTER, alpha=0.5, linewidth=4)
        axes.set_xticks(places, [str(value) for value in curve.values])
    for place, mean, effect in zip(places, means, curve.effects, strict=True):
        held = effect.p < 0.05
        axes.plot(place, mean, "o", markersize=5, color=BETTER, markerfacecolor=BETTER if held else "white", zorder=3)
    axes.plot(here, curve.level, "D", markersize=6.5, color="black", zorder=4)
    axes.set_title(f"{curve.key}  (now {curve.present})", fontsize=10, fontweight="normal", loc="left")


def pareto(
    points: Mapping[str, tuple[float, float]], marked: Mapping[str, tuple[float, float]], quality: str, cost: str, title: str
) -> Figure:
    """Quality over cost of everything that was tried, the front joined; ``marked`` are labelled: the present, the winner."""
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(6.4, 3.8), layout="constrained")
    pyplot.close(figure)
    _bare(axes)
    both = list(points.values())
    axes.scatter([c for _, c in both], [q for q, _ in both], s=20, color=UNCLEAR, alpha=0.55, linewidths=0, label="tried")
    kept = [both[place] for place in front(both)]
    axes.plot([c for _, c in kept], [q for q, _ in kept], color=BETTER, linewidth=1.4, marker="o", markersize=5,
              drawstyle="steps-post", label="front")  # fmt: skip
    for (name, (q, c)), colour, shape in zip(marked.items(), ("black", WORSE), ("D", "*"), strict=False):
        axes.plot(c, q, shape, markersize=8 if shape == "D" else 14, color=colour, linestyle="", label=name, zorder=4)
    axes.set(xlabel=cost, ylabel=quality)
    axes.set_title(title, fontsize=10.5, loc="left")
    axes.legend(frameon=False, fontsize=9, loc="lower right")
    return figure


def _bare(axes: Axes) -> None:
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(color="#ececec", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.tick_params(labelsize=8.5)
