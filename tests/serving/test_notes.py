"""What a question names and was not searched is said."""

from __future__ import annotations

import pytest
from serving_fakes import passage

from vuedocs.query.library import by_name
from vuedocs.records import Entity, Mention
from vuedocs.serving.notes import api_notes, homonym_notes, library_notes, strange_words

TITLES = {"vue": "Vue", "pinia": "Pinia", "vite": "Vite", "nuxt": "Nuxt", "nuxt-ui": "Nuxt UI", "vue-router": "Vue Router"}
INDEXED = ("vue", "pinia", "vite", "nuxt", "vue-router")


@pytest.mark.parametrize(
    ("query", "searched", "named"),
    [
        ("how do I define a store in Pinia", ("vue",), ["Pinia, which was not searched"]),
        ("how do I define a store in Pinia", ("vue", "pinia"), []),
        ("vue router guards", ("vue",), ["Vue Router, which was not searched"]),
        ("guards in vue-router", ("vue",), ["Vue Router, which was not searched"]),
        ("alias in vite.config.ts", ("vue",), ["Vite, which was not searched"]),
        ("buttons of Nuxt UI", ("vue",), ["Nuxt UI is not indexed here"]),
        ("buttons of Nuxt UI", INDEXED, ["Nuxt UI is not indexed here"]),
        ("Vue 3 with Pinia and pinia", ("nuxt",), ["Pinia, which was not searched"]),
        ("what does invite do, or a pinia-like store", ("vue",), []),
        ("Vue", ("pinia",), []),
    ],
)
def test_a_library_that_was_not_searched(query: str, searched: tuple[str, ...], named: list[str]) -> None:
    notes = list(library_notes(query, searched, INDEXED, TITLES))
    assert len(notes) == len(named)
    assert all(name in note for name, note in zip(named, notes, strict=True))


NAMES = by_name(
    [
        Entity("defineStore", "function", "pinia", "pinia/x"),
        Entity("useFetch", "composable", "nuxt", "nuxt/x"),
        Entity("useFetch", "composable", "vueuse", "vueuse/x"),
        Entity("watch", "function", "vueuse", "vueuse/y"),
        Entity("v-model", "directive", "vue", "vue/x"),
    ]
)


@pytest.mark.parametrize(
    ("query", "searched", "said"),
    [
        (
            "options of defineStore",
            ("vue",),
            ['`defineStore` is an API of pinia, not of what was searched; ask with source="pinia"'],
        ),
        (
            "useFetch(url)",
            ("vue",),
            ['`useFetch` is an API of nuxt and vueuse, not of what was searched; ask with source="nuxt,vueuse"'],
        ),
        ("useFetch", ("vueuse",), []),
        ("watch a file", ("vue",), []),
        ("v-model and definestore", ("vue",), []),
        ("v-model", ("pinia",), ['`v-model` is an API of vue, not of what was searched; ask with source="vue"']),
    ],
)
def test_an_api_of_other_sources_only(query: str, searched: tuple[str, ...], said: list[str]) -> None:
    assert list(api_notes(query, searched, NAMES)) == said


def test_the_sources_of_a_name_that_are_not_in_the_answer() -> None:
    mentions = [Mention(entity, "exact", "x") for name in ("usefetch", "watch") for entity in NAMES[name]]
    assert list(homonym_notes(mentions, [passage(0, "x")])) == [
        '`useFetch` is also an API of nuxt and vueuse, not shown here; source="nuxt,vueuse" shows it'
    ]
    assert list(homonym_notes([Mention(NAMES["usefetch"][0], "typo", "useFecth")], [])) == []


@pytest.mark.parametrize(
    ("query", "strange"), [("zzqx", True), ("响应式", True), ("?!", False), ("zzqx watch", False), ("Watches", False)]
)
def test_words_that_no_documentation_has(query: str, strange: bool) -> None:
    notes = list(strange_words(query, frozenset({"watch", "computed"})))
    assert [note.split(" is in what")[0] for note in notes] == ["no word of the question"] * strange
