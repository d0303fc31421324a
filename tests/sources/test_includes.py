"""Directives that bring in other files."""

from __future__ import annotations

from pathlib import Path

import pytest
from markup_fixtures import document

from vuedocs.sources.includes import Includes


@pytest.fixture
def root(tmp_path: Path) -> Path:
    docs = tmp_path / "docs"
    (docs / "parts").mkdir(parents=True)
    (tmp_path / "secret.md").write_text("SECRET")
    (docs / "parts" / "a.md").write_text("---\ntitle: x\n---\nFrom a part.\n\n<!--@include: ./b.md-->\n")
    (docs / "parts" / "b.md").write_text("Deeper.\n")
    (docs / "parts" / "round.md").write_text("Round <!--@include: ./round.md-->\n")
    (docs / "lines.md").write_text("one\ntwo\nthree\n")
    (docs / "a.js").write_text("// #region use\n  const a = 1\n// #endregion use\nhidden()\n")
    return docs


def test_includes_are_put_in(root: Path) -> None:
    found = document("# A\n\n<!--@include: ./parts/a.md-->\n\n<!-- @include: @/lines.md{2,2} -->\n", root=root)
    assert found.parts[0].body == "From a part.\n\nDeeper.\n\ntwo"
    assert found.reports == ()


def test_an_escaped_directive_is_shown(root: Path) -> None:
    assert "@include: ./b" in document("```md\n<!--@@include: ./b.md-->\n```", root=root).parts[0].body


@pytest.mark.parametrize(
    ("directive", "reason"),
    [
        ("<!--@include: ./gone.md-->", "not there"),
        ("<!--@include: ../secret.md-->", "outside of the docs folder"),
        ("<!--@include: @/../secret.md-->", "outside of the docs folder"),
        ("<!--@include: ./parts/round.md-->", "in a circle"),
        ("<<< ../secret.md", "outside of the docs folder"),
        ("<<< @/gone.js#region{2,4}", "not there"),
    ],
)
def test_what_cannot_be_brought_in_is_reported_and_the_page_goes_on(directive: str, reason: str, root: Path) -> None:
    found = document(f"# A\n\n{directive}\n\nAfter.", root=root)
    assert len(found.reports) == 1
    assert reason in found.reports[0]
    assert found.parts[0].body.endswith("After.")
    assert "SECRET" not in found.parts[0].body


def test_a_link_out_of_the_folder_is_no_way_out(root: Path) -> None:
    (root / "link.md").symlink_to(root.parent / "secret.md")
    assert "SECRET" not in document("<!--@include: ./link.md-->", root=root).parts[0].body


def test_a_snippet_shows_its_region(root: Path) -> None:
    assert document("<<< @/a.js#use{1} [used.js]", root=root).parts[0].body == "**used.js**\n\n```js\nconst a = 1\n```"


def test_what_an_at_sign_means_where_the_docs_are_a_folder_of_the_sites_own(root: Path) -> None:
    includes = Includes(root, "page.md", below="content")
    assert includes.expand("<!--@include: @/content/lines.md-->", "page.md") == "one\ntwo\nthree\n"
    assert includes.reports == []
    assert includes.expand("<!--@include: @/lines.md-->", "page.md") == ""
    assert includes.expand("<!--@include: @/secret.md-->", "page.md") == ""
    assert all("outside of the docs folder" in report for report in includes.reports)
    assert len(includes.reports) == 2
