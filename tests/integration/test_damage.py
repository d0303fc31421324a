"""What happens to a data folder: damaged and foreign files, full and read-only disks, readers that hold on."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import pytest
from processes import Command, environment
from small_docs import VUE, Workplace, fake_config, write_docs
from test_watch import Place, edited, word_clients

from vuedocs.clients.engines import open_database
from vuedocs.clients.postgres import EmbeddedPostgres
from vuedocs.errors import DatabaseError, IndexDamagedError, StorageError
from vuedocs.ingest import INGEST_STAGES
from vuedocs.ingest.session import begin
from vuedocs.settings import Settings
from vuedocs.stages import run

HOLDER = """
import asyncio, sys
from pathlib import Path
from vuedocs.clients.edge import EdgeBuilder
from vuedocs.clients.engines import open_database
from vuedocs.settings import Settings

async def main():
    settings = Settings.from_environment()
    database = await open_database(settings)
    manifest = await database.published()
    lease = await database.hold(manifest.generation)
    index = await EdgeBuilder(settings.home / "index").open(manifest.generation)
    print("reading", manifest.generation, flush=True)
    for _ in sys.stdin:
        chunks = await database.all_chunks(manifest.generation)
        again = await EdgeBuilder(settings.home / "index").open(manifest.generation)
        print(len(chunks), await again.count(), flush=True)

asyncio.run(main())
"""


@contextmanager
def kept_running(home: Path) -> Iterator[None]:
    """A data folder's server runs meanwhile, so that nobody has to start it."""
    server = EmbeddedPostgres(home)
    server.start_sync()
    try:
        yield
    finally:
        server.close_sync()


@pytest.mark.parametrize("blow", ["flip", "truncate", "remove"])
async def test_a_damaged_file_is_refused_and_built_again(tmp_path: Path, blow: str) -> None:
    place = Workplace(tmp_path)
    place.write("vue", VUE)
    first = (await place.ingest("vue")).manifest
    assert first is not None
    file = next((tmp_path / "index" / first.generation).rglob("page_0.dat"))
    if blow == "flip":
        data = bytearray(file.read_bytes())
        data[20] ^= 0xFF
        file.write_bytes(data)
    elif blow == "truncate":
        os.truncate(file, file.stat().st_size // 2)
    else:
        file.unlink()
    with pytest.raises(IndexDamagedError, match=r"is damaged: .*page_0\.dat changed; run `vuedocs ingest` again"):
        await place.reader()
    again = (await place.ingest("vue")).manifest
    assert again is not None
    assert again.generation != first.generation
    reader = await place.reader()
    assert set((await reader.check()).values()) == {"ok"}
    await reader.aclose()


async def test_files_that_are_not_ours_stay(tmp_path: Path) -> None:
    place = Workplace(tmp_path)
    place.write("vue", VUE)
    (tmp_path / "index" / "my notes").mkdir(parents=True)
    (tmp_path / "index" / "g000099").write_text("a file with the name of a generation")
    await place.ingest("vue")
    assert (tmp_path / "index" / "my notes").is_dir()


def test_a_damaged_page_of_the_database_is_refused_and_the_remedy_named(home: Path, docs: Path) -> None:
    place = Place(home, docs)
    with kept_running(home):
        place.ingest("vue")
        where = asyncio.run(file_of(place.settings, "vuedocs.generation"))
    with open(where, "r+b") as file:
        file.seek(8_192 - 64)  # rows fill a page from its end
        byte = file.read(1)[0]
        file.seek(-1, os.SEEK_CUR)
        file.write(bytes([byte ^ 0x10]))
    with pytest.raises(DatabaseError, match=r"invalid page in block 0 .* are damaged: .*`vuedocs restore`"):
        place.look()


async def file_of(settings: Settings, table: str) -> Path:
    """Where PostgreSQL keeps the rows of a table."""
    database = await open_database(settings)
    try:
        async with database.connections.use("look") as connection:
            row = await (await connection.execute("SELECT pg_relation_filepath(%s)", [table])).fetchone()
    finally:
        await database.aclose()
    assert row
    return Path(database.location) / str(row[0])


@pytest.fixture
def disk() -> Iterator[Path]:
    """A disk of 400 MB; the test is skipped where none can be mounted."""
    with tempfile.TemporaryDirectory(prefix="vuedocs-test-", dir="/tmp") as folder:
        mount = ["mount", "-t", "tmpfs", "-o", "size=400m,mode=755", "tmpfs", folder]
        if subprocess.run(mount, capture_output=True, check=False).returncode:
            pytest.skip("no small disk can be mounted here")
        yield Path(folder)
        subprocess.run(["umount", "-l", folder], check=False)


def fill(disk: Path) -> Path:
    """Takes all the room that there is; the file that does."""
    filler = disk / "filler"
    with open(filler, "wb", buffering=0) as file, suppress(OSError):
        while file.write(bytes(65_536)):
            pass
    return filler


def test_a_full_disk_is_said_and_leaves_the_old_index(disk: Path, docs: Path) -> None:
    place = Place(disk / "home", docs)
    with kept_running(place.settings.home):
        place.ingest("vue")
        before = place.look()[0]
        place.write("vue", edited(VUE))
        room = disk / "room"
        room.write_bytes(bytes(40_000_000))
        filler = fill(disk)
        for reason in ("No space left", "MB are free, .* make room, or choose another VUEDOCS_HOME"):
            with pytest.raises(StorageError, match=reason):
                place.ingest("vue")
            assert place.look()[0] == before
            room.unlink(missing_ok=True)  # enough for the database, not for an index
        filler.unlink()
        place.ingest("vue")
        assert place.pages("vue") == len(VUE) + 1


def test_a_read_only_disk_is_said(disk: Path, docs: Path, inside: Command) -> None:
    place = Place(disk / "home", docs)
    place.ingest("vue")
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
    for words in (("status",), ("search", "slots"), ("ingest", "vue", "--docs", str(docs)), ("watch", "--once"), ("rollback",)):
        done = inside(*words, home=place.settings.home)
        assert done.returncode == 2, words
        assert "Read-only file system" in done.stdout + done.stderr, words
    subprocess.run(["mount", "-o", "remount,rw", str(disk)], check=True)
    assert place.pages("vue") == len(VUE)


def test_what_a_reader_process_holds_is_not_forgotten(running: Path, project: Path, tmp_path: Path) -> None:
    settings = replace(Settings(home=running), docs=tmp_path / "docs")

    def publish(number: int) -> list[str]:
        """Publishes another edition; the generations on disk."""

        async def go() -> None:
            write_docs(tmp_path / "docs", "vue", {"guide/edition": f"# Edition\n\nThis is edition {number}.\n"})
            async with word_clients(fake_config(), settings) as clients:
                await run(INGEST_STAGES, begin(["vue"], settings.docs), fake_config(), clients)

        asyncio.run(go())
        return sorted(path.name for path in (running / "index").iterdir())

    publish(1)
    command = [sys.executable, "-c", HOLDER]
    settings_of_it = environment(project, running)
    holder = subprocess.Popen(command, env=settings_of_it, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert holder.stdin
    assert holder.stdout
    assert holder.stdout.readline() == "reading g000001\n"
    for number in (2, 3, 4):
        kept = publish(number)
    assert kept == ["g000001", "g000003", "g000004"]
    holder.stdin.write("go on\n")
    holder.stdin.flush()
    chunks, points = holder.stdout.readline().split()
    assert int(chunks) > 0
    assert int(points) > 0
    holder.kill()
    holder.wait()
    assert publish(5) == ["g000004", "g000005"], "a process that was killed lets go"
