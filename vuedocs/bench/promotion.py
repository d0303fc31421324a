"""Promotion: a run's config becomes everybody's default, where its gain holds on questions that nobody tuned on.

``evals/tuned.toml`` then holds the keys that differ from ``base.toml``, and which run, against what, by how much.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tomlkit

from vuedocs.bench.alignment import changed_basis
from vuedocs.bench.intervals import Difference, difference
from vuedocs.bench.stored import StoredRun
from vuedocs.config import STAMP
from vuedocs.errors import StorageError, UsageError

ALPHA = 0.05
NOT_RANKING = frozenset({"fetch.timeout", "store.keep", "store.batch"})
"""Keys that cannot change what is found: they are not promoted."""
HEADER = "Written by `vuedocs promote`, laid over base.toml by default; `vuedocs promote --undo` takes it back."


@dataclass(frozen=True, slots=True)
class Promotion:
    """The values to write, and the evidence for them."""

    values: Mapping[str, Mapping[str, Any]]
    """By section, the keys that differ from the base config."""
    stamp: Mapping[str, Any]

    def text(self) -> str:
        """``tuned.toml``."""
        document = tomlkit.document()
        document.add(tomlkit.comment(HEADER))
        document.add(STAMP, tomlkit.item(dict(self.stamp)))
        for section, values in self.values.items():
            document.add(section, tomlkit.item(dict(values)))
        return tomlkit.dumps(document)


def promotion(run: StoredRun, against: StoredRun, base: Mapping[str, Mapping[str, Any]]) -> Promotion:
    """What promoting ``run`` means; ``base`` are the sections of ``base.toml``.

    Raises UsageError where the run is not of the test split or measures something else than ``against``, where its config is the
    same, where nDCG@10 is not better (interval at or above 0 and p below ALPHA), and where recall@5 is worse by more than noise.
    """
    check_split(run)
    if {section: set(values) for section, values in run.config.items()} != {name: set(keys) for name, keys in base.items()}:
        raise UsageError(f"run {run.name} was made when the config had other keys, or does not keep it; run it again")
    changed = changed_basis(run, against)
    if changed:
        raise UsageError(f"nothing was promoted: {'; '.join(changed)}; run both on the same")
    if run.summary.get("skip"):
        raise UsageError(f"run {run.name} leaves out {', '.join(run.summary['skip'])}, which no config can; run it without")
    if run.summary.get("config") == against.summary.get("config"):
        raise UsageError(f"run {run.name} has the config of {against.name}: nothing would change")
    values = changed_keys(run.config, base)
    if not values:
        raise UsageError(f"run {run.name} has the values of base.toml: there is nothing to write; --undo takes a promotion back")
    gain = difference(run.values("ndcg@10"), against.values("ndcg@10"))
    recall = difference(run.values("recall@5"), against.values("recall@5"), "less")
    basis = f"over {gain.n} test questions against {against.name}"
    if gain.mean <= 0 or gain.ci95[0] < 0 or gain.p >= ALPHA:
        raise UsageError(f"nothing was promoted: nDCG@10 {gain} {basis} does not hold; more questions, or a larger effect, would")
    if recall.mean < 0 and recall.p < ALPHA:
        raise UsageError(f"nothing was promoted: nDCG@10 gains {gain.mean:+.3f}, but recall@5 loses {recall} {basis}")
    return Promotion(values, stamp_of(run, against, gain))


def check_split(run: StoredRun) -> None:
    """Raises UsageError for a run that is not of the test split: what was tuned on a question is no evidence."""
    if run.summary.get("split") != "test":
        raise UsageError(f"run {run.name} is of split {run.summary.get('split')!r}; tune on dev, then run it with --split test")


def stamp_of(run: StoredRun, against: StoredRun, gain: Difference) -> dict[str, Any]:
    """Which run, on which questions, by how much."""
    return {
        "run": Path(run.name).name,  # a folder elsewhere is nobody else's
        "against": Path(against.name).name,
        "questions": run.summary["questions"],
        "sources": list(run.summary["by_source"]),
        "index": run.summary["index"],
        "n": gain.n,
        "level": run.summary["level"],
        "split": run.summary["split"],
        "gain": f"nDCG@10 {gain}",
        "delta": round(gain.mean, 6),
        "ci95": [round(bound, 6) for bound in gain.ci95],
        "created": run.facts.get("created", ""),
    }


def changed_keys(config: Mapping[str, Mapping[str, Any]], base: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """By section, the keys whose value differs from the base's; those that cannot affect ranking are left out."""
    changed = {
        section: {
            key: value
            for key, value in values.items()
            if base.get(section, {}).get(key) != value and f"{section}.{key}" not in NOT_RANKING
        }
        for section, values in config.items()
    }
    return {section: values for section, values in changed.items() if values}


def previous_path(tuned: Path) -> Path:
    """Where the values that a promotion replaced wait for an undo."""
    return tuned.with_name(tuned.stem + ".previous.toml")


def promote(new: Promotion, tuned: Path) -> None:
    """Writes ``tuned``, whole or not at all; what it held before is kept for an undo. Raises StorageError."""
    part = tuned.with_name(f"{tuned.name}.part")
    try:
        part.write_text(new.text(), encoding="utf-8")
        if tuned.exists():
            shutil.copyfile(tuned, previous_path(tuned))
        else:
            previous_path(tuned).unlink(missing_ok=True)
        part.replace(tuned)
    except OSError as error:
        raise StorageError(f"{tuned} cannot be written: {error}; make its folder writable") from error


def undo(tuned: Path) -> str:
    """Takes the last promotion back; in words, what holds now. Raises UsageError when nothing is promoted, StorageError."""
    if not tuned.exists():
        raise UsageError(f"nothing is promoted: {tuned} is not there")
    previous = previous_path(tuned)
    try:
        if previous.exists():
            previous.replace(tuned)
            return f"{tuned} holds again what was promoted before"
        tuned.unlink()
    except OSError as error:
        raise StorageError(f"{tuned} cannot be taken back: {error}; make its folder writable") from error
    return f"{tuned} is gone: base.toml alone is the default again"
