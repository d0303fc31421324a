"""The files that a site's config imports from beside it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from vuedocs.sources.typescript import TypeScript

_SUFFIXES = (".ts", ".mts", ".js", ".mjs", ".json", "/index.ts", "/index.mts", "/index.js")


class Modules:
    """Files below one folder, each read once; those that read their expressions share a budget."""

    def __init__(self, root: Path | None = None) -> None:
        self._root = root.resolve() if root else None
        self._read: dict[Path, Any] = {}
        self._budget = 200_000

    def spend(self) -> bool:
        """Takes one expression from the budget; False where it is used up.

        A real site's config has 5,000 expressions; one that doubles itself again and again is stopped.
        """
        self._budget -= 1
        return self._budget >= 0

    def find(self, folder: Path, written: str) -> tuple[Path, Any] | None:
        """The file that ``written`` names in a file of ``folder``, as TypeScript or as the value of its JSON.

        None where it names a package, a file that is not there, or one outside of the root.
        """
        if self._root is None or not written.startswith("."):
            return None
        inside = [file for file in _candidates(folder / written) if file.is_relative_to(self._root) and file.is_file()]
        return (inside[0], self._contents(inside[0])) if inside else None

    def _contents(self, file: Path) -> Any:
        if file not in self._read:
            text = file.read_text(encoding="utf-8-sig", errors="replace")
            self._read[file] = _json(text) if file.suffix == ".json" else TypeScript(text)
        return self._read[file]


def _candidates(path: Path) -> Iterator[Path]:
    """The file as written, then as imports may abbreviate it: without a suffix, or with that of the compiled file."""
    yield path.resolve()
    yield from (Path(f"{path}{suffix}").resolve() for suffix in _SUFFIXES)
    if path.suffix in (".js", ".mjs"):
        yield from (path.with_suffix(suffix).resolve() for suffix in (".ts", ".mts"))


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (RecursionError, ValueError):
        return None
