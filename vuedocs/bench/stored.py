"""Stored runs: what ``--out`` or a folder of ``evals/runs`` holds, read back and not trusted."""

from __future__ import annotations

import json
import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from vuedocs.bench.report import metrics_document, per_question
from vuedocs.bench.result import BenchResult
from vuedocs.errors import QuestionsError

REQUIRED = ("ndcg@10", "recall@5")
"""Metrics that every question of a run has."""
REMEDY = "give a folder that `vuedocs bench` wrote"


@dataclass(frozen=True, slots=True)
class StoredRun:
    """One benchmark, as its files have it."""

    name: str
    folder: Path
    summary: Mapping[str, Any]
    """``metrics.json``."""
    rows: Mapping[str, Mapping[str, Any]]
    """``per_question.jsonl`` by question id."""
    qrels: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """Judgements by question id; empty where ``qrels.trec`` is not kept."""
    facts: Mapping[str, Any] = field(default_factory=dict)
    """``run.json``; empty where there is none."""
    config: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """``config.toml``; empty where there is none."""

    def values(self, metric: str) -> dict[str, float]:
        """{question id: value} of one metric, for the questions that have it."""
        return {id: row["metrics"][metric] for id, row in self.rows.items() if metric in row["metrics"]}


def stored(result: BenchResult, name: str) -> StoredRun:
    """A result as if it had been written and read back."""
    rows = {str(row["id"]): row for row in per_question(result)}
    return StoredRun(name, Path(), metrics_document(result), rows, result.qrels)


def read_stored(path: Path, what: str = "run", name: str = "") -> StoredRun:
    """The run in a folder, or beside the ``metrics.json`` that ``path`` names.

    Raises QuestionsError when it is not there, damaged, or does not hold a finite value of every question.
    """
    if not path.exists():
        raise QuestionsError(f"{what} {path} is not there; {REMEDY}")
    folder = path if path.is_dir() else path.parent
    try:
        summary = json.loads((folder / "metrics.json").read_text(encoding="utf-8"))
        count = summary["n"]
        lines = (folder / "per_question.jsonl").read_text(encoding="utf-8").splitlines()
        facts = _facts(folder / "run.json")
        qrels = _qrels(folder / "qrels.trec")
        config = folder / "config.toml"
        sections = tomllib.loads(config.read_text(encoding="utf-8")) if config.exists() else {}
    except FileNotFoundError as error:
        raise QuestionsError(f"{what} {path}: {error.filename} is not there; {REMEDY}") from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise QuestionsError(f"{what} {path} cannot be read: {error!r}; {REMEDY}") from error
    rows = dict(_row(line, f"{what} {path}: per_question.jsonl:{number}") for number, line in enumerate(lines, start=1))
    if len(rows) != count or len(lines) != count:
        raise QuestionsError(f"{what} {path}: per_question.jsonl does not hold all {count} questions; {REMEDY}")
    return StoredRun(name or folder.name, folder, summary, rows, qrels, facts, sections)


def _row(line: str, place: str) -> tuple[str, Mapping[str, Any]]:
    try:
        row = json.loads(line)
        id, metrics = row["id"], row["metrics"]
        wrong = [name for name, value in metrics.items() if type(value) not in (int, float) or not math.isfinite(value)]
        missing = [name for name in REQUIRED if name not in metrics]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise QuestionsError(f"{place}: this is no question's result ({error!r}); run the benchmark again") from error
    if wrong:
        raise QuestionsError(f"{place}: {wrong[0]} of question {id} is {metrics[wrong[0]]}, no number; run the benchmark again")
    if missing:
        raise QuestionsError(f"{place}: question {id} has no {missing[0]}; run the benchmark again")
    return str(id), row


def _facts(path: Path) -> Mapping[str, Any]:
    found: Mapping[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    if not isinstance(found, dict):
        raise TypeError(f"{path.name} holds no object")
    return found


def _qrels(path: Path) -> dict[str, dict[str, int]]:
    qrels: dict[str, dict[str, int]] = {}
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        id, _, key, grade = line.split()
        qrels.setdefault(id, {})[key] = int(grade)
    return qrels
