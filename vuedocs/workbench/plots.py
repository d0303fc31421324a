"""Plots of the ingest's stages; each returns a Figure that pyplot has forgotten again, so that a notebook shows it once.

Colours are told apart by people who do not see red and green alike, and the same thing has the same colour in every plot.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from vuedocs.bench.plots import COLOURS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DARK, GREY = "#35495e", "#b8bec6"
MAP_COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#8a5fbf", "#7a5c3e")
"""After Okabe and Ito (2008)."""
LUMINANCE = (0.2126, 0.7152, 0.0722)
"""Weights of red, green and blue in how light a colour is (Rec. 709): figures on a light one are black."""


def set_style() -> None:
    """Readable sizes for every plot of this process."""
    import matplotlib

    matplotlib.rcParams.update({"figure.dpi": 110, "font.size": 10.5, "axes.titlesize": 12, "axes.titleweight": "bold"})


def bars(values: Mapping[str, float], xlabel: str, title: str, *, notes: Mapping[str, str] | None = None) -> Figure:
    """Horizontal bars in the order given, each with its number (or its note) at the end."""
    figure, axes = _figure(max(1.8, 0.9 + 0.32 * len(values)))
    rows = range(len(values))
    axes.barh(rows, list(values.values()), height=0.7, color=COLOURS[0])
    for row, (name, value) in enumerate(values.items()):
        text = (notes or {}).get(name) or (f"{value:,.0f}" if float(value).is_integer() else f"{value:.3f}")
        axes.text(value, row, f" {text}", va="center", fontsize=9.5)
    axes.set_yticks(rows, list(values))
    axes.set_ylim(len(values) - 0.4, -0.6)
    axes.set(xlim=(0, max([*values.values(), 1e-9]) * (1.3 if notes else 1.14)), xlabel=xlabel, title=title)
    axes.tick_params(axis="y", length=0)
    return figure


def side_by_side(panels: Sequence[tuple[str, Mapping[str, float], Mapping[str, str]]], title: str) -> Figure:
    """Horizontal bars of the same rows on several scales: of each panel its unit, its values and what stands at their ends."""
    from matplotlib import pyplot

    rows = list(panels[0][1])
    size = (8.5, max(2.0, 1.1 + 0.5 * len(rows)))
    figure, grid = pyplot.subplots(1, len(panels), figsize=size, sharey=True, layout="constrained", squeeze=False)
    pyplot.close(figure)
    for place, (axes, (unit, values, notes)) in enumerate(zip(grid[0], panels, strict=True)):
        _plain(axes, "x")
        axes.barh(range(len(rows)), list(values.values()), height=0.65, color=COLOURS[place % len(COLOURS)])
        for row, name in enumerate(rows):
            axes.text(values[name], row, f" {notes[name]}", va="center", fontsize=9)
        axes.set(xlim=(0, max([*values.values(), 1e-9]) * 1.45), xlabel=unit)
        axes.xaxis.get_major_locator().set_params(nbins=4)
        axes.xaxis.set_major_formatter("{x:,.10g}")
        axes.tick_params(axis="y", length=0)
    grid[0, 0].set_yticks(range(len(rows)), rows, fontsize=9)
    grid[0, 0].set_ylim(len(rows) - 0.4, -0.6)
    figure.suptitle(title, fontsize=12, fontweight="bold")
    return figure


def stacked(rows: Sequence[str], parts: Sequence[str], counts: npt.NDArray[Any], xlabel: str, title: str) -> Figure:
    """Horizontal bars in the order given, each made of ``parts``; ``counts`` has a row a part and a column a bar."""
    from matplotlib.colors import to_rgb

    figure, axes = _figure(1.7 + 0.42 * max(1, len(rows)))
    starts = np.zeros(len(rows))
    for place, (part, values) in enumerate(zip(parts, counts, strict=True)):
        colour = MAP_COLOURS[place % len(MAP_COLOURS)]
        ink = "white" if np.dot(to_rgb(colour), LUMINANCE) < 0.5 else "black"
        axes.barh(range(len(rows)), values, left=starts, height=0.68, label=part, color=colour)
        for row, value in enumerate(values):
            if value:
                axes.text(starts[row] + value / 2, row, str(value), ha="center", va="center", fontsize=9, color=ink)
        starts = starts + values
    axes.set_yticks(range(len(rows)), rows)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.set(xlabel=xlabel)
    axes.set_title(title, fontsize=11, loc="left")
    axes.tick_params(axis="y", length=0)
    figure.legend(loc="outside lower center", ncols=2, frameon=False, fontsize=9)
    return figure


def histograms(
    groups: Mapping[str, Sequence[float]],
    xlabel: str,
    title: str,
    *,
    ylabel: str,
    mark: float | None = None,
    mark_label: str = "",
    log: bool = False,
) -> Figure:
    """One histogram a group, one below the other over one scale, each with its median; ``mark``: a limit that is drawn in all."""
    from matplotlib import pyplot

    shown = {name: values for name, values in groups.items() if len(values)}
    figure, grid = pyplot.subplots(
        len(shown) or 1, 1, figsize=(8.5, 1.0 + 1.45 * max(1, len(shown))), sharex=True, layout="constrained", squeeze=False
    )
    pyplot.close(figure)
    edges = _edges([value for values in shown.values() for value in values], log)
    for axes, (place, (name, values)) in zip(grid[:, 0], enumerate(shown.items()), strict=False):
        _plain(axes, "y")
        axes.hist(values, bins=edges, color=COLOURS[place % len(COLOURS)], edgecolor="white", linewidth=0.5)
        median = float(np.median(values))
        axes.axvline(median, color="black", linestyle="--", linewidth=1.2)
        axes.set_title(f"{name}: n = {len(values):,}, median {median:,.3g}", loc="left", fontsize=10, fontweight="normal")
        axes.set_ylabel(ylabel)
        axes.yaxis.get_major_locator().set_params(integer=True)
        if mark is not None:
            axes.axvline(mark, color=COLOURS[4], linewidth=1.2)
            axes.text(mark, 0.95, f"{mark_label} ", color=COLOURS[4], fontsize=9, ha="right", va="top",
                      transform=axes.get_xaxis_transform())  # fmt: skip
        if log:
            axes.set_xscale("log")
            axes.xaxis.set_major_formatter("{x:,.0f}")
    if not log and edges[1] - edges[0] == 1:
        grid[-1, 0].xaxis.get_major_locator().set_params(integer=True)
    grid[-1, 0].set_xlabel(xlabel)
    figure.suptitle(title, fontsize=12, fontweight="bold")
    return figure


def overlaid(groups: Mapping[str, Sequence[float]], xlabel: str, title: str) -> Figure:
    """Distributions over one another as outlines, each as a share of its own values, with their means."""
    figure, axes = _figure(3.4)
    edges = _edges([value for values in groups.values() for value in values], False)
    for place, (name, values) in enumerate(groups.items()):
        if not len(values):
            continue
        colour = MAP_COLOURS[place % len(MAP_COLOURS)]
        weights = np.full(len(values), 1 / len(values))
        axes.hist(values, bins=edges, weights=weights, histtype="stepfilled", color=colour, alpha=0.18)
        axes.hist(values, bins=edges, weights=weights, histtype="step", color=colour, linewidth=1.8,
                  label=f"{name} (mean {np.mean(values):.2f}, n = {len(values):,})")  # fmt: skip
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
    axes.set(xlabel=xlabel, ylabel="share", title=title)
    axes.legend(frameon=False, fontsize=9.5, loc="upper left")
    axes.margins(y=0.25)
    return figure


def scatter(
    places: npt.NDArray[np.float64],
    colours: Sequence[str],
    groups: Sequence[str],
    marks: Sequence[str],
    title: str,
    axis_names: tuple[str, str],
) -> Figure:
    """Points in the plane, one panel for each of ``marks``' values, coloured by ``groups``; ``colours``: the groups to name,
    the most important first, all others grey."""
    from matplotlib import pyplot

    kinds = list(dict.fromkeys(marks))
    figure, grid = pyplot.subplots(
        1, len(kinds), figsize=(4.9 * len(kinds), 4.9), sharex=True, sharey=True, layout="constrained", squeeze=False
    )
    pyplot.close(figure)
    group, mark = np.array(groups), np.array(marks)
    for axes, kind in zip(grid[0], kinds, strict=True):
        _plain(axes, "both")
        for name in [None, *reversed(colours)]:
            chosen = (mark == kind) & (~np.isin(group, list(colours)) if name is None else group == name)
            colour = GREY if name is None else MAP_COLOURS[list(colours).index(name)]
            axes.scatter(*places[chosen].T, s=9, color=colour, alpha=0.65, linewidths=0)
        axes.set_title(f"{kind}s (n = {int((mark == kind).sum()):,})", fontweight="normal")
        axes.set_xlabel(axis_names[0])
    grid[0, 0].set_ylabel(axis_names[1])
    handles: list[Any] = [_dot(MAP_COLOURS[place]) for place in range(len(colours))]
    labels = list(colours)
    if set(groups) - set(colours):
        handles, labels = [*handles, _dot(GREY)], [*labels, "other"]
    figure.legend(handles, labels, loc="outside lower center", ncols=min(5, len(labels)), frameon=False)
    figure.suptitle(title, fontsize=12, fontweight="bold")
    return figure


def _dot(colour: str) -> Any:
    from matplotlib.lines import Line2D

    return Line2D([], [], marker="o", linestyle="", color=colour, markersize=6)


def _edges(values: Sequence[float], log: bool) -> list[float]:
    """Bins over all values; whole numbers in a small range get one each."""
    low, high = (float(min(values)), float(max(values))) if values else (0.0, 1.0)
    if log:
        return list(np.geomspace(max(1.0, low), max(2.0, high * 1.01), 41))
    if all(float(value).is_integer() for value in values) and high - low <= 40:
        return list(np.arange(low - 0.5, high + 1.5))
    return list(np.linspace(low, high if high > low else low + 1, 41))


def _figure(height: float) -> tuple[Figure, Axes]:
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(8.5, height), layout="constrained")
    pyplot.close(figure)
    _plain(axes, "x")
    return figure, axes


def _plain(axes: Axes, grid: Any) -> None:
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis=grid, color="#e2e2e2", linewidth=0.6)
    axes.set_axisbelow(True)
