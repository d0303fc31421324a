"""Tables, cards and findings: what a notebook shows of values."""

from __future__ import annotations

from vuedocs.workbench.tables import Card, Cards, Findings, Link, Table, clip, evenly, share

HOSTILE = "<script>alert('x')</script>"


def test_text_of_the_docs_is_shown_and_never_rendered() -> None:
    shown = (
        Table(["a"], [[HOSTILE], [Link(HOSTILE, "https://example.org/'><b>")]], HOSTILE)._repr_html_()
        + Cards([Card(HOSTILE, HOSTILE, HOSTILE, "code", HOSTILE)])._repr_html_()
        + Findings([HOSTILE])._repr_html_()
    )
    assert "<script" not in shown
    assert "<b>'" not in shown
    assert shown.count("&lt;script&gt;") == 8


def test_a_link_leads_only_to_the_web() -> None:
    assert 'href="https://example.org"' in Table(["a"], [[Link("x", "https://example.org")]])._repr_html_()
    assert "href" not in Table(["a"], [[Link("x", "javascript:alert(1)")]])._repr_html_()


def test_numbers_stand_to_the_right_and_mixed_columns_to_the_left() -> None:
    table = Table(["n", "mixed", "yes"], [[1, 2, True], [1234, "", False]])
    assert table.numeric == {0}
    assert "1,234" in table._repr_html_()


def test_a_table_is_readable_as_text() -> None:
    assert repr(Table(["name", "share"], [["ref", 0.5], ["v-if", 1.0]], "Names")) == (
        "Names\nname  share\nref   0.500\nv-if  1.000"
    )
    assert "none" in Table(["name"], [])._repr_html_()


def test_shares_clips_and_samples() -> None:
    assert share(3, 4) == "3 of 4 (75%)"
    assert share(0, 0) == "none of none"
    assert clip("a\n b" + "c" * 200, 10) == "a bcccccc…"
    assert evenly(range(10), 3) == [0, 3, 6]
    assert evenly(range(2), 5) == [0, 1]
