"""The bench: golden questions through the query pipeline, to numbers with intervals.

    questions = select(load(default_path("vue")), "test")
    result = await benchmark(reader, questions, level="section")
    print(table(result))
    write(result, Path("out"))
    failures = gate(result, Path("evals/baselines/vue"))
    print(compare({"whole pipeline": result, "BM25 alone": lexical}, baseline="BM25 alone"))

It alone imports ranx, scipy and matplotlib, and each only where it is used.
"""

from vuedocs.bench.baselines import gate, read_baseline
from vuedocs.bench.comparison import compare, differences, gains_by
from vuedocs.bench.hybrid import hybrid_rrf
from vuedocs.bench.intervals import Difference, Interval, difference, holm, interval
from vuedocs.bench.questions import GoldenQuestion, check_keys, default_path, digest, load, select
from vuedocs.bench.report import metrics_document, table, write
from vuedocs.bench.result import VARIANTS, BenchResult, benchmark

__all__ = [
    "VARIANTS",
    "BenchResult",
    "Difference",
    "GoldenQuestion",
    "Interval",
    "benchmark",
    "check_keys",
    "compare",
    "default_path",
    "difference",
    "differences",
    "digest",
    "gains_by",
    "gate",
    "holm",
    "hybrid_rrf",
    "interval",
    "load",
    "metrics_document",
    "read_baseline",
    "select",
    "table",
    "write",
]
