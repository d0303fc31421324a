"""``make demo``: from documentation to an answered question, one heading a step.

    python -m vuedocs.demo

Every step is what a person would type next: the commands run as commands, and the question goes through a real MCP client to a
server of its own over stdio. The first step that fails ends the demo with that step's exit code.
"""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from mcp import Client, MCPError, StdioServerParameters
from mcp_types import CallToolResult, TextContent

from vuedocs.errors import VuedocsError
from vuedocs.settings import Settings
from vuedocs.sources import find

QUESTION = "When should I use a computed property instead of a method?"
SERVER = Path(__file__).parent.parent / "server.py"
PATIENCE = 5.0
"""Seconds in which a repository must answer: a demo without a network should not begin with a wait."""
ANSWER_TIMEOUT = 120.0
"""Seconds that the server may take for one answer, its start included."""
WIDTH = 100


class StepFailed(VuedocsError):
    """A command of the demo failed; it has said why itself."""

    def __init__(self, command: str, exit_code: int) -> None:
        super().__init__(f"the demo stopped: `{command}` failed with exit code {exit_code} (its reason stands above)")
        self.exit_code = exit_code


@dataclass(frozen=True, slots=True)
class Choice:
    """Which documentation the demo is about, and why."""

    source: str
    docs: Path | None
    """A folder of checkouts named by source; None: clone, or the docs that come with the package."""
    what: str
    why: str


def choose(docs: Path | None, repository: str, unreachable: Callable[[str], str]) -> Choice:
    """The person's own docs, else Vue's by git where ``repository`` answers, else the sample docs.

    ``unreachable`` gives the reason why a repository cannot be cloned, ``""`` when it can.
    """
    if docs:
        return Choice("vue", docs, f"the Vue documentation in {docs / 'vue'}", "DOCS or VUEDOCS_DOCS names this folder")
    reason = unreachable(repository)
    if not reason:
        return Choice("vue", None, f"the Vue documentation, cloned from {repository}", "no folder was named, and it answers")
    return Choice(
        "sample",
        None,
        "NOT the Vue documentation but this project's own sample pages about Vue",
        f"no folder was named by DOCS or VUEDOCS_DOCS, and {repository} cannot be cloned: {reason}",
    )


def unreachable(repository: str, patience: float = PATIENCE) -> str:
    """Why git cannot read ``repository`` within ``patience`` seconds, in one line; ``""`` when it can."""
    environment = {**os.environ, "GIT_TERMINAL_PROMPT": "0", "GIT_SSH_COMMAND": "ssh -o BatchMode=yes"}
    command = ["git", "ls-remote", "--exit-code", repository, "HEAD"]
    try:
        process = subprocess.Popen(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            start_new_session=True,
        )
    except FileNotFoundError:
        return "git is not installed"
    try:
        _, complaint = process.communicate(timeout=patience)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)  # git's own transport helper too, which would hold the pipe open
        process.communicate()
        return f"no answer within {patience:g} seconds"
    if process.returncode == 0:
        return ""
    lines = complaint.strip().splitlines()
    return lines[-1] if lines else f"git ended with exit code {process.returncode}"


def command(*arguments: str) -> None:
    """Runs ``vuedocs <arguments>`` with its output shown; raises StepFailed."""
    code = subprocess.run([sys.executable, "-m", "vuedocs.cli", *arguments], check=False).returncode
    if code:
        raise StepFailed("vuedocs " + " ".join(arguments), code if code > 0 else 128 - code)


async def ask(question: str, source: str, server: Path = SERVER) -> str:
    """The answer of ``server``'s ``docs_search`` to ``question``, by the SDK's client over stdio.

    Raises VuedocsError when the server cannot be started or the tool answers with an error.
    """
    parameters = StdioServerParameters(command=sys.executable, args=[str(server)], env=dict(os.environ))
    result: CallToolResult | None = None
    failure = ""
    try:
        async with Client(parameters, read_timeout_seconds=ANSWER_TIMEOUT) as client:
            result = await client.call_tool("docs_search", {"query": question, "source": source, "max_results": 3})
    except* (OSError, MCPError) as errors:  # the client's task groups wrap them
        failure = str(first_of(errors))
    if result is None:
        raise VuedocsError(f"{server.name} did not answer over stdio: {failure}; run it by hand to see why")
    text = "\n".join(part.text for part in result.content if isinstance(part, TextContent))
    if result.is_error:
        raise VuedocsError(f"docs_search answered with an error: {text}")
    return text


def first_of(errors: BaseException) -> BaseException:
    """The first error inside nested groups."""
    while isinstance(errors, BaseExceptionGroup):
        errors = errors.exceptions[0]
    return errors


@contextmanager
def step(heading: str) -> Iterator[None]:
    """Prints ``heading`` before, and the seconds that the step took after."""
    print(f"\n=== {heading} {'=' * max(3, WIDTH - len(heading) - 5)}\n", flush=True)
    started = time.perf_counter()
    yield
    print(f"\n    ({time.perf_counter() - started:.1f} s)", flush=True)


def announce(choice: Choice) -> None:
    """Says, so that nobody misses it, which docs this is about."""
    print(f"{'=' * WIDTH}\n  DOCS: {choice.what}\n  WHY:  {choice.why}\n{'=' * WIDTH}", flush=True)


def tell(settings: Settings) -> None:
    """The whole demo."""
    choice = choose(settings.docs, find("vue").repository, unreachable)
    announce(choice)
    docs = ("--docs", str(choice.docs)) if choice.docs else ()
    with step(f"1. Ingest: {choice.source} becomes an index in {settings.home}"):
        command("ingest", choice.source, *docs)
    with step("2. Notebooks 01 to 07: what each stage did"):
        command("run", "-p", f"source={choice.source}")
    with step("3. Bench: how good the answers are"):
        command("bench", "--source", choice.source)
    with step(f'4. MCP: "{QUESTION}"'):
        print(asyncio.run(ask(QUESTION, choice.source)), flush=True)
    with step("5. What to do next"):
        print(next_steps(choice))


def next_steps(choice: Choice) -> str:
    """Commands that go on from here."""
    real = (
        "  make demo DOCS=folder         the same on the real documentation: folder/vue is a checkout of its src folder\n"
        if choice.source == "sample"
        else ""
    )
    return real + (
        "  make lab                      the notebooks in JupyterLab; their outputs so far are in evals/runs/\n"
        f'  .venv/bin/vuedocs search "how do I watch a ref?" --source {choice.source} --explain\n'
        "  make serve                    the MCP server over HTTP; `python server.py` is the same over stdio\n"
        "  README.md                     how to connect an MCP client, and how to evaluate a change"
    )


def main() -> int:
    """Tells the story; returns 0, or the exit code of the step that failed."""
    try:
        tell(Settings.from_environment())
    except VuedocsError as error:
        print(f"\nerror: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        print("\nThe demo was interrupted; make demo again goes on with what is already remembered.", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
