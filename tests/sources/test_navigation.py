"""The order of reading."""

from __future__ import annotations

from pathlib import Path

import pytest

from vuedocs.errors import SourceError
from vuedocs.sources import registry
from vuedocs.sources.navigation import Entry, excluded_by, from_config, read_navigation
from vuedocs.sources.pages import candidates, in_reading_order

CONFIG = """
import { defineConfig } from 'vitepress'
const more = [{ text: 'D', link: '/d' }] as const
function api(): Item[] { return [{ text: 'Ref', link: 'ref' }] }
export default defineConfig({
  srcExclude: ['**/parts/**'],
  themeConfig: {
    sidebar: {
      '/guide/': [
        { text: 'Group', items: [{ text: 'B', link: '/b' }, { text: 'Inner', items: [{ text: 'A', link: '/a#x' }] }] },
        ...more,
        { text: 'Computed', link: makeLink('x') },
        ...unknown
      ],
      '/api/': { base: '/api/', items: api() }
    }
  }
})
"""


def test_a_sidebar_is_read_as_literals_and_the_rest_is_reported() -> None:
    navigation = from_config(CONFIG, "config.ts")
    assert navigation.entries == (
        Entry("/b", "B", "Group"),
        Entry("/a#x", "A", "Inner"),
        Entry("/d", "D", ""),
        Entry("/api/ref", "Ref", ""),
    )
    assert len(navigation.reports) == 2
    assert "'Computed'" in navigation.reports[0]
    assert "unknown" in navigation.reports[1]


def test_a_config_without_a_sidebar_is_reported() -> None:
    assert "no sidebar" in from_config("export default {}", "config.ts").reports[0]


def test_excluded_files_come_from_the_config(tmp_path: Path) -> None:
    (tmp_path / "config.ts").write_text(CONFIG)
    assert excluded_by(tmp_path / "config.ts") == ("**/parts/**",)


def test_a_broken_export_is_refused(tmp_path: Path) -> None:
    (tmp_path / "nav.json").write_text('[{"title": "no path"}]')
    with pytest.raises(SourceError, match=r"nav\.json is no navigation"):
        read_navigation(tmp_path, None)


def test_named_pages_first_then_the_others_by_path() -> None:
    texts = dict.fromkeys(("z.md", "a.md", "b/index.md", "c.md", "part.md"), "")
    texts["a.md"] = "<!--@include: ./part.md-->"
    files, missing = in_reading_order(registry()["vue"], texts, from_config(CONFIG.replace("/d'", "/b/'"), "config.ts"))
    assert [(file.path, file.position) for file in files] == [("b/index", 0), ("a", 1), ("c", 2), ("z", 3)]
    assert missing == ["the navigation names /api/ref, which is no page here"]


def test_translations_templates_and_excluded_files_are_no_pages(tmp_path: Path) -> None:
    for name in ("a.md", "zh/a.md", "pt-BR/a.md", "[id].md", "x/[slug].md", ".hidden/a.md", "tutorial/src/step/d.md", "api/x.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("# A")
    assert candidates(registry()["vue"], tmp_path) == ["a.md", "api/x.md"]
