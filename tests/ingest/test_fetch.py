"""The fetch stage: bundled docs, folders, clones by git."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from pathlib import Path

import pytest

from vuedocs.config import Fetch
from vuedocs.errors import SourceError
from vuedocs.ingest.fetch import clone, fetch, from_folder, newest
from vuedocs.records import Ingest
from vuedocs.sources import find

LIMITS = Fetch(timeout=60)
COMMIT = "0123456789abcdef0123456789abcdef01234567"


class Clients:
    """What fetch uses of the real ones."""

    def __init__(self, home: Path) -> None:
        self.home = home

    def progress(self, words: str, done: int, total: int) -> None:
        pass


def git(folder: Path, *arguments: str) -> str:
    command = ["git", "-c", "user.name=t", "-c", "user.email=t@example.org", *arguments]
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    (folder / "src").mkdir(parents=True)
    (folder / ".vitepress").mkdir()
    (folder / "src" / "a.md").write_text("# A")
    (folder / ".vitepress" / "config.ts").write_text("export default { themeConfig: { sidebar: [] } }")
    git(folder, "init", "--quiet", "--initial-branch=main")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "-m", "one")
    return folder


async def test_bundled_docs(tmp_path: Path) -> None:
    state = await fetch(Ingest(("sample",)), LIMITS, Clients(tmp_path))  # type: ignore[arg-type]
    checkout = state.checkouts[0]
    assert (checkout.folder / "index.md").is_file()
    assert checkout.site == checkout.folder
    assert checkout.commit.startswith("sha256:")


async def test_an_export_says_what_it_is(tmp_path: Path) -> None:
    (tmp_path / "vue").mkdir()
    (tmp_path / "vue" / "a.md").write_text("# A")
    (tmp_path / "vue" / "SOURCE.json").write_text(json.dumps({"commit": COMMIT, "date": "2026-07-22T09:18:55-07:00"}))
    checkout = (await fetch(Ingest(("vue",), tmp_path), LIMITS, Clients(tmp_path))).checkouts[0]  # type: ignore[arg-type]
    assert (checkout.commit, checkout.version, checkout.site) == (COMMIT, COMMIT[:12], None)
    assert checkout.date is not None
    assert checkout.date.isoformat() == "2026-07-22T09:18:55-07:00"


def test_a_folder_without_anything_known_is_named_by_its_contents(tmp_path: Path) -> None:
    (tmp_path / "vue").mkdir()
    (tmp_path / "vue" / "a.md").write_text("# A")
    before = from_folder(find("vue"), tmp_path).commit
    assert before.startswith("sha256:")
    assert from_folder(find("vue"), tmp_path).commit == before
    (tmp_path / "vue" / "a.md").write_text("# B")
    assert from_folder(find("vue"), tmp_path).commit != before


def test_a_whole_checkout_is_entered(repository: Path) -> None:
    repository.rename(repository.parent / "vue")
    folder = repository.parent / "vue"
    checkout = from_folder(find("vue"), repository.parent)
    assert (checkout.folder, checkout.site) == (folder / "src", folder)
    assert checkout.commit == git(folder, "rev-parse", "HEAD")


def test_a_missing_folder_is_named_with_what_there_is(tmp_path: Path) -> None:
    (tmp_path / "pinia").mkdir()
    with pytest.raises(SourceError, match=r"holds no docs of vue; it holds pinia\. Give another --docs"):
        from_folder(find("vue"), tmp_path)
    with pytest.raises(SourceError, match="it is no folder"):
        from_folder(find("vue"), tmp_path / "nothing")
    with pytest.raises(SourceError, match="holds no Markdown file"):
        from_folder(find("pinia"), tmp_path)


async def test_each_ref_is_cloned_once_into_a_folder_of_its_own(repository: Path, tmp_path: Path) -> None:
    first = git(repository, "rev-parse", "HEAD")
    source = find("vue").model_copy(update={"repository": repository.as_uri(), "ref": first})
    folder = tmp_path / "home" / "checkouts"
    checkout = await clone(source, folder, 60)
    target = checkout.site
    assert target is not None
    assert (checkout.folder, target.parent, checkout.commit) == (target / "src", folder, first)
    assert checkout.date is not None

    (target / "mark").touch()
    await clone(source, folder, 60)
    assert (target / "mark").exists()

    (repository / "src" / "a.md").write_text("# Changed")
    git(repository, "commit", "--quiet", "-am", "two")
    second = source.model_copy(update={"ref": git(repository, "rev-parse", "HEAD")})
    changed = await clone(second, folder, 60)
    assert changed.commit == second.ref
    assert (changed.folder / "a.md").read_text() == "# Changed"
    assert (checkout.folder / "a.md").read_text() == "# A", "a run that reads the first ref meanwhile is not disturbed"

    os.utime(target / ".vuedocs-ref", (0, 0))
    git(repository, "commit", "--quiet", "--allow-empty", "-m", "three")
    await clone(source.model_copy(update={"ref": git(repository, "rev-parse", "HEAD")}), folder, 60)
    assert not target.exists(), "nobody has used it for a day"
    assert changed.folder.exists()
    assert all(entry.name.startswith("vue@") for entry in folder.iterdir())


async def test_failures_of_git_leave_nothing_and_say_what_to_do(repository: Path, tmp_path: Path) -> None:
    target = tmp_path / "home"
    gone = find("vue").model_copy(update={"repository": repository.as_uri(), "ref": "no-such-ref"})
    with pytest.raises(SourceError, match=r"git fetch failed: .*; check the network, or give a folder of docs with --docs"):
        await clone(gone, target, 60)
    assert list(target.iterdir()) == []


@pytest.mark.parametrize("repository_url", ["ext::sh -c touch% /tmp/x", "ssh://example.org/x", "--upload-pack=x", "/etc"])
async def test_other_protocols_are_refused(repository_url: str, tmp_path: Path) -> None:
    source = find("vue").model_copy(update={"repository": repository_url})
    with pytest.raises(SourceError, match="only https:// and file:// are"):
        await clone(source, tmp_path / "vue", 60)


async def test_what_the_machine_refuses_names_the_source_and_a_remedy(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "home").write_text("a file where the data folder should be")
    with pytest.raises(SourceError, match=r"the docs of vue cannot be fetched: .*; see that it may be read"):
        await fetch(Ingest(("vue",)), LIMITS, Clients(tmp_path / "home"))  # type: ignore[arg-type]
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "full"))
    with pytest.raises(SourceError, match=r"the docs of vue cannot be fetched: .*; see that it may be read"):
        await newest(find("vue").model_copy(update={"repository": repository.as_uri()}), 60)


def test_an_export_of_brackets_alone_is_refused_in_words_and_odd_names_are_counted(tmp_path: Path) -> None:
    folder = tmp_path / "vue"
    folder.mkdir()
    (folder / os.fsdecode(b"caf\xe9.md")).write_text("# Coffee")
    assert from_folder(find("vue"), tmp_path).commit.startswith("sha256:")
    (folder / "SOURCE.json").write_text("[" * 100_000)
    with pytest.raises(SourceError, match=r"SOURCE\.json cannot be read: .*; mend or remove it"):
        from_folder(find("vue"), tmp_path)
