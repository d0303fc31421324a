"""Views of benchmark results: metrics side by side, and the questions that went wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from vuedocs.bench import VARIANTS, BenchResult, GoldenQuestion, benchmark, hybrid_rrf, metrics_document, table
from vuedocs.bench.comparison import COMPARED, compare, differences
from vuedocs.bench.hybrid import NAME as HYBRID
from vuedocs.bench.intervals import Interval
from vuedocs.config import Config
from vuedocs.query.reader import Reader
from vuedocs.workbench.tables import Findings, Table

MIME = "application/vnd.vuedocs+json"
GOOD = 0.7
"""nDCG@10 from which a question is no miss: the best section is first or second."""


async def variants(reader: Reader, questions: Sequence[GoldenQuestion], config: Config, level: str) -> dict[str, BenchResult]:
    """The whole pipeline beside BM25 alone, dense alone and the two fused by their ranks, on the same questions."""
    results = {
        name: await benchmark(reader, questions, level, config=config.override(*overrides), progress=False)  # type: ignore[arg-type]
        for name, overrides in VARIANTS.items()
    }
    return {**results, HYBRID: hybrid_rrf(next(iter(results.values())))}


def metrics(results: Mapping[str, BenchResult]) -> Table:
    """Each metric's mean with its 95% interval, one column a system."""
    names = [name for name in COMPARED if any(name in result.metrics for result in results.values())]
    rows = [(name, *(_cell(result.metrics.get(name)) for result in results.values())) for name in names]
    return Table(("metric", *results), rows, "Mean over questions [95% interval]")


def gains(results: Mapping[str, BenchResult]) -> Table:
    """The whole pipeline's difference to each variant, question by question, with its interval and test."""
    whole = next(iter(results))
    rows = [
        (metric, name, -test.mean, f"[{-test.ci95[1]:+.3f}, {-test.ci95[0]:+.3f}]", f"{test.p:.4f}", test.n)
        for metric in ("ndcg@10", "recall@5")
        for name, test in differences(results, whole, metric).items()
    ]
    columns = ("metric", f"{whole} minus", "difference", "95% interval", "p (sign-flip, Holm)", "n")
    return Table(columns, rows)


def kinds(result: BenchResult) -> Table:
    """The metrics by kind of question."""
    names = ("ndcg@10", "recall@5", "right@1", "gold_in_answer")
    rows = [
        (kind, group["n"], *(_cell(group["metrics"].get(name)) for name in names)) for kind, group in result.group("kind").items()
    ]
    return Table(("kind", "n", *names), rows)


def misses(result: BenchResult, top: int) -> Table:
    """The questions with the lowest nDCG@10, worst first: what was wanted, at which rank it came, and what came first."""
    ordered = sorted(result.questions, key=lambda question: (result.values["ndcg@10"][question.id], question.id))
    rows = [_miss(result, question) for question in ordered[:top] if result.values["ndcg@10"][question.id] < GOOD]
    columns = ("nDCG@10", "kind", "question", "wanted (grade, rank)", "came first")
    return Table(columns, rows, f"Worst first: questions below {GOOD}", height=640)


def _miss(result: BenchResult, question: GoldenQuestion) -> tuple[object, ...]:
    ranks = {key: rank for rank, key in enumerate(result.run.get(question.id, {}), 1)}
    judged = result.qrels[question.id]
    wanted = sorted((key for key in judged if judged[key]), key=lambda key: (-judged[key], ranks.get(key, 1_000)))[:3]
    words = "\n".join(f"{key} ({judged[key]}, {f'rank {ranks[key]}' if key in ranks else 'not found'})" for key in wanted)
    first = "\n".join(f"{key}{f' ({judged[key]})' if key in judged else ''}" for key in list(ranks)[:3])
    return result.values["ndcg@10"][question.id], question.kind, f"{question.question}\n[{question.id}]", words, first


def findings(results: Mapping[str, BenchResult]) -> Findings:
    """What stands out."""
    whole_name, whole = next(iter(results.items()))
    values = whole.values["ndcg@10"]
    lost = sum(value == 0 for value in values.values())
    tests = differences(results, whole_name, "ndcg@10")
    groups = {name: group["metrics"]["ndcg@10"] for name, group in whole.group("kind").items()}
    worst = min(groups, key=lambda name: groups[name].mean)
    said = [
        f"Against {name} the {whole_name} gains {-test.mean:+.3f} nDCG@10 [{-test.ci95[1]:+.3f}, {-test.ci95[0]:+.3f}], "
        f"p={test.p:.4f} (sign-flip, Holm), n={test.n}."
        for name, test in tests.items()
    ]
    return Findings(
        [
            f"{whole_name}: nDCG@10 {whole.metrics['ndcg@10']}, n={whole.n}, level {whole.level}, split {whole.split}.",
            *said,
            f"The hardest kind is {worst}: {groups[worst]}, n={groups[worst].n}.",
            f"{lost} questions have nothing that was wanted among the first ten; the first section answers fully for "
            f"{whole.metrics['right@1'].mean:.0%}.",
        ]
    )


def publication(results: Mapping[str, BenchResult]) -> dict[str, Any]:
    """What the notebook hands to programs: ``display(publication(results), raw=True)``."""
    name, whole = next(iter(results.items()))
    text = f"{table(whole)}\n\n{compare(results, baseline=name)}"
    document = {"title": "Metrics of notebook 07_evaluate", "table": text, "metrics": metrics_document(whole)}
    return {MIME: document, "text/plain": "metrics published for programs"}


def _cell(value: Interval | None) -> str:
    return str(value) if value else ""
