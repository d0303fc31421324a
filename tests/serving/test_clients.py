"""The README's configuration of each client has the form that the client reads, and starts the server; so does server.json."""

from __future__ import annotations

import json
import re
import shlex
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters

from vuedocs import __version__

CLIENTS = ("Claude Code", "Claude Desktop", "Cursor", "Windsurf", "JetBrains", "Gemini CLI", "VS Code", "Zed")
KEYS = {
    "mcpServers": {"command", "args", "env"},
    "servers": {"type", "command", "args", "env"},
    "context_servers": {"source", "command", "args", "env"},
}
"""By what a client calls its servers: what it reads of each."""
REMOTE = {
    "Claude Code": {"type", "url"},
    "Cursor": {"url"},
    "Windsurf": {"serverUrl"},
    "JetBrains": {"url"},
    "Gemini CLI": {"httpUrl"},
    "VS Code": {"type", "url"},
    "Zed": {"url"},
}
URL = "http://127.0.0.1:8000/mcp"


@pytest.fixture(scope="module")
def section(project: Path) -> str:
    """The README's section on clients."""
    readme = (project / "README.md").read_text(encoding="utf-8")
    return readme.split("### Clients\n")[1].split("\nWithout an index")[0]


@pytest.fixture(scope="module")
def blocks(section: str) -> dict[str, dict[str, Any]]:
    """The server's entry by what the client calls its servers."""
    configs = [json.loads(block) for block in re.findall(r"```json\n(.*?)```", section, re.DOTALL)]
    return {key: entry["vuedocs"] for config in configs for key, entry in config.items()}


def test_every_client_has_its_place(section: str) -> None:
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in section.split("\n") if line.startswith("|")][2:]
    assert sorted(row[0] for row in rows) == sorted(CLIENTS)
    for client, place, remote in rows:
        assert "`" in place or "Settings" in place
        if client in REMOTE:
            entry = json.loads(remote.strip("`"))
            assert set(entry) == REMOTE[client]
            assert URL in entry.values()
            assert entry.get("type", "http") == "http"


@pytest.mark.parametrize("called", KEYS)
def test_an_entry_has_the_keys_that_its_clients_read(blocks: dict[str, dict[str, Any]], called: str) -> None:
    entry = blocks[called]
    assert set(entry) == KEYS[called]
    assert entry.get("type", "stdio") == "stdio"
    assert entry.get("source", "custom") == "custom"
    assert entry["args"] == ["/path/to/checkout/server.py"]
    assert entry["env"] == {"VUEDOCS_HOME": "/path/to/checkout/.vuedocs"}


def test_the_commands_say_the_same_as_the_file(section: str, blocks: dict[str, dict[str, Any]]) -> None:
    by_stdio, by_http = (
        shlex.split(line) for line in section.split("```sh\n")[1].split("\n```")[0].replace("\\\n", "").split("\n")
    )
    options, command = by_stdio[: by_stdio.index("--")], by_stdio[by_stdio.index("--") + 1 :]
    entry = blocks["mcpServers"]
    assert options == [
        *("claude", "mcp", "add", "--env", f"VUEDOCS_HOME={entry['env']['VUEDOCS_HOME']}", "--transport", "stdio", "vuedocs")
    ]
    assert command == [entry["command"], *entry["args"]]
    assert by_http == ["claude", "mcp", "add", "--transport", "http", "vuedocs", URL]


async def test_the_entry_starts_the_server(blocks: dict[str, dict[str, Any]], project: Path, environment: dict[str, str]) -> None:
    entry = blocks["mcpServers"]
    arguments = [argument.replace("/path/to/checkout", str(project)) for argument in entry["args"]]
    server = StdioServerParameters(command=sys.executable, args=arguments, env=environment)
    async with Client(server) as client:
        assert "docs_search" in {tool.name for tool in (await client.list_tools()).tools}


@pytest.fixture(scope="module")
def registered(project: Path) -> dict[str, Any]:
    return dict(json.loads((project / "server.json").read_text(encoding="utf-8")))


def test_server_json_has_what_the_registry_requires(registered: dict[str, Any]) -> None:
    assert registered["$schema"] == "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
    assert re.fullmatch(r"[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+", registered["name"])
    assert 3 <= len(registered["name"]) <= 200
    assert 1 <= len(registered["title"]) <= 100
    assert 1 <= len(registered["description"]) <= 100
    assert registered["version"] == __version__
    assert set(registered) <= {"$schema", "name", "title", "description", "version", "packages", "remotes", "repository"}


def test_its_package_is_this_project_and_runs_the_server(registered: dict[str, Any], project: Path) -> None:
    (package,) = registered["packages"]
    about = tomllib.loads((project / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert {"registryType", "identifier", "transport"} <= set(package)
    assert (package["registryType"], package["identifier"], package["version"]) == ("pypi", about["name"], about["version"])
    assert package["transport"] == {"type": "stdio"}
    assert [argument["value"] for argument in package["packageArguments"]] == ["serve"]
    assert about["scripts"][about["name"]] == "vuedocs.cli:main"


def test_the_variables_that_it_names_are_those_that_the_program_reads(registered: dict[str, Any], project: Path) -> None:
    read = (project / "vuedocs" / "settings.py").read_text(encoding="utf-8")
    for variable in registered["packages"][0]["environmentVariables"]:
        assert f'"{variable["name"]}"' in read
        assert variable["description"]
        assert not variable["isSecret"]
