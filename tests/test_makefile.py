"""The way from a bare machine to an environment, with small fake interpreters instead of real installations."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

PROJECT = Path(__file__).parent.parent
ABSENT = 127
TOO_OLD = 3
WITHOUT_ENSUREPIP = 4

if shutil.which("make") is None:
    pytest.skip("make is not installed", allow_module_level=True)


def make(checkout: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    ours = ("VUEDOCS_", "MAKE", "PYTHON", "PYTEST", "DOCS")  # a make around these tests hands its own down
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    command = ["make", "--no-print-directory", *arguments]
    return subprocess.run(command, cwd=checkout, env={**inherited, **environment}, capture_output=True, text=True, timeout=60)


def executable(path: Path, script: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A folder with what make reads, and no environment."""
    folder = tmp_path / "a checkout"
    folder.mkdir()
    for name in ("Makefile", "pyproject.toml", "constraints.txt"):
        shutil.copy(PROJECT / name, folder)
    return folder


@pytest.fixture
def installed(checkout: Path) -> Path:
    """The same with an environment whose interpreter only writes down what it is asked for."""
    executable(checkout / ".venv/bin/python", 'echo "$@" >> calls')
    return checkout


def calls(checkout: Path) -> list[str]:
    """What the fake interpreter was asked since the last look, the question whether pip is there aside."""
    log = checkout / "calls"
    lines = [line for line in log.read_text().splitlines() if line != "-m pip --version"]
    log.unlink()
    return lines


def interpreters(folder: Path, **codes: int) -> str:
    """A PATH on which each python ends with its code, whatever it is asked."""
    for name in ("python3.13", "python3.12", "python3.11", "python3"):
        executable(folder / name, f"exit {codes.get(name.replace('.', '_'), ABSENT)}")
    return f"{folder}:{os.environ['PATH']}"


def test_without_a_new_enough_python_make_says_what_it_looked_for(checkout: Path, tmp_path: Path) -> None:
    done = make(checkout, "demo", PATH=interpreters(tmp_path / "bin", python3=TOO_OLD))
    assert done.returncode == 2
    assert "no Python >= 3.11 among: python3.13 python3.12 python3.11 python3" in done.stderr
    assert "PYTHON=" in done.stderr


def test_a_python_without_ensurepip_is_named_with_the_remedy(checkout: Path, tmp_path: Path) -> None:
    done = make(checkout, "demo", PATH=interpreters(tmp_path / "bin", python3_11=WITHOUT_ENSUREPIP, python3=TOO_OLD))
    assert done.returncode == 2
    assert "python3.11 lacks venv or ensurepip" in done.stderr
    assert "apt install python3-venv" in done.stderr
    assert not (checkout / ".venv").exists()


def test_the_first_python_that_can_make_environments_is_taken(checkout: Path, tmp_path: Path) -> None:
    path = interpreters(tmp_path / "bin", python3_13=WITHOUT_ENSUREPIP, python3_11=TOO_OLD)
    executable(tmp_path / "bin/python3.12", 'case "$*" in "-m venv"*) echo "made with $0"; exit 1;; esac')
    done = make(checkout, "demo", PATH=path)
    assert f"made with {tmp_path}/bin/python3.12" in done.stdout
    assert "python3.12 could not make .venv" in done.stderr


def test_installation_is_done_once(installed: Path) -> None:
    assert make(installed, "demo").returncode == 0
    assert calls(installed) == [
        "-m pip install --quiet --no-input --disable-pip-version-check -c constraints.txt -e .",
        "-m vuedocs.demo",
    ]
    assert make(installed, "demo").returncode == 0
    assert calls(installed) == ["-m vuedocs.demo"]


def test_tests_bring_their_tools_and_the_demo_needs_no_more(installed: Path) -> None:
    make(installed, "test")
    assert [call.split()[-1] for call in calls(installed)] == [".[test]", "pytest"]
    make(installed, "demo")
    assert calls(installed) == ["-m vuedocs.demo"]


@pytest.mark.parametrize("name", ["pyproject.toml", "constraints.txt"])
def test_a_changed_list_of_dependencies_is_installed(installed: Path, name: str) -> None:
    make(installed, "demo")
    calls(installed)
    later = (installed / ".venv/installed").stat().st_mtime + 10
    os.utime(installed / name, (later, later))
    make(installed, "demo")
    assert len(calls(installed)) == 2


def test_a_copy_of_the_checkout_does_not_run_the_old_ones_code(installed: Path, tmp_path: Path) -> None:
    make(installed, "demo")
    copy = shutil.copytree(installed, tmp_path / "copy")
    calls(copy)
    make(copy, "demo")
    assert len(calls(copy)) == 2


def test_data_lies_in_the_project_unless_it_is_told_otherwise(installed: Path) -> None:
    executable(installed / ".venv/bin/python", 'echo "$VUEDOCS_HOME|$VUEDOCS_DOCS" > said')
    for arguments, environment, expected in [
        ((), {}, f"{installed}/.vuedocs|"),
        ((), {"VUEDOCS_HOME": ""}, f"{installed}/.vuedocs|"),
        (("DOCS=docs here",), {"VUEDOCS_HOME": "/elsewhere", "VUEDOCS_DOCS": "/other"}, f"/elsewhere|{installed}/docs here"),
        (("DOCS=/docs here",), {"VUEDOCS_HOME": "/elsewhere"}, "/elsewhere|/docs here"),
    ]:
        make(installed, "demo", *arguments, **environment)
        assert (installed / "said").read_text().strip() == expected


def test_cleaning_keeps_the_data(installed: Path) -> None:
    kept = executable(installed / ".vuedocs/index", "")
    (installed / "vuedocs").mkdir()
    (installed / "tests").mkdir()
    assert make(installed, "clean").returncode == 0
    assert kept.exists()
    assert not (installed / ".venv").exists()
