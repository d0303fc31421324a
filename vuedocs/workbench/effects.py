"""Plots of paired differences: a forest of intervals, and a grid of means by group, as a paper would print them.

Colour is never the only sign: what a test holds up has a filled mark, or bold figures.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from vuedocs.bench import Difference

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

WORSE, BETTER, UNCLEAR = "#d55e00", "#0072b2", "#767676"
"""After Okabe and Ito (2008)."""
ALPHA = 0.05
SHOWN = 0.0005
"""Smaller differences are 0 in figures of three decimals."""


def verdict(effect: Difference, fewer_is_better: bool = False) -> str:
    """``better``, ``worse`` or ``unclear``: which way a difference goes, if its test holds at .05."""
    if effect.p >= ALPHA or effect.mean == 0:
        return "unclear"
    return "better" if (effect.mean > 0) != fewer_is_better else "worse"


def forest(
    effects: Mapping[str, Mapping[str, Difference]], titles: Mapping[str, str], fewer_is_better: frozenset[str], note: str
) -> Figure:
    """A panel a quantity, a row a variant: mean paired difference with its 95% interval, the variants in the first's order."""
    from matplotlib import pyplot

    order = next(iter(effects.values()))
    rows = list(order)
    size = (2.6 + 2.15 * len(effects), 1.5 + 0.31 * len(rows))
    figure, grid = pyplot.subplots(1, len(effects), figsize=size, sharey=True, layout="constrained", squeeze=False)
    pyplot.close(figure)
    for axes, (name, found) in zip(grid[0], effects.items(), strict=True):
        _panel(axes, [found[row] for row in rows], name in fewer_is_better)
        axes.set_title(titles[name], fontsize=10, fontweight="normal", loc="center")
        axes.set_xlabel("difference", fontsize=9)
    grid[0, 0].set_yticks(range(len(rows)), rows)
    grid[0, 0].set_ylim(len(rows) - 0.5, -0.5)
    handles = [_handle(colour, filled) for colour, filled in ((WORSE, True), (BETTER, True), (UNCLEAR, False))]
    labels = ["worse, p < .05", "better, p < .05", "no difference shown"]
    figure.legend(handles, labels, loc="outside lower center", ncols=3, frameon=False, fontsize=9)
    figure.suptitle(note, fontsize=9.5, fontweight="normal")
    return figure


def _panel(axes: Axes, found: Sequence[Difference], fewer_is_better: bool) -> None:
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.grid(axis="x", color="#e6e6e6", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.axvline(0, color="black", linewidth=0.9)
    axes.tick_params(axis="y", length=0)
    axes.tick_params(axis="x", labelsize=8.5)
    axes.locator_params(axis="x", nbins=4)
    for row, effect in enumerate(found):
        colour = {"better": BETTER, "worse": WORSE, "unclear": UNCLEAR}[verdict(effect, fewer_is_better)]
        face = "white" if colour == UNCLEAR else colour
        axes.plot(effect.ci95, [row, row], color=colour, linewidth=1.6, solid_capstyle="butt", zorder=2)
        axes.plot([effect.mean], [row], marker="o", markersize=5.5, color=colour, markerfacecolor=face, zorder=3)
    reach = max([abs(bound) for effect in found for bound in effect.ci95] + [1e-3])
    low, high = min(effect.ci95[0] for effect in found), max(effect.ci95[1] for effect in found)
    axes.set_xlim(min(low, -0.15 * reach) - 0.06 * reach, max(high, 0.15 * reach) + 0.06 * reach)


def grid(effects: Mapping[str, Mapping[str, Difference]], title: str) -> Figure:
    """A column a group, a row a variant: the mean difference as figures on a ground from worse to better."""
    from matplotlib import pyplot
    from matplotlib.colors import LinearSegmentedColormap

    groups = list(effects)
    rows = [row for row in next(iter(effects.values())) if any(abs(effects[group][row].mean) >= SHOWN for group in groups)]
    values = np.array([[effects[group][row].mean for group in groups] for row in rows]).reshape(len(rows), len(groups))
    figure, axes = pyplot.subplots(figsize=(2.9 + 1.0 * len(groups), 1.3 + 0.33 * max(1, len(rows))), layout="constrained")
    pyplot.close(figure)
    reach = max(0.01, float(np.abs(values).max(initial=0)))
    colours = LinearSegmentedColormap.from_list("effects", ["#e8935a", "#ffffff", "#6aaed6"])
    axes.imshow(values, cmap=colours, vmin=-reach, vmax=reach, aspect="auto")
    for row, name in enumerate(rows):
        for column, group in enumerate(groups):
            held = effects[group][name].p < ALPHA
            text = "0" if abs(values[row, column]) < SHOWN else f"{values[row, column]:+.3f}{'*' if held else ''}"
            axes.text(column, row, text, ha="center", va="center", fontsize=9, fontweight="bold" if held else "normal")
    sizes = [next(iter(effects[group].values())).n for group in groups]
    axes.set_xticks(range(len(groups)), [f"{group}\nn = {size}" for group, size in zip(groups, sizes, strict=True)])
    axes.set_yticks(range(len(rows)), rows)
    axes.tick_params(length=0, labelsize=9)
    axes.xaxis.tick_top()
    for spine in axes.spines.values():
        spine.set_visible(False)
    axes.set_xticks(np.arange(0.5, len(groups) - 0.5), minor=True)
    axes.set_yticks(np.arange(0.5, len(rows) - 0.5), minor=True)
    axes.grid(which="minor", color="white", linewidth=2)
    axes.tick_params(which="minor", length=0)
    figure.suptitle(title, fontsize=10.5, fontweight="bold")
    return figure


def _handle(colour: str, filled: bool) -> Line2D:
    from matplotlib.lines import Line2D

    return Line2D([], [], marker="o", color=colour, markerfacecolor=colour if filled else "white", markersize=5.5, linewidth=1.6)
