"""What the playground shows of a search: its answer, its candidates, its stages, and two searches side by side."""

from __future__ import annotations

import html
from typing import Any

from vuedocs.bench.space import value_of
from vuedocs.config import Config
from vuedocs.errors import UsageError
from vuedocs.query.explain import explain
from vuedocs.records import Search
from vuedocs.stages import Result
from vuedocs.tokens import estimate
from vuedocs.workbench.tables import Link, Table

SHOWN = 15
"""Candidates a table."""
TEXT = (
    "white-space:pre-wrap;overflow:auto;max-height:32em;font-size:.85em;line-height:1.45;margin:0;"
    "font-family:var(--jp-code-font-family,monospace)"
)


def limits(config: Config, key: str) -> tuple[Any, Any]:
    """The range of a slider: what the config allows, at most four times the present value. UsageError where it is no number."""
    value = value_of(config, key)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise UsageError(f"{key} is {value!r}: only numbers have sliders; write it into the overrides")
    section, _, name = key.partition(".")
    rules = type(config.section(section)).model_json_schema()["properties"][name]
    low = rules.get("minimum", rules.get("exclusiveMinimum", 0))
    high = rules.get("maximum", 4 * value or 10)
    if high > 1:
        high = min(high, 4 * value or 10)
    return type(value)(low), type(value)(high)


def notice(result: Result[Search]) -> str:
    """One line on an answer."""
    state = result.state
    said = [f"{len(state.passages)} sections", f"{estimate(state.text):,} tokens", *state.notes]
    return " · ".join([*said, *(f"degraded: {stage}" for stage in state.degraded)])


def verdict_html(words: str, wrong: bool = False) -> str:
    """A line above an answer; ``wrong``: a reason why there is none."""
    colour = "var(--jp-error-color1, #c0392b)" if wrong else "inherit"
    return f"<div class='vuedocs-verdict' style='color:{colour};margin:.4em 0'>{html.escape(words)}</div>"


def answer_html(result: Result[Search]) -> str:
    """The answer as the tool returns it, as text."""
    return f"<pre class='vuedocs-answer' style='{TEXT}'>{html.escape(result.state.text or 'nothing was found')}</pre>"


def explain_html(result: Result[Search]) -> str:
    """What each stage did."""
    return f"<pre style='{TEXT}'>{html.escape(explain(result))}</pre>"


def candidates_table(result: Result[Search]) -> Table:
    """The best candidates with the score of each signal, and whether they are in the answer."""
    shown = {passage.chunk_id for passage in result.state.passages}
    candidates = result.state.candidates[:SHOWN]
    signals = list(dict.fromkeys(signal for candidate in candidates for signal in candidate.scores))
    rows = [
        (
            place,
            _section(candidate.chunk_id, candidate.chunk.url if candidate.chunk else ""),
            *(candidate.scores.get(signal, "") for signal in signals),
            candidate.chunk_id in shown,
        )
        for place, candidate in enumerate(candidates, 1)
    ]
    return Table(("#", "section", *signals, "shown"), rows)


def comparison_table(first: Result[Search], second: Result[Search]) -> Table:
    """The sections of both answers and their places among the candidates of each side."""
    places = [{c.chunk_id: n for n, c in enumerate(result.state.candidates, 1)} for result in (first, second)]
    shown = [{passage.chunk_id for passage in result.state.passages} for result in (first, second)]
    urls = {c.chunk_id: c.chunk.url for result in (first, second) for c in result.state.candidates if c.chunk}
    order = sorted(shown[0] | shown[1], key=lambda id: (places[0].get(id, 999), places[1].get(id, 999)))
    rows = [(_section(id, urls.get(id, "")), *(_place(id, places[side], shown[side]) for side in (0, 1))) for id in order]
    return Table(("section", "A", "B"), rows, "Sections of either answer and their places")


def _place(id: str, places: dict[str, int], shown: set[str]) -> str:
    if id not in places:
        return "not found"
    return f"{places[id]}" if id in shown else f"{places[id]}, not shown"


def _section(chunk_id: str, url: str) -> Link:
    return Link(chunk_id, url)
