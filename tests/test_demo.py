"""The demo: which docs it takes and why, a repository that is slow or gone, and the question over stdio."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from vuedocs import demo
from vuedocs.errors import VuedocsError

REPOSITORY = "https://example.org/docs"
SERVER = """
from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

server = MCPServer("fake")

@server.tool(description="Answers.")
def docs_search(query: str, source: str, max_results: int) -> str:
    if source == "unknown":
        raise ToolError("there is no source 'unknown'")
    return f"{max_results} answers to {query!r} from {source}"

server.run()
"""


def never_asked(repository: str) -> str:
    raise AssertionError(f"{repository} must not be asked")


def test_a_named_folder_is_taken_without_asking_the_network(tmp_path: Path) -> None:
    choice = demo.choose(tmp_path, REPOSITORY, never_asked)
    assert (choice.source, choice.docs) == ("vue", tmp_path)
    assert str(tmp_path) in choice.what


def test_a_repository_that_answers_is_cloned() -> None:
    choice = demo.choose(None, REPOSITORY, lambda repository: "")
    assert (choice.source, choice.docs) == ("vue", None)
    assert REPOSITORY in choice.what


def test_without_either_the_sample_is_taken_and_the_reason_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    choice = demo.choose(None, REPOSITORY, lambda repository: "no route to host")
    assert (choice.source, choice.docs) == ("sample", None)
    demo.announce(choice)
    said = capsys.readouterr().out
    assert "NOT the Vue documentation" in said
    assert f"{REPOSITORY} cannot be cloned: no route to host" in said


def test_a_repository_on_disk_is_reachable(tmp_path: Path) -> None:
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org", "-C", str(tmp_path)]
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "first"], check=True)
    assert demo.unreachable(str(tmp_path)) == ""


def test_a_repository_that_is_not_there_says_why(tmp_path: Path) -> None:
    assert demo.unreachable(str(tmp_path / "gone"))


def test_a_repository_that_never_answers_costs_only_the_patience() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        started = time.perf_counter()
        reason = demo.unreachable(f"git://127.0.0.1:{silent.getsockname()[1]}/docs", patience=0.3)
    assert reason == "no answer within 0.3 seconds"
    assert time.perf_counter() - started < 3


async def test_the_question_goes_through_a_real_client(tmp_path: Path) -> None:
    server = tmp_path / "server.py"
    server.write_text(SERVER)
    assert await demo.ask("why?", "vue", server) == "3 answers to 'why?' from vue"
    with pytest.raises(VuedocsError, match="there is no source 'unknown'"):
        await demo.ask("why?", "unknown", server)


async def test_a_server_that_dies_is_an_error_that_names_it(tmp_path: Path) -> None:
    server = tmp_path / "server.py"
    server.write_text("raise SystemExit(3)")
    with pytest.raises(VuedocsError, match=r"server\.py did not answer"):
        await demo.ask("why?", "vue", server)


def test_a_failed_step_ends_the_demo_with_its_exit_code(tmp_path: Path) -> None:
    environment = {**os.environ, "VUEDOCS_HOME": str(tmp_path / "home"), "VUEDOCS_DOCS": str(tmp_path / "gone")}
    done = subprocess.run([sys.executable, "-m", "vuedocs.demo"], env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2, done.stderr
    assert "the demo stopped: `vuedocs ingest vue" in done.stderr
    assert "Notebooks" not in done.stdout
