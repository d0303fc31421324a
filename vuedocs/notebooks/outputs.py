"""What an executed notebook says: whether it succeeded, what it published, and its outputs at a bearable size."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import nbformat

MIME = "application/vnd.vuedocs+json"
"""By which a notebook hands results to programs: ``{"title": .., "table": <text>, ...}``."""
CELL_CHARACTERS = 60_000
"""Text that one cell may leave in a saved notebook; more is cut in the middle, and the notebook says so."""
OTHER_CHARACTERS = 2_000_000
"""The same for one output of another type, such as HTML or a picture: more is replaced by a note."""

_MARK = "characters of output left out by vuedocs run"
_INSERTED = {"injected-parameters", "papermill-error-cell-tag"}
"""Tags of cells that papermill adds: they do not count when a person is told a cell's number."""


def read(path: Path) -> Any:
    """A notebook as an nbformat node; OSError, ValueError or nbformat's ValidationError when it is none."""
    return nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]


def write(notebook: Any, path: Path) -> None:
    """Writes a notebook."""
    nbformat.write(notebook, path)  # type: ignore[no-untyped-call]


def failure(executed: Any, died: str = "") -> str:
    """Why an executed notebook is no success, with the cell's number in the source notebook; ``""`` for a success.

    ``died``: why the kernel ended early, where it did; the cell is then the last one that was begun.
    """
    own = [cell for cell in executed.cells if not _INSERTED & set(cell.metadata.get("tags", []))]
    for number, cell in enumerate(own, 1):
        for output in cell.get("outputs", []):
            if output.output_type == "error" and output.ename == "SystemExit":
                return f"cell {number} ends the notebook by sys.exit({output.evalue}); let it run to its end, or raise an error"
            if output.output_type == "error":
                return f"cell {number} failed: {output.ename}: {clipped(output.evalue, 2_000)}"
    if died:
        begun = [number for number, cell in enumerate(own, 1) if cell.metadata.get("papermill", {}).get("start_time")]
        return f"{f'cell {begun[-1]}' if begun else 'before the first cell'}: {died}"
    for number, cell in enumerate(own, 1):
        if cell.cell_type == "code" and cell.source.strip() and cell.execution_count is None:
            return f"cell {number} was not executed"
    return ""


def shorten(executed: Any) -> bool:
    """Cuts what cells printed beyond their share, in place; whether anything was cut."""
    cut = [_shorten_cell(cell) for cell in executed.cells if cell.get("outputs")]
    return any(cut)


def _shorten_cell(cell: Any) -> bool:
    left, missing, kept = CELL_CHARACTERS, 0, []
    for output in _joined(cell.outputs):
        data = output if output.output_type == "stream" else output.get("data", {})
        kind = "text" if output.output_type == "stream" else "text/plain"
        text = data.get(kind, "")
        if text and not left and set(data) <= {kind, "name", "output_type"}:
            missing += len(text)
            continue
        data.update({kind: clipped(text, left)} if text else {})
        left -= min(left, len(text))
        large = [key for key, value in data.items() if isinstance(value, str) and len(value) > OTHER_CHARACTERS]
        missing += sum(len(data.pop(key)) for key in large)
        kept.append(output)
    if missing:
        note = {"output_type": "stream", "name": "stderr", "text": _note(missing)}
        kept.append(nbformat.from_dict(note))  # type: ignore[no-untyped-call]
    cell.outputs = kept
    return any(_MARK in output.get("text", output.get("data", {}).get("text/plain", "")) for output in kept)


def _joined(outputs: Iterable[Any]) -> list[Any]:
    """The outputs with what was printed to one stream in one piece: a long print arrives in many."""
    joined: list[Any] = []
    for output in outputs:
        if output.output_type == "stream" and joined and joined[-1].get("name") == output.name:
            joined[-1].text += output.text
        else:
            joined.append(output)
    return joined


def clipped(text: str, limit: int) -> str:
    """``text``, or its beginning and end, ``limit`` characters in all, with a note between that says how much is missing."""
    if len(text) <= limit:
        return text
    tail = limit // 4
    return text[: limit - tail] + _note(len(text) - limit) + text[len(text) - tail :]


def _note(missing: int) -> str:
    return f"\n[... {missing:,} {_MARK} ...]\n"


def published(output: Path) -> list[dict[str, Any]]:
    """What an executed notebook hands to programs, in order."""
    cells = read(output).cells
    return [out.data[MIME] for cell in cells for out in cell.get("outputs", []) if MIME in out.get("data", {})]
