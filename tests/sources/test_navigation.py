"""The order of reading."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from vuedocs.errors import SourceError
from vuedocs.ingest.fetch import from_folder
from vuedocs.ingest.parse import page_files
from vuedocs.sources import find, registry
from vuedocs.sources.navigation import Entry, Navigation, from_config, read_navigation
from vuedocs.sources.pages import candidates, in_reading_order
from vuedocs.sources.site_config import SiteConfig, config_file, read_config

FORMS = Path(__file__).parent.parent / "fixtures" / "navigation"


def site(folder: Path) -> SiteConfig:
    file = config_file(folder, ".vitepress/config.ts")
    assert file is not None
    return read_config(file, folder)


@pytest.mark.parametrize("form", sorted(folder.name for folder in FORMS.iterdir()))
def test_a_sidebar_of_every_form(form: str) -> None:
    """One folder a form of config; ``expected.txt`` has an entry a line, ``link | title | group``, and the reports."""
    config = site(FORMS / form)
    navigation = from_config(config)
    lines = [f"{entry.link} | {entry.title} | {entry.section}" for entry in navigation.entries]
    lines += [f"report {report}" for report in navigation.reports] + [f"excluded {name}" for name in config.excluded]
    assert lines == (FORMS / form / "expected.txt").read_text(encoding="utf-8").splitlines()


def test_a_config_without_a_sidebar_is_reported(tmp_path: Path) -> None:
    (tmp_path / "config.ts").write_text("export default {}")
    config = read_config(tmp_path / "config.ts", tmp_path)
    assert "config.ts: no sidebar can be read" in from_config(config).reports[0]


def test_a_config_that_doubles_itself_is_stopped(tmp_path: Path) -> None:
    lines = [f"const a{n} = [...a{n + 1}, ...a{n + 1}]" for n in range(60)]
    (tmp_path / "config.ts").write_text("\n".join([*lines, "export default { themeConfig: { sidebar: a0 } }"]))
    started = time.perf_counter()
    assert from_config(read_config(tmp_path / "config.ts", tmp_path)).reports
    assert time.perf_counter() - started < 10


def test_a_broken_export_is_refused(tmp_path: Path) -> None:
    (tmp_path / "nav.json").write_text('[{"title": "no path"}]')
    with pytest.raises(SourceError, match=r"nav\.json is no navigation"):
        read_navigation(tmp_path, None)


def test_named_pages_first_then_the_others_by_path() -> None:
    texts = dict.fromkeys(("z.md", "a.md", "b/index.md", "c.md", "part.md"), "")
    texts["a.md"] = "<!--@include: ./part.md-->"
    navigation = Navigation(tuple(Entry(link, "", "") for link in ("/b/", "/a.html#x", "/gone", "...", "/b", "/gone")))
    files, missing = in_reading_order(registry()["vue"], texts, navigation)
    assert [(file.path, file.position) for file in files] == [("b/index", 0), ("a", 1), ("c", 2), ("z", 3)]
    assert missing == ["the navigation names /gone, which is no page here"]


def test_pages_by_category_come_where_the_site_computes_them() -> None:
    texts = {
        "guide.md": "",
        "links.md": "",
        "core/b/index.md": "---\ncategory: State\n---\n",
        "core/A/index.md": "---\ncategory: State\n---\n",
        "core/c/index.md": "---\ncategory: Later\n---\n",
        "core/d/index.md": "---\ncategory: First\n---\n",
        "core/e/index.md": "",
        "math/f/index.md": "---\ncategory: '@Math'\n---\n",
        "math/README.md": "",
        "core/README.md": "",
    }
    source = registry()["vueuse"].model_copy(update={"categories": ("First", "State")})
    navigation = Navigation(tuple(Entry(link, "", "") for link in ("/guide", "...", "/links", "...")))
    files, _ = in_reading_order(source, texts, navigation)
    assert [file.path.removesuffix("/index") for file in files] == [
        *("guide", "core/e", "core/d", "core/A", "core/b", "math/README", "math/f", "core/c", "links", "core/README")
    ]


@pytest.mark.parametrize("source", registry())
def test_the_corpus_is_read_in_the_order_of_its_navigation(source: str, corpus: Path) -> None:
    if not (corpus / source / "nav.json").is_file():
        pytest.skip(f"{corpus} holds no {source} with a nav.json")
    named = [item["path"].rpartition(".")[0] for item in json.loads((corpus / source / "nav.json").read_text(encoding="utf-8"))]
    files, _, _ = page_files(find(source), from_folder(find(source), corpus))
    assert [file.path for file in files if file.entry] == named
    assert [file.path for file in files][: len(named)] == named


def test_translations_templates_and_excluded_files_are_no_pages(tmp_path: Path) -> None:
    translations = ("zh/a.md", "jp/a.md", "pt-BR/a.md")
    for name in (*translations, "a.md", "[id].md", "x/[slug].md", ".hidden/a.md", "tutorial/src/step/d.md", "api/x.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("# A")
    assert candidates(registry()["vue"], tmp_path) == ["a.md", "api/x.md"]
