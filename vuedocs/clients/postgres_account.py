"""Who runs the embedded server, and where its files are: PostgreSQL refuses to run as root.

As an ordinary user the server is the user's own. As root it runs as the data folder's owner, or as ``nobody``; where that
account cannot enter the data folder, its files go to a folder of their own under /var/lib/vuedocs, which the data folder
remembers in ``postgres.location``: when the data folder is deleted, nobody takes up its old database.
"""

from __future__ import annotations

import os
import pwd
import shutil
import stat
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

from vuedocs.clients.postmaster import Postmaster
from vuedocs.errors import DatabaseError

SHARED = (Path("/var/lib/vuedocs"), Path("/var/tmp/vuedocs"))
"""Where files go that root's server account must reach: the first that can be made."""


class Identity(TypedDict, total=False):
    """Arguments of subprocess that run a program as another account."""

    user: int
    group: int
    extra_groups: list[int]


@dataclass(frozen=True, slots=True)
class Account:
    """The account that runs the server when root asks for it."""

    uid: int
    gid: int
    name: str

    @staticmethod
    def identity(account: Account | None) -> Identity:
        """How to run a program as ``account``; None is this process's own."""
        return {} if account is None else {"user": account.uid, "group": account.gid, "extra_groups": []}

    def own(self, path: Path) -> None:
        """Makes ``path`` the account's."""
        os.chown(path, self.uid, self.gid, follow_symlinks=False)

    def can_enter(self, folder: Path) -> bool:
        """Whether the account may pass through ``folder`` and all above it, by their mode bits."""
        return all(self._may_pass(parent) for parent in (folder, *folder.parents))

    def _may_pass(self, folder: Path) -> bool:
        state = folder.stat()
        if state.st_uid == self.uid:
            return bool(state.st_mode & stat.S_IXUSR)
        return bool(state.st_mode & (stat.S_IXGRP if state.st_gid == self.gid else stat.S_IXOTH))


def server_account(home: Path) -> Account | None:
    """None for an ordinary user; for root the owner of the database or of ``home``, else ``nobody``."""
    if os.geteuid() != 0:
        return None
    for folder in (home / "postgres", home):
        owner = folder.stat().st_uid if folder.exists() else 0
        if owner:
            try:
                entry = pwd.getpwuid(owner)
            except KeyError:  # initdb refuses an account without a name
                continue
            return Account(entry.pw_uid, entry.pw_gid, entry.pw_name)
    for name in ("nobody", "postgres", "daemon"):
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return Account(entry.pw_uid, entry.pw_gid, entry.pw_name)
    raise DatabaseError("PostgreSQL refuses to run as root and this machine has no user nobody; run as an ordinary user")


def base_folder(home: Path, account: Account | None) -> Path:
    """The folder that holds the server's files: ``home``, or one that ``account`` can enter. Call it under a lock of ``home``."""
    if account is None:
        return home
    note = home / "postgres.location"
    if note.exists():
        noted = Path(note.read_text(encoding="utf-8").strip())
        if noted.is_dir():
            return noted
    if account.can_enter(home):
        return home
    shared = shared_folder()
    remove_abandoned(shared)
    base = shared / uuid.uuid4().hex[:16]
    base.mkdir(mode=0o700)
    account.own(base)
    note.write_text(f"{base}\n", encoding="utf-8")
    (base / "home").write_text(f"{home.stat().st_dev} {home}\n", encoding="utf-8")
    return base


def remove_abandoned(shared: Path) -> None:
    """Removes the databases whose data folder was deleted: nothing can find them any more.

    A data folder whose disk is not mounted is not deleted: what is left of its path must be on the disk that it was on.
    """
    for note in shared.glob("*/home"):
        device, _, home = note.read_text(encoding="utf-8").strip().partition(" ")
        left = next(parent for parent in (Path(home), *Path(home).parents) if parent.exists())
        if left != Path(home) and str(left.stat().st_dev) == device and not Postmaster(note.parent / "postgres").running():
            shutil.rmtree(note.parent, ignore_errors=True)


def own_folder(folder: Path, account: Account | None) -> None:
    """Makes a folder that only this user and the server's can enter. DatabaseError where it is somebody else's."""
    folder.mkdir(mode=0o700, exist_ok=True)
    state = folder.lstat()
    owner = os.geteuid() if account is None else account.uid
    if not stat.S_ISDIR(state.st_mode) or state.st_uid not in (owner, os.geteuid()):
        raise DatabaseError(
            f"{folder} belongs to another user (uid {state.st_uid}); run as that user, set VUEDOCS_HOME to a folder of your "
            "own, or set DATABASE_URL to a server"
        )
    if account is not None and state.st_uid != owner:
        account.own(folder)


def shared_folder() -> Path:
    """A folder of root's that every account can enter and none but root can write."""
    for folder in SHARED:
        try:
            folder.mkdir(mode=0o755, exist_ok=True)
        except OSError:
            continue
        state = folder.lstat()
        if stat.S_ISDIR(state.st_mode) and state.st_uid == os.geteuid():
            folder.chmod(0o755)
            return folder
    raise DatabaseError(
        "the embedded PostgreSQL needs a folder that its own user can enter, and "
        f"{' and '.join(map(str, SHARED))} cannot be made; run as an ordinary user, "
        "set VUEDOCS_HOME to a folder that others can enter, or set DATABASE_URL"
    )
