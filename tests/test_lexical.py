"""The lexical leg's words and weights."""

from __future__ import annotations

import math

import pytest

from vuedocs.lexical import bm25_weights, query_weights, stem, term_id, tokenise


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("v-if", {"v-if"}),
        ("v-for", {"v-for"}),
        ("h", {"h"}),
        ("ref", {"ref"}),
        ("$emit", {"$emit", "emit"}),
        ("@click", {"@click", "click"}),
        (":class", {":class", "class"}),
        ("#default", {"#default", "default"}),
        ("v-model.trim", {"v-model.trim", "model", "trim"}),
        ("<script setup>", {"script", "setup"}),
        ("KeepAlive", {"keepalive", "keep"}),
        ("keep-alive", {"keep-alive", "keepalive", "keep"}),
        ("defineProps", {"defineprops", "prop"}),
        ("app.config.globalProperties", {"app.config.globalproperties", "global", "property"}),
        ("vite.config.ts", {"vite.config.ts", "vite", "config", "ts"}),
        ("2.7", {"2.7"}),
        ("update:modelValue", {"update:modelvalue", "model"}),
        ("响应式", {"响应", "应式"}),
    ],
)
def test_symbols_are_words_whole_and_in_parts(text: str, expected: set[str]) -> None:
    assert expected <= set(tokenise(text))


@pytest.mark.parametrize(
    ("one", "other"), [("KeepAlive", "keep-alive"), ("KeepAlive", "keep alive"), ("define props", "defineProps")]
)
def test_spellings_of_one_name_share_tokens(one: str, other: str) -> None:
    assert set(tokenise(one)) & set(tokenise(other))


def test_words_of_grammar_are_dropped_alone_but_not_in_symbols() -> None:
    assert tokenise("how is it in the") == []
    assert tokenise("v-is") != []


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("watchers", "watcher"),
        ("properties", "property"),
        ("watching", "watch"),
        ("stopped", "stop"),
        ("class", "class"),
        ("props", "prop"),
    ],
)
def test_stems(word: str, expected: str) -> None:
    assert stem(word) == expected


def test_bm25_weights_by_hand() -> None:
    sparse = bm25_weights(["ref", "ref", "watch"], average_length=2.0, k1=1.2, b=0.75)
    weights = dict(zip(sparse.indices, sparse.values, strict=True))
    norm = 1.2 * (1 - 0.75 + 0.75 * 3 / 2)
    assert weights[term_id("ref")] == pytest.approx(2 * 2.2 / (2 + norm))
    assert weights[term_id("watch")] == pytest.approx(1 * 2.2 / (1 + norm))
    assert list(sparse.indices) == sorted(sparse.indices)


def test_a_query_counts_each_term_once() -> None:
    assert query_weights(["ref", "ref"]).values == (1.0,)


def test_nothing_gives_nothing() -> None:
    assert tokenise(" \n ") == []
    assert query_weights([]).indices == ()
    assert not any(math.isnan(value) for value in bm25_weights(["a"], 0.0, 1.2, 0.75).values)
