"""kill -9 at any moment of an ingest: the old index serves all the while, and the next ingest is complete."""

from __future__ import annotations

import asyncio
import os
import pty
import signal
import subprocess
import sys
import tempfile
import termios
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from processes import Command, environment
from small_docs import PINIA, VUE, write_docs

from vuedocs.clients.engines import open_builder, open_database
from vuedocs.clients.postgres import EmbeddedPostgres
from vuedocs.config import load
from vuedocs.ingest.session import ingest
from vuedocs.query.reader import Reader
from vuedocs.records import Manifest, Search
from vuedocs.settings import Settings

SCRIPT = Path(__file__).parent / "killed_ingest.py"
READING = ("parse vue 2", "hype", "embed")
"""Moments before anything of the new generation is written; the stages between keep what they do in memory."""
WRITING = ("store", "store: write 0", "store: write 1", "store: index 0", "built")
EDITIONS = {
    number: {**VUE, "guide/edition": f"# Edition\n\nThis is the text of edition {number}.\n\n## Only {number}\n\nWords.\n"}
    for number in range(3)
}


class Place:
    """One data folder and the docs that are ingested into it."""

    def __init__(self, folder: Path, project: Path) -> None:
        self.project = project
        self.docs = folder / "docs"
        self.settings = replace(Settings(home=folder / "home"), docs=self.docs)

    def edition(self, number: int) -> None:
        write_docs(self.docs, "vue", EDITIONS[number])

    def ingest(self) -> dict[str, int]:
        return dict(asyncio.run(ingest(["vue"], load(), self.settings)).state.counts)

    def killed_at(self, moment: str) -> None:
        command = [sys.executable, str(SCRIPT), moment, str(self.docs), "vue"]
        ended = subprocess.run(command, env=environment(self.project, self.settings.home), capture_output=True, check=False)
        assert ended.returncode == -signal.SIGKILL, f"{moment} was never reached: {ended.stderr.decode()[-2000:]}"

    def answer(self) -> str:
        """What a reader that opens now says of the edition."""

        async def ask() -> str:
            reader = await Reader.open(load(), self.settings)
            try:
                assert set((await reader.check()).values()) == {"ok"}
                return (await reader.search(Search("the text of this edition", sources=("vue",)))).state.text
            finally:
                await reader.aclose()

        return asyncio.run(ask())

    def content(self) -> tuple[Manifest, dict[str, str]]:
        """What is published, and the digests of its sources; the index on disk holds exactly its points."""

        async def read() -> tuple[Manifest, dict[str, str]]:
            database = await open_database(self.settings)
            try:
                manifest = await database.published()
                assert manifest is not None
                builder = await open_builder(self.settings, database)
                index = await builder.open(manifest.generation, manifest.dims)
                assert await index.count() == manifest.points
                await index.aclose()
                return manifest, await database.snapshot_digests()
            finally:
                await database.aclose()

        return asyncio.run(read())

    def generations(self) -> list[str]:
        return sorted(path.name for path in (self.settings.home / "index").iterdir())


def open_place(project: Path) -> Iterator[Place]:
    with tempfile.TemporaryDirectory(prefix="vuedocs-test-", dir="/tmp") as folder:
        Path(folder).chmod(0o755)
        place = Place(Path(folder), project)
        server = EmbeddedPostgres(place.settings.home)  # kept running meanwhile, so that nobody has to start it
        server.start_sync()
        yield place
        server.close_sync()


@pytest.fixture(scope="module")
def place(project: Path) -> Iterator[Place]:
    yield from open_place(project)


@pytest.fixture(scope="module")
def fresh(place: Place) -> dict[int, dict[str, str]]:
    """The digests of each edition when nothing was ever killed."""
    digests = {}
    for number in EDITIONS:
        place.edition(number)
        place.ingest()
        digests[number] = place.content()[1]
    assert len({str(digest) for digest in digests.values()}) == len(EDITIONS)
    return digests


def test_killed_while_it_reads_again_and_again(place: Place, fresh: dict[int, dict[str, str]]) -> None:
    place.edition(0)
    place.ingest()
    before = place.content()
    place.edition(1)
    for moment in READING:
        place.killed_at(moment)
        assert place.content() == before, moment
    assert "text of edition 0" in place.answer()
    place.ingest()
    assert place.content()[1] == fresh[1]
    assert "text of edition 1" in place.answer()


@pytest.mark.parametrize("moment", WRITING)
def test_killed_while_it_writes(place: Place, fresh: dict[int, dict[str, str]], moment: str) -> None:
    (old,) = [number for number, digests in fresh.items() if digests == place.content()[1]]
    before = place.content()
    place.edition((old + 1) % 3)
    place.killed_at(moment)
    assert place.content() == before
    assert f"text of edition {old}" in place.answer()
    assert place.ingest()["published"] == 1
    after, digests = place.content()
    assert digests == fresh[(old + 1) % 3]
    assert place.generations() == [before[0].generation, after.generation], "what the killed build left is gone"


def test_killed_after_it_is_published(place: Place, fresh: dict[int, dict[str, str]]) -> None:
    place.edition(0)
    place.ingest()
    place.edition(1)
    place.killed_at("published")
    assert place.content()[1] == fresh[1]
    assert "text of edition 1" in place.answer()
    assert place.ingest()["published"] == 0
    place.edition(2)
    place.ingest()
    assert place.content()[1] == fresh[2]
    assert len(place.generations()) == 2


def test_a_killed_run_resumes_where_it_was(place: Place, fresh: dict[int, dict[str, str]]) -> None:
    """64 texts are embedded, then remembered, at a time: a kill costs less than that."""
    sections = "\n\n".join(f"## Section {number}\n\nText number {number}." for number in range(60))
    write_docs(place.docs, "vue", {"guide/big": f"# Big\n\n{sections}\n"})
    try:
        place.killed_at("embed 128")
        counts = place.ingest()
        assert counts["embedded"] > 0
        assert counts["remembered"] >= 128
    finally:
        (place.docs / "vue" / "guide" / "big.md").unlink()
    assert place.ingest()["embedded"] == 0


def test_an_open_reader_serves_all_the_while(place: Place, fresh: dict[int, dict[str, str]]) -> None:
    async def watch() -> None:
        place.edition(0)
        await ingest(["vue"], load(), place.settings)
        reader = await Reader.open(load(), place.settings)
        generation = reader.manifest.generation
        place.edition(1)
        for moment in ("store: index 0", "built"):
            killing = asyncio.create_task(asyncio.to_thread(place.killed_at, moment))
            while not killing.done():
                state = (await reader.search(Search("the text of this edition", sources=("vue",)))).state
                assert "text of edition 0" in state.text
                await asyncio.sleep(0.25)
            await killing
            assert not await reader.refresh()
        await ingest(["vue"], load(), place.settings)
        assert reader.manifest.generation == generation
        assert await reader.refresh()
        state = (await reader.search(Search("the text of this edition", sources=("vue",)))).state
        assert "text of edition 1" in state.text
        await reader.aclose()

    asyncio.run(watch())


def said(terminal: int) -> bytes:
    """What a program says next on a terminal; nothing once it has ended, which is an error to read."""
    with suppress(OSError):
        return os.read(terminal, 4096)
    return b""


@pytest.mark.parametrize(("sign", "blow"), [("embed:", signal.SIGTERM), ("store: ", signal.SIGKILL)])
def test_the_command_ended_from_outside_with_the_server_it_started(
    command: Command, project: Path, sign: str, blow: signal.Signals
) -> None:
    """Nobody else uses the database: who is told to end stops its server, who is killed leaves it, and the next one copes."""
    with tempfile.TemporaryDirectory(prefix="vuedocs-test-", dir="/tmp") as folder:
        Path(folder).chmod(0o755)
        home, docs = Path(folder) / "home", write_docs(Path(folder) / "docs", "vue", VUE)
        arguments = ("ingest", "vue", "--docs", str(docs))
        terminal, its_end = pty.openpty()  # bars are drawn on terminals only, and on those that have a size
        termios.tcsetwinsize(its_end, (24, 120))
        process = subprocess.Popen(
            [sys.executable, "-m", "vuedocs.cli", *arguments],
            env=environment(project, home),
            stdout=subprocess.DEVNULL,
            stderr=its_end,
        )
        os.close(its_end)
        seen = b""
        while sign.encode() not in seen:
            part = said(terminal)
            assert part, f"it ended before {sign!r} was seen: {seen[-500:]!r}"
            seen += part
        process.send_signal(blow)
        while part := said(terminal):
            seen += part
        os.close(terminal)
        process.wait()
        if blow == signal.SIGTERM:
            assert process.returncode == 143, seen
            assert b"\nstopped; what was published serves on" in seen
            assert b"Traceback" not in seen
            assert not (home / "postgres" / "postmaster.pid").exists()
        done = command(*arguments, home=home)
        assert done.returncode == 0, done.stderr
        assert "published g00000" in done.stdout
        assert "checks: data ok, database ok, qdrant ok" in command("status", home=home).stdout
        assert not (home / "postgres" / "postmaster.pid").exists(), "the last one stops the server"


def test_ten_ingests_at_once_into_an_empty_folder(project: Path, home: Path, docs: Path) -> None:
    """One starts the database, one makes its tables, one a source publishes; all end well, and nobody embeds again after."""
    script = SCRIPT.with_name("ten_at_once.py")
    settings = environment(project, home, PYTHONPATH=os.pathsep.join(sys.path))
    command = [sys.executable, str(script), str(docs), "vue", "pinia"]
    done = subprocess.run(command, env=settings, capture_output=True, text=True, check=False, timeout=300)
    assert done.stdout.splitlines()[-1] == str([0] * 10), done.stderr[-3000:]
    assert done.stdout.count("\npublished g00000") == 2, "one publication for each source, by whichever came first"
    assert done.stdout.count("nothing has changed: g00000") == 8
    place = Place(home.parent, project)
    manifest, _ = place.content()
    assert {entry.source: entry.pages for entry in manifest.sources} == {"vue": len(VUE), "pinia": len(PINIA)}
    assert manifest.generation == "g000002"
    assert not (home / "postgres" / "postmaster.pid").exists(), "the last one stops the server"
