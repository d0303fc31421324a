"""The order of reading of sites without a sidebar in a config."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from vuedocs.sources import registry
from vuedocs.sources.front import normalise
from vuedocs.sources.navigation import Entry
from vuedocs.sources.order import by_file_names, by_front_matter, navigation_of
from vuedocs.sources.pages import candidates
from vuedocs.sources.routes import in_natural_order


def test_numbers_before_names_and_a_folders_page_first() -> None:
    names = ["x", "10.b/x", "2.b/y", "2.b/20.a", "2.b/index", "2.b/3.z"]
    assert sorted(names, key=in_natural_order) == ["2.b/index", "2.b/3.z", "2.b/20.a", "2.b/y", "10.b/x", "x"]


def test_by_file_names(tmp_path: Path) -> None:
    (tmp_path / "1.beds").mkdir()
    (tmp_path / "1.beds" / ".navigation.yml").write_text("title: All beds\n")
    (tmp_path / "3.old").mkdir()
    (tmp_path / "3.old" / ".navigation.yml").write_text("navigation: false\n")
    (tmp_path / "4.bad").mkdir()
    (tmp_path / "4.bad" / ".navigation.yml").write_text("title: [\n")
    fronts = {
        "1.beds/1.dig.md": {"title": "Dig", "navigation.title": "Digging"},
        "1.beds/2.rest.md": {"navigation": False},
        "1.beds/3.more/a.md": {"title": "A", "navigation": {"title": "B"}},
        "3.old/a.md": {"title": "Old"},
        "4.bad/a.md": {},
    }
    found = by_file_names(tmp_path, fronts)
    assert found.entries == (
        Entry("/1.beds/1.dig", "Digging", "All beds"),
        Entry("/1.beds/3.more/a", "B", "All beds > More"),
        Entry("/4.bad/a", "", "Bad"),
    )
    assert len(found.reports) == 1
    assert "4.bad/.navigation.yml cannot be read" in found.reports[0]


def test_by_front_matter() -> None:
    fronts = {
        "guide/b.mdx": {"order": 1},
        "guide/a.mdx": {"order": 2, "title": "A", "menuTitle": "a()"},
        "guide/first.mdx": {"order": 9},
        "other.mdx": {},
    }
    found = by_front_matter(fronts, ("guide/first", "guide"))
    assert [entry.link for entry in found.entries] == ["/guide/first", "/guide/b", "/guide/a", "/other"]
    assert found.entries[2] == Entry("/guide/a", "a()", "Guide")


@pytest.mark.parametrize("name", ["nuxt", "nuxt-ui", "vee-validate"])
def test_the_files_alone_give_the_sites_order(name: str, corpus: Path) -> None:
    source, folder = registry()[name], corpus / name
    texts = {file: normalise((folder / file).read_text(encoding="utf-8")) for file in candidates(source, folder)}
    named = {item["path"] for item in json.loads((folder / "nav.json").read_text(encoding="utf-8"))}
    exported = [entry.link for entry in navigation_of(source, folder, None, texts).entries]
    found = navigation_of(source, folder / "without its export", None, texts)
    suffix = {file.rpartition(".")[0]: file for file in texts}
    assert ["/" + suffix[entry.link.lstrip("/")] for entry in found.entries] == exported
    assert len(exported) == len(named)
