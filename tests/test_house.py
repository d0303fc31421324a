"""The rules of the house that a program can check, each over the whole project and once over a broken example.

A rule is a function from a file to complaints, ``file:line: what is wrong``; it never imports what it checks.
"""

from __future__ import annotations

import ast
import json
import re
import subprocess
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

PROJECT = Path(__file__).parent.parent

LAYERS = (
    {"records", "config", "errors", "settings", "stages", "tokens", "lexical", "spelling", "variables"},
    {"clients", "sources"},
    {"ingest", "query"},
    {"bench", "serving"},
    {"workbench", "training"},
    {"cli", "commands", "demo", "notebooks"},
)
"""What may be imported: everything in a row above one's own. The first and last row are open among themselves."""
EVALUATION = {"ranx", "scipy", "matplotlib", "optuna"}
SERVER_IMPORTS = {"serving", "config", "settings", "errors"}

MODULE_LINES = 300
FUNCTION_LINES = 60
SERVER_LINES = 40

Function = (ast.FunctionDef, ast.AsyncFunctionDef)


def layer(area: str) -> int:
    """The row of an area of the package; -1 where the table does not name it."""
    return next((number for number, areas in enumerate(LAYERS) if area in areas), -1)


def imports(tree: ast.AST, package: str = "") -> Iterator[tuple[int, str]]:
    """(line, dotted name) of every import, wherever it stands; ``package`` resolves relative ones."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, name.name) for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            parents = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*parents, *([node.module] if node.module else [])])
            yield from ((node.lineno, f"{base}.{name.name}") for name in node.names)


def area_of(name: str) -> str:
    """The area that an imported dotted name belongs to; ``""`` for other packages and for the package's own ``__version__``."""
    parts = name.split(".")
    return parts[1] if parts[0] == "vuedocs" and len(parts) > 1 and not parts[1].startswith("__") else ""


def wrong_direction(file: str, tree: ast.AST) -> list[str]:
    """Imports against the table, of a module of the package."""
    parts = Path(file).with_suffix("").parts
    own, package = parts[1], ".".join(parts[:-1])
    if own == "__init__":
        return [f"{file}:{line}: the package's root imports {name}" for line, name in imports(tree, package) if area_of(name)]
    if layer(own) < 0:
        return [f"{file}:1: the table of layers does not name {own}"]
    problems = []
    for line, name in imports(tree, package):
        area = area_of(name)
        if not area or area == own:
            continue
        if area == "training":
            problems.append(f"{file}:{line}: nothing of the product imports {name}: training is an extra")
            continue
        open_row = layer(own) == layer(area) and layer(own) in (0, len(LAYERS) - 1)
        if layer(area) < 0 or not (layer(area) < layer(own) or open_row):
            problems.append(f"{file}:{line}: {own} must not import {name}")
    return problems


def evaluation_outside_bench(file: str, tree: ast.AST) -> list[str]:
    """Only bench knows the packages of evaluation; everyone else asks bench. The workbench draws plots of its own."""
    allowed = {("vuedocs", "bench"): EVALUATION, ("vuedocs", "workbench"): {"matplotlib"}}.get(Path(file).parts[:2], set())
    forbidden = EVALUATION - allowed
    named = [(line, name) for line, name in imports(tree, "vuedocs") if name.split(".")[0] in forbidden]
    return [f"{file}:{line}: only vuedocs.bench imports {name.split('.')[0]}" for line, name in named]


def too_long(file: str, tree: ast.AST, source: str) -> list[str]:
    """Modules and functions over the limits, docstrings included."""
    lines = len(source.splitlines())
    problems = [f"{file}:{MODULE_LINES}: the module has {lines} lines"] if lines > MODULE_LINES else []
    for node in ast.walk(tree):
        if isinstance(node, Function) and (length := span(node)) > FUNCTION_LINES:
            problems.append(f"{file}:{node.lineno}: {node.name} has {length} lines, at most {FUNCTION_LINES} are allowed")
    return problems


def span(node: ast.stmt) -> int:
    """Lines from a statement's first to its last."""
    return (node.end_lineno or node.lineno) - node.lineno + 1


def empty_names(file: str, tree: ast.AST) -> list[str]:
    """Names that say nothing: utils, helpers, process_, do_."""
    names = [(1, part) for part in Path(file).with_suffix("").parts]
    names += [(node.lineno, node.name) for node in ast.walk(tree) if isinstance(node, (*Function, ast.ClassDef))]
    nothing = re.compile(r"(?:^|_)(?:util|helper)s?(?:_|$)|^_*(?:process|do)_|[a-z](?:Util|Helper)s?$")
    return [f"{file}:{line}: the name {name} says nothing" for line, name in names if nothing.search(name)]


def swallowed_errors(file: str, tree: ast.AST) -> list[str]:
    """Handlers of everything that do not raise."""
    problems = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.ExceptHandler):
            continue
        kinds = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]
        everything = any(kind is None or ast.unparse(kind) in ("Exception", "BaseException") for kind in kinds)
        if everything and not any(isinstance(inner, ast.Raise) for inner in ast.walk(node)):
            problems.append(f"{file}:{node.lineno}: catches everything and goes on")
    return problems


def prints(file: str, tree: ast.AST) -> list[str]:
    """print() to standard output where that is the MCP wire."""
    if file != "server.py" and Path(file).parts[:2] != ("vuedocs", "serving"):
        return []
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and ast.unparse(node.func) == "print"]
    wrong = [node for node in calls if file != "server.py" or not any(word.arg == "file" for word in node.keywords)]
    return [f"{file}:{node.lineno}: print() writes onto the MCP wire" for node in wrong]


def server_with_logic(file: str, tree: ast.AST) -> list[str]:
    """server.py builds the server from vuedocs.serving and runs it, no more."""
    problems = [
        f"{file}:{line}: server.py imports {name}; only vuedocs.{{{', '.join(sorted(SERVER_IMPORTS))}}} belong there"
        for line, name in imports(tree)
        if area_of(name) and area_of(name) not in SERVER_IMPORTS
    ]
    lengths = [(node.lineno, span(node)) for node in ast.walk(tree) if isinstance(node, (*Function, ast.ClassDef))]
    if (total := sum(length for _, length in lengths)) > SERVER_LINES:
        problems.append(f"{file}:{lengths[0][0]}: {total} lines of functions, at most {SERVER_LINES} belong in server.py")
    return problems


def notebook_rules(file: str, notebook: dict[str, Any]) -> list[str]:
    """A title with a question, one ``parameters`` cell, no outputs, and no code that belongs in the package."""
    cells = notebook["cells"]
    problems = []
    if not cells or cells[0]["cell_type"] != "markdown" or "?" not in "".join(cells[0]["source"]):
        problems.append(f"{file}: cell 1: does not open with Markdown that asks its question")
    tagged = [cell for cell in cells if "parameters" in cell["metadata"].get("tags", [])]
    if len(tagged) != 1 or tagged[0]["cell_type"] != "code":
        problems.append(f"{file}: {len(tagged)} cells are tagged parameters, there must be one code cell")
    for line in (line for cell in tagged for line in "".join(cell["source"]).splitlines()):
        if line.count("=") > 1:
            problems.append(f"{file}: parameters: papermill cannot read a line with two '=': {line}")
    for number, cell in enumerate(cells, 1):
        if cell["cell_type"] != "code":
            continue
        where = f"{file}: cell {number}"
        if cell.get("outputs") or cell.get("execution_count") is not None:
            problems.append(f"{where}: has outputs; strip them with nbstripout --keep-id")
        problems += cell_rules(where, "".join(cell["source"]))
    return problems


def cell_rules(where: str, source: str) -> list[str]:
    """A code cell without definitions, loops and imports of what is not a notebook's business."""
    code = re.sub(r"^\s*[%!].*$", "", source, flags=re.MULTILINE)
    tree = compile(code, where, "exec", flags=ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    problems = evaluation_outside_bench(where, tree) + swallowed_errors(where, tree)
    for node in ast.walk(tree):
        if isinstance(node, (*Function, ast.ClassDef)):
            problems.append(f"{where}:{node.lineno}: defines {node.name}; it belongs in the package")
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda):
            problems.append(f"{where}:{node.lineno}: defines a function; it belongs in the package")
        elif isinstance(node, (ast.For, ast.AsyncFor, ast.While)):
            problems.append(f"{where}:{node.lineno}: loops; call the package instead")
    wrong = [(line, name) for line, name in imports(tree) if layer(area_of(name)) == len(LAYERS) - 1]
    return problems + [f"{where}:{line}: a notebook must not import {name}" for line, name in wrong]


REGISTRY = re.compile(
    r"(?:--(?:extra-)?index-url|--find-links|--trusted-host)[ =]"
    r"|https?://[^\s/\"'<>)]*(?:pypi|pythonhosted|npmjs|anaconda|artifactory|nexus|devpi|registry)[^\s/]*",
    re.IGNORECASE,
)
MACHINE_PATH = re.compile(r"(?<![\w.:/)}*-])/(?:work|root|home(?!/(?:me|user)\b))/(?=\w)")
"""``/home/me`` and ``/home/user`` are nobody's folders: examples may say them."""


def machine_words(file: str, text: str) -> list[str]:
    """Registry hosts and paths of the machine on which the text was written."""
    problems = []
    for number, line in enumerate(text.splitlines(), 1):
        problems += [f"{file}:{number}: names a package registry: {found.group()}" for found in REGISTRY.finditer(line)]
        problems += [f"{file}:{number}: names a machine's path: {line.strip()[:80]}" for _ in MACHINE_PATH.finditer(line)]
    return problems


def package_files() -> list[Path]:
    """The package's modules and the server, as paths from the project's root."""
    server = [PROJECT / "server.py"] if (PROJECT / "server.py").exists() else []
    return [path.relative_to(PROJECT) for path in [*sorted((PROJECT / "vuedocs").rglob("*.py")), *server]]


def project_texts() -> list[tuple[str, str]]:
    """(path, text) of every text file that git tracks or would add."""
    command = ["git", "-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip(f"no list of tracked files, {PROJECT.name} is no git checkout: {listed.stderr.strip()}")
    paths = [PROJECT / name for name in sorted(set(listed.stdout.split("\0"))) if name]
    contents = [(path, path.read_bytes()) for path in paths if path.is_file()]
    return [(str(path.relative_to(PROJECT)), data.decode("utf-8", "replace")) for path, data in contents if b"\0" not in data]


def broken(rule: Callable[[str, ast.AST], list[str]], files: Iterable[Path]) -> list[str]:
    """The complaints of ``rule`` over ``files``."""
    return [line for file in files for line in rule(str(file), ast.parse((PROJECT / file).read_text(encoding="utf-8")))]


def expect_none(problems: list[str]) -> None:
    assert not problems, "\n" + "\n".join(problems)


RULES = [evaluation_outside_bench, empty_names, swallowed_errors, prints]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_every_module_keeps(rule: Callable[[str, ast.AST], list[str]]) -> None:
    expect_none(broken(rule, package_files()))


def test_imports_run_one_way() -> None:
    expect_none(broken(wrong_direction, [file for file in package_files() if file.parts[0] == "vuedocs"]))


def test_modules_and_functions_are_short() -> None:
    sources = [(str(file), (PROJECT / file).read_text(encoding="utf-8")) for file in package_files()]
    expect_none([line for file, source in sources for line in too_long(file, ast.parse(source), source)])


def test_no_two_test_modules_have_the_same_name() -> None:
    """The folders of the tests are no packages, so pytest imports each module by its bare name."""
    named: dict[str, list[str]] = {}
    for file in sorted((PROJECT / "tests").rglob("test_*.py")):
        named.setdefault(file.name, []).append(str(file.relative_to(PROJECT)))
    expect_none([f"{' and '.join(files)} have one name" for files in named.values() if len(files) > 1])


def test_the_server_only_builds_and_runs() -> None:
    expect_none(broken(server_with_logic, [Path("server.py")]))


def test_notebooks_show_and_do_not_define() -> None:
    notebooks = sorted((PROJECT / "notebooks").glob("*.ipynb"))
    if not notebooks:
        pytest.skip("there are no notebooks yet")
    named = [(str(path.relative_to(PROJECT)), json.loads(path.read_text(encoding="utf-8"))) for path in notebooks]
    expect_none([line for file, notebook in named for line in notebook_rules(file, notebook)])


def test_no_file_names_a_registry_or_a_machine() -> None:
    expect_none([line for file, text in project_texts() for line in machine_words(file, text)])


BROKEN: list[tuple[Callable[[str, ast.AST], list[str]], str, str, str]] = [
    (wrong_direction, "vuedocs/query/search.py", "from vuedocs.ingest import parse", "query must not import vuedocs.ingest"),
    (wrong_direction, "vuedocs/query/search.py", "from ..bench import runs", "query must not import vuedocs.bench"),
    (wrong_direction, "vuedocs/serving/tools.py", "def f():\n    import vuedocs.bench.runs", ":2: serving must not"),
    (wrong_direction, "vuedocs/records.py", "from vuedocs import clients", "records must not import vuedocs.clients"),
    (wrong_direction, "vuedocs/extra.py", "", "does not name extra"),
    (wrong_direction, "vuedocs/query/search.py", "from vuedocs import extra", "query must not import vuedocs.extra"),
    (wrong_direction, "vuedocs/cli.py", "from vuedocs.training import recipe", "training is an extra"),
    (evaluation_outside_bench, "vuedocs/query/search.py", "import scipy.stats", ":1: only vuedocs.bench imports scipy"),
    (evaluation_outside_bench, "vuedocs/workbench/embed.py", "import ranx", ":1: only vuedocs.bench imports ranx"),
    (wrong_direction, "vuedocs/bench/report.py", "from vuedocs import workbench", "bench must not import vuedocs.workbench"),
    (empty_names, "vuedocs/query/utils.py", "", "the name utils"),
    (empty_names, "vuedocs/query/search.py", "def process_hits(): ...", "the name process_hits"),
    (swallowed_errors, "vuedocs/cli.py", "try:\n    run()\nexcept Exception:\n    pass", "vuedocs/cli.py:3: catches"),
    (swallowed_errors, "vuedocs/cli.py", "try:\n    run()\nexcept (OSError, BaseException) as e:\n    log(e)", ":3: catches"),
    (swallowed_errors, "vuedocs/cli.py", "try:\n    run()\nexcept:\n    log()", ":3: catches"),
    (prints, "vuedocs/serving/tools.py", "print('x', file=f)", "vuedocs/serving/tools.py:1: print()"),
    (prints, "server.py", "print('x')", "server.py:1: print()"),
    (server_with_logic, "server.py", "from vuedocs.query.reader import Reader", "imports vuedocs.query.reader.Reader"),
    (server_with_logic, "server.py", "def main():\n" + "    x = 1\n" * SERVER_LINES, "41 lines of functions"),
]


@pytest.mark.parametrize(("rule", "file", "source", "complaint"), BROKEN)
def test_a_broken_module_is_named(rule: Callable[[str, ast.AST], list[str]], file: str, source: str, complaint: str) -> None:
    problems = rule(file, ast.parse(source))
    assert len(problems) == 1
    assert complaint in problems[0]


@pytest.mark.parametrize(
    ("rule", "file", "source"),
    [
        (wrong_direction, "vuedocs/query/search.py", "import vuedocs\nfrom vuedocs import __version__\nfrom .fusion import fuse"),
        (wrong_direction, "vuedocs/config.py", "from vuedocs.errors import ConfigError"),
        (wrong_direction, "vuedocs/cli.py", "from vuedocs import bench, notebooks"),
        (evaluation_outside_bench, "vuedocs/bench/runs.py", "import ranx"),
        (evaluation_outside_bench, "vuedocs/workbench/plots.py", "from matplotlib import pyplot"),
        (empty_names, "vuedocs/query/search.py", "def preprocess_query(): ...\ndef reprocess(): ...\ndef redo_all(): ..."),
        (swallowed_errors, "vuedocs/cli.py", "try:\n    run()\nexcept BaseException:\n    close()\n    raise"),
        (prints, "server.py", "import sys\nprint('x', file=sys.stderr)"),
    ],
)
def test_a_module_that_keeps_the_rules_passes(rule: Callable[[str, ast.AST], list[str]], file: str, source: str) -> None:
    assert rule(file, ast.parse(source)) == []


def test_length_is_counted_with_docstrings() -> None:
    source = 'def f():\n    """' + "\n" * FUNCTION_LINES + '    """\n' + "x = 1\n" * MODULE_LINES
    assert [line.split(": ", 1)[0] for line in too_long("m.py", ast.parse(source), source)] == ["m.py:300", "m.py:1"]


def test_a_broken_notebook_is_told_all_of_it() -> None:
    def code(source: str, **more: Any) -> dict[str, Any]:
        return {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": [source], **more}

    title = {"cell_type": "markdown", "metadata": {}, "source": ["# Search\n", "What does it find?"]}
    parameters = code("source = 'vue'", metadata={"tags": ["parameters"]})
    good = {"cells": [title, parameters, code("%matplotlib inline\nawait run([c for c in chunks])")]}
    assert notebook_rules("n.ipynb", good) == []
    bad = {
        "cells": [
            code("for chunk in chunks:\n    show(chunk)", execution_count=3),
            code("def f(): ...\ng = lambda: 1"),
            code("import ranx\nfrom vuedocs.cli import main"),
        ]
    }
    assert notebook_rules("n.ipynb", bad) == [
        "n.ipynb: cell 1: does not open with Markdown that asks its question",
        "n.ipynb: 0 cells are tagged parameters, there must be one code cell",
        "n.ipynb: cell 1: has outputs; strip them with nbstripout --keep-id",
        "n.ipynb: cell 1:1: loops; call the package instead",
        "n.ipynb: cell 2:1: defines f; it belongs in the package",
        "n.ipynb: cell 2:2: defines a function; it belongs in the package",
        "n.ipynb: cell 3:1: only vuedocs.bench imports ranx",
        "n.ipynb: cell 3:2: a notebook must not import vuedocs.cli.main",
    ]


def test_words_of_a_machine_are_found() -> None:
    home, host = "/" + "home/ada/docs", "https:" + "//pypi.example.org/simple"
    found = machine_words("a.md", f"see {home}\nok: src/home/page.md, https://vuejs.org/home/x\n{host}")
    assert [line.split(": ")[0] for line in found] == ["a.md:1", "a.md:3"]
