"""Explanation: one golden question from end to end, so that a person sees what went wrong and what would help."""

from __future__ import annotations

from collections.abc import Iterator

from vuedocs.bench.lost import RELEVANT, REMEDIES, Lost
from vuedocs.bench.questions import GoldenQuestion
from vuedocs.bench.result import BenchResult
from vuedocs.query.explain import explain
from vuedocs.records import Search
from vuedocs.stages import Result

METRICS = ("ndcg@10", "recall@5", "mrr@10", "api_recall", "gold_in_answer")


def explanation(result: BenchResult, searched: Result[Search]) -> str:
    """A result of one question and the pipeline's result behind it, as plain text: numbers, gold, the ten best, every stage."""
    (question,) = result.questions
    values = {name: result.values[name][question.id] for name in METRICS if question.id in result.values[name]}
    lines = [
        f"{question.id}  {question.kind}, {question.split}, level {result.level}: {question.question}",
        "  ".join(f"{name} {value:.3f}" for name, value in values.items()),
        "",
        "golden sections (grade, place):",
        *_gold_lines(result, question),
        "",
        "the ten best (place, grade):",
        *_top_lines(result, question),
        "",
        explain(searched).rstrip(),
    ]
    return "\n".join(lines)


def _gold_lines(result: BenchResult, question: GoldenQuestion) -> Iterator[str]:
    ranks = {key: rank for rank, key in enumerate(result.run[question.id], start=1)}
    losses = {one.section: one for one in result.lost[question.id]}
    judged = result.qrels[question.id]
    for key in sorted((key for key in judged if judged[key]), key=lambda key: (-judged[key], key)):
        yield f"  {judged[key]}  {ranks.get(key, '-'):>3}  {key}  {_verdict(losses.get(key), judged[key])}"
        if key in losses:
            yield f"          {losses[key].why}"
            yield f"          what may help: {REMEDIES[losses[key].stage]}"


def _verdict(loss: Lost | None, grade: int) -> str:
    if loss:
        return f"LOST: {loss.stage}"
    return "found, in the answer" if grade >= RELEVANT else "only helps: not looked for"


def _top_lines(result: BenchResult, question: GoldenQuestion) -> Iterator[str]:
    judged = result.qrels[question.id]
    for rank, key in enumerate(list(result.run[question.id])[:10], start=1):
        yield f"  {rank:>2}  {judged.get(key, 'not judged')}  {key}"
