"""Judging: agreement against numbers worked out by hand, and grades that become judgements."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from fake_reader import golden

from vuedocs.bench.judging import agreement, agreements, load_grades, merged, settled, weighted_kappa, write_questions
from vuedocs.bench.questions import load
from vuedocs.errors import QuestionsError, StorageError

QUESTIONS = (golden("q1", {"p#a": 3, "p#b": 1}), golden("q2", {"r": 2}))


def test_kappa_is_cohens() -> None:
    # Cohen 1960's arithmetic: 20 yes/yes, 5 yes/no, 10 no/yes, 15 no/no: observed .7, by chance .5, kappa .4.
    pairs = [(1, 1)] * 20 + [(1, 0)] * 5 + [(0, 1)] * 10 + [(0, 0)] * 15
    assert weighted_kappa(pairs) == pytest.approx(0.4)
    assert weighted_kappa([(0, 0), (3, 3), (1, 1)]) == 1
    assert weighted_kappa([(0, 3), (3, 0)]) == -1
    assert weighted_kappa([(3, 3), (3, 3)]) is None


def test_a_larger_distance_costs_more() -> None:
    near = [(0, 0), (1, 1), (2, 2), (3, 2)]
    far = [(0, 0), (1, 1), (2, 2), (3, 0)]
    # near: observed 1/4; the sixteen chance distances sum to 9 + 3 + 5 + 15.
    assert weighted_kappa(near) == pytest.approx(1 - (1 / 4) / (32 / 16))
    assert weighted_kappa(far) < weighted_kappa(near)  # type: ignore[operator]


def test_agreement_is_over_common_pairs_and_names_what_is_far_apart() -> None:
    one = {("q1", "p#a"): 3, ("q1", "p#b"): 0, ("q2", "r"): 2}
    other = {("q1", "p#a"): 3, ("q1", "p#b"): 2, ("q9", "x"): 1}
    found = agreement(("ada", "ben"), one, other)
    assert found is not None
    assert (found.n, found.equal, found.apart) == (2, 0.5, ((("q1", "p#b"), 0, 2),))
    assert str(found).startswith("ada and ben: 2 pairs, same grade 50%, weighted kappa ")
    assert agreement(("ada", "cal"), one, {("q7", "x"): 1}) is None
    assert [a.judges for a in agreements({"ada": one, "ben": other, "cal": {("q9", "x"): 1}})] == [("ada", "ben"), ("ben", "cal")]


def test_judges_that_differ_are_settled_by_the_median_the_stricter_of_two() -> None:
    pair = ("q1", "p#a")
    assert settled([{pair: 3}, {pair: 2}]) == {pair: 2}
    assert settled([{pair: 3}, {pair: 0}]) == {pair: 1}
    assert settled([{pair: 3}, {pair: 0}, {pair: 3}]) == {pair: 3}


def test_grades_become_judgements_best_first() -> None:
    one, two = merged(QUESTIONS, {("q1", "p#b"): 0, ("q1", "x#y"): 2, ("q1", "p#c"): 3})
    assert list(one.relevant.items()) == [("p#a", 3), ("p#c", 3), ("x#y", 2)]
    assert one.irrelevant == ("p#b",)  # judged all the same
    assert merged([one], {("q1", "p#b"): 1})[0].irrelevant == ()
    assert two == QUESTIONS[1]
    with pytest.raises(QuestionsError, match="q2: no section would be left"):
        merged(QUESTIONS, {("q2", "r"): 0})


def test_questions_are_written_as_they_are_read(tmp_path: Path) -> None:
    path = tmp_path / "q.jsonl"
    questions = (*QUESTIONS, golden("q3", {"p#a": 3}, irrelevant=("p#b",)))
    write_questions(questions, path)
    assert load(path) == questions
    assert path.read_text().count("irrelevant") == 1
    assert list(tmp_path.iterdir()) == [path]
    with pytest.raises(StorageError, match="make the folder writable"):
        write_questions(QUESTIONS, tmp_path / "no" / "q.jsonl")


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("{", "this is no grade"),
        ("[]", "this is no grade"),
        ('{"id": "q1", "section": "p#a"}', "this is no grade"),
        ('{"id": "q3", "section": "p#a", "grade": 1}', "no question is called 'q3'"),
        ('{"id": ["q1"], "section": "p#a", "grade": 1}', r"no question is called \['q1'\]"),
        ('{"id": "q1", "section": "p#", "grade": 1}', "'p#' is no section key"),
        ('{"id": "q1", "section": "a b", "grade": 1}', "'a b' is no section key"),
        ('{"id": "q1", "section": "p#a", "grade": 4}', "grade: 4; use 3"),
        ('{"id": "q1", "section": "p#a", "grade": true}', "grade: True; use 3"),
        ('{"id": "q1", "section": "p#a", "grade": NaN}', "grade: nan; use 3"),
        ('{"id": "q1", "section": "p#z", "grade": 1}', "'p#z' has grades 2 and 1 for q1; keep one"),
    ],
)
def test_a_grade_that_cannot_be_used_is_named_with_its_line(tmp_path: Path, line: str, complaint: str) -> None:
    path = tmp_path / "ada.jsonl"
    path.write_text(json.dumps({"id": "q1", "section": "p#z", "grade": 2}) + "\n\n" + line + "\n")
    with pytest.raises(QuestionsError, match=rf"ada\.jsonl:3: .*{complaint}"):
        load_grades(path, QUESTIONS)


def test_a_file_without_grades_is_refused(tmp_path: Path) -> None:
    with pytest.raises(QuestionsError, match=r"none\.jsonl cannot be read"):
        load_grades(tmp_path / "none.jsonl", QUESTIONS)
    (tmp_path / "empty.jsonl").write_text("\n")
    with pytest.raises(QuestionsError, match="holds none"):
        load_grades(tmp_path / "empty.jsonl", QUESTIONS)
