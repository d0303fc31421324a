"""``vuedocs sources --check``: what docs hold, their dead links, and where a renderer's output differs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from vuedocs.cli import main

A = "# A\n\nSee [b](./b.md#two), [gone](/gone) and [lost](./b.md#lost).\n\n## One {#one}\n\n```js\na\n```\n"
B = "# B\n\n## Two {#two}\n\n<!--@include: ./missing.md-->\n"


@pytest.fixture
def docs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("VUEDOCS_HOME", str(tmp_path / "home"))
    folder = tmp_path / "docs" / "vue"
    folder.mkdir(parents=True)
    (folder / "a.md").write_text(A)
    (folder / "b.md").write_text(B)
    (folder / "SOURCE.json").write_text(json.dumps({"commit": "a" * 40, "date": "2026-01-02T00:00:00+00:00"}))
    return tmp_path / "docs"


def oracle(docs: Path, *headings: tuple[int, str]) -> None:
    (docs.parent / "oracles").mkdir()
    page = {"headings": [{"level": level, "id": id, "nested": False} for level, id in headings], "fences": [{"info": "js"}]}
    (docs.parent / "oracles" / "vue.json").write_text(json.dumps({"a.md": page}))


def test_the_table_and_what_is_wrong(docs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sources", "--check", "--docs", str(docs), "vue"]) == 0
    printed = capsys.readouterr().out
    row = next(line for line in printed.splitlines() if line.startswith("vue "))
    assert row.split() == ["vue", "2", "4", "1", "0", "2", "2", "aaaaaaaaaaaa", "2026-01-02", "CC", "BY", "4.0"]
    assert "vue: a.md links to /gone, which is no page here" in printed
    assert "but b has no such anchor" in printed
    assert "missing.md" in printed.partition("not read:")[2]


def test_a_renderers_output_that_agrees(docs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    oracle(docs, (1, "a"), (2, "one"))
    assert main(["sources", "--check", "--docs", str(docs), "vue"]) == 0
    assert "vue: 2 headings, 1 code blocks: all as the site's renderer has them" in capsys.readouterr().out


def test_a_renderers_output_that_differs_fails(docs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    oracle(docs, (1, "a"), (2, "other"))
    assert main(["sources", "--check", "--docs", str(docs), "vue"]) == 1
    assert "vue: a.md: headings differ, number 2 is read as (2, 'one'), the site has (2, 'other')" in capsys.readouterr().out


def test_a_broken_renderers_output_is_refused(docs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (docs.parent / "oracles").mkdir()
    (docs.parent / "oracles" / "vue.json").write_text("[]")
    assert main(["sources", "--check", "--docs", str(docs), "vue"]) == 2
    assert "vue.json is no renderer's output" in capsys.readouterr().err


def test_a_label_that_differs_fails(docs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    oracle(docs, (1, "a"), (2, "one"))
    file = docs / "vue" / "a.md"
    file.write_text(file.read_text().replace("```js\n", "```js [a.js]\n"))
    assert main(["sources", "--check", "--docs", str(docs), "vue"]) == 1
    assert "code blocks differ, number 1 is read as ('js', 'a.js'), the site has ('js', '')" in capsys.readouterr().out
