"""Backup and restore: all of it comes back, to another folder, to a server and from it; a damaged backup changes nothing."""

from __future__ import annotations

import asyncio
import json
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

import pytest
from psycopg.conninfo import conninfo_to_dict

from vuedocs.clients.edge import EdgeBuilder, EdgeIndex
from vuedocs.clients.engines import open_database
from vuedocs.clients.postgres import EmbeddedPostgres
from vuedocs.config import load
from vuedocs.errors import StorageError, UsageError
from vuedocs.ingest.backup import ABOUT, Backup, back_up, restore
from vuedocs.settings import Settings


@pytest.fixture
def server_url() -> Iterator[str]:
    """The address of a server that knows nothing of us, as DATABASE_URL."""
    with tempfile.TemporaryDirectory(prefix="vuedocs-test-", dir="/tmp") as folder:
        Path(folder).chmod(0o755)
        server = EmbeddedPostgres(Path(folder))
        parts = conninfo_to_dict(server.start_sync())
        yield f"postgresql://{parts['user']}@/{parts['dbname']}?host={quote(str(parts['host']), safe='')}&port={parts['port']}"
        server.close_sync()


async def content(settings: Settings) -> dict[str, object]:
    """All that must survive: manifest, digests of sources, a remembered vector count, and the index point by point."""
    database = await open_database(settings)
    try:
        manifest = await database.published()
        assert manifest is not None
        index = await EdgeBuilder(settings.home / "index").open(manifest.generation)
        assert isinstance(index, EdgeIndex)
        async with database.connections.use("count") as connection:
            memory = await (await connection.execute("SELECT count(*), sum(length(value)) FROM vuedocs.memory")).fetchone()
        digest = await index.digest()
        await index.aclose()
        return {
            "manifest": manifest, "sources": await database.snapshot_digests(), "memory": memory, "index": digest,
            "generations": await database.generations(),
        }  # fmt: skip
    finally:
        await database.aclose()


async def next_generation(settings: Settings) -> str:
    database = await open_database(settings)
    try:
        return await database.next_generation()
    finally:
        await database.aclose()


def backed_up(settings: Settings, folder: Path) -> Backup:
    return asyncio.run(back_up(settings, folder))


def restored(settings: Settings, folder: Path) -> Backup:
    return asyncio.run(restore(settings, folder, load().store))


def test_a_backup_restores_to_a_server_and_from_it_to_another_folder(
    sample: Path, home: Path, server_url: str, tmp_path: Path
) -> None:
    before = asyncio.run(content(Settings(home=sample)))
    backed_up(Settings(home=sample), tmp_path / "one")
    there = replace(Settings(home=home / "machine"), database_url=server_url)
    restored(there, tmp_path / "one")
    assert asyncio.run(content(there)) == before
    backed_up(there, tmp_path / "two")
    here = home / "back"
    restored(Settings(home=here), tmp_path / "two")
    assert asyncio.run(content(Settings(home=here))) == before
    assert asyncio.run(next_generation(Settings(home=here))) == "g000002", "numbers go on"


def test_a_damaged_backup_is_named_and_nothing_is_restored(sample: Path, home: Path, tmp_path: Path) -> None:
    backed_up(Settings(home=sample), tmp_path / "backup")
    file = tmp_path / "backup" / "chunk.copy"
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(data)
    with pytest.raises(StorageError, match=r"is damaged: chunk\.copy; nothing was restored"):
        restored(Settings(home=home), tmp_path / "backup")
    (tmp_path / "backup" / ABOUT).write_text("{")
    with pytest.raises(StorageError, match="cannot be read"):
        restored(Settings(home=home), tmp_path / "backup")
    (tmp_path / "backup" / ABOUT).write_text(json.dumps({"format": 1}))
    with pytest.raises(StorageError, match="is damaged"):
        restored(Settings(home=home), tmp_path / "backup")
    assert not home.exists()


def test_what_is_there_is_never_written_over(sample: Path, tmp_path: Path) -> None:
    backed_up(Settings(home=sample), tmp_path / "backup")
    with pytest.raises(UsageError, match="is there and not empty"):
        backed_up(Settings(home=sample), tmp_path / "backup")
    with pytest.raises(UsageError, match="holds g000001 already"):
        restored(Settings(home=sample), tmp_path / "backup")
    shutil.rmtree(tmp_path / "backup")
    with pytest.raises(UsageError, match="is no backup"):
        restored(Settings(home=sample), tmp_path / "backup")
