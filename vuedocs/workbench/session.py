"""How a notebook begins: its config, and the state of the ingest up to the stage that it is about."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any, Literal

from tqdm import tqdm

from vuedocs.bench import GoldenQuestion, default_path, select
from vuedocs.bench import load as load_questions
from vuedocs.bench.ledger import PROJECT
from vuedocs.bench.questions import Split
from vuedocs.config import Config, load
from vuedocs.ingest import INGEST_STAGES
from vuedocs.ingest.clients import IngestClients
from vuedocs.ingest.session import begin
from vuedocs.records import Ingest
from vuedocs.settings import Settings
from vuedocs.sources import find
from vuedocs.stages import run
from vuedocs.workbench.plots import set_style

LONG = 200
"""Pieces of work from which a bar is worth showing."""
PATIENCE = 15.0
"""Seconds before a bar is shown: what is done sooner leaves nothing in a saved notebook."""


def configure(overrides: str = "") -> tuple[Config, Settings]:
    """Config and settings of the environment, with ``section.key=value`` overrides, divided by ``;`` or ``,``, laid over it.

    Raises ConfigError for an override that cannot be used.
    """
    set_style()
    settings = Settings.from_environment()
    assignments = [part.strip() for part in re.split(r"[;,\n]", overrides) if part.strip()]
    return load(settings.config, assignments), settings


def golden(source: str, split: Split | Literal["all"]) -> tuple[GoldenQuestion, ...]:
    """The golden questions of one source, of several with commas between, or of a file of one's own (``*.jsonl``).

    Raises SourceError for an unknown source, QuestionsError for a file that cannot be used.
    """
    names = [name.strip() for name in source.split(",") if name.strip()]
    paths = [placed(name) if name.endswith(".jsonl") else default_path(find(name).name) for name in names]
    return select([question for path in paths for question in load_questions(path)], split)


def placed(name: str) -> Path:
    """The path of a file or folder that a notebook names: relative to the project's root, wherever the kernel was started.

    JupyterLab starts a kernel in the notebook's folder, `vuedocs run` in the project's root.
    """
    return PROJECT / Path(name).expanduser()


def progress() -> Progress:
    """A progress that shows long work as a bar which goes away when it is done."""
    return Progress()


class Progress:
    """Called as ``progress(words, done, total)``."""

    def __init__(self) -> None:
        self._bar: tqdm[Any] | None = None
        self._words = ""

    def __call__(self, words: str, done: int, total: int) -> None:
        if self._bar is not None and (done >= total or words != self._words):
            self._bar.close()
            self._bar = None
        if self._bar is not None:
            self._bar.update(done - self._bar.n)
        elif done < total and total >= LONG:
            bar: tqdm[Any] = tqdm(
                total=total, initial=done, desc=words, leave=False, mininterval=2.0, delay=PATIENCE, file=sys.stdout
            )
            self._bar, self._words = bar, words


async def up_to(stage: str, source: str, config: Config, settings: Settings, clients: IngestClients) -> Ingest:
    """The state after ``stage`` of an ingest of ``source`` that publishes nothing; what was embedded before is remembered.

    Raises SourceError for an unknown source, ValueError for an unknown stage or for ``store``, which publishes.
    """
    names = [one.name for one in INGEST_STAGES if one.name != "store"]
    if stage not in names:
        raise ValueError(f"there is no stage {stage!r} to go up to; there are {', '.join(names)}")
    stages = INGEST_STAGES[: names.index(stage) + 1]
    return (await run(stages, begin([source], settings.docs), config, clients)).state
