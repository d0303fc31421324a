"""What PostgreSQL leaves in its folder about the process that runs it, and whether that is true.

``postmaster.pid`` outlives a kill. Its number may then be nobody's, a zombie's or another program's, and PostgreSQL itself
takes the last two for a running server.
"""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

from vuedocs.errors import DatabaseError


class Postmaster:
    """The server process that a data folder's ``postmaster.pid`` names."""

    def __init__(self, data: Path) -> None:
        self.data = data
        self._file = data / "postmaster.pid"

    def lines(self) -> list[str]:
        """pid, data folder, start time, port, socket folder, address, shared memory key, status; empty without the file."""
        try:
            return self._file.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
        except FileNotFoundError:
            return []

    def pid(self) -> int:
        """The recorded process; 0 where there is none."""
        first = next(iter(self.lines()), "").strip()
        return abs(int(first)) if re.fullmatch(r"-?\d+", first) else 0

    def socket_folder(self) -> str:
        """Where the server says that it listens; ``""`` when it has not said so yet."""
        lines = self.lines()
        return lines[4].strip() if len(lines) > 4 else ""

    def running(self) -> bool:
        """Whether that process lives, and is a server of this very folder."""
        pid = self.pid()
        return pid > 0 and serves(pid, self.data)

    def disown(self) -> None:
        """Makes a stale file harmless; call it only when the server does not run and this process is about to start it.

        The file is kept, with this process's number, which PostgreSQL knows not to be a server as it is its own parent: so it
        still checks, by the shared memory that the file names, that no child of a killed server is writing any more.
        """
        lines = self.lines()
        if not self._file.exists():
            return
        if len(lines) < 7 or not self.pid():  # half written: PostgreSQL would refuse it
            self._file.unlink()
            return
        with open(self._file, "r+", encoding="utf-8", errors="surrogateescape") as file:  # in place: it stays its owner's
            file.write("\n".join([str(os.getpid()), *lines[1:]]) + "\n")
            file.truncate()


def serves(pid: int, data: Path) -> bool:
    """Whether process ``pid`` lives and was started with ``data`` as its folder."""
    process = Path("/proc") / str(pid)
    if Path("/proc/self/stat").exists():
        try:
            state = (process / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()[0]
            words = (process / "cmdline").read_bytes().split(b"\0")
        except (FileNotFoundError, ProcessLookupError):
            return False
        return state not in "ZX" and os.fsencode(data) in words
    outcome = subprocess.run(["ps", "-o", "state=,command=", "-p", str(pid)], capture_output=True, text=True, check=False)
    return bool(outcome.stdout.strip()) and not outcome.stdout.startswith("Z") and str(data) in outcome.stdout


def data_major(data: Path) -> int | None:
    """The PostgreSQL version that made a data folder; None where there is none yet. DatabaseError where it is something else."""
    try:
        return int((data / "PG_VERSION").read_text(encoding="utf-8").strip())
    except FileNotFoundError:
        if not data.exists() or not any(data.iterdir()):
            return None
    except ValueError:
        pass
    raise DatabaseError(
        f"{data} is no PostgreSQL data folder, and not empty; move it away, or set VUEDOCS_HOME to another folder"
    )


def last_reason(log: Path, begun: int) -> str:
    """The last line after byte ``begun`` that says why a program of PostgreSQL ended; ``""`` without one."""
    with open(log, "rb") as file:
        file.seek(begun)
        lines = file.read().decode(errors="replace").splitlines()
    reasons = [line for line in lines if re.search(r"\b(FATAL|PANIC|ERROR|error|could not|cannot)\b", line)]
    last = (reasons or [line for line in lines if line.strip()] or [""])[-1]
    return re.sub(r"^.*?\b(?:FATAL|PANIC|ERROR|error):\s*", "", last).strip()
