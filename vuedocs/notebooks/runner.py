"""Running notebooks: what is asked for is checked first, then each is executed and its output judged."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat

from vuedocs.bench.ledger import run_id
from vuedocs.errors import NotebookError, NotebookRequestError, StorageError
from vuedocs.notebooks.kernel import run_papermill
from vuedocs.notebooks.outputs import failure, read, shorten, write
from vuedocs.notebooks.parameters import Parameter, declared, given, parse

PROJECT = Path(__file__).parents[2]
PIPELINE = ("01_parse", "02_entities", "03_enrich", "04_hype", "05_embed", "06_store", "07_evaluate")
"""What runs when no notebook is named: one notebook a stage, in the order of the stages."""


@dataclass(frozen=True)
class Notebook:
    """A notebook in the notebooks folder, with the parameters that it declares."""

    name: str
    path: Path
    content: Any
    """An nbformat node."""
    parameters: Mapping[str, Parameter] | None
    """None where no cell is tagged ``parameters``."""


def run_notebooks(
    names: Sequence[str],
    parameters: Sequence[str],
    *,
    folder: Path = PROJECT / "notebooks",
    runs: Path = PROJECT / "evals" / "runs",
) -> Iterator[Path]:
    """Executes notebooks in order into ``runs/<run id>/``; yields each executed notebook when it is done.

    ``names`` empty means all of the pipeline's; ``parameters`` are ``name=value``, each passed to the notebooks that have it.
    Raises NotebookRequestError before anything runs for an unknown notebook, an unknown parameter or a value of the wrong type;
    NotebookError when a notebook fails, which names the cell and leaves what was executed in its output file.
    """
    notebooks = [find(name, folder) for name in dict.fromkeys(names or PIPELINE)]
    arguments = arguments_for(notebooks, parameters)
    return _execute_all(notebooks, arguments, runs / run_id())


def find(name: str, folder: Path) -> Notebook:
    """A notebook by its name, with or without suffix; NotebookRequestError names those that exist."""
    stem = name.removesuffix(".ipynb").rpartition("/")[2]
    path = folder / f"{stem}.ipynb"
    if not path.is_file():
        known = ", ".join(sorted(path.stem for path in folder.glob("*.ipynb"))) or "none"
        raise NotebookRequestError(f"there is no notebook {name!r} in {folder}; there are: {known}")
    try:
        content = read(path)
    except (OSError, ValueError, nbformat.ValidationError) as error:
        raise NotebookRequestError(f"notebook {path} cannot be read: {error}; restore it from git") from error
    return Notebook(stem, path, content, declared(content, stem))


def arguments_for(notebooks: Sequence[Notebook], parameters: Sequence[str]) -> list[dict[str, Any]]:
    """The values to pass to each notebook, typed; NotebookRequestError for what does not fit."""
    texts = given(parameters)
    for notebook in notebooks if texts else ():
        if notebook.parameters is None:
            raise NotebookRequestError(
                f"notebook {notebook.name} has no cell tagged 'parameters', so it would ignore {', '.join(texts)}; "
                "tag the cell that holds its parameters, or run it without -p"
            )
    known = {name for notebook in notebooks for name in notebook.parameters or ()}
    for name in texts:
        if name not in known:
            own = ", ".join(sorted(known)) or "none"
            raise NotebookRequestError(f"{' '.join(n.name for n in notebooks)}: there is no parameter {name!r}; there are: {own}")
    return [values_for(notebook, texts) for notebook in notebooks]


def values_for(notebook: Notebook, texts: Mapping[str, str]) -> dict[str, Any]:
    """Those of the given values that the notebook has, by the types of its parameters."""
    own = notebook.parameters or {}
    return {name: parse(text, own[name], notebook.name) for name, text in texts.items() if name in own}


def _execute_all(notebooks: Sequence[Notebook], arguments: Sequence[dict[str, Any]], folder: Path) -> Iterator[Path]:
    try:
        folder.mkdir(parents=True)
    except OSError as error:
        raise StorageError(f"the outputs cannot be written to {folder}: {error}; make the folder writable") from error
    for notebook, values in zip(notebooks, arguments, strict=True):
        output = folder / f"{notebook.name}.ipynb"
        execute(notebook, values, output)
        yield output


def execute(notebook: Notebook, values: Mapping[str, Any], output: Path) -> None:
    """Executes one notebook into ``output`` from the project's root, with this interpreter and environment."""
    broken = run_papermill(notebook.content, values, output, title=notebook.name, cwd=PROJECT)
    executed = read(output) if output.exists() else None
    if executed is not None:
        if shorten(executed):
            write(executed, output)
        broken = failure(executed, died=broken) or broken
    if broken:
        where = f"; what was executed is in {output}" if executed is not None else ""
        raise NotebookError(f"notebook {notebook.name}: {broken}{where}")
