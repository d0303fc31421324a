"""A planted key is in no output, no file and no other program's environment, whatever is asked and whatever fails."""

from __future__ import annotations

import os
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import httpx
import pytest
from processes import Command, environment
from psycopg.conninfo import conninfo_to_dict
from served import served

from vuedocs.clients.postgres import EmbeddedPostgres
from vuedocs.commands import MODULES

PLANTED = "s3cretPlanted0123456789abcdef"
KEYS = dict.fromkeys(("JINA_API_KEY", "GEMINI_API_KEY", "QDRANT_API_KEY", "VUEDOCS_TOKENS"), PLANTED)
UNREACHABLE = f"postgresql://vuedocs:{PLANTED}@127.0.0.1:1/vuedocs"
UNREADABLE = f"postgresql://x:{PLANTED}@[bad"
COMMANDS = (
    ("status",),
    ("sources",),
    ("api", "computed"),
    ("related", "computed"),
    ("page", "sample/guide/essentials/computed"),
    ("chunks", "sample", "--json"),
    ("packs", "sample"),
    ("search", "how is a computed property cached", "--source", "sample", "--explain"),
    ("search", "how is a computed property cached", "--source", "sample", "--set", "rerank.method=jina"),
    ("ingest", "sample"),
    ("ingest", "vue", "--docs", "/nowhere/docs"),
    ("watch", "--once", "sample"),
    ("rollback",),
    ("backup", "OUT"),
    ("restore", "/nowhere/backup"),
    ("bench", "--source", "sample", "--split", "dev", "--out", "OUT"),
    ("runs",),
    ("promote", "nothing"),
    ("baseline", "nothing"),
    ("draft", "sample", "--out", "OUT"),
    ("pool", "sample-0001", "--source", "sample", "--out", "OUT"),
    ("grade", "/nowhere/grades", "--source", "sample"),
    ("serve", "--http", "--port", "99999"),
)
ELSEWHERE = {"run"}
"""Its kernel is given a key in tests/test_notebooks.py, where notebooks are run anyway."""


@pytest.fixture
def url(sample: Path) -> Iterator[str]:
    """The sample's database as DATABASE_URL, with a password."""
    server = EmbeddedPostgres(sample)
    parts = conninfo_to_dict(server.start_sync())
    where = f"host={quote(str(parts['host']), safe='')}&port={parts['port']}"
    yield f"postgresql://{parts['user']}:{PLANTED}@/{parts['dbname']}?{where}"
    server.close_sync()


def holding(*folders: Path) -> list[Path]:
    """The files that hold the key; all there are, the index's and the database's too."""
    files = [path for folder in folders for path in (folder, *folder.rglob("*")) if path.is_file()]
    assert files
    return [path for path in files if PLANTED.encode() in path.read_bytes()]


def test_every_command_is_tried() -> None:
    assert {words[0] for words in COMMANDS} | ELSEWHERE == MODULES.keys()


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: "-".join(words[:2]).replace("/", "."))
def test_no_command_says_or_writes_a_key(
    inside: Command, sample: Path, url: str, tmp_path: Path, words: tuple[str, ...], caplog: pytest.LogCaptureFixture
) -> None:
    arguments = [str(tmp_path / "out") if word == "OUT" else word for word in words]
    # Where a service is asked, nobody listens there.
    done = inside(*arguments, home=sample, DATABASE_URL=url, JINA_BASE_URL="http://127.0.0.1:1", **KEYS)
    said = done.stdout + done.stderr
    assert said
    assert PLANTED not in said + caplog.text
    if "OUT" in words:
        assert done.returncode == 0, done.stderr
        assert holding(tmp_path / "out") == []


@pytest.mark.parametrize("address", [UNREACHABLE, UNREADABLE])
@pytest.mark.parametrize("words", [("status",), ("search", "slots"), ("ingest", "sample"), ("watch", "--once")])
def test_nor_does_a_database_that_cannot_be_used(
    inside: Command, home: Path, words: tuple[str, ...], address: str, caplog: pytest.LogCaptureFixture
) -> None:
    done = inside(*words, home=home, DATABASE_URL=address, **KEYS)
    assert done.returncode == 2
    assert PLANTED not in done.stdout + done.stderr + caplog.text


def test_git_is_given_no_key_no_shell_and_two_protocols(inside: Command, sample: Path, tmp_path: Path) -> None:
    """A git that writes down how it was called, and fails."""
    said = tmp_path / "said"
    fake = tmp_path / "bin" / "git"
    fake.parent.mkdir()
    fake.write_text(f'#!/bin/sh\n{{ env; echo "ARGUMENTS $*"; }} >> {said}\nexit 1\n')
    fake.chmod(fake.stat().st_mode | stat.S_IXUSR)
    done = inside("ingest", "pinia", home=sample, PATH=f"{fake.parent}:{os.environ['PATH']}", GIT_SSH_COMMAND="evil", **KEYS)
    assert done.returncode == 2, done.stderr
    words = said.read_text()
    assert PLANTED not in words
    assert "evil" not in words
    assert "GIT_ALLOW_PROTOCOL=https:file" in words
    assert "core.hooksPath=/dev/null" in words


def test_a_server_shows_a_key_to_nobody(sample: Path, url: str, project: Path, tmp_path: Path) -> None:
    """Neither in its answers and its log nor in any process's arguments while it runs."""
    log = tmp_path / "log"
    with served(log, environment(project, sample, DATABASE_URL=url, **KEYS)) as (address, _):
        answers = [httpx.get(f"{address}/{path}").text for path in ("health", "metrics")]
        for token in (PLANTED, f"{PLANTED}x", "wrong"):
            ask = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
            answers.append(httpx.post(f"{address}/mcp", json=ask, headers={"Authorization": f"Bearer {token}"}).text)
        listed = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    assert "server.py" in listed
    assert PLANTED not in "".join(answers) + listed
    assert holding(log, sample) == []
