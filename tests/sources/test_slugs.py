"""Anchors of headings."""

from __future__ import annotations

import pytest

from vuedocs.sources.mdc import collapsed
from vuedocs.sources.slugs import AnchorNames, slugify, slugify_as_written, slugify_github


@pytest.mark.parametrize(
    ("text", "default", "as_written"),
    [
        ("Catch all / 404 Not found route", "catch-all-404-not-found-route", "Catch-all-404-Not-found-route"),
        ("Migrating from Vuex ≤4", "migrating-from-vuex-≤4", "Migrating-from-Vuex-≤4"),
        ("Using get()", "using-get", "Using-get-"),
        ("1. Use Browser Mode for CI/CD", "_1-use-browser-mode-for-ci-cd", "_1-Use-Browser-Mode-for-CI-CD"),
        ("foo_bar__baz", "foo-bar-baz", "foo-bar-baz"),
        ("What’s New?", "what-s-new", "What-s-New-"),
        ("🚀 Getting Started", "🚀-getting-started", "🚀-Getting-Started"),
        ("Café", "cafe", "Cafe"),
        ("->", "", "-"),
    ],
)
def test_slugs(text: str, default: str, as_written: str) -> None:
    assert (slugify(text), slugify_as_written(text)) == (default, as_written)


@pytest.mark.parametrize(
    ("text", "github", "mdc"),
    [
        ("Nuxt Kit & Modules", "nuxt-kit--modules", "nuxt-kit-modules"),
        ("1. Use Browser Mode for CI/CD", "1-use-browser-mode-for-cicd", "_1-use-browser-mode-for-cicd"),
        ("expect.assertions", "expectassertions", "expectassertions"),
        ("`foo_bar__baz`", "foo_bar__baz", "foo_bar__baz"),
        ("🚀 Getting Started", "-getting-started", "getting-started"),
        ("Café, What’s New?", "café-whats-new", "café-whats-new"),
        ("हिन्दी", "हिन्दी", "हिन्दी"),
    ],
)
def test_slugs_of_github(text: str, github: str, mdc: str) -> None:
    assert (slugify_github(text), collapsed(slugify_github(text))) == (github, mdc)


def test_equal_anchors_are_numbered() -> None:
    names = AnchorNames()
    assert [names.take(name) for name in ("foo", "foo", "foo", "foo-1", "bar", "bar")] == [
        "foo", "foo-1", "foo-2", "foo-1-1", "bar", "bar-1",
    ]  # fmt: skip
