"""Does the gate let pass what is harmless and stop what hurts? On the index in VUEDOCS_HOME:

    python tests/gate.py                        # vue: twenty harmless changes, then those that hurt
    python tests/gate.py --source sample --harmless 3

The config as it is becomes a baseline. Each change is held against it, measured from nothing and timed, as `make eval` does it.
Ends with 1 when a harmless change is stopped, or one that hurts passes: on the sample's 29 questions the smaller harms do.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from vuedocs.bench import benchmark, default_path, load, read_baseline, select
from vuedocs.bench.baselines import BUDGETS, HELD, Verdict, costs, falls, judge
from vuedocs.bench.ledger import record
from vuedocs.bench.questions import GoldenQuestion
from vuedocs.bench.report import metrics_document
from vuedocs.bench.result import BenchResult
from vuedocs.bench.stored import StoredRun
from vuedocs.config import load as load_config
from vuedocs.query.reader import Reader
from vuedocs.settings import Settings

HARMLESS: Sequence[str] = (
    *[""] * 8,
    "store.keep=3",
    "fetch.timeout=200",
    "search.leg_depth=90",
    "search.leg_depth=120",
    "search.dense_weight=0.52",
    "search.sparse_weight=0.48",
    "resolve.question_weight=0.48",
    "resolve.page_weight=0.28",
    "resolve.limit=45",
    "expand.max_added=8",
    "detect.fuzzy_cutoff=84",
    "reconstruct.max_tokens=1950",
)
"""Twenty changes that nobody would feel; the first are none at all, measured again."""

HARMFUL: Sequence[str] = (
    "search.sparse_weight=0",
    "search.dense_weight=0",
    "search.leg_depth=5",
    "search.fusion=dbsf",
    "rerank.method=none",
    "resolve.page_weight=2",
    "resolve.limit=3",
    "reconstruct.max_results=1",
    "reconstruct.max_tokens=150",
    "reconstruct.floor=0.95",
    "reconstruct.max_tokens=4000",
)
"""Each hurts on purpose: the ranking, what answers hold, or what they cost."""


async def tried(reader: Reader, questions: Sequence[GoldenQuestion], change: str) -> BenchResult:
    """The benchmark of one change."""
    config = reader.config.override(*([change] if change else []))
    return await benchmark(reader, questions, config=config, progress=False)


def row(change: str, result: BenchResult, verdict: Verdict, baseline: StoredRun, spent: Mapping[str, float]) -> list[str]:
    """A line of the table: differences, shares of the budgets, and why the gate stopped it."""
    tests = falls(result, baseline)
    before = costs(baseline.summary, baseline.facts.get("index"))
    cells = [f"{tests[name].test.mean:+.3f}" if name in tests else "-" for name in HELD]
    cells += [f"{spent[name] / before[name]:.2f}" if name in spent and name in before else "-" for name in BUDGETS]
    why = ", ".join(words.split(" fell ")[0].split(" rose ")[0] for words in verdict.worse)
    return [change or "(nothing)", *cells, why or "passes"]


async def trial(source: str, harmless: int, folder: Path) -> int:
    """Prints a line a change; how many of them the gate judged wrongly. The baseline is kept in ``folder``."""
    questions = select(load(default_path(source)), "test")
    reader = await Reader.open(load_config(), Settings.from_environment())
    await tried(reader, questions, "")  # what is read for the first time is no change's latency
    present = await tried(reader, questions, "")
    record(folder, {"as it is": present}, {"as it is": reader.config}, reader.manifest, [default_path(source)])
    baseline = read_baseline(folder)
    wrong = 0
    print(f"{source}: n={present.n}, nDCG@10 {present.metrics['ndcg@10']}, config {present.config}, index {present.index}")
    print(f"{'change':<30}" + "".join(f"{name[:14]:>16}" for name in (*HELD, "tokens x", "p95 x", "points x")) + "  the gate")
    try:
        for title, changes, should_pass in (("harmless", HARMLESS[:harmless], True), ("harmful", HARMFUL, False)):
            passed = 0
            for change in changes:
                result = await tried(reader, questions, change)
                verdict = judge(result, folder, reader.manifest)
                cells = row(change, result, verdict, baseline, costs(metrics_document(result), reader.manifest))
                print(f"{cells[0]:<30}" + "".join(f"{cell:>16}" for cell in cells[1:-1]) + f"  {cells[-1]}", flush=True)
                passed += not verdict.worse
            print(f"{title}: {passed} of {len(changes)} pass\n", flush=True)
            wrong += len(changes) - passed if should_pass else passed
        return wrong
    finally:
        await reader.aclose()


def main() -> int:
    """Exit code 1 when the gate judged a change wrongly."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--source", default="vue", help="whose baseline and questions (default: vue)")
    parser.add_argument("--harmless", type=int, default=len(HARMLESS), metavar="N", help="only the first N harmless changes")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        wrong = asyncio.run(trial(options.source, options.harmless, Path(folder)))
    print(f"{wrong} judged wrongly")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
