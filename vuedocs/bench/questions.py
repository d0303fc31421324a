"""Golden questions: what a developer would ask, and the sections that answer it, graded.

A set is a file with one JSON object a line::

    {"id": "vue-0001", "source": "vue", "question": "...", "kind": "howto", "relevant": {"guide/essentials/computed#basics": 3},
     "apis": ["computed"], "split": "dev"}

Keys of ``relevant`` are ``page#anchor`` (a section) or ``page``; grades: 3 answers it fully, 2 in part, 1 helps. ``irrelevant``,
which may be missing, lists the sections that somebody read and that do not help: grade 0. They are judged, and score nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from vuedocs.config import digest as digest_of
from vuedocs.errors import NotIndexedError, QuestionsError

Kind = Literal["howto", "concept", "api", "compare", "debug", "migrate"]
Split = Literal["dev", "test"]
Level = Literal["section", "page"]
KEYS = ("id", "source", "question", "kind", "relevant", "apis", "split")
OPTIONAL = ("irrelevant",)
GRADES = (1, 2, 3)


@dataclass(frozen=True, slots=True)
class GoldenQuestion:
    """One question with its judgements."""

    id: str
    source: str
    question: str
    kind: Kind
    relevant: Mapping[str, int]
    """Section key to grade, 1 to 3; never empty."""
    apis: tuple[str, ...]
    """API names that a good answer must contain; empty where the question needs none."""
    split: Split
    irrelevant: tuple[str, ...] = ()
    """Section keys of grade 0: none is in ``relevant``."""

    @property
    def judged(self) -> dict[str, int]:
        """Section key to grade, 0 to 3: all that somebody has read for this question."""
        return {**self.relevant, **dict.fromkeys(self.irrelevant, 0)}


def default_path(source: str) -> Path:
    """The project's own questions of ``source``; the file need not exist."""
    return questions_folder() / f"{source}.jsonl"


def questions_folder() -> Path:
    """``evals/questions`` of a checkout, or the copy inside an installed package."""
    package = Path(__file__).parents[1]
    checkout = package.parent / "evals" / "questions"
    return checkout if checkout.exists() else package / "questions"


def load(path: Path) -> tuple[GoldenQuestion, ...]:
    """The questions of a file, in its order.

    Raises QuestionsError, which names the file, the line, the key, the reason and the remedy.
    """
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except FileNotFoundError:
        raise QuestionsError(f"question file {path} is not there; give the path of a .jsonl file of golden questions") from None
    except (OSError, UnicodeDecodeError) as error:
        raise QuestionsError(f"question file {path} cannot be read: {error}; give a UTF-8 file") from error
    questions: dict[str, GoldenQuestion] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        question = _parse(line, f"{path}:{number}")
        if question.id in questions:
            raise QuestionsError(f"{path}:{number}: id: {question.id!r} was used on an earlier line; give each question its own")
        questions[question.id] = question
    if not questions:
        raise QuestionsError(f"question file {path} is empty; write one JSON object a line")
    return tuple(questions.values())


def select(questions: Sequence[GoldenQuestion], split: Split | Literal["all"]) -> tuple[GoldenQuestion, ...]:
    """The questions of a split, or all; QuestionsError when there are none."""
    if split not in ("all", *get_args(Split)):
        raise QuestionsError(f"there is no split {split!r}; the splits are dev, test and all")
    chosen = tuple(question for question in questions if split in ("all", question.split))
    if not chosen:
        raise QuestionsError(f"none of the {len(questions)} questions is of split {split!r}; choose another, or all")
    return chosen


def digest(questions: Iterable[GoldenQuestion]) -> str:
    """12 hex digits that are equal for equal questions and judgements, whatever their order.

    Grade 0 does not count here: it changes no score, only how much is known to be judged.
    """
    return digest_of({question.id: {key: as_row(question)[key] for key in KEYS} for question in questions})


def as_row(question: GoldenQuestion) -> dict[str, Any]:
    """A question as its file has it."""
    row = {**asdict(question), "relevant": dict(question.relevant), "apis": list(question.apis)}
    irrelevant = list(row.pop("irrelevant"))
    return {**row, "irrelevant": irrelevant} if irrelevant else row


def page_of(key: str) -> str:
    """The page of a section key."""
    return key.partition("#")[0]


def check_keys(questions: Iterable[GoldenQuestion], sections: Mapping[str, Iterable[str]], level: Level = "section") -> None:
    """Returns when every judged key exists among the indexed ``sections`` (source to section keys); at page level, its page.

    Raises NotIndexedError for a source that has no sections, and QuestionsError for a key, naming the nearest that exist.
    """
    known = {source: {page_of(key) if level == "page" else key for key in keys} for source, keys in sections.items()}
    for question in questions:
        existing = known.get(question.source)
        if not existing:
            raise NotIndexedError(
                f"question {question.id} is about {question.source!r}, which is not indexed; "
                f"run `vuedocs ingest {question.source}`"
            )
        for key in question.relevant:
            if (page_of(key) if level == "page" else key) not in existing:
                near = ", ".join(nearest(key, existing))
                raise QuestionsError(
                    f"question {question.id}: relevant: {key!r} does not exist in the index of {question.source!r}; "
                    f"the nearest keys are {near}"
                )


def nearest(word: str, known: Iterable[str], limit: int = 3) -> list[str]:
    """Those of ``known`` that look most like ``word``, the nearest first."""
    from rapidfuzz import process

    return [match for match, _, _ in process.extract(word, sorted(known), limit=limit)]


def _parse(line: str, place: str) -> GoldenQuestion:
    try:
        data = json.loads(line, object_pairs_hook=_unique_pairs)
    except json.JSONDecodeError as error:
        raise QuestionsError(f"{place}: this is not JSON ({error}); write one object a line") from error
    except ValueError as error:
        raise QuestionsError(f"{place}: {error}") from error
    if not isinstance(data, dict):
        raise QuestionsError(f"{place}: this is {data!r}, not an object; write {{{', '.join(KEYS)}}}")
    if data.get("draft") is True:
        raise QuestionsError(f"{place}: this is a draft, no golden question; reword it and judge it first (notebook 11_judge)")
    for key in data:
        if key not in (known := KEYS + OPTIONAL):
            near = nearest(key, known, 1)[0]
            raise QuestionsError(f"{place}: {key}: there is no such key; did you mean {near!r}? All are {', '.join(known)}")
    for key in KEYS:
        if key not in data:
            raise QuestionsError(f"{place}: {key}: the key is missing; all of {', '.join(KEYS)} are needed")
    _check_values(data, place)
    return GoldenQuestion(**{**data, "apis": tuple(data["apis"]), "irrelevant": tuple(data.get("irrelevant", ()))})


def _unique_pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """JSON keeps the last of two equal keys and says nothing; a judgement would be lost."""
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"{key}: the key stands there twice; keep one")
        found[key] = value
    return found


def _check_values(data: Mapping[str, Any], place: str) -> None:
    for key in ("id", "source"):
        value = data[key]
        if not isinstance(value, str) or not value or value.split() != [value]:
            raise QuestionsError(f"{place}: {key}: {value!r} is no name; write a string without spaces")
    if not isinstance(data["question"], str) or not data["question"].strip():
        raise QuestionsError(f"{place}: question: {data['question']!r} asks nothing; write what a developer would type")
    for key, allowed in (("kind", get_args(Kind)), ("split", get_args(Split))):
        if data[key] not in allowed:
            raise QuestionsError(f"{place}: {key}: {data[key]!r} is unknown; use one of {', '.join(allowed)}")
    _check_judgements(data["relevant"], place)
    _check_irrelevant(data.get("irrelevant", []), data["relevant"], place)
    apis = data["apis"]
    if not isinstance(apis, list) or not all(isinstance(name, str) and name.strip() for name in apis):
        raise QuestionsError(f"{place}: apis: {apis!r} is no list of API names; write [] where the question needs none")


def _check_judgements(relevant: Any, place: str) -> None:
    if not isinstance(relevant, dict):
        raise QuestionsError(f'{place}: relevant: {relevant!r} is no object; write {{"page#anchor": grade}}')
    if not relevant:
        raise QuestionsError(f"{place}: relevant: there is no judgement, so nothing can be right; judge a section")
    for key, grade in relevant.items():
        if not _is_key(key):
            raise QuestionsError(f"{place}: relevant: {key!r} is no section key; write page#anchor or page")
        if type(grade) is not int or grade not in GRADES:
            raise QuestionsError(f"{place}: relevant: {key!r} has the grade {grade!r}; use 1 (helps), 2 (in part) or 3 (answers)")


def _check_irrelevant(irrelevant: Any, relevant: Mapping[str, int], place: str) -> None:
    if not isinstance(irrelevant, list):
        raise QuestionsError(f"{place}: irrelevant: {irrelevant!r} is no list; list section keys, or leave it out")
    for number, key in enumerate(irrelevant):
        if not isinstance(key, str) or not _is_key(key):
            raise QuestionsError(f"{place}: irrelevant: {key!r} is no section key; write page#anchor or page")
        if key in relevant or key in irrelevant[:number]:
            raise QuestionsError(f"{place}: irrelevant: {key!r} is judged twice; keep one of the two")


def _is_key(key: str) -> bool:
    return bool(page_of(key)) and not key.endswith("#") and not key.startswith("/") and key.split() == [key]
