"""Training examples: from packs, apart from golden questions, in batches of sections that are near each other."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest

from vuedocs.bench import questions as golden_questions
from vuedocs.config import load
from vuedocs.ingest.session import silent
from vuedocs.ingest.survey import Folders
from vuedocs.sources import registry
from vuedocs.training.mining import neighbours
from vuedocs.training.pairs import Example, apart, batches, examples, passage, sections, words


class Letters:
    """An embedder for which every character is a token."""

    name, dims, max_tokens = "letters", 2, 64

    def offsets(self, text: str) -> list[tuple[int, int]]:
        return [(place, place + 1) for place in range(len(text))]


def example(number: int, questions: tuple[str, ...] = ("how",), text: str = "text") -> Example:
    return Example(f"vue/page#{number}", "vue", "Page > Section", "A sentence.", text, questions)


def test_a_question_in_nearly_a_golden_ones_words_is_left_out() -> None:
    found = [example(1, ("How do I cache a component?", "keep state of a tab")), example(2, ("cache component how do I a",))]
    (kept,) = apart(found, ["how do i cache a component"])
    assert kept.chunk_id == "vue/page#1"
    assert kept.questions == ("keep state of a tab",)


def test_a_passage_is_the_context_and_a_window_of_the_text() -> None:
    chance = random.Random(1)
    drawn = {passage(example(1, text="abcdefghij" * 20), 62, Letters(), chance) for _ in range(60)}  # type: ignore[arg-type]
    assert all(len(each) <= 61 for each in drawn)
    heads = Counter(each.split("\n")[0] for each in drawn)
    assert set(heads) == {"Page > Section", "Page > Section. A se"}  # a third of 60 tokens at most
    assert len(drawn) > 10


def test_a_short_text_is_taken_whole() -> None:
    assert passage(example(1), 200, Letters(), random.Random(0)).endswith("\ntext")  # type: ignore[arg-type]


def test_batches_hold_every_section_once_and_neighbours_together() -> None:
    found = [example(number) for number in range(12)]
    near = {each.chunk_id: [found[number ^ 1].chunk_id] for number, each in enumerate(found)}
    made = batches(found, near, 4, 2, random.Random(3))
    assert sorted(each.chunk_id for batch in made for each in batch) == sorted(each.chunk_id for each in found)
    for batch in made:
        ids = {each.chunk_id for each in batch}
        assert all(set(near[id]) <= ids for id in ids)


def test_the_same_seed_gives_the_same_batches() -> None:
    found = [example(number) for number in range(30)]
    assert batches(found, {}, 8, 2, random.Random(5)) == batches(found, {}, 8, 2, random.Random(5))
    assert len(batches(found, {}, 8, 2, random.Random(5))) == 3


def test_neighbours_are_the_nearest_others_that_do_not_say_the_same() -> None:
    import numpy as np

    angles = np.radians([0, 1, 20, 90])
    vectors = np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)
    assert neighbours(vectors, 2, limit=0.99) == [[2, 3], [2, 3], [1, 0], [2, 1]]


@pytest.mark.parametrize("source", ["vue", "vue-devtools"])
async def test_no_golden_question_is_trained_on(corpus: Path, tmp_path: Path, source: str) -> None:
    chunks = await sections(corpus, [source], load(), Folders(tmp_path, silent))
    golden = [question for name in registry() for question in questions_of(name)]
    found = apart(examples(chunks), [question.question for question in golden])
    trained = {words(question) for each in found for question in each.questions}
    assert len(trained) > 50
    assert trained.isdisjoint(words(question.question) for question in golden)


def questions_of(source: str) -> tuple[golden_questions.GoldenQuestion, ...]:
    path = golden_questions.default_path(source)
    return golden_questions.load(path) if path.is_file() else ()
