"""The questions that come with the project: enough of them, in even halves, and their keys are the sites' own anchors."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from vuedocs.bench.questions import GoldenQuestion, check_keys, default_path, load

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


def test_a_file_holds_enough_of_its_source(questions: tuple[GoldenQuestion, ...], request: pytest.FixtureRequest) -> None:
    (source,) = {question.source for question in questions}
    assert request.node.callspec.id == source
    assert len(questions) >= LEAST.get(source, 1)
    assert [question.id for question in questions] == sorted(question.id for question in questions)


def test_the_halves_are_even(questions: tuple[GoldenQuestion, ...]) -> None:
    sizes = Counter(question.split for question in questions)
    assert 0.4 < sizes["dev"] / len(questions) < 0.6


def test_every_key_of_the_vue_questions_exists(oracles: Path) -> None:
    check_keys(load(default_path("vue")), {"vue": section_keys(oracles / "vue.json")})


def test_every_key_of_the_sample_questions_exists(project: Path) -> None:
    check_keys(load(default_path("sample")), {"sample": section_keys(project / "tests" / "fixtures" / "sample-oracle.json")})
