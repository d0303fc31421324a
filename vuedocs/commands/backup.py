"""vuedocs backup and restore."""

from __future__ import annotations

import argparse

from vuedocs.commands import configured, until_told
from vuedocs.errors import StorageError
from vuedocs.ingest.backup import Backup, back_up
from vuedocs.ingest.backup import restore as restore_backup
from vuedocs.settings import Settings


def backup(options: argparse.Namespace) -> int:
    """Writes all that the database knows into a folder."""
    done = until_told(back_up(Settings.from_environment(), options.folder.expanduser().absolute()))
    print(f"backed up {words(done)} to {options.folder}")
    return 0


def restore(options: argparse.Namespace) -> int:
    """Restores a backup into an empty data folder or database, and builds the index."""
    config, settings = configured(options)
    done = until_told(restore_backup(settings, options.folder.expanduser().absolute(), config.store))
    print(f"restored {words(done)}, made {done.created if done else ''}; `vuedocs status` checks it")
    return 0


def words(done: Backup | None) -> str:
    """What a backup holds, for people. StorageError where it was stopped."""
    if done is None:
        raise StorageError("stopped before it was done: nothing was published; run it again")
    rows = {part.name: part.rows for part in done.tables}
    return (
        f"{done.published or 'nothing published'}: {rows.get('generation', 0)} generations, {rows.get('point', 0):,} points, "
        f"{rows.get('memory', 0):,} remembered results, {done.size / 1e6:.1f} MB"
    )
