"""Commands as processes, and what they find in their environment."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

OURS = ("VUEDOCS_", "DATABASE_URL", "QDRANT_", "JINA_", "GEMINI_")
"""How the names of our settings begin."""

Command = Callable[..., subprocess.CompletedProcess[str]]
"""Called as ``command("search", "...", home=folder, NAME="value")``; upper-case keywords are environment variables."""


def environment(project: Path, home: Path, **settings: str) -> dict[str, str]:
    """The process's, with this data folder and none of the caller's own settings."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(OURS)}
    return {**kept, "VUEDOCS_HOME": str(home), "PYTHONPATH": str(project), **settings}
