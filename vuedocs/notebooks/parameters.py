"""Parameters of notebooks: what a notebook declares, and texts from a command line read strictly by that.

A notebook's ``parameters`` cell assigns literals, ``top = 20`` or ``top: int = 20``; the annotation, or else the default, is the
type.
"""

from __future__ import annotations

import ast
import json
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from vuedocs.errors import NotebookRequestError


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a notebook."""

    name: str
    type: str
    """``str``, ``int``, ``float``, ``bool``, ``list`` or ``dict``; another type cannot be given as text."""
    default: Any


def declared(notebook: Any, name: str) -> dict[str, Parameter] | None:
    """The parameters that a notebook's tagged cell assigns, in its order; None where no code cell is tagged.

    Raises NotebookRequestError when the cell holds anything but assignments of literals.
    """
    cells = [cell for cell in notebook.cells if cell.cell_type == "code" and "parameters" in cell.metadata.get("tags", [])]
    if not cells:
        return None
    try:
        statements = ast.parse(cells[0].source).body
        found = [_parameter(statement) for statement in statements if not _is_text(statement)]
    except (SyntaxError, ValueError) as error:
        raise NotebookRequestError(
            f"notebook {name}: the parameters cell cannot be read ({error}); write one literal a line, such as top = 20"
        ) from error
    return {parameter.name: parameter for parameter in found}


def _is_text(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _parameter(statement: ast.stmt) -> Parameter:
    if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name) and statement.value:
        annotation = ast.unparse(statement.annotation).split("[")[0]
        return Parameter(statement.target.id, annotation, ast.literal_eval(statement.value))
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1 and isinstance(statement.targets[0], ast.Name):
        default = ast.literal_eval(statement.value)
        return Parameter(statement.targets[0].id, type(default).__name__, default)
    raise ValueError(f"line {statement.lineno} is no assignment")


def given(assignments: Sequence[str]) -> dict[str, str]:
    """``name=value`` texts as a dict; NotebookRequestError for one that is no assignment, or a name that is given twice."""
    values: dict[str, str] = {}
    for assignment in assignments:
        name, equals, text = assignment.partition("=")
        if not equals or not name.isidentifier():
            raise NotebookRequestError(f"{assignment!r} is no parameter; write name=value, such as -p source=vue")
        if name in values:
            raise NotebookRequestError(f"parameter {name} is given twice, as {values[name]!r} and {text!r}; give it once")
        values[name] = text
    return values


def parse(text: str, parameter: Parameter, notebook: str) -> Any:
    """``text`` as a value of the parameter's type; NotebookRequestError when it is none."""
    reader, example = READERS.get(parameter.type, (None, ""))
    if reader is None:
        raise NotebookRequestError(
            f"notebook {notebook}: parameter {parameter.name} is of type {parameter.type} and cannot be given as text; "
            "set it in the notebook"
        )
    try:
        return reader(text)
    except ValueError:
        raise NotebookRequestError(
            f"notebook {notebook}: parameter {parameter.name} is of type {parameter.type} (default {parameter.default!r}), "
            f"and {text!r} is none; write {example}"
        ) from None


def _bool(text: str) -> bool:
    return {"true": True, "false": False}[_matching("(?i:true|false)", text).lower()]


def _int(text: str) -> int:
    return int(_matching(r"[+-]?(?:0|[1-9]\d*)", text))


def _float(text: str) -> float:
    value = float(_matching(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", text))
    if not math.isfinite(value):
        raise ValueError(text)
    return value


def _matching(pattern: str, text: str) -> str:
    if not re.fullmatch(pattern, text, re.ASCII):
        raise ValueError(text)
    return text


def _json(kind: type) -> Callable[[str], Any]:
    def read(text: str) -> Any:
        value = json.loads(text)
        if not isinstance(value, kind):
            raise ValueError(text)
        return value

    return read


READERS: dict[str, tuple[Callable[[str], Any], str]] = {
    "str": (str, "any text"),
    "bool": (_bool, "true or false"),
    "int": (_int, "a whole number, such as 7"),
    "float": (_float, "a number, such as 0.5"),
    "list": (_json(list), 'a JSON list, such as ["a", "b"]'),
    "dict": (_json(dict), 'a JSON object, such as {"a": 1}'),
}
"""How a text becomes a value of each type (ValueError when it is none), and what to write instead."""
