"""Judging: grades that people gave, how far they agree, and what becomes of the golden questions.

A file of grades is one judge's, one JSON object a line: ``{"id": "vue-0001", "section": "guide/x#y", "grade": 2}``; grades are
3 (answers fully), 2 (in part), 1 (helps) and 0 (does not).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from statistics import median

from vuedocs.bench.questions import GoldenQuestion, as_row
from vuedocs.errors import QuestionsError, StorageError

Pair = tuple[str, str]
"""(question id, section key)."""
Grades = Mapping[Pair, int]
SCALE = (0, 1, 2, 3)
REMEDY = 'write {"id": "vue-0001", "section": "page#anchor", "grade": 0 to 3}'


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far two judges agree on the ``n`` pairs that both graded."""

    judges: tuple[str, str]
    n: int
    equal: float
    """Share of pairs with the same grade."""
    kappa: float | None
    """Cohen's, quadratically weighted (Cohen 1968): 1 full agreement, 0 chance; None where both gave one grade only."""
    relevant: float | None
    """Cohen's kappa of "grade 2 or better", which is what recall counts."""
    apart: tuple[tuple[Pair, int, int], ...]
    """Pairs whose grades are two or more apart, with both grades: to be talked over."""

    def __str__(self) -> str:
        said = f"{self.judges[0]} and {self.judges[1]}: {self.n} pairs, same grade {self.equal:.0%}"
        return f"{said}, weighted kappa {_number(self.kappa)}, kappa of grade 2 and better {_number(self.relevant)}"


def load_grades(path: Path, questions: Sequence[GoldenQuestion] | None = None) -> dict[Pair, int]:
    """One judge's grades; with ``questions`` a grade of another one is refused.

    QuestionsError names the file, the line, the reason and the remedy.
    """
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise QuestionsError(f"grades {path} cannot be read: {error}; give a UTF-8 file with one JSON object a line") from error
    ids = None if questions is None else {question.id for question in questions}
    grades: dict[Pair, int] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        pair, grade = _grade(line, f"{path}:{number}", ids)
        if grades.setdefault(pair, grade) != grade:
            raise QuestionsError(f"{path}:{number}: {pair[1]!r} has grades {grades[pair]} and {grade} for {pair[0]}; keep one")
    if not grades:
        raise QuestionsError(f"grades {path} holds none; {REMEDY}")
    return grades


def _grade(line: str, place: str, ids: set[str] | None) -> tuple[Pair, int]:
    try:
        row = json.loads(line)
        id, section, grade = row["id"], row["section"], row["grade"]
    except (ValueError, KeyError, TypeError) as error:
        raise QuestionsError(f"{place}: this is no grade ({error!r}); {REMEDY}") from error
    if not isinstance(id, str) or (ids is not None and id not in ids):
        raise QuestionsError(f"{place}: id: no question is called {id!r}; give grades of the questions in this file only")
    if not isinstance(section, str) or section.split() != [section] or section.endswith("#"):
        raise QuestionsError(f"{place}: section: {section!r} is no section key; {REMEDY}")
    if type(grade) is not int or grade not in SCALE:
        raise QuestionsError(f"{place}: grade: {grade!r}; use 3 (answers fully), 2 (in part), 1 (helps) or 0 (does not)")
    return (id, section), grade


def agreements(judges: Mapping[str, Grades]) -> list[Agreement]:
    """Of each two judges with pairs in common."""
    found = [agreement((a, b), judges[a], judges[b]) for a, b in combinations(judges, 2)]
    return [one for one in found if one is not None]


def agreement(names: tuple[str, str], one: Grades, other: Grades) -> Agreement | None:
    """How far two judges agree; None where they judged nothing in common."""
    common = sorted(one.keys() & other.keys())
    if not common:
        return None
    pairs = [(one[pair], other[pair]) for pair in common]
    apart = tuple((pair, one[pair], other[pair]) for pair in common if abs(one[pair] - other[pair]) > 1)
    return Agreement(
        judges=names,
        n=len(pairs),
        equal=sum(a == b for a, b in pairs) / len(pairs),
        kappa=weighted_kappa(pairs),
        relevant=weighted_kappa([(int(a >= 2), int(b >= 2)) for a, b in pairs]),
        apart=apart,
    )


def weighted_kappa(pairs: Sequence[tuple[int, int]]) -> float | None:
    """Cohen's kappa with squared distances as weights; of two grades only, it is the plain one.

    1 - (observed distance) / (distance if both graded as often as they do, but by chance). None where chance leaves no distance.
    """
    firsts, seconds = (Counter(grades) for grades in zip(*pairs, strict=True))
    observed = sum((a - b) ** 2 for a, b in pairs) / len(pairs)
    expected = sum((a - b) ** 2 * n * m for a, n in firsts.items() for b, m in seconds.items()) / len(pairs) ** 2
    return 1 - observed / expected if expected else None


def settled(judges: Iterable[Grades]) -> dict[Pair, int]:
    """One grade a pair: the median of the judges', and of two neighbours the stricter."""
    given: dict[Pair, list[int]] = {}
    for grades in judges:
        for pair, grade in grades.items():
            given.setdefault(pair, []).append(grade)
    return {pair: int(median(sorted(values))) for pair, values in sorted(given.items())}


def merged(questions: Sequence[GoldenQuestion], grades: Grades) -> tuple[GoldenQuestion, ...]:
    """The questions with these grades in the place of those that they had for the same sections, grade 0 included.

    Best grade first, ties as they stood; of grade 0 by key. Raises QuestionsError for a question that would be left
    without an answer.
    """
    by_question: dict[str, dict[str, int]] = {}
    for (id, section), grade in grades.items():
        by_question.setdefault(id, {})[section] = grade
    return tuple(_merged(question, by_question.get(question.id, {})) for question in questions)


def _merged(question: GoldenQuestion, grades: Mapping[str, int]) -> GoldenQuestion:
    if not grades:
        return question
    all_grades = {**question.judged, **grades}
    kept = {key: all_grades[key] for key in sorted(all_grades, key=lambda key: -all_grades[key]) if all_grades[key] > 0}
    if not kept:
        raise QuestionsError(f"question {question.id}: no section would be left that answers it; judge one, or drop the question")
    return replace(question, relevant=kept, irrelevant=tuple(sorted(all_grades.keys() - kept.keys())))


def renewed(kept: Iterable[GoldenQuestion], judged: Iterable[GoldenQuestion]) -> tuple[GoldenQuestion, ...]:
    """``kept`` in its order with each question that was judged in its old place, and behind them those that are new."""
    new = {question.id: question for question in judged}
    return (*[new.pop(question.id, question) for question in kept], *new.values())


def write_questions(questions: Iterable[GoldenQuestion], path: Path) -> None:
    """A question file, written whole or not at all. Raises StorageError."""
    beside = path.with_name(path.name + ".new")
    try:
        beside.write_text(
            "".join(json.dumps(as_row(question), ensure_ascii=False) + "\n" for question in questions), encoding="utf-8"
        )
        beside.replace(path)
    except OSError as error:
        raise StorageError(f"the questions cannot be written to {path}: {error}; make the folder writable") from error


def _number(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.2f}"
