"""Prompts: files of ``vuedocs/prompts``, versioned by their content."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib import resources


@cache
def prompt(name: str) -> str:
    """The text of one prompt."""
    return resources.files("vuedocs").joinpath("prompts", f"{name}.md").read_text(encoding="utf-8").strip()


def prompt_version(*names: str) -> str:
    """12 hex digits over the texts of these prompts: other words, other version."""
    return hashlib.sha256("\x1f".join(map(prompt, names)).encode()).hexdigest()[:12]
