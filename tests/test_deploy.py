"""The files that deploy the project: well formed, and as safe as they say."""

from __future__ import annotations

import configparser
import re
from pathlib import Path

import pytest
import yaml

from vuedocs.cli import parser
from vuedocs.clients.qdrant_server import OLDEST


def test_the_image_runs_as_an_ordinary_user_and_says_whether_it_is_well(project: Path) -> None:
    lines = (project / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ").splitlines()
    instructions = [line.split(maxsplit=1) for line in lines if line.strip() and not line.startswith("#")]
    last = dict(instructions)
    assert instructions[0][0] == "FROM"
    assert int(last["USER"]) > 0
    assert "/health" in last["HEALTHCHECK"]
    copied = [word for name, rest in instructions if name == "COPY" and "--from" not in rest for word in rest.split()[:-1]]
    assert all((project / word).exists() for word in copied), copied
    kept = (project / ".dockerignore").read_text(encoding="utf-8").splitlines()
    assert all(f"!{Path(word).parts[0]}" in kept for word in copied)


def test_compose_has_the_four_services_and_no_password(project: Path) -> None:
    text = (project / "compose.yaml").read_text(encoding="utf-8")
    services = yaml.safe_load(text)["services"]
    assert set(services) == {"server", "watcher", "postgres", "qdrant"}
    for name in ("server", "watcher"):
        assert services[name]["read_only"] is True
        assert services[name]["cap_drop"] == ["ALL"]
        command = services[name]["command"][-1].split("exec vuedocs ")[1].split()
        assert parser().parse_args(command).command in ("serve", "watch")
    assert all(port.startswith("127.0.0.1:") for port in services["server"]["ports"]), "a proxy with TLS stands before it"
    assert re.search(r"PASSWORD: |password: \S", text) is None
    version = services["qdrant"]["image"].partition(":v")[2]
    assert tuple(map(int, version.split(".")[:2])) >= OLDEST


@pytest.mark.parametrize("unit", ["watch", "server"])
def test_units_are_well_formed_and_start_a_command_that_exists(project: Path, unit: str) -> None:
    file = configparser.ConfigParser(strict=False, interpolation=None)
    file.optionxform = str  # type: ignore[assignment,method-assign]
    file.read(project / "deploy" / f"vuedocs-{unit}.service", encoding="utf-8")
    service = file["Service"]
    assert parser().parse_args(service["ExecStart"].split()[1:]).command in ("serve", "watch")
    assert service["User"] == "vuedocs"
    assert service["NoNewPrivileges"] == "yes"


def test_every_promise_of_the_readme_has_tests_of_the_names_it_gives(project: Path) -> None:
    table = (project / "README.md").read_text(encoding="utf-8").partition("| promise | its test |\n")[2].partition("\n\n")[0]
    rows = [re.findall(r"`(test_\w+)`", row) for row in table.splitlines()[1:]]
    assert len(rows) > 10
    assert all(rows), "a promise without a test"
    files = [file.read_text(encoding="utf-8") for file in (project / "tests").rglob("test_*.py")]
    defined = {name for text in files for name in re.findall(r"^(?:async )?def (test_\w+)", text, re.MULTILINE)}
    assert {name for row in rows for name in row} <= defined
