"""Links between pages."""

from __future__ import annotations

import pytest

from vuedocs.sources import registry
from vuedocs.sources.links import Anchors, Place, Site, priority
from vuedocs.sources.routes import page_url, route_of

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
    vue, nuxt, vee = (registry()[name] for name in ("vue", "nuxt", "vee-validate"))
    assert [route_of(vue, path) for path in ("index", "api/index", "guide/1.a")] == ["", "api", "guide/1.a"]
    assert [route_of(nuxt, path) for path in ("1.index", "2.api/$f", "3.v/1.0")] == ["", "api/dollarf", "v/1.0"]
    assert page_url(nuxt, "1.app/index") == "https://nuxt.com/docs/4.x/app"
    assert page_url(vee, "guide/a") == "https://vee-validate.logaretm.com/v5/guide/a/"
    assert page_url(registry()["vite"], "guide/index") == "https://vite.dev/guide/"
    assert page_url(registry()["vite"], "guide/api") == "https://vite.dev/guide/api"
    assert page_url(registry()["vue"], "index") == "https://vuejs.org/"


NUXT = Site(registry()["nuxt"], frozenset({"1.start/1.index", "1.start/02.install", "2.api/1.use/b", "2.api/1.use/a"}))


@pytest.mark.parametrize(
    ("href", "place", "url"),
    [
        ("/docs/4.x/start/install#x", Place("1.start/02.install", "x"), "https://nuxt.com/docs/4.x/start/install#x"),
        ("https://nuxt.com/docs/4.x/start", Place("1.start/1.index", ""), "https://nuxt.com/docs/4.x/start"),
        ("/docs/4.x/api", Place("2.api/1.use/a", ""), "https://nuxt.com/docs/4.x/api/use/a"),
        ("./a", Place("2.api/1.use/a", ""), "https://nuxt.com/docs/4.x/api/use/a"),
        ("../../1.start/02.install.md", Place("1.start/02.install", ""), "https://nuxt.com/docs/4.x/start/install"),
        ("#here", Place("2.api/1.use/b", "here"), "https://nuxt.com/docs/4.x/api/use/b#here"),
        ("/modules", None, "https://nuxt.com/modules"),
        ("/docs/4.x/gone", Place(None, ""), ""),
        ("/assets/a.svg", None, ""),
    ],
)
def test_links_of_a_site_below_a_path(href: str, place: Place | None, url: str) -> None:
    assert NUXT.place(href, "2.api/1.use/b") == place
    assert NUXT.url(href, "2.api/1.use/b") == url


def test_a_link_without_the_version_of_a_heading_finds_it() -> None:
    anchors = Anchors({"p": {"use-v310": "p#use-v310", "use-2": "p#use-2"}})
    assert anchors.section("p", "use") == "p#use-v310"


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
