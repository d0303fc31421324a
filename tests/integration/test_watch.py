"""The watcher over a real database and index: what is new is published, what fails or looks wrong waits, and a signal ends it."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import psycopg
import pytest
from fakes import WordEmbedder
from processes import Command, environment
from small_docs import PINIA, VUE, fake_config, write_docs

from vuedocs.clients.engines import open_builder, open_database
from vuedocs.clients.watchbook import Watchbook
from vuedocs.commands.watch import watch_lines
from vuedocs.config import Config
from vuedocs.ingest import INGEST_STAGES
from vuedocs.ingest.clients import IngestClients
from vuedocs.ingest.rollback import roll_back
from vuedocs.ingest.session import begin, silent
from vuedocs.ingest.watch import Round, Watch
from vuedocs.records import Manifest, Watched
from vuedocs.settings import Settings
from vuedocs.sources import find
from vuedocs.stages import run


@asynccontextmanager
async def word_clients(config: Config, settings: Settings) -> AsyncIterator[IngestClients]:
    """A real database and index, and an embedder that costs nothing."""
    database = await open_database(settings)
    try:
        embedder, builder = WordEmbedder(), await open_builder(settings, database)
        yield IngestClients(embedder, database, builder, settings.home, config.shape(), config.shaping(), silent)
    finally:
        await database.aclose()


class Place:
    """A data folder whose server runs, the docs of two sources, and what the watcher said."""

    def __init__(self, home: Path, docs: Path) -> None:
        self.docs = docs
        self.settings = replace(Settings(home=home), docs=docs)
        self.said: list[str] = []

    def write(self, source: str, pages: Mapping[str, str]) -> None:
        shutil.rmtree(self.docs / source, ignore_errors=True)
        write_docs(self.docs, source, pages)

    def add(self, source: str) -> None:
        """Adds the page that :func:`edited` has more, at one moment: a round that reads meanwhile sees all of it or nothing."""
        page = self.docs / source / "guide" / "new.md"
        page.with_suffix(".part").write_text(NEW)
        page.with_suffix(".part").rename(page)

    def once(self, *sources: str, accept: bool = False) -> Round:
        self.said.clear()
        watcher = Watch(fake_config(), self.settings, sources, say=self.said.append, open_clients=word_clients)
        return asyncio.run(watcher.once(accept))

    def ingest(self, *sources: str) -> None:
        """An ingest by hand."""

        async def go() -> None:
            async with word_clients(fake_config(), self.settings) as clients:
                await run(INGEST_STAGES, begin(sources, self.docs), fake_config(), clients)

        asyncio.run(go())

    def look(self) -> tuple[Manifest, dict[str, Watched]]:
        """What is published, and the watcher's book."""

        async def read() -> tuple[Manifest, dict[str, Watched]]:
            database = await open_database(self.settings)
            try:
                manifest = await database.published()
                assert manifest is not None
                return manifest, {entry.source: entry for entry in (await database.watched())[1]}
            finally:
                await database.aclose()

        return asyncio.run(read())

    def pages(self, source: str) -> int:
        entry = self.look()[0].source(source)
        return entry.pages if entry else 0

    def empty(self) -> None:
        """Forgets everything but the tables."""

        async def clear() -> None:
            database = await open_database(self.settings)
            async with database.connections.use("clear") as connection:
                tables = "snapshot, page, chunk, entity, point, generation, watch, watcher"
                names = ", ".join(f"vuedocs.{table}" for table in tables.split(", "))
                await connection.execute(f"TRUNCATE {names}; ALTER SEQUENCE vuedocs.generation_number RESTART".encode())
            await database.aclose()

        asyncio.run(clear())
        shutil.rmtree(self.settings.home / "index", ignore_errors=True)


@pytest.fixture
def place(running: Path, docs: Path) -> Place:
    place = Place(running, docs)
    place.empty()
    place.ingest("vue", "pinia")
    return place


@asynccontextmanager
async def behind_a_rollback(lock: Callable[[], AbstractAsyncContextManager[None]], settings: Settings) -> AsyncIterator[None]:
    """The ingest lock, which somebody who rolls back gets first."""
    await roll_back(settings)
    async with lock():
        yield


async def status_lines(place: Place) -> list[str]:
    """What `vuedocs status` says of watching."""
    database = await open_database(place.settings)
    try:
        return await watch_lines(Watchbook(database.connections))
    finally:
        await database.aclose()


NEW = "# New\n\nThis page is new.\n\n## Part {#part}\n\nWords.\n"


def edited(pages: Mapping[str, str]) -> dict[str, str]:
    return {**pages, "guide/new": NEW}


def test_a_round_publishes_what_changed_in_one_generation_and_nothing_when_nothing_did(place: Place) -> None:
    assert place.once().published == ""
    place.write("vue", edited(VUE))
    place.write("pinia", edited(PINIA))
    assert place.once().published == "g000002"
    assert (place.pages("vue"), place.pages("pinia")) == (len(VUE) + 1, len(PINIA) + 1)
    assert place.look()[1]["vue"].succeeded is not None


def test_a_source_that_fails_does_not_stop_the_others_and_is_reported_with_its_last_success(place: Place) -> None:
    place.once()
    shutil.rmtree(place.docs / "vue")
    place.write("pinia", edited(PINIA))
    outcome = place.once()
    assert set(outcome.failed) == {"vue"}
    assert place.pages("pinia") == len(PINIA) + 1
    assert place.pages("vue") == len(VUE), "what is published of it stays"
    (line,) = [line for line in place.said if line.startswith("vue: failed")]
    success = place.look()[1]["vue"].succeeded
    assert success is not None
    assert f"last success: {success.isoformat(timespec='seconds')}" in line
    place.once()
    assert place.look()[1]["vue"].failures == 2
    place.write("vue", VUE)
    place.once()
    assert place.look()[1]["vue"].failures == 0


def test_docs_that_look_wrong_are_held_back_until_somebody_accepts_them(place: Place) -> None:
    place.write("vue", {"guide/computed": VUE["guide/computed"]})
    place.write("pinia", edited(PINIA))
    outcome = place.once()
    assert outcome.held["vue"][0] == f"pages fell from {len(VUE)} to 1"
    assert (place.pages("vue"), place.pages("pinia")) == (len(VUE), len(PINIA) + 1)
    since = place.look()[1]["vue"].held
    place.once()
    assert place.look()[1]["vue"].held == since, "it is held since the first time"
    words = asyncio.run(status_lines(place))
    assert "vue: held back (pages fell from 4 to 1" in "\n".join(words)
    assert place.once("vue", accept=True).published == "g000003"
    assert place.pages("vue") == 1
    assert place.look()[1]["vue"].held is None


def test_docs_that_look_right_again_are_published_without_being_accepted(place: Place) -> None:
    place.write("vue", {"guide/computed": VUE["guide/computed"]})
    assert place.once().held
    place.write("vue", edited(VUE))
    assert not place.once().held
    assert place.pages("vue") == len(VUE) + 1
    assert place.look()[1]["vue"].held is None


def test_rollback_serves_the_previous_generation_and_the_watcher_leaves_it_so(place: Place) -> None:
    place.write("vue", edited(VUE))
    place.once()
    done = asyncio.run(roll_back(place.settings))
    assert (done.left, done.serving, done.sources) == ("g000002", "g000001", ("vue",))
    assert place.pages("vue") == len(VUE)
    assert set(place.once().held) == {"vue"}
    assert place.look()[0].generation == "g000001"
    assert asyncio.run(roll_back(place.settings)).serving == "g000002", "a second rollback goes back"
    asyncio.run(roll_back(place.settings))
    assert place.once("vue", accept=True).published == "g000003"
    assert place.pages("vue") == len(VUE) + 1


@pytest.mark.parametrize("moment", ["before it reads", "before it publishes"])
def test_a_rollback_while_a_round_runs_is_not_undone_by_it(place: Place, moment: str) -> None:
    place.write("vue", edited(VUE))
    place.once()
    place.write("vue", {**edited(VUE), "guide/newer": "# Newer\n\nThis page is newer.\n"})

    @asynccontextmanager
    async def rolled_back(config: Config, settings: Settings) -> AsyncIterator[IngestClients]:
        async with word_clients(config, settings) as clients:
            if moment == "before it reads":
                await roll_back(settings)
            else:
                lock = clients.database.lock_ingest
                clients.database.lock_ingest = partial(behind_a_rollback, lock, settings)  # type: ignore[method-assign]
            yield clients

    watcher = Watch(fake_config(), place.settings, ("vue",), say=place.said.append, open_clients=rolled_back)
    outcome = asyncio.run(watcher.once())
    assert (set(outcome.held), outcome.published) == ({"vue"}, "")
    assert place.look()[0].generation == "g000001"
    assert "held since 2" in "\n".join(asyncio.run(status_lines(place)))


def test_where_nothing_is_published_the_first_look_comes_at_once(place: Place) -> None:
    def told(words: str) -> None:
        place.said.append(words)
        raise asyncio.CancelledError  # it has said when

    for prepare in (place.empty, lambda: place.ingest("vue")):
        prepare()
        watcher = Watch(fake_config(), place.settings, ("vue",), 3600.0, told, chance=lambda: 1.0, open_clients=word_clients)
        with pytest.raises(asyncio.CancelledError):
            asyncio.run(watcher.run())
    assert [words.rpartition(" in ")[2] for words in place.said] == ["0 s", "360 s"]


def test_status_speaks_of_watching_where_no_index_can_be_read_and_names_the_reranker(place: Place, inside: Command) -> None:
    place.write("vue", {"guide/computed": VUE["guide/computed"]})
    place.once()
    shutil.rmtree(place.docs / "vue")
    place.once()
    shutil.rmtree(place.settings.home / "index")
    done = inside("status", "--set", "rerank.method=jina", home=place.settings.home)
    assert done.returncode != 0
    assert "reranker: jina-reranker-v3" in done.stdout
    assert "pinia: watched, last success 2" in done.stdout
    (held,) = [line for line in done.stdout.splitlines() if "vue: held back" in line]
    assert "; held since 2" in held
    assert "FAILED 1 times since its last success: " in held


def test_a_file_that_is_no_page_is_in_the_rounds_report_and_in_the_table_of_sources(place: Place, inside: Command) -> None:
    (place.docs / "vue" / "guide" / "odd.md").write_bytes(b"\0")
    assert place.once().published
    assert "vue: guide/odd.md is left out: it is no text, but binary" in place.said
    table = [line.split() for line in inside("sources", home=place.settings.home).stdout.splitlines()]
    assert table[0][:4] == ["source", "pages", "left", "out"]
    assert ["vue", str(len(VUE)), "1"] in [row[:3] for row in table]


def test_a_hand_made_ingest_ends_what_was_held(place: Place) -> None:
    place.write("vue", {"guide/computed": VUE["guide/computed"]})
    assert place.once().held
    place.ingest("vue")
    assert place.look()[1]["vue"].held is None


def watching(place: Place, project: Path, *arguments: str) -> subprocess.Popen[str]:
    """The command as a process, with the embedder of these tests."""
    program = "import sys, test_watch; sys.exit(test_watch.main(sys.argv[1:]))"
    command = [sys.executable, "-c", program, "watch", "--docs", str(place.docs), "--set", "embed.dims=64", *arguments]
    settings = environment(project, place.settings.home, PYTHONPATH=os.pathsep.join(sys.path))
    return subprocess.Popen(command, env=settings, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def main(arguments: list[str]) -> int:
    """The command line, with the embedder of these tests."""
    from vuedocs.cli import main as command_line
    from vuedocs.commands import watch

    watch.Watch = partial(Watch, open_clients=word_clients)  # type: ignore[misc,assignment]
    return command_line(arguments)


def until(done: Callable[[], bool], seconds: float = 60.0) -> None:
    deadline = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < deadline, "it never happened"
        time.sleep(0.1)


def test_two_watchers_share_the_rounds_outlive_the_database_and_stop_at_sigterm(place: Place, project: Path) -> None:
    watchers = [watching(place, project, "--every", "2s") for _ in range(2)]
    try:
        until(lambda: place.look()[1].get("vue", Watched("vue")).succeeded is not None)
        place.add("vue")
        until(lambda: place.pages("vue") == len(VUE) + 1)
        pid = int((place.settings.home / "postgres" / "postmaster.pid").read_text().splitlines()[0])
        os.kill(pid, signal.SIGKILL)
        place.add("pinia")
        until(lambda: place.pages("pinia") == len(PINIA) + 1)
    finally:
        for watcher in watchers:
            watcher.send_signal(signal.SIGTERM)
        outputs = [watcher.communicate(timeout=30)[0] for watcher in watchers]
    assert [watcher.returncode for watcher in watchers] == [0, 0], outputs
    # The database may go between a publication and the line that says so.
    assert "".join(outputs).count(" published g") <= 2, "one publication for each change, by whichever came first"
    assert all(output.splitlines()[-1].endswith("stopped") and "Traceback" not in output for output in outputs)


@pytest.mark.parametrize("moment", [0.4, 1.2])
def test_sigterm_in_the_middle_of_a_round_leaves_a_whole_index_and_no_lock(place: Place, project: Path, moment: float) -> None:
    sections = "\n\n".join(f"## Section {number}\n\nText number {number} at {moment}." for number in range(300))
    place.write("vue", {**VUE, "guide/big": f"# Big\n\n{sections}\n"})
    watcher = watching(place, project, "--every", "1s")
    assert watcher.stdout
    assert "watching" in watcher.stdout.readline()
    time.sleep(moment)
    watcher.send_signal(signal.SIGTERM)
    output = watcher.communicate(timeout=30)[0]
    assert watcher.returncode == 0, output
    assert "Traceback" not in output
    assert place.pages("vue") in (len(VUE), len(VUE) + 1), "the old or the new generation, whole"
    place.ingest("vue")
    assert place.pages("vue") == len(VUE) + 1


def test_nothing_to_watch_and_a_wrong_interval_are_refused(inside: Command, home: Path) -> None:
    assert "nothing is indexed yet" in inside("watch", "--once", home=home).stderr
    assert "--every soon is no length of time" in inside("watch", "--every", "soon", home=home).stderr


def test_the_watcher_follows_the_repository_and_not_the_pinned_commit(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = tmp_path / "repository"
    write_docs(repository, "src", VUE)
    git = ["git", "-C", str(repository), "-c", "user.name=t", "-c", "user.email=t@example.org"]
    for arguments in (["init", "--quiet"], ["add", "."], ["commit", "--quiet", "-m", "one"]):
        subprocess.run([*git, *arguments], check=True)
    source = find("vue").model_copy(update={"repository": repository.as_uri()})
    for module in ("vuedocs.ingest.fetch", "vuedocs.ingest.watch"):
        monkeypatch.setattr(sys.modules[module], "find", lambda name: source)
    place.settings = replace(place.settings, docs=None)
    first = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()
    assert place.once("vue").published
    entry = place.look()[0].source("vue")
    assert entry is not None
    assert entry.commit == first


def test_the_lock_is_the_databases_so_that_it_holds_across_machines(place: Place) -> None:
    async def watched() -> bool:
        database = await open_database(place.settings)
        try:
            book = Watchbook(database.connections)
            async with book.turn():
                with psycopg.connect(database.connections._conninfo, autocommit=True) as other:
                    row = other.execute("SELECT pg_try_advisory_lock(1986356580, 4)").fetchone()
            return row == (False,)
        finally:
            await database.aclose()

    assert asyncio.run(watched())
