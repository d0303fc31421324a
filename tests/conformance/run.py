"""The official conformance suite and the Inspector's command line against a running server, for both revisions of the protocol.

    python tests/conformance/run.py                 # starts server.py over the index in VUEDOCS_HOME
    python tests/conformance/run.py --url http://127.0.0.1:8000/mcp

It needs npm, which installs the tools of package.json (a Node 22 among them) once into --tools. The exit code is 0 when nothing
fails but what expected-failures-<revision>.yml lists, each with its reason.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from served import PROJECT, UNLIMITED, served  # noqa: E402

REVISIONS = ("2025-11-25", "2026-07-28")
API = "computed"
CALLS: dict[str, dict[str, str | int]] = {
    "docs_search": {"query": "how do I keep a component alive", "source": "all", "max_results": 2},
    "api_lookup": {"name": API},
    "get_related": {"name": API},
    "list_sources": {},
}
"""Arguments for each tool; read_page is called with the first page that a search finds."""
PROMPTS = {
    "debug_issue": ("symptom=a watcher does not run", "code=watch(state.count, f)"),
    "compare_apis": ("items=ref,reactive",),
    "migrate_pattern": ("from_pattern=mixins", "to_pattern=composables"),
}
CONNECT_MS = "60000"
"""The Inspector's patience with a server that starts on a busy machine."""


def install(tools: Path) -> dict[str, str]:
    """The environment in which the tools are found; they are installed where they are not yet."""
    if shutil.which("npm") is None:
        raise SystemExit("npm is not installed; it brings the conformance suite and the Inspector")
    tools.mkdir(parents=True, exist_ok=True)
    wanted = (HERE / "package.json").read_text()
    if not (tools / "installed.json").exists() or (tools / "installed.json").read_text() != wanted:
        (tools / "package.json").write_text(wanted)
        subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--loglevel=error"], cwd=tools, check=True)
        subprocess.run(["npm", "rebuild", "node", "--loglevel=error"], cwd=tools, check=True)
        (tools / "installed.json").write_text(wanted)
    return {**os.environ, "PATH": f"{tools / 'node_modules' / '.bin'}{os.pathsep}{os.environ['PATH']}"}


def conforms(url: str, revision: str, environment: dict[str, str]) -> bool:
    """Runs what a revision requires, and prints the summary."""
    expected = HERE / f"expected-failures-{revision}.yml"
    command = ["conformance", "server", "--url", url, "--requirements", revision, "--expected-failures", str(expected)]
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    print(f"== conformance, {revision}\n{ended.stdout.partition('=== SUMMARY ===')[2].strip()}\n{ended.stderr.strip()}")
    return ended.returncode == 0


def inspect(target: Sequence[str], environment: dict[str, str], method: str, *more: str) -> Any:
    """What the Inspector's command line gets for one method; SystemExit when it fails."""
    command = ["mcp-inspector", "--cli", *target, "--connect-timeout", CONNECT_MS, "--method", method, *more]
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if ended.returncode:
        raise SystemExit(f"inspector {method} {' '.join(more)}: exit code {ended.returncode}\n{ended.stderr}\n{ended.stdout}")
    return json.loads(ended.stdout)


def tool_calls(target: Sequence[str], environment: dict[str, str]) -> Iterator[tuple[str, Any]]:
    """(tool, result) of each."""
    page = ""
    for tool, arguments in CALLS.items():
        pairs = [f"{name}={value}" for name, value in arguments.items()]
        result = inspect(target, environment, "tools/call", "--tool-name", tool, *(["--tool-arg", *pairs] if pairs else []))
        page = page or result["structuredContent"]["passages"][0]["url"]
        yield tool, result
    yield "read_page", inspect(target, environment, "tools/call", "--tool-name", "read_page", "--tool-arg", f"path={page}")


def prompts_and_resources(target: Sequence[str], environment: dict[str, str], lists: dict[str, Any]) -> Iterator[str]:
    """What of the prompts and of the resources, those of each template too, was not answered."""
    for prompt in lists["prompts/list"]["prompts"]:
        pairs = PROMPTS.get(prompt["name"], ())
        got = inspect(target, environment, "prompts/get", "--prompt-name", prompt["name"], "--prompt-args", *pairs)
        if not got["messages"][0]["content"]["text"]:
            yield prompt["name"]
    page = next(r["uri"] for r in lists["resources/list"]["resources"] if "/pages/" in r["uri"])
    source, _, path = page.removeprefix("vuedocs://").partition("/pages/")
    values = {"source": source, "path": path, "section": path.partition("/")[0], "name": API}
    templates = [template["uriTemplate"] for template in lists["resources/templates/list"]["resourceTemplates"]]
    for uri in ["vuedocs://sources", *(re.sub(r"\{\+?(\w+)\}", lambda part: values[part[1]], each) for each in templates)]:
        if not inspect(target, environment, "resources/read", "--uri", uri)["contents"][0]["text"]:
            yield uri


def inspected(name: str, target: Sequence[str], environment: dict[str, str]) -> bool:
    """Lists and calls everything; whether all of it was answered."""
    lists = {
        method: inspect(target, environment, method)
        for method in ("tools/list", "resources/list", "resources/templates/list", "prompts/list")
    }
    tools = {tool["name"] for tool in lists["tools/list"]["tools"]}
    failed = [tool for tool, result in tool_calls(target, environment) if result.get("isError")]
    uncalled = tools - {*CALLS, "read_page"}
    failed += prompts_and_resources(target, environment, lists)
    counts = ", ".join(f"{method} {len(next(iter(found.values())))}" for method, found in lists.items())
    print(f"== inspector over {name}: {counts}; failed: {failed or 'none'}, not called: {sorted(uncalled) or 'none'}")
    return not failed and not uncalled


def main() -> int:
    """All of it; 1 when anything fails that is not expected to."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--url", help="a server that runs, without limits; by default one is started over VUEDOCS_HOME")
    options.add_argument("--tools", type=Path, default=Path(tempfile.gettempdir()) / "vuedocs-conformance", metavar="DIR")
    chosen = options.parse_args()
    environment = install(chosen.tools)
    log = Path(tempfile.mkdtemp()) / "server.log"
    if chosen.url:
        return all_of_it(chosen.url, environment)
    with served(log, UNLIMITED) as (url, _):
        return all_of_it(f"{url}/mcp", environment)


def all_of_it(url: str, environment: dict[str, str]) -> int:
    """The suite for both revisions, then the Inspector over HTTP and over stdio."""
    good = [conforms(url, revision, environment) for revision in REVISIONS]
    good.append(inspected("HTTP", [url], environment))
    ours = {"PYTHONPATH": str(PROJECT), **{name: value for name, value in os.environ.items() if name.startswith("VUEDOCS_")}}
    passed_on = [word for name, value in ours.items() for word in ("-e", f"{name}={value}")]  # the Inspector hides the rest
    good.append(inspected("stdio", [sys.executable, str(PROJECT / "server.py"), *passed_on], environment))
    print("all as expected" if all(good) else "something failed that is not expected to")
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
