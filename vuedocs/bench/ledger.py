"""Ledger: every benchmark leaves a folder of facts, ``evals/runs/<run id>/``, complete enough to be repeated and argued about.

``run.json`` says what ran on what; ``config.toml`` holds every number that affects ranking; beside them lie ``metrics.json``,
the TREC files, each question's scores, the passages, and ``report.html``.
"""

from __future__ import annotations

import json
import os
import platform
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

from vuedocs import __version__
from vuedocs.bench.html import page
from vuedocs.bench.report import write
from vuedocs.bench.result import BenchResult
from vuedocs.bench.stored import StoredRun, read_stored, stored
from vuedocs.config import Config
from vuedocs.errors import QuestionsError, StorageError
from vuedocs.records import Manifest
from vuedocs.settings import Settings

PACKAGES = ("numpy", "scipy", "ranx", "qdrant-edge-py", "onnxruntime", "tokenizers", "rapidfuzz", "psycopg")
"""Those whose version may change a number."""
PROJECT = Path(__file__).parents[2]


def run_id() -> str:
    """A name for a run that sorts by time: ``20261130T102500Z-4f1c``."""
    return f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{secrets.token_hex(2)}"


def runs_folder(settings: Settings) -> Path:
    """``evals/runs`` of a checkout; of an installed package, ``runs`` in the data folder."""
    return PROJECT / "evals" / "runs" if (PROJECT / "evals").is_dir() else settings.home / "runs"


def record(
    folder: Path,
    results: Mapping[str, BenchResult],
    configs: Mapping[str, Config],
    manifest: Manifest,
    questions: Sequence[Path],
    others: Iterable[StoredRun] = (),
) -> dict[str, Any]:
    """Writes the first of ``results`` into ``folder``, each further one into a folder of its own inside; returns ``run.json``.

    A system without a config is none of ours. ``others`` are runs that the first one's report sets beside it too.
    Raises StorageError.
    """
    names = list(results)
    every = {name: facts_of(name, folder.name, results[name], configs.get(name), manifest, questions) for name in names}
    runs = [replace(stored(results[name], name), facts=every[name]) for name in names]
    for name in reversed(names):
        here = folder if name == names[0] else folder / slug(name)
        facts = every[name]
        write(results[name], here)
        beside = [*runs, *others] if name == names[0] else [run for run in runs if run.name == name]
        try:
            if name in configs:
                (here / "config.toml").write_text(configs[name].dump(), encoding="utf-8")
            (here / "run.json").write_text(json.dumps(facts, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
            (here / "report.html").write_text(page(results[name], beside, facts), encoding="utf-8")
        except OSError as error:
            raise StorageError(f"the run cannot be written to {here}: {error}; make the folder writable") from error
    return every[names[0]]


def slug(name: str) -> str:
    """A system's name as a folder: ``BM25 alone`` is ``bm25-alone``."""
    return "-".join("".join(sign if sign.isalnum() else " " for sign in name.lower()).split()) or "system"


def facts_of(
    name: str, run: str, result: BenchResult, config: Config | None, manifest: Manifest, questions: Sequence[Path]
) -> dict[str, Any]:
    """``run.json``: everything that a number of this run depends on."""
    return {
        "run": run,
        "system": name,
        "created": f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%S+00:00}",
        "config": {"fingerprint": result.config, "shape": config.shape() if config else "", "skip": list(result.skip)},
        "questions": {
            "file": ", ".join(path.name for path in questions),
            "digest": result.questions_digest,
            "n": result.n,
            "level": result.level,
            "split": result.split,
            "unscoped": result.unscoped,
        },
        "index": asdict(manifest),
        "packages": {"vuedocs": __version__, "python": platform.python_version(), **versions()},
        "machine": {"system": platform.platform(), "processor": platform.machine(), "cores": os.cpu_count()},
    }


def versions() -> dict[str, str]:
    """The installed versions of PACKAGES."""
    found = {}
    for name in PACKAGES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = "not installed"
    return found


def find_run(name: str, folder: Path) -> StoredRun:
    """A run by its id, the beginning of its id, ``latest``, or its folder. QuestionsError names those that exist."""
    for path in (folder / name, Path(name)):
        if (path / "metrics.json").exists() or path.name == "metrics.json":
            return read_stored(path, name=name.rstrip("/"))
    known = run_folders(folder)
    matching = known[-1:] if name == "latest" else [path for path in known if path.name.startswith(name)]
    if len(matching) == 1:
        return read_stored(matching[0])
    if matching:
        raise QuestionsError(
            f"{name!r} is the beginning of several runs: {', '.join(path.name for path in matching[:5])}; give more"
        )
    last = ", ".join(path.name for path in known[-5:]) or "none"
    raise QuestionsError(f"there is no run {name!r} in {folder}; the newest are: {last}; `vuedocs runs` lists all")


def run_folders(folder: Path) -> list[Path]:
    """The folders that hold a benchmark, the oldest first."""
    return sorted(path.parent for path in folder.glob("*/metrics.json"))
