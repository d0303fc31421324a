"""Comparison: which of several systems is better, question by question, on one set of questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from vuedocs.bench.intervals import Difference, difference, holm
from vuedocs.bench.result import BenchResult
from vuedocs.errors import QuestionsError

COMPARED = ("ndcg@10", "recall@5", "recall@10", "mrr@10", "right@1", "api_recall@3", "gold_in_answer")
"""Columns of the table; the first two with their intervals."""


def identity(result: BenchResult) -> dict[str, Any]:
    """What two results must share to be compared, under the keys of ``metrics.json``."""
    return {"level": result.level, "unscoped": result.unscoped, "questions": result.questions_digest, "n": result.n}


def check_comparable(result: BenchResult, summary: Mapping[str, Any], other: str) -> None:
    """Returns when a stored result was made of the same questions at the same level and scope, else raises QuestionsError."""
    for key, value in identity(result).items():
        if summary.get(key) != value:
            raise QuestionsError(
                f"{other} cannot be compared: its {key} is {summary.get(key)!r}, this result's is {value!r}; "
                "run both on the same questions, level and scope"
            )


def differences(results: Mapping[str, BenchResult], baseline: str, metric: str) -> dict[str, Difference]:
    """Each system's paired difference to ``baseline`` in one metric, p-values Holm-adjusted over the systems.

    Raises QuestionsError when the systems did not answer the same questions, KeyError for an unknown baseline.
    """
    reference = results[baseline]
    others = {name: result for name, result in results.items() if name != baseline}
    for name, result in others.items():
        check_comparable(result, identity(reference), f"{baseline!r} beside {name!r}")
    tests = {name: difference(result.values[metric], reference.values[metric]) for name, result in others.items()}
    adjusted = holm({name: test.p for name, test in tests.items()})
    return {name: Difference(test.mean, test.ci95, adjusted[name], test.n) for name, test in tests.items()}


def compare(results: Mapping[str, BenchResult], baseline: str) -> str:
    """A Markdown table: each system's metrics, and its difference in nDCG@10 to ``baseline`` with interval and Holm's p."""
    reference = results[baseline]
    tests = differences(results, baseline, "ndcg@10")
    names = [name for name in COMPARED if name in reference.metrics]
    rows = [["system", *names, f"ndcg@10 against {baseline}"]]
    for system, result in results.items():
        intervals = [str(result.metrics[name]) for name in names[:2]]
        means = [f"{result.metrics[name].mean:.3f}" if name in result.metrics else "-" for name in names[2:]]
        rows.append([system, *intervals, *means, str(tests[system]) if system in tests else "-"])
    basis = f"n={reference.n}, level {reference.level}, split {reference.split}"
    note = f"{basis}; 95% intervals by bootstrap over questions; p by paired sign-flip test, Holm over {len(tests)}"
    return "\n".join([*aligned(rows), "", note])


def gains_by(results: Mapping[str, BenchResult], whole: str, attribute: str) -> str:
    """A Markdown table: the gain in nDCG@10 of ``whole`` over each other system by ``kind`` or ``source`` of the questions.

    Differences are paired; p is Holm-adjusted over the groups of a column, the row of all questions apart.
    """
    reference = results[whole]
    groups: dict[str, set[str]] = {"all": {question.id for question in reference.questions}}
    for question in reference.questions:
        groups.setdefault(getattr(question, attribute), set()).add(question.id)
    others = [name for name in results if name != whole]
    columns = [gains(reference.values["ndcg@10"], results[name].values["ndcg@10"], groups) for name in others]
    rows = [[attribute, "n", f"nDCG@10 of {whole}", *(f"gain over {name}" for name in others)]]
    for group, ids in groups.items():
        mean = sum(reference.values["ndcg@10"][id] for id in ids) / len(ids)
        rows.append([group, str(len(ids)), f"{mean:.3f}", *(str(column[group]) for column in columns)])
    return "\n".join([*aligned(rows), "", f"level {reference.level}, split {reference.split}; Holm over {len(groups) - 1}"])


def gains(whole: Mapping[str, float], other: Mapping[str, float], groups: Mapping[str, set[str]]) -> dict[str, Difference]:
    """The paired gain of ``whole`` over ``other`` in each group of question ids, Holm-adjusted over all but ``all``."""
    tests = {group: difference({id: whole[id] for id in ids}, {id: other[id] for id in ids}) for group, ids in groups.items()}
    adjusted = holm({group: test.p for group, test in tests.items() if group != "all"}) | {"all": tests["all"].p}
    return {group: Difference(test.mean, test.ci95, adjusted[group], test.n) for group, test in tests.items()}


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows as a Markdown table with even columns; the first row is the heading."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = ["| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |" for row in rows]
    rule = "| " + " | ".join("-" * width for width in widths) + " |"
    return [lines[0], rule, *lines[1:]]
