"""The judging desk: buttons are pressed as a person would, and what they leave is read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from fake_reader import golden

from vuedocs.bench import load
from vuedocs.bench.judging import write_questions
from vuedocs.bench.pooling import Row
from vuedocs.errors import QuestionsError
from vuedocs.workbench import golden as golden_questions
from vuedocs.workbench import placed
from vuedocs.workbench.judge import Desk, to_judge

QUESTIONS = [golden("q1", {}, question="how?"), golden("q2", {"p#x": 2}, question="why?")]


def row(id: str, *keys: str) -> Row:
    shown = tuple({"section": key, "heading": f"Page › {key}", "url": "", "text": f"<b>{key}</b>"} for key in keys)
    return Row(id, "vue", f"{id}?", shown)


@pytest.fixture
def rows() -> list[Row]:
    return [row("q1", "p#x", "p#y"), row("q2", "q#z")]


def press(desk: Desk, *grades: int) -> None:
    for grade in grades:
        desk.buttons[grade].click()


def test_every_grade_is_written_at_once_and_the_next_section_is_shown(rows: list[Row], tmp_path: Path) -> None:
    desk = Desk(rows, QUESTIONS, "ada", tmp_path / "grades")
    press(desk, 3)
    [line] = (tmp_path / "grades" / "ada.jsonl").read_text().splitlines()
    assert json.loads(line) == {"id": "q1", "section": "p#x", "grade": 3}
    assert desk.pairs[desk.place] == ("q1", "p#y")
    press(desk, 0, 1)
    assert desk.grades == {("q1", "p#x"): 3, ("q1", "p#y"): 0, ("q2", "q#z"): 1}


def test_a_closed_notebook_goes_on_where_it_was(rows: list[Row], tmp_path: Path) -> None:
    press(Desk(rows, QUESTIONS, "ada", tmp_path), 3)
    again = Desk(rows, QUESTIONS, "ada", tmp_path)
    assert again.place == 1
    assert [list(row)[2:] for row in again.progress().rows] == [[1, 2], [0, 1]]


def test_a_grade_can_be_taken_back(rows: list[Row], tmp_path: Path) -> None:
    desk = Desk(rows, QUESTIONS, "ada", tmp_path)
    press(desk, 3)
    desk.back.click()
    assert desk.buttons[3].button_style == "success"
    press(desk, 2)
    assert desk.grades == {("q1", "p#x"): 2}


def test_the_judge_sees_neither_grade_nor_finder_and_text_is_never_rendered(rows: list[Row], tmp_path: Path) -> None:
    shown = Desk(rows, QUESTIONS, "ada", tmp_path).show().children[0].value
    assert "&lt;b&gt;p#x&lt;/b&gt;" in shown
    assert not any(word in shown for word in ("BM25", "dense", "rank", "score"))


def test_two_judges_are_compared(rows: list[Row], tmp_path: Path) -> None:
    ada, ben = Desk(rows, QUESTIONS, "ada", tmp_path), Desk(rows, QUESTIONS, "ben", tmp_path)
    press(ada, 3, 0, 1)
    press(ben, 3, 2, 1)
    [line] = ben.agreement().rows
    assert list(line)[:3] == ["ada and ben", 3, "67%"]
    assert "q1 p#y: 0 and 2" in str(line[5])


def test_golden_questions_are_written_from_everybodys_grades(rows: list[Row], tmp_path: Path) -> None:
    desk = Desk(rows, QUESTIONS, "ada", tmp_path / "grades")
    assert "1 questions have an answer, 1 have none yet" in desk.save("").sentences[0]
    press(desk, 3, 1)
    desk.save(str(tmp_path / "mine.jsonl"))
    written = {question.id: dict(question.relevant) for question in load(tmp_path / "mine.jsonl")}
    assert written == {"q1": {"p#x": 3, "p#y": 1}, "q2": {"p#x": 2}}


def test_a_judge_has_a_name_and_an_empty_pile_says_so(tmp_path: Path) -> None:
    with pytest.raises(QuestionsError, match=r"judge '\.\./x' is no name"):
        Desk([], QUESTIONS, "../x", tmp_path)
    desk = Desk([], QUESTIONS, "ada", tmp_path)
    press(desk, 3)
    assert "Nothing is left to judge" in desk.show().children[0].value
    assert not list(tmp_path.iterdir())


def test_a_folder_may_hold_grades_of_another_split(rows: list[Row], tmp_path: Path) -> None:
    other = {"id": "t1", "section": "t#a", "grade": 2}
    (tmp_path / "ada.jsonl").write_text(json.dumps(other) + "\n")
    desk = Desk(rows, QUESTIONS, "ada", tmp_path)
    press(desk, 3)
    assert json.loads((tmp_path / "ada.jsonl").read_text().splitlines()[0]) == other
    assert desk.judges() == {"ada": {("q1", "p#x"): 3}}


def test_only_the_judged_questions_of_a_file_are_replaced(rows: list[Row], tmp_path: Path) -> None:
    file = tmp_path / "mine.jsonl"
    there = [golden("t1", {"t#a": 3}, split="test"), golden("q2", {"p#x": 2, "p#w": 1}), golden("t2", {"t#b": 1}, split="test")]
    write_questions(there, file)
    desk = Desk(rows, QUESTIONS, "ada", tmp_path / "grades")
    press(desk, 3, 1)  # q1, which is new; of q2 nothing was graded
    desk.save(str(file))
    assert [question.id for question in load(file)] == ["t1", "q2", "t2", "q1"]
    assert list(load(file))[:3] == there
    press(desk, 1)
    desk.save(str(file))
    written = {question.id: dict(question.relevant) for question in load(file)}
    assert written == {"t1": {"t#a": 3}, "q2": {"p#x": 2, "q#z": 1}, "t2": {"t#b": 1}, "q1": {"p#x": 3, "p#y": 1}}


def test_a_name_is_of_the_projects_root_wherever_the_kernel_works(
    tmp_path: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert placed("evals/grades") == project / "evals/grades"
    assert placed(str(tmp_path / "mine.jsonl")) == placed("~/mine.jsonl") == tmp_path / "mine.jsonl"
    assert to_judge("evals/questions/sample.jsonl", "dev") == golden_questions("sample", "dev")
