"""The files that deploy the project: well formed, and as safe as they say."""

from __future__ import annotations

import configparser
import re
import tomllib
from pathlib import Path

import pytest
import yaml

from vuedocs.cli import parser
from vuedocs.clients.qdrant_server import OLDEST_TURBO8
from vuedocs.settings import Settings


def test_the_image_runs_as_an_ordinary_user_and_says_whether_it_is_well(project: Path) -> None:
    lines = (project / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ").splitlines()
    instructions = [line.split(maxsplit=1) for line in lines if line.strip() and not line.startswith("#")]
    last = dict(instructions)
    assert instructions[0][0] == "FROM"
    assert int(last["USER"]) > 0
    assert "/health" in last["HEALTHCHECK"]
    copied = [word for name, rest in instructions if name == "COPY" and "--from" not in rest for word in rest.split()[:-1]]
    assert all((project / word).exists() for word in copied), copied
    kept = [line[1:] for line in (project / ".dockerignore").read_text(encoding="utf-8").splitlines() if line.startswith("!")]
    assert all(word in kept for word in copied)
    build = tomllib.loads((project / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert {*build["packages"], *build["force-include"]} <= set(copied), "what the wheel is built of"


def test_compose_has_the_four_services_and_no_password(project: Path) -> None:
    text = (project / "compose.yaml").read_text(encoding="utf-8")
    file = yaml.safe_load(text)
    services = file["services"]
    assert set(services) == {"server", "watcher", "postgres", "qdrant"}
    for name in ("server", "watcher"):
        assert services[name]["read_only"] is True
        assert services[name]["cap_drop"] == ["ALL"]
        program, *words = services[name]["command"]
        assert program == "vuedocs"
        assert parser().parse_args(words).command in ("serve", "watch")
        read = Settings.from_environment({**services[name]["environment"], "DATABASE_PASSWORD_FILE": "", "QDRANT_URL": ""})
        assert read.database_url == "postgresql://vuedocs@postgres:5432/vuedocs"
        assert services[name]["environment"]["DATABASE_PASSWORD_FILE"] == "/run/secrets/postgres_password"
        assert set(services[name]["secrets"]) <= set(file["secrets"])
        assert {volume.partition(":")[0] for volume in services[name]["volumes"]} <= set(file["volumes"])
    assert all(port.startswith("127.0.0.1:") for port in services["server"]["ports"]), "a proxy with TLS stands before it"
    assert re.search(r"PASSWORD: |password: \S", text) is None
    version = services["qdrant"]["image"].partition(":v")[2]
    assert tuple(map(int, version.split(".")[:2])) >= OLDEST_TURBO8, "base.toml keeps vectors so"


@pytest.mark.parametrize("unit", ["watch", "server"])
def test_units_are_well_formed_and_start_a_command_that_exists(project: Path, unit: str) -> None:
    file = configparser.ConfigParser(strict=False, interpolation=None)
    file.optionxform = str  # type: ignore[assignment,method-assign]
    file.read(project / "deploy" / f"vuedocs-{unit}.service", encoding="utf-8")
    service = file["Service"]
    assert parser().parse_args(service["ExecStart"].split()[1:]).command in ("serve", "watch")
    assert service["User"] == "vuedocs"
    assert service["NoNewPrivileges"] == "yes"
    assert service["KillMode"] == "process", "the server's PostgreSQL outlives the watcher that started it"


def test_every_promise_of_the_readme_has_tests_of_the_names_it_gives(project: Path) -> None:
    table = (project / "README.md").read_text(encoding="utf-8").partition("| promise | its test |\n")[2].partition("\n\n")[0]
    rows = [re.findall(r"`(test_\w+)`", row) for row in table.splitlines()[1:]]
    assert len(rows) > 10
    assert all(rows), "a promise without a test"
    files = [file.read_text(encoding="utf-8") for file in (project / "tests").rglob("test_*.py")]
    defined = {name for text in files for name in re.findall(r"^(?:async )?def (test_\w+)", text, re.MULTILINE)}
    assert {name for row in rows for name in row} <= defined
