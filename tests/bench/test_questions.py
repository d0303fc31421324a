"""Golden questions: what a file may hold, and how a wrong one is named."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fake_reader import golden

from vuedocs.bench.questions import check_keys, default_path, digest, load, select
from vuedocs.errors import NotIndexedError, QuestionsError

GOOD: dict[str, Any] = {
    "id": "vue-0001", "source": "vue", "question": "comuted setter", "kind": "howto",
    "relevant": {"guide/computed#writable": 3, "api/core": 1}, "apis": ["computed"], "split": "dev",
}  # fmt: skip
WITHOUT_SPLIT = {key: value for key, value in GOOD.items() if key != "split"}


@pytest.fixture
def question_file(tmp_path: Path) -> Callable[..., Path]:
    """Writes lines (dicts as JSON) to a question file."""

    def write(*lines: Any) -> Path:
        path = tmp_path / "questions.jsonl"
        path.write_text("".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines))
        return path

    return write


def test_a_good_file_is_read_in_its_order(question_file: Callable[..., Path]) -> None:
    questions = load(question_file(GOOD | {"id": "b"}, "", GOOD | {"id": "a", "apis": []}))
    assert [question.id for question in questions] == ["b", "a"]
    assert questions[0].relevant == {"guide/computed#writable": 3, "api/core": 1}
    assert questions[0].apis == ("computed",)
    assert questions[1].apis == ()


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("{not json", "this is not JSON"),
        ("[1]", "not an object"),
        (WITHOUT_SPLIT, "split: the key is missing"),
        (WITHOUT_SPLIT | {"splt": "dev"}, "splt: there is no such key; did you mean 'split'"),
        (GOOD | {"id": "vue-0000"}, "id: 'vue-0000' was used on an earlier line"),
        (GOOD | {"id": "vue 1"}, "id: 'vue 1' is no name"),
        (GOOD | {"id": 7}, "id: 7 is no name"),
        (GOOD | {"source": ""}, "source: '' is no name"),
        (GOOD | {"question": "  "}, "question: '  ' asks nothing"),
        (GOOD | {"kind": "how-to"}, "kind: 'how-to' is unknown; use one of howto, concept"),
        (GOOD | {"split": "train"}, "split: 'train' is unknown; use one of dev, test"),
        (GOOD | {"relevant": []}, "relevant: \\[\\] is no object"),
        (GOOD | {"relevant": {}}, "relevant: there is no judgement"),
        (GOOD | {"relevant": {"guide/computed": 0}}, "relevant: 'guide/computed' has the grade 0"),
        (GOOD | {"relevant": {"guide/computed": 4}}, "has the grade 4"),
        (GOOD | {"relevant": {"guide/computed": True}}, "has the grade True"),
        (GOOD | {"relevant": {"guide/computed": 2.0}}, "has the grade 2.0"),
        (GOOD | {"relevant": {"#writable": 3}}, "'#writable' is no section key"),
        (GOOD | {"relevant": {"/guide/computed": 3}}, "is no section key"),
        (GOOD | {"apis": "computed"}, "apis: 'computed' is no list"),
        (GOOD | {"apis": [""]}, "apis: \\[''\\] is no list"),
        (GOOD | {"irrelevant": "p"}, "irrelevant: 'p' is no list"),
        (GOOD | {"irrelevant": ["p#"]}, "irrelevant: 'p#' is no section key"),
        (GOOD | {"irrelevant": ["p", "p"]}, "irrelevant: 'p' is judged twice"),
        (GOOD | {"irrelevant": [*GOOD["relevant"]]}, "is judged twice; keep one"),
        ('{"id": "a", "id": "b"}', "id: the key stands there twice"),
    ],
)  # fmt: skip
def test_a_wrong_line_is_named_with_file_line_and_key(question_file: Callable[..., Path], line: Any, complaint: str) -> None:
    with pytest.raises(QuestionsError, match=f"questions.jsonl:2: .*{complaint}"):
        load(question_file(GOOD | {"id": "vue-0000"}, line))


def test_a_file_that_is_empty_missing_or_binary_is_refused(question_file: Callable[..., Path], tmp_path: Path) -> None:
    with pytest.raises(QuestionsError, match="is empty"):
        load(question_file(""))
    with pytest.raises(QuestionsError, match=r"nowhere\.jsonl is not there"):
        load(tmp_path / "nowhere.jsonl")
    (tmp_path / "latin.jsonl").write_bytes(b"\xff\xfe")
    with pytest.raises(QuestionsError, match="cannot be read"):
        load(tmp_path / "latin.jsonl")
    with pytest.raises(QuestionsError, match="cannot be read"):
        load(tmp_path)


def test_select_takes_one_split_or_all() -> None:
    questions = (golden("a", {"p": 3}), golden("b", {"p": 3}, split="test"))
    assert [question.id for question in select(questions, "test")] == ["b"]
    assert select(questions, "all") == questions
    with pytest.raises(QuestionsError, match="none of the 1 questions is of split 'test'"):
        select(questions[:1], "test")
    with pytest.raises(QuestionsError, match="no split 'train'"):
        select(questions, "train")  # type: ignore[arg-type]


def test_the_digest_depends_on_content_and_not_on_order() -> None:
    a, b = golden("a", {"p": 3}), golden("b", {"p": 3})
    assert digest([a, b]) == digest([b, a])
    assert digest([a]) != digest([golden("a", {"p": 2})])
    assert digest([a]) != digest([a, b])


def test_every_judged_key_must_exist_and_the_nearest_is_named() -> None:
    sections = {"vue": {"guide/computed", "guide/computed#writable-computed", "api/core#ref"}}
    check_keys([golden("a", {"guide/computed#writable-computed": 3, "guide/computed": 1})], sections)
    with pytest.raises(QuestionsError, match=r"relevant: 'guide/computed#writable' .* guide/computed#writable-computed"):
        check_keys([golden("a", {"guide/computed#writable": 3})], sections)
    with pytest.raises(NotIndexedError, match="'pinia', which is not indexed; run `vuedocs ingest pinia`"):
        check_keys([golden("a", {"guide/computed": 3}, source="pinia")], sections)


def test_at_page_level_only_the_page_must_exist() -> None:
    check_keys([golden("a", {"api/core": 3, "api/core#gone": 2})], {"vue": {"api/core#ref"}}, "page")
    with pytest.raises(QuestionsError, match="'api/cor#ref' does not exist"):
        check_keys([golden("a", {"api/cor#ref": 3})], {"vue": {"api/core#ref"}}, "page")


def test_the_questions_of_a_source_lie_in_the_checkout(project: Path) -> None:
    assert default_path("vue") == project / "evals" / "questions" / "vue.jsonl"
