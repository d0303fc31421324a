"""vuedocs runs."""

from __future__ import annotations

import argparse
from pathlib import Path

from vuedocs.bench.alignment import comparison
from vuedocs.bench.ledger import find_run, run_folders, runs_folder
from vuedocs.bench.stored import StoredRun, read_stored
from vuedocs.commands import table
from vuedocs.errors import QuestionsError
from vuedocs.settings import Settings


def runs(options: argparse.Namespace) -> int:
    """Lists the benchmarks that are kept, shows one, or compares two and more with the first."""
    folder = runs_folder(Settings.from_environment())
    if len(options.runs) > 1:
        print(comparison([find_run(name, folder) for name in options.runs], options.top))
    elif options.runs:
        print(shown(find_run(options.runs[0], folder)))
    else:
        print(listed(folder))
    return 0


def listed(folder: Path) -> str:
    """A table of all runs in a folder, the oldest first; those that cannot be read are named with the reason."""
    rows: list[tuple[object, ...]] = [
        ("run", "system", "questions", "split", "level", "n", "nDCG@10", "recall@5", "config", "index")
    ]
    broken = []
    for path in run_folders(folder):
        try:
            rows.append(_row(read_stored(path)))
        except QuestionsError as error:
            broken.append(str(error))
    if len(rows) == 1 and not broken:
        return f"no run is kept in {folder}; `vuedocs bench` makes one"
    return "\n".join([table(rows), *(f"not readable: {words}" for words in broken)])


def _row(run: StoredRun) -> tuple[object, ...]:
    summary = run.summary
    means = (f"{summary['metrics'][name]['mean']:.3f}" for name in ("ndcg@10", "recall@5"))
    questions = f"{'+'.join(summary['by_source'])} {summary['questions']}"
    system = run.facts.get("system", "?")
    basis = (summary["split"], summary["level"], summary["n"])
    return (run.name, system, questions, *basis, *means, summary["config"], summary["index"])


def shown(run: StoredRun) -> str:
    """One run: its numbers with intervals, and where its files are."""
    rows = [("metric", "mean", "95% interval", "n")]
    for name, value in run.summary["metrics"].items():
        low, high = value["ci95"]
        rows.append((name, f"{value['mean']:.3f}", f"[{low:.3f}, {high:.3f}]", str(value["n"])))
    summary = run.summary
    basis = f"n={summary['n']}  level={summary['level']}  split={summary['split']}  config={summary['config']}"
    return f"{run.name}  {run.facts.get('system', '')}\n{basis}  index={summary['index']}\n\n{table(rows)}\n\nfiles: {run.folder}"
