"""Bad input: one clear line on stderr, no traceback, exit code 2, nothing half made."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from processes import Command, environment

from vuedocs.clients.postgres import EmbeddedPostgres


def refused(done: subprocess.CompletedProcess[str], *words: str) -> None:
    lines = done.stderr.splitlines()
    assert done.returncode == 2, done.stderr
    assert len(lines) == 1, done.stderr
    assert lines[0].startswith("vuedocs ")
    for word in words:
        assert word in lines[0]
    assert done.stdout == ""


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("ingest", "vue", "--docs", "/nowhere/docs"), ("/nowhere/docs", "it is no folder", "--docs")),
        (("ingest", "vuee"), ("'vuee'", "did you mean", "sample, vue")),
        (("ingest", "sample", "--set", "search.colour=red"), ("search has no key 'colour'", "fusion")),
        (("ingest", "sample", "--set", "colours.red=1"), ("no section 'colours'", "reconstruct")),
        (("ingest", "sample", "--set", "embed.b=1.5"), ("embed.b", "less than or equal to 1", "1.5")),
        (("ingest", "sample", "--set", "embed.k1=warm"), ("embed.k1", "number", "warm")),
        (("ingest", "sample", "--set", "nonsense"), ("'nonsense'", "section.key=value")),
        (("ingest", "sample", "--config", "/nowhere/c.toml"), ("/nowhere/c.toml", "is not there")),
        (("search", "x", "--source", "vuee"), ("'vuee'", "did you mean")),
        (("search", "x", "--set", "search.fusion=magic"), ("search.fusion", "minmax", "magic")),
        (("bench", "--questions", "/nowhere/q.jsonl"), ("/nowhere/q.jsonl", "is not there")),
        (("draft", "vuee", "--out", "drafts.jsonl"), ("'vuee'", "did you mean")),
        (("bench", "--source", "vue,piniaa"), ("'piniaa'", "did you mean 'pinia'")),
        (("bench", "--gate"), ("--gate needs --baseline",)),
        (("bench", "--baseline", "/nowhere/metrics.json"), ("/nowhere/metrics.json is not there", "`vuedocs bench` wrote")),
        (("sources", "--check", "--docs", "/nowhere/docs"), ("/nowhere/docs is no folder", "VUEDOCS_DOCS")),
        (("packs", "--docs", "/nowhere/docs"), ("/nowhere/docs is no folder", "VUEDOCS_DOCS")),
        (("sources", "vue"), ("--check",)),
        (("packs", "sample", "--add", "/nowhere/packs.jsonl"), ("/nowhere/packs.jsonl cannot be read", "give a UTF-8 file")),
        (("serve", "--http", "--port", "99999"), ("port 99999 is none", "65535")),
        (("ingest", "sample", "--set", "embed.window_overlap=200"), ("embed.window_overlap", "at most half", "200")),
    ],
)
def test_a_wrong_request_is_refused_before_anything_is_made(
    inside: Command, home: Path, arguments: tuple[str, ...], words: tuple[str, ...]
) -> None:
    refused(inside(*arguments, home=home), *words)
    assert not home.exists()


def test_docs_without_the_source_name_what_is_there(inside: Command, home: Path, docs: Path) -> None:
    refused(inside("ingest", "vite", "--docs", str(docs), home=home), "no docs of vite", "it holds pinia, vue")
    (docs / "vite").mkdir()
    refused(inside("ingest", "vite", "--docs", str(docs), home=home), "holds no Markdown file")
    assert not home.exists()


def test_a_question_file_with_a_wrong_key(inside: Command, sample: Path, project: Path, tmp_path: Path) -> None:
    rows = [json.loads(line) for line in (project / "evals/questions/sample.jsonl").read_text().splitlines()[:3]]
    file, report = tmp_path / "q.jsonl", tmp_path / "report"

    def bench() -> subprocess.CompletedProcess[str]:
        file.write_text("".join(json.dumps(row) + "\n" for row in rows))
        return inside("bench", "--questions", str(file), "--split", "all", "--out", str(report), home=sample)

    rows[1]["relevnt"] = rows[1].pop("relevant")
    refused(bench(), f"{file}:2: relevnt", "did you mean 'relevant'")
    rows[1]["relevant"] = {"guide/no-such-page#x": 3}
    del rows[1]["relevnt"]
    refused(bench(), rows[1]["id"], "'guide/no-such-page#x' does not exist", "nearest")
    assert not report.exists()


def test_nothing_indexed_says_how_to_index(inside: Command, home: Path) -> None:
    refused(inside("search", "what is a ref", home=home), "nothing is indexed yet", "vuedocs ingest")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("what is a ref",), ("'vue' is not indexed here; indexed: sample", "vuedocs ingest vue")),
        (("   ", "--source", "sample"), ("the query is blank",)),
        (("w" * 2001, "--source", "sample"), ("2,001 characters", "2,000")),
        (("ref", "--source", "sample", "--max-results", "0"), ("max_results is 0",)),
        (("ref", "--source", "sample", "--set", "embed.k1=2"), ("g000001", "embed.k1 is 1.2 there and 2.0 here")),
    ],
)
def test_a_search_that_cannot_be_answered(
    inside: Command, sample: Path, arguments: tuple[str, ...], words: tuple[str, ...]
) -> None:
    refused(inside("search", *arguments, home=sample), *words)


def test_a_page_that_is_not_utf8_is_left_out_and_reported(inside: Command, home: Path, docs: Path) -> None:
    assert inside("ingest", "vue", "--docs", str(docs), home=home).returncode == 0
    (docs / "vue" / "guide" / "broken.md").write_bytes(b"# Broken\n\n\xff\xfe\n")
    done = inside("ingest", "vue", "--docs", str(docs), home=home)
    assert done.returncode == 0
    assert "guide/broken.md is left out: it is not UTF-8" in done.stdout
    assert "texts embedded: 0;" in done.stdout


def test_a_data_folder_that_nobody_may_make(inside: Command) -> None:
    refused(inside("ingest", "sample", home=Path("/proc/vuedocs/home")), "/proc/vuedocs", "VUEDOCS_HOME")


def test_a_data_folder_below_a_file(command: Command, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    refused(command("ingest", "sample", home=tmp_path / "file" / "home"), str(tmp_path / "file"), "VUEDOCS_HOME")


def test_a_data_folder_that_may_not_be_written(project: Path, home: Path) -> None:
    home.mkdir(mode=0o555)
    other: dict[str, Any] = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}
    settings = environment(project, home, HOME="/tmp", PYTHONDONTWRITEBYTECODE="1")

    def python(*arguments: str) -> subprocess.CompletedProcess[str]:
        try:
            return subprocess.run(
                [sys.executable, *arguments], env=settings, cwd="/", capture_output=True, text=True, check=False, **other
            )
        except PermissionError as error:
            return subprocess.CompletedProcess(arguments, 126, "", str(error))

    if os.geteuid() == 0 and python("-c", "import vuedocs.cli, qdrant_edge").returncode:
        pytest.skip("an ordinary user cannot enter the folder of this checkout or of its environment")
    refused(python("-m", "vuedocs.cli", "ingest", "sample"), str(home), "Permission denied", "VUEDOCS_HOME")
    assert list(home.iterdir()) == []


@pytest.fixture
def database(home: Path) -> Path:
    """The folder of a database that was made and stopped."""
    server = EmbeddedPostgres(home)
    server.start_sync()
    folder = server.location
    server.close_sync()
    return folder


def test_a_database_folder_that_may_not_be_written(inside: Command, home: Path, database: Path) -> None:
    database.chmod(0o500)
    refused(inside("ingest", "sample", home=home), str(database), "Permission denied")
    database.chmod(0o700)
    assert not (home / "index").exists()


def test_a_database_folder_of_another_version(inside: Command, home: Path, database: Path) -> None:
    (database / "PG_VERSION").write_text("9\n")
    refused(inside("ingest", "sample", home=home), str(database), "9")
    assert not (home / "index").exists()


def test_a_database_folder_that_is_none(inside: Command, home: Path) -> None:
    (home / "postgres").mkdir(parents=True)
    (home / "postgres" / "notes.txt").write_text("mine")
    refused(inside("ingest", "sample", home=home), str(home / "postgres"))
    assert (home / "postgres" / "notes.txt").read_text() == "mine"


def test_a_stale_pid_file_is_no_obstacle(command: Command, home: Path, database: Path) -> None:
    (database / "postmaster.pid").write_text(f"{os.getpid()}\n{database}\n0\n5432\n\n\n\n")
    done = command("status", home=home)
    assert "nothing is indexed yet" in done.stdout
    assert done.returncode == 2
