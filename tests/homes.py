"""Data folders with an index in them, made as a user makes them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path


def ingested(sources: Sequence[str], home: Path, docs: Path | None = None) -> Path:
    """A data folder that holds these sources, ingested by the command itself."""
    environment = {**os.environ, "VUEDOCS_HOME": str(home)}
    arguments = ["ingest", *sources, *(["--docs", str(docs)] if docs else [])]
    done = subprocess.run([sys.executable, "-m", "vuedocs.cli", *arguments], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, f"vuedocs {' '.join(arguments)} ended with {done.returncode}:\n{done.stderr[-2000:]}"
    return home
