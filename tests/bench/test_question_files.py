"""The questions that come with the project: they can be used, their keys exist, and no page is in both splits."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from itertools import combinations
from pathlib import Path

import pytest
from rapidfuzz import fuzz

from vuedocs.bench.questions import GoldenQuestion, check_keys, default_path, load, page_of

FILES = sorted(default_path("vue").parent.glob("*.jsonl"))
LEAST = {"vue": 120, "sample": 40, "nuxt-ui": 40, "vue-i18n": 34, "vee-validate": 30, "shadcn-vue": 30, "pinia-colada": 28}


@pytest.fixture(params=FILES, ids=lambda path: path.stem)
def questions(request: pytest.FixtureRequest) -> tuple[GoldenQuestion, ...]:
    return load(request.param)


def section_keys(oracle: Path) -> set[str]:
    """Of all pages: the page itself, and its H2 and H3 that stand at the top level."""
    keys = set()
    for file, page in json.loads(oracle.read_text(encoding="utf-8")).items():
        path = file.removesuffix(".md")
        headings = [h for h in page["headings"] if h["level"] in (2, 3) and not h["nested"]]
        keys |= {path, *(f"{path}#{heading['id']}" for heading in headings)}
    return keys


def main_page(question: GoldenQuestion) -> str:
    best = max(question.relevant.values())
    return page_of(next(key for key, grade in question.relevant.items() if grade == best))


def test_a_file_holds_enough_of_its_source(questions: tuple[GoldenQuestion, ...], request: pytest.FixtureRequest) -> None:
    (source,) = {question.source for question in questions}
    assert request.node.callspec.id == source
    assert len(questions) >= LEAST.get(source, 1)
    assert [question.id for question in questions] == sorted(question.id for question in questions)


def test_no_page_is_in_both_splits_and_the_halves_are_even(questions: tuple[GoldenQuestion, ...]) -> None:
    splits = defaultdict(set)
    for question in questions:
        splits[main_page(question)].add(question.split)
    assert [page for page, of in splits.items() if len(of) > 1] == []
    sizes = Counter(question.split for question in questions)
    assert 0.4 < sizes["dev"] / len(questions) < 0.6


def test_every_question_has_an_answer_and_no_twin(questions: tuple[GoldenQuestion, ...]) -> None:
    assert [question.id for question in questions if 3 not in question.relevant.values()] == []
    pairs = combinations(questions, 2)
    assert [(a.id, b.id) for a, b in pairs if fuzz.token_sort_ratio(a.question.lower(), b.question.lower()) > 88] == []


def test_every_key_of_the_vue_questions_exists(oracles: Path) -> None:
    check_keys(load(default_path("vue")), {"vue": section_keys(oracles / "vue.json")})


def test_every_key_of_the_sample_questions_exists(project: Path) -> None:
    check_keys(load(default_path("sample")), {"sample": section_keys(project / "tests" / "fixtures" / "sample-oracle.json")})
