"""Docs are not trusted: what is no page is reported and left out one by one, and nothing takes long or leaves its folder."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from pathlib import Path

import pytest
from small_docs import VUE, Workplace, write_docs

from vuedocs.errors import SourceError
from vuedocs.ingest.fetch import from_folder
from vuedocs.ingest.parse import LARGEST_PAGE, page_files
from vuedocs.records import Ingest
from vuedocs.sources import find
from vuedocs.sources.front import normalise, split_front_matter
from vuedocs.sources.plain_yaml import UNSEEN, plain_yaml

SECRET = "the text of a file outside of the docs"


@pytest.fixture
def place(tmp_path: Path) -> Workplace:
    (tmp_path / "outside.md").write_text(f"# Outside\n\n{SECRET}\n")
    place = Workplace(tmp_path)
    place.write("vue", VUE)
    return place


def ingested(place: Workplace) -> Ingest:
    return asyncio.run(place.ingest("vue"))


def everything(state: Ingest) -> str:
    return "\n".join([*(page.text for page in state.pages), *(chunk.text for chunk in state.chunks), *state.reports])


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "it is no text, but binary"),
        (b"# Latin\n\n\xe9t\xe9\n", "it is not UTF-8"),
        (b"# Large\n\n" + b"word " * (LARGEST_PAGE // 5), f"{LARGEST_PAGE:,} are read"),
    ],
)
def test_a_file_that_is_no_page_is_reported_and_the_others_are_read(place: Workplace, content: bytes, reason: str) -> None:
    (place.docs / "vue" / "guide" / "odd.md").write_bytes(content)
    state = ingested(place)
    assert len(state.pages) == len(VUE)
    assert any("guide/odd.md is left out" in report and reason in report for report in state.reports)


def test_nothing_outside_of_the_docs_is_read(place: Workplace) -> None:
    folder = place.docs / "vue"
    (folder / "link.md").symlink_to(place.docs.parent / "outside.md")
    (folder / "up").symlink_to(place.docs.parent)
    lines = [
        "# Escapes",
        "",
        "<!--@include: ../../outside.md-->",
        "",
        "<!--@include: ./link.md-->",
        "",
        "<<< ../../outside.md",
        "",
    ]
    (folder / "escapes.md").write_text("\n".join(lines))
    before = from_folder(find("vue"), place.docs).commit
    state = ingested(place)
    assert SECRET not in everything(state)
    assert sum("lies outside of the docs folder" in report for report in state.reports) == 3
    (place.docs.parent / "outside.md").write_text("changed")
    assert from_folder(find("vue"), place.docs).commit == before


def test_files_that_include_each_other_without_end_are_cut(place: Workplace) -> None:
    write_docs(place.docs, "vue", {f"p{n}": f"<!--@include: ./p{n + 1}.md-->\n" * 30 for n in range(9)})
    write_docs(place.docs, "vue", {"p9": "word " * 200})
    begun = time.process_time()
    state = ingested(place)
    assert any("bring in more than 1,000,000 characters" in report for report in state.reports)
    assert time.process_time() - begun < 60


@pytest.mark.parametrize(
    "bomb",
    [
        "a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]",
        "a: &a {x: 1}\nb: {<<: [*a, *a]}",
        "a: !!python/object/apply:os.system [true]",
        "a: " + "[" * 10_000,
        "date: 2026-99-99",
        "n: " + "9" * 5_000,
        "long: " + "x" * 60_000,
    ],
)
def test_hostile_yaml_is_no_front_matter_and_the_page_stays(bomb: str) -> None:
    with pytest.raises(ValueError, match=r"\S"):
        plain_yaml(bomb)
    assert split_front_matter(f"---\n{bomb}\n---\n# Title\n") == ({}, "# Title\n")


def test_escapes_of_yaml_bring_in_nothing_that_a_file_may_not_hold(place: Workplace) -> None:
    front = r'title: "A\ud800\u202e\u001b title"'
    assert split_front_matter(f"---\n{front}\n---\n") == ({"title": "A title"}, "")
    place.write("vue", {"guide/escaped": f"---\n{front}\n---\n\nSome words.\n"})
    assert "A title" in {page.title for page in ingested(place).pages}


def test_a_file_whose_name_is_no_utf8_is_reported_and_left_out(place: Workplace) -> None:
    (place.docs / "vue" / "guide" / os.fsdecode(b"caf\xe9.md")).write_text("# Coffee\n\nWords.\n")
    state = ingested(place)
    assert len(state.pages) == len(VUE)
    assert r"vue: guide/caf\xe9.md is left out: its name is not UTF-8; rename it" in state.reports


def test_characters_that_nobody_sees_are_taken_out() -> None:
    assert normalise("a\x1b[31mb\u202ec\u2066d\x00e\tf\r\ng\x9b1mh\x85") == "a[31mbcde\tf\ng1mh"


def test_neither_do_a_navigation_a_commit_or_a_file_name_bring_them_in(place: Workplace) -> None:
    folder = place.docs / "vue"
    entry = {"path": "guide/untitled", "title": "A\x1b\u202e title", "section": "A\x9b group"}
    (folder / "nav.json").write_text(json.dumps([entry, {"path": "gone\x1b"}]))
    (folder / "SOURCE.json").write_text(json.dumps({"version": "1.\x1b[31m0", "commit": "\x1bc"}))
    (folder / "guide" / "untitled.md").write_text("Some words.\n")
    (folder / "guide" / "a\x1b[31m.md").write_text("# Red\n")
    state = ingested(place)
    (page,) = [page for page in state.pages if page.path == "guide/untitled"]
    assert (page.title, page.section) == ("A title", "A group")
    assert (state.checkouts[0].version, state.checkouts[0].commit) == ("1.[31m0", "c")
    assert r"vue: 'guide/a\x1b[31m.md' is left out: its name holds characters that nobody sees; rename it" in state.reports
    assert not UNSEEN.search("".join(state.reports))


def test_a_page_that_breaks_its_reader_is_reported_and_counted_and_the_others_are_read(
    place: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = sys.modules["vuedocs.ingest.parse"]
    reader = module.read

    def breaks(text: str, name: str, *others: object) -> object:
        return [][int("trap" in text)] if "trap" in text else reader(text, name, *others)

    monkeypatch.setattr(module, "read", breaks)
    place.write("vue", {"guide/trap": "# A trap\n"})
    state = ingested(place)
    assert {page.path for page in state.pages} == VUE.keys()
    reason = "guide/trap.md is left out: reading it raised IndexError: list index out of range; report it, with the page"
    assert state.left_out == (("vue", reason),)
    assert state.reports[0] == f"vue: {reason}", "before all that is only untidy"
    assert state.manifest is not None
    assert state.manifest.sources[0].left_out == 1


def test_deep_nesting_and_traps_for_patterns_end(place: Workplace) -> None:
    hostile = {
        "quotes": "# Quotes\n\n" + ">" * 5_000 + " deep\n",
        "lists": "# Lists\n\n" + "".join("  " * n + "- x\n" for n in range(500)),
        "brackets": "# Brackets\n\n" + "[" * 20_000 + "\n",
        "tags": "# Tags\n\n" + "<a " * 20_000 + "\n",
        "stars": "# Stars\n\n" + "*a_ " * 20_000 + "\n",
        "boxes": "# Boxes\n\n" + "::: tip\n" * 300 + "x\n",
        "ticks": "# Ticks\n\n" + " ".join("`" * n for n in range(1, 200)) + "\n",
    }
    write_docs(place.docs, "vue", hostile)
    begun = time.process_time()
    state = ingested(place)
    assert {page.path for page in state.pages} >= VUE.keys()
    assert time.process_time() - begun < 120


def test_thousands_of_files_are_listed_and_too_many_are_refused(place: Workplace, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = place.docs / "vue" / "many"
    folder.mkdir()
    for number in range(2_000):
        (folder / f"p{number}.md").write_text("# P\n")
    checkout = from_folder(find("vue"), place.docs)
    assert len(page_files(find("vue"), checkout)[0]) == 2_000 + len(VUE)
    monkeypatch.setattr(sys.modules["vuedocs.ingest.parse"], "MOST_PAGES", 1_999)
    with pytest.raises(SourceError, match=r"2,004 pages; 1,999 are read"):
        page_files(find("vue"), checkout)


def test_more_text_than_any_docs_have_is_refused(place: Workplace, monkeypatch: pytest.MonkeyPatch) -> None:
    checkout = from_folder(find("vue"), place.docs)
    length = sum(len(file.text) for file in page_files(find("vue"), checkout)[0])
    module = sys.modules["vuedocs.ingest.parse"]
    monkeypatch.setattr(module, "MOST_TEXT", length)
    assert len(page_files(find("vue"), checkout)[0]) == len(VUE)
    monkeypatch.setattr(module, "MOST_TEXT", length - 1)
    with pytest.raises(SourceError, match=r"more than [\d,]+ characters of pages. Give the folder of the docs alone"):
        page_files(find("vue"), checkout)
