"""Chaos: ingests, searches over MCP, and kills of everything at random. `python tests/endurance/chaos.py --seconds 600`.

Every answer must be of one whole edition, or a clear error; at the end the index must equal that of a fresh data folder, digest
by digest. Killed are clients in the middle of a call, the server, the ingest, PostgreSQL (the postmaster or a backend); a file of
the index is damaged, a generation is rolled back. At the end a backup is restored beside it. Prints what happened, and ends with
1 when a promise was broken. `--seed` repeats the order of the blows.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import httpx
from editions import QUESTION, content, editions_in, write_edition
from mcp import Client
from mcp.shared.exceptions import MCPError

PROJECT = Path(__file__).parent.parent.parent
BLOWS = ("client", "server", "ingest", "postmaster", "backend", "damage", "rollback")
UNREACHABLE = (httpx.HTTPError, MCPError, OSError, TimeoutError, ExceptionGroup)


class Chaos:
    """One data folder under attack."""

    def __init__(self, folder: Path, seed: int, pause: float = 3.0) -> None:
        self.docs, self.home = folder / "docs", folder / "home"
        self.docs.mkdir()
        self.chance = random.Random(seed)
        self.pause = pause
        self.counts: Counter[str] = Counter()
        self.broken: list[str] = []
        self.edition = 0
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.server: subprocess.Popen[bytes] | None = None
        self.running: subprocess.Popen[bytes] | None = None
        self.clients: list[asyncio.Task[None]] = []

    def start(self, *arguments: str, home: Path | None = None) -> subprocess.Popen[bytes]:
        """A command as a process of its own."""
        settings = {"VUEDOCS_HOME": str(home or self.home), "PYTHONPATH": str(PROJECT), "VUEDOCS_CALLS_PER_MINUTE": "0"}
        return subprocess.Popen(
            [sys.executable, "-m", "vuedocs.cli", *arguments], env={**os.environ, **settings},
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        )  # fmt: skip

    def ingest(self, home: Path | None = None) -> str:
        """One whole ingest; the last lines of what it said when it failed, ``""`` when it did not."""
        self.running = self.start("ingest", "vue", "--docs", str(self.docs), home=home)
        said = self.running.communicate()[1].decode(errors="replace")
        if self.running.returncode == 0:
            return ""
        if "Traceback" in said:
            self.broken.append(f"an ingest ended with a traceback: {said[-1500:]}")
        return said[-300:] or "killed"

    async def ingest_again_and_again(self, deadline: float) -> None:
        while time.monotonic() < deadline:
            self.edition += 1
            write_edition(self.docs, self.edition)
            self.counts["ingests that failed" if await asyncio.to_thread(self.ingest) else "ingests"] += 1

    async def serve(self, deadline: float) -> None:
        while time.monotonic() < deadline:
            if self.server is None or self.server.poll() is not None:
                with contextlib.suppress(AttributeError):
                    self.server.stderr.close()  # type: ignore[union-attr]
                self.server = self.start("serve", "--http", "--port", str(self.port))
                self.server.stderr.close()  # type: ignore[union-attr]
                self.counts["servers started"] += 1
            await asyncio.sleep(0.2)

    async def search(self, deadline: float) -> None:
        """One client after another, each in a task of its own that can be killed."""
        while time.monotonic() < deadline:
            client = asyncio.create_task(self.converse(deadline))
            self.clients.append(client)
            await asyncio.wait([client])
            self.clients.remove(client)
            error = None if client.cancelled() else client.exception()
            if error is None:
                continue
            if not isinstance(error, UNREACHABLE):
                raise error
            self.counts["connections that broke"] += 1
            await asyncio.sleep(0.2)

    async def converse(self, deadline: float) -> None:
        async with asyncio.timeout(20), Client(f"http://127.0.0.1:{self.port}/mcp") as client:
            while time.monotonic() < deadline:
                result = await client.call_tool("docs_search", {"query": QUESTION, "max_results": 5})
                self.judge("".join(getattr(part, "text", "") for part in result.content), bool(result.is_error))
                await asyncio.sleep(0.02)

    def judge(self, text: str, failed: bool) -> None:
        if failed:
            self.counts["clear errors"] += 1
            if not text or "Traceback" in text:
                self.broken.append(f"an error that says nothing: {text[:200]!r}")
            return
        found = editions_in(text)
        self.counts["answers"] += 1
        if len(found) != 1 or not found <= set(range(1, self.edition + 1)):
            self.broken.append(f"an answer of editions {sorted(found)}: {text[:300]!r}")

    async def strike(self, deadline: float) -> None:
        while time.monotonic() < deadline:
            await asyncio.sleep(self.chance.uniform(0.3, 1.7) * self.pause)
            blow = self.chance.choice(BLOWS)
            with contextlib.suppress(OSError, ValueError, IndexError):  # what is to be hit may be gone
                getattr(self, f"hit_{blow}")()
                self.counts[f"blows to {blow}"] += 1

    def hit_client(self) -> None:
        self.chance.choice(self.clients).cancel()

    def hit_rollback(self) -> None:
        """What it says is not waited for: it takes its turn after an ingest."""
        self.start("rollback").stderr.close()  # type: ignore[union-attr]

    def hit_server(self) -> None:
        if self.server is not None:
            self.server.kill()
            self.server.wait()

    def hit_ingest(self) -> None:
        if self.running is not None:
            self.running.kill()

    def postmaster(self) -> int:
        note = self.home / "postgres.location"
        base = Path(note.read_text().strip()) if note.exists() else self.home
        return int((base / "postgres" / "postmaster.pid").read_text().split()[0])

    def hit_postmaster(self) -> None:
        os.kill(self.postmaster(), signal.SIGKILL)

    def hit_backend(self) -> None:
        children = subprocess.run(["pgrep", "-P", str(self.postmaster())], capture_output=True, text=True, check=False)
        os.kill(int(self.chance.choice(children.stdout.split())), signal.SIGKILL)

    def hit_damage(self) -> None:
        """Flips a byte of the newest index. What is open is read from memory, so the server has to open it again."""
        newest = sorted(path for path in (self.home / "index").iterdir() if (path / "complete").is_file())[-1]
        file = sorted(newest.rglob("chunk_0.mmap"))[0]
        self.hit_server()
        with open(file, "r+b") as data:
            data.seek(100)
            byte = data.read(1)
            data.seek(100)
            data.write(bytes([byte[0] ^ 0xFF]))

    async def run(self, seconds: float) -> None:
        write_edition(self.docs, 1)
        self.edition = 1
        assert not self.ingest(), "the first ingest failed, before anything was hit"
        deadline = time.monotonic() + seconds
        work = (self.ingest_again_and_again, self.serve, self.search, self.search, self.strike)
        await asyncio.gather(*(task(deadline) for task in work))
        self.hit_server()

    def prove(self) -> None:
        """A trial in which nothing ever came to its end proves nothing."""
        for what in ("answers", "ingests"):
            if not self.counts[what]:
                self.broken.append(f"there were no {what}: the machine is too slow for these blows; give a longer --pause")

    def compare(self, folder: Path) -> None:
        """After the last blow one ingest must bring all back to what a fresh folder has."""
        if said := self.ingest():
            self.broken.append(f"the last ingest failed: {said}")
            return
        if said := self.ingest(home=folder):
            self.broken.append(f"the fresh ingest failed: {said}")
            return
        whole = content(self.home)
        if whole != content(folder):
            self.broken.append(f"the index differs from a fresh one: {whole} and {content(folder)}")
        backup, restored = str(folder.with_name("backup")), folder.with_name("restored")
        for command, home in (("backup", self.home), ("restore", restored)):
            process = self.start(command, backup, home=home)
            said = process.communicate()[1].decode(errors="replace")
            if process.returncode:
                self.broken.append(f"the backup or its restore failed: {said[-300:]}")
                return
        if whole != content(restored):
            self.broken.append(f"the restored index differs: {whole} and {content(restored)}")


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--seconds", type=float, default=600)
    options.add_argument("--seed", type=int, default=int(time.time()))
    options.add_argument("--pause", type=float, default=3.0, help="seconds between two blows, on average (%(default)s)")
    given = options.parse_args()
    print(f"seed {given.seed}", flush=True)
    with tempfile.TemporaryDirectory(prefix="vuedocs-chaos-", dir="/tmp", ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o755)
        chaos = Chaos(Path(folder), given.seed, given.pause)
        asyncio.run(chaos.run(given.seconds))
        chaos.prove()
        chaos.compare(Path(folder) / "fresh")
    for what, number in sorted(chaos.counts.items()):
        print(f"{number:>8,} {what}")
    for words in chaos.broken:
        print(f"BROKEN: {words}")
    print("every promise was kept" if not chaos.broken else f"{len(chaos.broken)} promises were broken")
    return 1 if chaos.broken else 0


if __name__ == "__main__":
    sys.exit(main())
