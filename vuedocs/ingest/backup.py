"""Backups: everything that the database knows as files with digests, and back into an empty data folder or server.

The vector index is not copied: a restore builds it from the points that the database keeps, for whichever index is in use there.
So a backup of an embedded database can be restored to a server and back, and never brings a damaged index along.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import shutil
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from vuedocs import __version__
from vuedocs.clients.connections import Connection, version
from vuedocs.clients.database import PostgresDatabase
from vuedocs.clients.engines import open_builder, open_database
from vuedocs.clients.rows import manifest_record
from vuedocs.clients.tables import LAST, TableFile, advance_numbers, columns_of, dump, fill, table_file
from vuedocs.config import Store
from vuedocs.errors import StorageError, UsageError
from vuedocs.settings import Settings

ABOUT = "backup.json"
"""Written last: a folder with it is a whole backup."""

FORMAT = 1


@dataclass(frozen=True, slots=True)
class Backup:
    """What a backup holds."""

    created: str
    schema: int
    """Version of the tables."""
    published: str
    """The generation that was published; ``""`` where none was."""
    tables: tuple[TableFile, ...]

    @property
    def size(self) -> int:
        """Bytes."""
        return sum(part.bytes for part in self.tables)


async def back_up(settings: Settings, folder: Path) -> Backup:
    """Writes a backup into ``folder``, which must not be there or be empty. No ingest runs meanwhile; readers do.

    Raises UsageError for a folder that holds something, StorageError where it cannot be written.
    """
    if holds_something(folder):
        raise UsageError(f"{folder} is there and not empty; name a new folder for each backup")
    part = folder.with_name(f".{folder.name}.part")
    database = await open_database(settings)
    try:
        async with database.lock_ingest():
            shutil.rmtree(part, ignore_errors=True)
            part.mkdir(parents=True, mode=0o700)
            backup = await _write(database, part)
            part.replace(folder)
    except OSError as error:
        shutil.rmtree(part, ignore_errors=True)
        reason = error.strerror or error
        raise StorageError(f"the backup cannot be written to {folder}: {reason}; make room, or name another") from error
    finally:
        await database.aclose()
    return backup


def holds_something(folder: Path) -> bool:
    """Whether a folder is there with anything in it, or is something else."""
    return folder.exists() and (not folder.is_dir() or any(folder.iterdir()))


async def _write(database: PostgresDatabase, folder: Path) -> Backup:
    async with database.connections.use("the backup cannot be read from the database") as connection, connection.transaction():
        await connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        tables = await dump(connection, folder)
        schema = await version(connection)
    published = await database.published()
    created = datetime.now(UTC).isoformat(timespec="seconds")
    backup = Backup(created, schema, published.generation if published else "", tuple(tables))
    about = {"format": FORMAT, "vuedocs": __version__, **asdict(backup)}
    (folder / ABOUT).write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")
    return backup


async def restore(settings: Settings, folder: Path, section: Store) -> Backup:
    """Restores a backup where nothing is published, and builds its index; readers see it when all of it is there.

    Remembered vectors that are there already stay. It may be repeated after a kill. Raises UsageError where something is
    published, StorageError, before anything is changed, where the backup is not as it was written.
    """
    backup = await asyncio.to_thread(read, folder)
    database = await open_database(settings)
    try:
        async with database.lock_ingest():
            published = await database.published()
            if published is not None:
                raise UsageError(
                    f"{database.location} holds {published.generation} already; "
                    "restore into an empty VUEDOCS_HOME or DATABASE_URL"
                )
            rows = [part for part in backup.tables if part.name != LAST]
            async with database.connections.use("the backup cannot be restored") as connection, connection.transaction():
                await _check_version(connection, backup)
                await connection.execute("DELETE FROM vuedocs.snapshot")  # left by a restore or an ingest that was killed
                for part in rows:
                    await fill(connection, folder, part)
                await advance_numbers(connection)
            await _publish(database, settings, folder, backup, section)
    finally:
        await database.aclose()
    return backup


async def _check_version(connection: Connection, backup: Backup) -> None:
    known = await columns_of(connection)
    newer = [part.name for part in backup.tables if not set(part.columns) <= set(known.get(part.name, ()))]
    if newer or backup.schema > await version(connection):
        raise StorageError(
            f"the backup was made by a newer vuedocs (tables of version {backup.schema}); upgrade vuedocs and try again"
        )


async def _publish(database: PostgresDatabase, settings: Settings, folder: Path, backup: Backup, section: Store) -> None:
    """Builds the index of each generation of the backup, then publishes them all in one commit."""
    part = next(part for part in backup.tables if part.name == LAST)
    doing = "generations cannot be restored"
    async with database.connections.use(doing) as connection, connection.transaction(force_rollback=True):
        await fill(connection, folder, part)
        query = "SELECT manifest, digests FROM vuedocs.generation ORDER BY ordinal"
        generations = await (await connection.execute(query)).fetchall()
    builder = await open_builder(settings, database, section.quantisation)
    try:
        await builder.ready()
        await builder.remove([])
        for data, digests in generations:
            manifest = manifest_record(data)
            points = database.snapshot_points(digests)
            written = await builder.build(manifest.generation, points, manifest.dims, section.batch)
            if written != manifest.points:
                counts = f"{written} points in the backup instead of {manifest.points}"
                raise StorageError(f"generation {manifest.generation} has {counts}; use another backup")
        async with database.connections.use(doing) as connection, connection.transaction():
            await fill(connection, folder, part)
            await advance_numbers(connection)
            await connection.execute("SELECT pg_notify('vuedocs_published', %s)", [backup.published])
        if backup.published:
            await builder.published(backup.published)
    finally:
        await builder.aclose()


def read(folder: Path) -> Backup:
    """What a backup holds, after every file was compared with its digest. Raises UsageError or StorageError."""
    try:
        data = json.loads((folder / ABOUT).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UsageError(f"{folder} is no backup: it has no {ABOUT}; name a folder that `vuedocs backup` wrote") from None
    except (OSError, ValueError) as error:
        raise StorageError(f"{folder / ABOUT} cannot be read: {error}; use another backup") from error
    try:
        if data["format"] != FORMAT:
            raise StorageError(
                f"{folder} has the format {data['format']}, this vuedocs reads {FORMAT}; use the one that wrote it"
            )
        tables = tuple(table_file(entry) for entry in data["tables"])
        backup = Backup(str(data["created"]), int(data["schema"]), str(data["published"]), tables)
    except (KeyError, TypeError, ValueError) as error:
        raise StorageError(f"{folder / ABOUT} is damaged: {error!r}; use another backup") from error
    damaged = damaged_files(folder, backup.tables)
    if damaged:
        raise StorageError(f"the backup {folder} is damaged: {', '.join(damaged)}; nothing was restored, use another backup")
    return backup


def damaged_files(folder: Path, tables: Sequence[TableFile]) -> list[str]:
    """The files that are missing or not as they were written."""
    return [part.file for part in tables if _sha256(folder / part.file) != part.sha256]


def _sha256(file: Path) -> str:
    try:
        with open(file, "rb") as opened:
            return hashlib.file_digest(opened, "sha256").hexdigest()
    except OSError:
        return ""
