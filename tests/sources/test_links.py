"""Links between pages."""

from __future__ import annotations

import pytest

from vuedocs.sources import registry
from vuedocs.sources.links import Anchors, Place, Site, page_url, priority, route_of

SITE = Site(registry()["vue"], frozenset({"index", "api/index", "api/ref", "guide/a/b", "guide/a/c"}))


@pytest.mark.parametrize(
    ("href", "place"),
    [
        ("./c", Place("guide/a/c", "")),
        ("./c.html#X", Place("guide/a/c", "X")),
        ("c.md", Place("guide/a/c", "")),
        ("/api/", Place("api/index", "")),
        ("../../api/ref#%C3%A9", Place("api/ref", "é")),
        ("#here", Place("guide/a/b", "here")),
        ("/", Place("index", "")),
        ("https://vuejs.org/api/ref.html#x", Place("api/ref", "x")),
        ("/nowhere", Place(None, "")),
        ("https://example.org/api/ref", None),
        ("mailto:a@example.org", None),
        ("/logo.svg", None),
    ],
)
def test_place(href: str, place: Place | None) -> None:
    assert SITE.place(href, "guide/a/b") == place


def test_urls_are_absolute_and_long_payloads_are_left_out() -> None:
    assert SITE.url("./c#x", "guide/a/b") == "https://vuejs.org/guide/a/c.html#x"
    assert SITE.url("/api/", "guide/a/b") == "https://vuejs.org/api/"
    assert SITE.url("https://example.org/x", "guide/a/b") == "https://example.org/x"
    assert SITE.url("https://play.example.org/#" + "x" * 500, "guide/a/b") == ""
    assert SITE.url("/nowhere", "guide/a/b") == ""


def test_routes_and_page_urls() -> None:
    assert [route_of(path) for path in ("index", "api/index", "guide/a")] == ["", "api", "guide/a"]
    assert page_url(registry()["vite"], "guide/index") == "https://vite.dev/guide/"
    assert page_url(registry()["vite"], "guide/api") == "https://vite.dev/guide/api"
    assert page_url(registry()["vue"], "index") == "https://vuejs.org/"


def test_anchors_exact_first_then_by_slug() -> None:
    anchors = Anchors({"p": {"Using-get-": "p#Using-get-", "deep": "p#section"}})
    assert anchors.section("p", "Using-get-") == "p#Using-get-"
    assert anchors.section("p", "using-get") == "p#Using-get-"
    assert anchors.section("p", "deep") == "p#section"
    assert anchors.section("p", "gone") is None


def test_priorities() -> None:
    assert priority("guide/a", "api/b") == priority("api/b", "guide/a") == "high"
    assert priority("guide/x/a", "guide/x/b") == "medium"
    assert priority("guide/x/a", "guide/y/b") == "low"
