"""Plots: they draw without a display, and say what they show."""

from __future__ import annotations

from pathlib import Path

import pytest
from fake_reader import FakeReader, golden

from vuedocs.bench import BenchResult, benchmark, plots

QUESTIONS = [golden("a", {"p": 3}, apis=("ref",)), golden("b", {"p": 2}, kind="debug"), golden("c", {"p": 3}, kind="migrate")]


@pytest.fixture
async def result() -> BenchResult:
    found = {"a": [("vue/p", 0.9), ("vue/q", 0.5)], "b": [("vue/q", 0.9), ("vue/p", 0.5)], "c": []}
    return await benchmark(FakeReader(found), QUESTIONS, progress=False)


def words(figure: object) -> list[str]:
    from matplotlib.text import Text

    return [text.get_text() for text in figure.findobj(Text) if text.get_text()]  # type: ignore[attr-defined]


async def test_metrics_show_every_system_with_its_n(result: BenchResult, tmp_path: Path) -> None:
    figure = plots.plot_metrics({"pipeline": result, "BM25 alone": result})
    assert {"ndcg@10", "recall@5", "pipeline (n=3)", "BM25 alone (n=3)", "level section, split dev, scoped"} <= set(words(figure))
    figure.savefig(tmp_path / "metrics.png")
    assert (tmp_path / "metrics.png").stat().st_size > 5000


async def test_groups_are_labelled_with_their_size(result: BenchResult) -> None:
    shown = words(plots.plot_groups(result))
    assert {"howto (n=1)", "debug (n=1)", "ndcg@10 by kind: level section, split dev"} <= set(shown)
    assert shown.index("howto (n=1)") < shown.index("debug (n=1)") < shown.index("migrate (n=1)")


async def test_latency_names_stages_in_their_order_and_the_unit(result: BenchResult) -> None:
    figure = plots.plot_latency(result)
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == ["search", "rerank", "reconstruct", "whole query"]
    assert "milliseconds" in figure.axes[0].get_xlabel()


async def test_the_histogram_counts_every_question(result: BenchResult) -> None:
    axes = plots.plot_values(result).axes[0]
    assert sum(bar.get_height() for bar in axes.patches) == 3
