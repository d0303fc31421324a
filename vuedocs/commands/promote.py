"""vuedocs promote and baseline."""

from __future__ import annotations

import argparse
import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from vuedocs.bench.alignment import comparison
from vuedocs.bench.ledger import PROJECT, find_run, run_folders, runs_folder
from vuedocs.bench.promotion import check_split, promotion, undo
from vuedocs.bench.promotion import promote as write_promotion
from vuedocs.bench.questions import default_path, digest, load, select
from vuedocs.bench.stored import StoredRun, read_stored
from vuedocs.config import SHAPING, base_path, in_use, read, tuned_path
from vuedocs.config import load as load_config
from vuedocs.errors import QuestionsError, StorageError, UsageError
from vuedocs.settings import Settings

FILES = ("metrics.json", "per_question.jsonl", "qrels.trec", "run.json", "config.toml")
"""What a baseline keeps of a run: enough to compare, aligned by question."""


def promote(options: argparse.Namespace) -> int:
    """Makes a run's config the default of server, commands and notebooks, or takes that back."""
    if options.undo:
        if options.run or options.against:
            raise UsageError("--undo takes the last promotion back, whichever it was; name no run with it")
        print(undo(tuned_path()))
        return 0
    if not options.run:
        raise UsageError("name the run to promote; `vuedocs runs` lists them")
    folder = runs_folder(Settings.from_environment())
    run = find_run(options.run, folder)
    check_split(run)
    against = find_run(options.against, folder) if options.against else newest_default(run, folder)
    new = promotion(run, against, read(base_path()))
    write_promotion(new, tuned_path())
    load_config()  # what was written must load
    for section, values in new.values.items():
        print("\n".join(f"{section}.{key} = {value!r}" for key, value in values.items()))
    print(f"{new.stamp['gain']} over {new.stamp['n']} test questions against {against.name}")
    print(f"from now on the default is {in_use()}")
    if set(new.values) & set(SHAPING):
        print("these keys shape an index: ingest its sources again, or it will be refused")
    return 0


def newest_default(run: StoredRun, folder: Path) -> StoredRun:
    """The newest run of the present default config on the same questions. Raises UsageError where there is none."""
    fingerprint = load_config().fingerprint()
    if run.summary.get("config") == fingerprint:
        raise UsageError(f"run {run.name} has the present default config: nothing would change")
    for path in reversed(run_folders(folder)):
        try:
            other = read_stored(path)
        except QuestionsError:
            continue  # what is damaged is no evidence; `vuedocs runs` names it
        same = all(other.summary.get(key) == run.summary.get(key) for key in ("questions", "level", "unscoped", "index"))
        if other.name != run.name and same and other.summary.get("config") == fingerprint and not other.summary.get("skip"):
            return other
    raise UsageError(
        f"no run of the present default config is on the questions of {run.name}; run `vuedocs bench` with the same questions, "
        "split and level, or name one with --against"
    )


def baseline(options: argparse.Namespace) -> int:
    """Stores a run as the baseline of its source, and says first what changes by it."""
    run = find_run(options.run, runs_folder(Settings.from_environment()))
    sources = list(run.summary["by_source"])
    if options.to is None and len(sources) != 1:
        raise UsageError(f"run {run.name} is about {', '.join(sources)}; name the baseline's folder with --to")
    check_current(run, sources)
    target = options.to or PROJECT / "evals" / "baselines" / sources[0]
    if (target / "metrics.json").exists():
        print(changes(run, target))
    try:
        target.mkdir(parents=True, exist_ok=True)
        for name in FILES:
            (target / name).unlink(missing_ok=True)
            if (run.folder / name).exists():
                shutil.copyfile(run.folder / name, target / name)
        if run.facts:
            (target / "run.json").write_text(json.dumps(without_places(run.facts), indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        raise StorageError(f"the baseline cannot be written to {target}: {error}; make the folder writable") from error
    print(f"the gate now holds results against {target}: run {run.name}, nDCG@10 {run.summary['metrics']['ndcg@10']['mean']:.3f}")
    return 0


def without_places(facts: Mapping[str, Any]) -> dict[str, Any]:
    """``run.json`` without where its machine keeps its docs, and without the machine: a baseline is everybody's."""
    index = dict(facts.get("index", {}))
    index["sources"] = [{key: value for key, value in one.items() if key != "origin"} for one in index.get("sources", ())]
    return {**{key: value for key, value in facts.items() if key != "machine"}, "index": index}


def check_current(run: StoredRun, sources: list[str]) -> None:
    """Raises UsageError for a run that cannot be a baseline: of another split than test, without a stage, of an older set."""
    if run.summary.get("split") != "test" or run.summary.get("skip"):
        raise UsageError(f"run {run.name} is not of the whole pipeline on the test split; run `vuedocs bench --split test`")
    path = default_path(sources[0])
    if len(sources) == 1 and path.exists() and run.facts.get("questions", {}).get("file") == path.name:
        present = digest(select(load(path), "test"))
        if run.summary.get("questions") != present:
            raise UsageError(f"run {run.name} is of an older set than {path}; run `vuedocs bench --source {sources[0]}` again")


def changes(run: StoredRun, target: Path) -> str:
    """The run beside the baseline that it replaces; in words why not, where they cannot be compared."""
    try:
        return comparison([read_stored(target, "baseline", "the baseline so far"), run], top=5)
    except QuestionsError as error:
        return f"not compared with what it replaces: {error}"
