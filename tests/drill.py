"""``python tests/drill.py``: ingest and bench of the sample docs by hosted engines, with each fault switched on in turn.

The commands run as a person would run them, with keys that must appear nowhere: first a clean ingest and bench, then each fault
on a copy of that database which has forgotten its index and a part of what was paid for (for faults of the bench: nothing). It
prints how each ended, how many attempts failed, and what was paid for again, and ends with 1 where something is wrong.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import logging
import os
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import psycopg
from hosted import GEMINI_KEY, JINA_KEY, WINDOW, fresh, secrets_in, switch_on
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from standins.server import Standin, running

from vuedocs.bench import default_path
from vuedocs.cli import main as vuedocs
from vuedocs.clients.postgres import EmbeddedPostgres

PROJECT = Path(__file__).parent.parent
QUESTIONS = 6
TIMEOUT = 4.0
"""Seconds: a busy machine must not look like a fault."""
CLEAN = "clean"
STOPPED = 128
"""Exit codes above are those of commands that a signal ended."""
POINTS = (
    "SELECT count(*), md5(string_agg(md5(id || kind || text) || md5(coalesce(dense, '')) || md5(coalesce(sparse_values, '')), '' "
    "ORDER BY id)) FROM vuedocs.point"
)
HOSTED = PROJECT / "evals" / "configs" / "hosted.toml"
CONFIG = ("--config", str(HOSTED), "--set", "enrich.packs=false", "--set", "embed.dims=128")
PASSES = ("429", "500", "503", "504", "html", "closed", "no-json", "timeout")
FAULTS: Mapping[str, tuple[str, ...]] = {
    "passes": (
        *(f"jina:{endpoint}:{kind}:1" for endpoint in ("embeddings", "rerank") for kind in (*PASSES, "429-tokens", "429-after")),
        *(f"gemini:generate:{kind}:1" for kind in PASSES),
        *(f"qdrant:upsert:{kind}:1" for kind in ("429", "503", "html", "closed")),
        *(f"qdrant:query:{kind}:1" for kind in ("429", "503", "html", "closed")),
    ),
    "asks again": (
        *(f"jina:embeddings:{kind}:1" for kind in ("fewer", "wrong-dims", "nan")),
        *(f"gemini:generate:{kind}:1" for kind in ("blocked", "cut", "max-tokens", "empty")),
        "jina:embeddings:reordered:1",
        "jina:rerank:reordered:1",
    ),
    "stops": (
        *(f"jina:embeddings:{kind}:always:1" for kind in ("no-credit", "bad-key", "too-long")),
        *(f"gemini:generate:{kind}:always:5" for kind in ("bad-key", "no-permission", "429-day")),
        "qdrant:upsert:401:always",
        *(f"jina:rerank:{kind}:always" for kind in ("no-credit", "fewer", "nan")),
    ),
}
"""By what is to come of it."""


INGEST, BENCH = ("ingest", "sample"), ("bench", "--split", "all")


@dataclass(frozen=True)
class Outcome:
    """What a command did, and the same command after it where it stopped."""

    codes: tuple[int, ...]
    """Exit codes."""
    result: object
    """The bench's metrics, or a hash of all points with their vectors."""
    paid: Counter[str]
    """Texts that were billed."""
    billed: int
    entered: int
    """Tokens, as the stand-in billed them and as the ledger has them."""
    failed: int
    """Attempts, by the ledger."""
    refused: int
    """Answers of status 429 that no fault made."""
    leaks: int
    """Places that hold a key."""


class Drill:
    """A PostgreSQL server, a stand-in and a folder, for one fault after another."""

    def __init__(self, standin: Standin, server: str, folder: Path) -> None:
        self._standin = standin
        self._server = server
        self._folder = folder
        self._number = 0
        self._questions = folder / "questions.jsonl"
        lines = default_path("sample").read_text(encoding="utf-8").splitlines()[:QUESTIONS]
        self._questions.write_text("\n".join(lines) + "\n", encoding="utf-8")

    def clean(self) -> tuple[Outcome, Outcome]:
        """A whole ingest and bench without a fault; all others begin with what they leave."""
        self._sql(f"CREATE DATABASE {CLEAN}")
        return self._run(INGEST, CLEAN, ""), self._run(BENCH, CLEAN, "")

    def run(self, command: tuple[str, ...], fault: str = "") -> Outcome:
        """The command under a fault; where it stops, the fault is taken away and it is run again."""
        self._number += 1
        name = f"fault{self._number}"
        self._sql(f"CREATE DATABASE {name} TEMPLATE {CLEAN}")
        forgotten = []
        if command == INGEST or fault.startswith("qdrant"):
            forgotten += ["TRUNCATE vuedocs.generation, vuedocs.snapshot CASCADE"]
            forgotten += ["DELETE FROM vuedocs.memory WHERE get_byte(key, 0) < 16"]
        for statement in forgotten:
            self._sql(statement, name)
        if command == BENCH and fault.startswith("qdrant"):
            self._run(INGEST, name, "", server=True)
        outcome = self._run(command, name, fault, server=fault.startswith("qdrant"))
        self._sql(f"DROP DATABASE {name} WITH (FORCE)")
        return outcome

    def _run(self, command: tuple[str, ...], database: str, fault: str, *, server: bool = False) -> Outcome:
        fresh(self._standin)
        self._limit()
        switch_on(self._standin, *([fault] if fault else []))
        home = self._folder / ("server" if server else "clean" if command == BENCH else database)
        os.environ.update(self._environment(home, self._url(database)))
        os.environ["QDRANT_URL"] = self._standin.qdrant_url if server else ""
        if command == BENCH or database != CLEAN:
            self._sql("TRUNCATE vuedocs.spending", database)
        out = self._folder / "run"
        shutil.rmtree(out, ignore_errors=True)
        more = ("--questions", str(self._questions), "--out", str(out)) if command == BENCH else ()
        codes: list[int] = []
        said: list[str] = []
        while not codes or (codes[-1] and len(codes) < 2):
            if codes:
                for provider in self._standin.providers().values():
                    provider.faults.waiting.clear()
            codes.append(self._command((*command, *more), said))
            if codes[-1] > STOPPED:
                raise SystemExit(codes[-1])
        files = [file.read_text("utf-8", "replace") for folder in (home, out) for file in folder.rglob("*.*") if file.is_file()]
        outcome = self._outcome(codes, [*said, *files], out if command == BENCH else None, database)
        if command == INGEST and database != CLEAN and not server:
            shutil.rmtree(home, ignore_errors=True)
        return outcome

    def _sql(self, statement: str, database: str = "postgres") -> None:
        with psycopg.connect(make_conninfo(self._server, dbname=database), autocommit=True) as connection:
            connection.execute(statement.encode())

    def _url(self, database: str) -> str:
        parts = {name: str(value) for name, value in conninfo_to_dict(self._server).items()}
        return f"postgresql://{parts['user']}@/{database}?host={quote(parts['host'], safe='')}&port={parts['port']}"

    def _limit(self) -> None:
        jina, gemini = self._standin.jina.limits, self._standin.gemini.limits
        jina.requests, jina.tokens, jina.concurrency = 100, 100_000, 2
        gemini.requests, gemini.tokens = 40, 1_000_000
        self._standin.jina.slow = self._standin.gemini.slow = TIMEOUT * 1.5

    def _environment(self, home: Path, url: str) -> dict[str, str]:
        return {
            "VUEDOCS_HOME": str(home),
            "DATABASE_URL": url,
            "JINA_API_KEY": JINA_KEY,
            "JINA_BASE_URL": self._standin.jina_url,
            "JINA_WINDOW": str(WINDOW),
            "JINA_TIMEOUT": str(TIMEOUT),
            "GEMINI_API_KEY": GEMINI_KEY,
            "GEMINI_BASE_URL": self._standin.gemini_url,
            "GEMINI_WINDOW": str(WINDOW),
            "GEMINI_TIMEOUT": str(TIMEOUT),
            "GEMINI_REQUESTS": "40",
            "GEMINI_TOKENS": "1000000",
        }

    def _command(self, arguments: tuple[str, ...], said: list[str]) -> int:
        """A command's exit code; what it prints and logs goes to ``said``."""
        out = io.StringIO()
        handler = logging.StreamHandler(out)
        logging.getLogger().addHandler(handler)
        logging.getLogger().setLevel(logging.DEBUG)
        try:
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
                code = vuedocs([*arguments, *CONFIG])
        finally:
            logging.getLogger().removeHandler(handler)
        said.append(out.getvalue())
        return code

    def _outcome(self, codes: list[int], said: list[str], out: Path | None, database: str) -> Outcome:
        with psycopg.connect(self._url(database)) as connection:
            rows = connection.execute("SELECT coalesce(sum(input + output), 0), coalesce(sum(retries), 0) FROM vuedocs.spending")
            entered, failed = rows.fetchall()[0]
            told = [str(row) for row in connection.execute("SELECT manifest FROM vuedocs.generation").fetchall()]
            result: object = connection.execute(POINTS).fetchall()
        if out is not None:
            metrics = out / "metrics.json"
            result = json.loads(metrics.read_text("utf-8"))["metrics"] if metrics.exists() else None
        calls = [call for provider in (self._standin.jina, self._standin.gemini) for call in provider.calls.seen]
        return Outcome(
            tuple(codes),
            result,
            Counter(text for call in calls if call.tokens for text in call.texts),
            sum(call.tokens for call in calls),
            int(entered),
            int(failed),
            sum(call.status == 429 and not call.fault for call in calls),
            len(secrets_in([*said, *told])),
        )


def wrong(kind: str, fault: str, outcome: Outcome, clean: Outcome) -> list[str]:
    """What is not as it should be."""
    codes = {"stops": (2 if fault.startswith("qdrant") else 1, 0)}.get(kind, (0,))
    lost, twice = sum((clean.paid - outcome.paid).values()), sum((outcome.paid - clean.paid).values())
    failed = outcome.failed if fault.startswith("qdrant") else {"passes": 1}.get(kind, 0)
    checks = {
        f"{outcome.leaks} places hold a key": outcome.leaks,
        f"{outcome.refused} calls were refused by the limits": outcome.refused,
        f"exit codes {outcome.codes}, not {codes}": outcome.codes != codes,
        "another result": outcome.result != clean.result,
        f"{lost} texts were never asked for": lost,
        f"{twice} texts were paid for twice": twice and kind != "asks again" and not (kind == "stops" and "rerank" in fault),
        f"{outcome.failed} attempts failed by the ledger, not {failed}": outcome.failed != failed,
        f"{outcome.billed:,} tokens were billed, {outcome.entered:,} entered": outcome.billed != outcome.entered,
    }
    return [words for words, holds in checks.items() if holds]


@contextlib.contextmanager
def place() -> Iterator[Drill]:
    """A drill's server, stand-in and folder."""
    with tempfile.TemporaryDirectory(prefix="vuedocs-drill-", dir="/tmp") as name:
        folder = Path(name)
        folder.chmod(0o755)
        server = EmbeddedPostgres(folder / "server")
        try:
            with running() as standin:
                yield Drill(standin, server.start_sync(), folder)
        finally:
            server.close_sync()


def main() -> None:
    """Runs all faults, or those that hold a word."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("words", nargs="*", help="faults that hold one of these words; all without any")
    words = parser.parse_args().words
    with place() as drill:
        clean = drill.clean()
        base = {INGEST: drill.run(INGEST), BENCH: clean[1]}
        problems = (
            wrong("", "", clean[0], clean[0]) + wrong("", "", clean[1], clean[1]) + wrong("", "", base[INGEST], base[INGEST])
        )
        print(f"clean: {clean[0].billed:,} tokens, {'; '.join(problems) or 'ok'}", flush=True)
        for kind, fault in [(kind, fault) for kind, faults in FAULTS.items() for fault in faults]:
            if words and not any(word in fault for word in words):
                continue
            command = BENCH if ":rerank:" in fault or ":query:" in fault else INGEST
            started = time.monotonic()
            outcome = drill.run(command, fault)
            found = wrong(kind, fault, outcome, base[command])
            problems += found
            again = sum((outcome.paid - base[command].paid).values())
            facts = f"exits {outcome.codes}, {outcome.failed} attempts failed, {again} texts paid again"
            print(f"{fault:33} {facts}: {'; '.join(found) or 'ok'} ({time.monotonic() - started:.0f} s)", flush=True)
    raise SystemExit(bool(problems))


if __name__ == "__main__":
    main()
