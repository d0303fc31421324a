"""A page by whatever a person calls it, and a section of it."""

from __future__ import annotations

import pytest

from vuedocs.errors import QueryError
from vuedocs.query.pages import address_of, find_page, section_chunks
from vuedocs.records import Chunk, Page


def page(source: str, path: str, url: str, route: str | None = None) -> Page:
    return Page(source, path, path if route is None else route, url, path, "", 0, "", "", "0" * 64)


PAGES = (
    page("vue", "guide/essentials/computed", "https://vuejs.org/guide/essentials/computed.html"),
    page("vue", "api/index", "https://vuejs.org/api/", "api"),
    page("vue", "guide/introduction", "https://vuejs.org/guide/introduction.html"),
    page("pinia", "introduction", "https://pinia.vuejs.org/introduction.html"),
    page("vue-router", "introduction", "https://router.vuejs.org/introduction.html"),
    page("vueuse", "core/useStorage/index", "https://vueuse.org/core/useStorage/", "core/useStorage"),
    page("nuxt", "1.getting-started/06.styling", "https://nuxt.com/docs/4.x/getting-started/styling", "getting-started/styling"),
    page("vue", "guide/ünï côde", "https://vuejs.org/guide/%C3%BCn%C3%AF%20c%C3%B4de.html"),
)


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("guide/essentials/computed", 0),
        ("/guide/essentials/computed/", 0),
        (" guide/essentials/computed.md ", 0),
        ("Guide/Essentials/Computed.HTML", 0),
        ("vue/guide/essentials/computed", 0),
        ("https://vuejs.org/guide/essentials/computed.html", 0),
        ("http://vuejs.org/guide/essentials/computed", 0),
        ("https://vuejs.org/guide/essentials/computed.html?x=1", 0),
        ("vuejs.org/guide/essentials/computed", 0),
        ("api", 1),
        ("api/index", 1),
        ("https://vuejs.org/api/index.html", 1),
        ("pinia/introduction", 3),
        ("https://router.vuejs.org/introduction.html", 4),
        ("core/usestorage", 5),
        ("vueuse/core/useStorage/index.md", 5),
        ("getting-started/styling", 6),
        ("nuxt/1.getting-started/06.styling", 6),
        ("guide/%C3%BCn%C3%AF%20c%C3%B4de", 7),
        ("guide/ünï côde", 7),
    ],
)
def test_a_page_is_found_by_path_route_and_url(asked: str, found: int) -> None:
    assert find_page(PAGES, asked) == (PAGES[found], "")


def test_the_anchor_is_given_with_it() -> None:
    assert find_page(PAGES, "https://vuejs.org/api/#a%20b") == (PAGES[1], "a b")


def test_a_page_that_is_not_indexed_is_said_to_be_with_the_nearest() -> None:
    with pytest.raises(QueryError, match=r"is not indexed; the nearest are .*vue/guide/essentials/computed"):
        find_page(PAGES, "guide/essentials/compute")


def test_of_a_site_that_is_not_indexed_nothing_is_called_near_but_the_same_path() -> None:
    with pytest.raises(QueryError, match=r"nor is any page of react\.dev; indexed are vuejs\.org, .*nuxt\.com$"):
        find_page(PAGES, "https://react.dev/learn")
    for copy in ("https://v2.vuejs.org/guide/essentials/computed.html", "https://github.com/x/src/guide/essentials/computed.md"):
        with pytest.raises(QueryError, match=r"; the same path has vue/guide/essentials/computed$"):
            find_page(PAGES, copy)


@pytest.mark.parametrize("asked", ["vueuse", "vueuse/index", "VueUse/", "https://vueuse.org"])
def test_a_source_alone_is_its_first_page(asked: str) -> None:
    home = page("vueuse", "index", "https://vueuse.org/")
    assert find_page((*PAGES, home, page("vue", "index", "https://vuejs.org/")), asked) == (home, "")


@pytest.mark.parametrize("asked", ["", " ", "#x", "/"])
def test_a_blank_path_is_said_to_be_blank(asked: str) -> None:
    with pytest.raises(QueryError, match="the path of the page is blank; give a URL or a path"):
        find_page(PAGES, asked)


TRICKS = ["..%2F..%2Fetc%2Fpasswd", "../../etc/passwd", "страница", "https://" + "x" * 9000, "x" * 9000, "\x00"]


@pytest.mark.parametrize("asked", TRICKS)
def test_no_trick_finds_a_page_or_makes_the_answer_long(asked: str) -> None:
    with pytest.raises(QueryError) as refused:
        find_page(PAGES, asked)
    assert "is not indexed" in str(refused.value)
    assert len(str(refused.value)) < 500


def test_a_page_of_several_sources_is_refused_with_the_choices() -> None:
    with pytest.raises(QueryError, match="page of several sources; give one of pinia/introduction, vue-router/introduction"):
        find_page(PAGES, "introduction")


def test_what_a_page_is_called_finds_it() -> None:
    assert all(find_page(PAGES, address_of(page))[0] == page for page in PAGES)


def test_without_pages_the_error_says_so() -> None:
    with pytest.raises(QueryError, match="none are indexed"):
        find_page([], "guide")


def chunk(anchor: str, title: str, depth: int, kind: str = "section") -> Chunk:
    return Chunk(
        f"vue/p#{anchor}", "vue", "p", "p", kind, anchor, f"https://vuejs.org/p#{anchor}", title,  # type: ignore[arg-type]
        (*("Page", "A", "B")[: depth - 1], title), (0, 0), f"## {title}", "0" * 64,
    )  # fmt: skip


CHUNKS = [
    chunk("", "Page", 1, "page"),
    chunk("caching", "Caching vs. Methods", 2),
    chunk("caching", "Caching vs. Methods", 2, "code"),
    chunk("why", "Why", 3, "subsection"),
    chunk("end", "The End", 2),
]


@pytest.mark.parametrize(
    ("section", "anchors"),
    [
        ("", ["", "caching", "why", "end"]),
        ("caching", ["caching", "why"]),
        ("#caching", ["caching", "why"]),
        ("Caching vs. methods ", ["caching", "why"]),
        ("why", ["why"]),
        ("end", ["end"]),
    ],
)
def test_a_section_is_found_by_anchor_and_heading_and_brings_its_subsections(section: str, anchors: list[str]) -> None:
    assert [chunk.anchor for chunk in section_chunks(CHUNKS, section)] == anchors


def test_an_unknown_section_is_refused_with_the_sections() -> None:
    with pytest.raises(QueryError, match=r"no section 'no'; its sections are caching, why, end"):
        section_chunks(CHUNKS, "no")
