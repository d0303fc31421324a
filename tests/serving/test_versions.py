"""A version that is not indexed is said to be not indexed."""

from __future__ import annotations

from dataclasses import replace

import pytest
from serving_fakes import MANIFEST

from vuedocs.serving.versions import version_notes

SEARCHED = [entry.source for entry in MANIFEST.sources]
NAMES = {"vue": ("Vue", "vue.js", "vuejs", "vue 3"), "vue-router": ("Vue Router", "router")}


@pytest.mark.parametrize(
    ("query", "missing"),
    [
        ("Vue 2.7 filters", ["vue 2.7"]),
        ("vue2 mixins", ["vue 2"]),
        ("Vue.js v2 event bus", ["vue 2"]),
        ("how does vue@2.6.14 differ from Vue 3.5", ["vue 2.6.14"]),
        ("Vue, version 3.4, defineModel", ["vue 3.4"]),
        ("Vue Router 3 guards in Vue 3", ["vue-router 3"]),
        ("vue router v4", []),
        ("Vue 3", []),
        ("vue 3.5.13", []),
        ("show 2 components", []),
        ("vue 100% coverage", []),
        ("Pinia 2", []),
    ],
)
def test_a_named_version_is_compared_with_the_indexed_one(query: str, missing: list[str]) -> None:
    notes = version_notes(query, MANIFEST.sources, NAMES, SEARCHED)
    assert [note.split(" is not indexed")[0] for note in notes] == missing


def test_the_note_says_what_is_indexed_instead() -> None:
    (note,) = version_notes("Vue 2.7 filters", MANIFEST.sources, NAMES, SEARCHED)
    assert note == "vue 2.7 is not indexed. What follows is from the documentation of vue 3.5.13 and may not hold for 2.7."


@pytest.mark.parametrize("version", ["", "01e098a96795", "main"])
def test_a_source_without_a_version_number_is_of_the_line_that_it_is_called_by(version: str) -> None:
    commit = replace(MANIFEST.sources[0], version=version)
    assert version_notes("props in Vue 3, vue@3.4 and vue3", [commit], NAMES, SEARCHED) == ()
    assert len(version_notes("props in Vue 2 and vue@3.4", [commit], NAMES, SEARCHED)) == 1
    assert len(version_notes("props in Vue 3", [commit], {"vue": ("Vue",)}, SEARCHED)) == 1


def test_the_note_names_the_commit_of_a_source_without_a_version() -> None:
    nameless = replace(MANIFEST.sources[0], version="")
    (note,) = version_notes("Vue 2.7 filters", [nameless], NAMES, SEARCHED)
    assert "vue 2.7 is not indexed" in note
    assert "vue at 0123456789ab" in note


def test_a_source_that_was_not_searched_is_not_said_to_follow() -> None:
    (note,) = version_notes("migrate from Vue Router 3", MANIFEST.sources, NAMES, ["vue"])
    assert note.startswith("vue-router 3 is not indexed. vue-router ")
    assert note.endswith(" is indexed, and was not searched.")
