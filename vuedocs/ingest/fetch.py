"""fetch: each source's documentation, on this machine.

It comes with the package, lies in the folder that ``--docs`` names, or is cloned by git at its pinned ref into the data folder.
"""

from __future__ import annotations

import asyncio
import fcntl
import hashlib
import json
import os
import re
import shutil
import signal
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from vuedocs import __version__
from vuedocs.clients import ReadingClients
from vuedocs.config import Fetch
from vuedocs.errors import SourceError
from vuedocs.records import Checkout, Ingest
from vuedocs.settings import is_secret
from vuedocs.sources import Source, find
from vuedocs.sources.pages import SUFFIXES
from vuedocs.sources.plain_yaml import UNSEEN
from vuedocs.sources.site_config import config_file

_HASH = re.compile(r"[0-9a-f]{40}")
_PROTOCOLS = ("https://", "file://")
UNUSED = 86400.0
"""Seconds after which a checkout goes that no run has used; a run reads one within minutes."""


async def fetch(state: Ingest, section: Fetch, clients: ReadingClients) -> Ingest:
    """A checkout for every source of the state.

    Raises SourceError where a folder of docs is not there, or where git fails.
    """
    checkouts: list[Checkout] = []
    for number, name in enumerate(state.sources):
        source = find(name)
        source = source.model_copy(update={"ref": state.refs.get(source.name, source.ref)})
        clients.progress(f"fetch {source.name}", number, len(state.sources))
        with said_of(source):
            checkouts.append(await _checkout(source, state.docs, Path(clients.home), section.timeout))
    clients.progress("fetch", len(state.sources), len(state.sources))
    return replace(state, checkouts=tuple(checkouts))


@contextmanager
def said_of(source: Source) -> Iterator[None]:
    """Makes what the machine refuses (an unreadable file, a full disk) a SourceError that names the source."""
    try:
        yield
    except OSError as error:
        remedy = "see that it may be read, and that the data folder and the temporary folder can be written and have room"
        raise SourceError(f"the docs of {source.name} cannot be fetched: {error}; {remedy}") from error


async def _checkout(source: Source, docs: Path | None, home: Path, seconds: float) -> Checkout:
    if source.bundled:
        folder = Path(__file__).parent.parent / source.docs_folder
        if not folder.is_dir():
            raise SourceError(f"the docs of {source.name} come with the package, but {folder} is not there; install it again")
        return describe(source, folder, folder, f"bundled with vuedocs {__version__}", version=__version__)
    if docs is not None:
        return from_folder(source, docs)
    return await clone(source, home / "checkouts", seconds)


def from_folder(source: Source, docs: Path) -> Checkout:
    """The checkout of a source in a folder of checkouts or exports named by source. Raises SourceError."""
    return describe(source, docs_in(source, docs), docs / source.name, f"folder {docs / source.name}")


def docs_in(source: Source, docs: Path) -> Path:
    """Where in ``docs`` the pages of a source lie. Raises SourceError where they do not."""
    folder = docs / source.name
    if not folder.is_dir():
        raise SourceError(f"{docs} holds no docs of {source.name}; {_holds(docs)}. Give another --docs, or none to clone it")
    inside = folder / source.docs_folder
    if not (folder / "SOURCE.json").exists() and inside.is_dir():
        folder = inside
    if not any(next(folder.rglob(f"*{suffix}"), None) for suffix in SUFFIXES[source.engine]):
        raise SourceError(f"{folder} holds no Markdown file; give the folder of {source.name}'s docs, or none to clone it")
    return folder


def _holds(docs: Path) -> str:
    if not docs.is_dir():
        return "it is no folder"
    names = sorted(entry.name for entry in docs.iterdir() if entry.is_dir() and not entry.name.startswith("."))
    return f"it holds {', '.join(names)}" if names else "it is empty"


def describe(source: Source, folder: Path, root: Path, origin: str, version: str = "", commit: str = "") -> Checkout:
    """What is known of docs in ``folder``, which lies in ``root``: from ``SOURCE.json``, git's own files, or the contents."""
    about = _source_json(folder / "SOURCE.json")
    date = _date(str(about.get("date", "")))
    commit = commit or str(about.get("commit", "")) or git_head(root) or "sha256:" + contents_hash(folder)
    short = commit[:12] if _HASH.fullmatch(commit) else commit[:15]
    version = version or str(about.get("version") or about.get("tag") or "") or short
    return Checkout(source.name, folder, site_folder(folder, root, source.config), commit, version, date, origin)


def _source_json(file: Path) -> dict[str, object]:
    try:
        data = json.loads(file.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        return {}
    except (OSError, RecursionError, ValueError) as error:
        raise SourceError(f"{file} cannot be read: {error}; mend or remove it") from error
    if not isinstance(data, dict):
        raise SourceError(f"{file} is no JSON object; mend or remove it")
    return {key: UNSEEN.sub("", value) if isinstance(value, str) else value for key, value in data.items()}


def _date(text: str) -> datetime | None:
    try:
        date = datetime.fromisoformat(text)
    except ValueError:
        return None
    return date if date.tzinfo else date.replace(tzinfo=UTC)


def site_folder(folder: Path, root: Path, config: str) -> Path | None:
    """The nearest folder, from the docs upwards to ``root``, that holds the site's config."""
    between = [candidate for candidate in (folder, *folder.parents) if candidate == root or candidate.is_relative_to(root)]
    return next((candidate for candidate in between if config_file(candidate, config)), None)


def git_head(root: Path) -> str:
    """The commit of the git checkout at ``root``, read from git's own files; ``""`` where there is none."""
    head = _read(root / ".git" / "HEAD")
    if not head.startswith("ref: "):
        return head if _HASH.fullmatch(head) else ""
    ref = head.removeprefix("ref: ")
    packed = re.search(rf"^([0-9a-f]{{40}}) {re.escape(ref)}$", _read(root / ".git" / "packed-refs"), re.MULTILINE)
    commit = _read(root / ".git" / ref) or (packed.group(1) if packed else "")
    return commit if _HASH.fullmatch(commit) else ""


def _read(file: Path) -> str:
    return file.read_text(encoding="utf-8").strip() if file.is_file() else ""


def contents_hash(folder: Path) -> str:
    """sha256 over the names and contents of all files of documentation in ``folder``; what a link leads out to is none."""
    digest, inside = hashlib.sha256(), folder.resolve()
    files = (path for path in folder.rglob("*") if path.suffix in (".md", ".mdx", ".json", ".ts", ".yml") and path.is_file())
    for file in sorted(path for path in files if path.resolve().is_relative_to(inside)):
        digest.update(os.fsencode(file.relative_to(folder)) + b"\0")
        digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()


async def newest(source: Source, seconds: float) -> str:
    """The commit that the repository's default branch is at now. Raises SourceError where git fails."""
    check_protocol(source)
    with said_of(source), tempfile.TemporaryDirectory(prefix="vuedocs-") as folder:
        said = await _git(Path(folder), seconds, "ls-remote", "--", source.repository, "HEAD")
    commit = said.partition("\t")[0]
    if not _HASH.fullmatch(commit):
        raise SourceError(f"{source.name}: {source.repository} has no default branch; mend registry.toml")
    return commit


def check_protocol(source: Source) -> None:
    """Raises SourceError for a repository that is not read over https:// or file://."""
    if not source.repository.startswith(_PROTOCOLS):
        raise SourceError(f"{source.name}: {source.repository!r} is not cloned; only https:// and file:// are")


async def clone(source: Source, checkouts: Path, seconds: float) -> Checkout:
    """A shallow clone of the source's ref, made once, in a folder of its own. Raises SourceError where git fails.

    Runs that read different refs at once do not disturb one another; what none has used for a day is removed.
    """
    check_protocol(source)
    target = checkouts / f"{source.name}@{hashlib.sha256(f'{source.repository} {source.ref}'.encode()).hexdigest()[:12]}"
    marker = target / ".vuedocs-ref"
    if _read(marker) != source.ref:
        os.makedirs(checkouts, exist_ok=True)
        async with _alone(checkouts):
            if _read(marker) != source.ref:
                _forget(source, checkouts)
                await _renew(source, target, seconds)
    marker.touch()
    folder = target / source.docs_folder
    if not folder.is_dir():
        where = f"{source.repository} at {source.ref}"
        raise SourceError(f"{source.name}: {where} has no folder {source.docs_folder}; mend registry.toml")
    version = source.ref[:12] if _HASH.fullmatch(source.ref) else source.ref
    about = await _git(target, seconds, "log", "-1", "--format=%H %cI")
    commit, _, date = about.partition(" ")
    checkout = describe(source, folder, target, f"git {source.repository} at {version}", version, commit)
    return replace(checkout, date=_date(date) or checkout.date)


@asynccontextmanager
async def _alone(folder: Path) -> AsyncIterator[None]:
    """Holds the lock of the folder of checkouts: two ingests at once must not put theirs in the same place."""
    lock = os.open(folder, os.O_RDONLY)
    try:
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:  # asked again and again, since a thread that waits could not be cancelled
                await asyncio.sleep(0.1)
        yield
    finally:
        os.close(lock)


def _forget(source: Source, checkouts: Path) -> None:
    """Removes what killed clones left, and the source's checkouts that nobody has used for long."""
    for leftover in checkouts.glob(f".{source.name}-??????*"):
        shutil.rmtree(leftover, ignore_errors=True)
    for checkout in (checkouts / source.name, *checkouts.glob(f"{source.name}@*")):
        marker = checkout / ".vuedocs-ref"
        if marker.is_file() and marker.stat().st_mtime < time.time() - UNUSED:
            shutil.rmtree(checkout, ignore_errors=True)


async def _renew(source: Source, target: Path, seconds: float) -> None:
    fresh = Path(tempfile.mkdtemp(prefix=f".{source.name}-", dir=target.parent))
    try:
        await _clone_into(source, fresh, seconds)
        (fresh / ".vuedocs-ref").write_text(source.ref, encoding="utf-8")
        _swap(fresh, target)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


async def _clone_into(source: Source, folder: Path, seconds: float) -> None:
    await _git(folder, seconds, "init", "--quiet")
    await _git(folder, seconds, "fetch", "--quiet", "--depth=1", "--no-tags", "--", source.repository, source.ref)
    await _git(folder, seconds, "checkout", "--quiet", "--detach", "FETCH_HEAD")


def _swap(fresh: Path, target: Path) -> None:
    """Puts ``fresh`` where ``target`` is; an old checkout is moved aside first, so that no half of one is ever there."""
    if target.exists():
        old = Path(tempfile.mkdtemp(prefix=f".{target.name}-old-", dir=target.parent))
        target.rename(old / target.name)
        fresh.rename(target)
        shutil.rmtree(old, ignore_errors=True)
    else:
        fresh.rename(target)


async def _git(folder: Path, seconds: float, *arguments: str) -> str:
    """Runs git in ``folder``: no shell, no hooks, no prompts, no other protocols, and no longer than ``seconds``."""
    options = ["-c", f"core.hooksPath={os.devnull}", "-c", "protocol.allow=never"]
    options += ["-c", "protocol.https.allow=always", "-c", "protocol.file.allow=always", "-c", "core.symlinks=false"]
    options += ["-c", "core.fsmonitor=false", "-c", "submodule.recurse=false"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_") and not is_secret(name)}
    environment |= {"GIT_ALLOW_PROTOCOL": "https:file", "GIT_TERMINAL_PROMPT": "0", "GIT_ASKPASS": "true"}
    environment |= {"GIT_LFS_SKIP_SMUDGE": "1", "LC_ALL": "C"}
    try:
        process = await asyncio.create_subprocess_exec(
            "git",
            *options,
            *arguments,
            cwd=folder,
            env=environment,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,
        )
    except FileNotFoundError:
        raise SourceError("git is not installed; install it, or give a folder of docs with --docs") from None
    try:
        out, err = await asyncio.wait_for(process.communicate(), seconds)
    except TimeoutError:
        raise SourceError(f"git {arguments[0]} took longer than {seconds:g} s; raise fetch.timeout or give --docs") from None
    finally:
        if process.returncode is None:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)  # git works through children
            await process.wait()
    if process.returncode:
        reason = (err.decode(errors="replace").strip().splitlines() or ["no reason given"])[-1]
        raise SourceError(f"git {arguments[0]} failed: {reason}; check the network, or give a folder of docs with --docs")
    return out.decode(errors="replace").strip()
