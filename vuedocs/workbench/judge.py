"""The judging desk: pooled sections of each question, blind and shuffled, and one person's grades.

    desk = await Desk.open(reader, to_judge("drafts.jsonl", "dev"), "ada", placed("evals/grades"))
    desk.show()

Every grade is written at once, so that a closed notebook loses nothing.
"""

from __future__ import annotations

import html
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import ipywidgets as widgets

from vuedocs.bench.drafts import is_draft, load_drafts
from vuedocs.bench.judging import Agreement, Pair, agreements, load_grades, merged, renewed, settled, write_questions
from vuedocs.bench.pooling import Row, pool, sheet
from vuedocs.bench.questions import GoldenQuestion, Split, load, select
from vuedocs.errors import QuestionsError, StorageError
from vuedocs.query.reader import Reader
from vuedocs.workbench.session import golden, placed
from vuedocs.workbench.sides import TEXT
from vuedocs.workbench.tables import Findings, Table

GRADES = ((3, "3 answers fully"), (2, "2 in part"), (1, "1 helps"), (0, "0 does not"))


def to_judge(questions: str, split: Split | Literal["all"]) -> tuple[GoldenQuestion, ...]:
    """The questions of a source, of a question file, or of a file of drafts that were reworded."""
    path = placed(questions)
    return select(load_drafts(path), split) if is_draft(path) else golden(questions, split)


class Desk:
    """One judge's pile."""

    def __init__(self, rows: Sequence[Row], questions: Sequence[GoldenQuestion], judge: str, folder: Path) -> None:
        if not judge.isidentifier():
            raise QuestionsError(f"judge {judge!r} is no name; write one word, such as ada: it names the file of grades")
        self.questions = tuple(questions)
        self.judge = judge
        self.folder = folder
        self.file = folder / f"{judge}.jsonl"
        self._sections = [(row, candidate) for row in rows for candidate in row.candidates]
        self.grades: dict[Pair, int] = load_grades(self.file) if self.file.exists() else {}
        """This judge's, also of other splits and sources than those on this desk."""
        self.place = next((n for n, pair in enumerate(self.pairs) if pair not in self.grades), 0)
        self._view = widgets.HTML()
        self.buttons = {grade: widgets.Button(description=words) for grade, words in GRADES}
        self.back, self.skip = widgets.Button(description="back"), widgets.Button(description="later")
        for grade, button in self.buttons.items():
            button.on_click(lambda _, grade=grade: self.give(grade))
        self.back.on_click(lambda _: self.go(-1))
        self.skip.on_click(lambda _: self.go(1))
        self._draw()

    @classmethod
    async def open(
        cls,
        reader: Reader,
        questions: Sequence[GoldenQuestion],
        judge: str,
        folder: Path,
        *,
        depth: int = 10,
        unjudged: bool = True,
    ) -> Desk:
        """The desk with what five systems find for each question, blind; ``unjudged``: without what has a grade already."""
        rows: list[Row] = []
        for source in sorted({question.source for question in questions}):
            of_source = [question for question in questions if question.source == source]
            entries = await pool(reader, of_source, depth=depth, unjudged=unjudged, progress=False)
            rows += sheet(entries, await reader.chunks(source))
        return cls(rows, questions, judge, folder)

    @property
    def pairs(self) -> list[Pair]:
        """What is to be judged, question by question."""
        return [(row.id, candidate["section"]) for row, candidate in self._sections]

    def show(self) -> widgets.Widget:
        """Question, section and buttons."""
        return widgets.VBox([self._view, widgets.HBox([*self.buttons.values(), self.skip, self.back])])

    def give(self, grade: int) -> None:
        """Grades the section that is shown, writes it, and goes on to the next that has none. Raises StorageError."""
        if not self._sections:
            return
        self.grades[self.pairs[self.place]] = grade
        self._write()
        after = [*range(self.place + 1, len(self.pairs)), *range(self.place)]
        self.place = next((n for n in after if self.pairs[n] not in self.grades), self.place)
        self._draw()

    def go(self, step: int) -> None:
        """Goes on, or back, without a grade."""
        self.place = max(0, min(len(self._sections) - 1, self.place + step))
        self._draw()

    def progress(self) -> Table:
        """How far each question is judged."""
        counts: dict[str, list[int]] = {}
        for pair in self.pairs:
            done, size = counts.setdefault(pair[0], [0, 0])
            counts[pair[0]] = [done + (pair in self.grades), size + 1]
        words = {question.id: question.question for question in self.questions}
        rows = [(id, words[id], done, size) for id, (done, size) in counts.items()]
        return Table(("id", "question", "judged", "to judge"), rows, f"Judge {self.judge}, into {self.file}")

    def judges(self) -> dict[str, dict[Pair, int]]:
        """The grades of these questions by everybody whose file lies in the folder."""
        ids = {question.id for question in self.questions}
        found = {path.stem: load_grades(path) for path in sorted(self.folder.glob("*.jsonl"))}
        return {name: {pair: grade for pair, grade in grades.items() if pair[0] in ids} for name, grades in found.items()}

    def agreement(self) -> Table:
        """How far each two judges agree, and over which pairs they should talk."""
        rows = [_agreement(one) for one in agreements(self.judges())]
        columns = ("judges", "pairs in common", "same grade", "weighted kappa", "kappa of 2 and better", "to talk over")
        return Table(columns, rows, "Agreement (kappa: 1 full, 0 chance; from about .6 on it can be built on)")

    def save(self, path: str) -> Findings:
        """Golden questions with everybody's grades settled, into ``path``; ``""`` writes nothing.

        Of a file that is there, only the questions that were graded are replaced: it may hold another split, or other sources.
        Raises StorageError, and QuestionsError for a file that is there and holds no golden questions.
        """
        grades = settled(self.judges().values())
        judged = {id for (id, _), grade in grades.items() if grade > 0}
        whole = [question for question in self.questions if question.relevant or question.id in judged]
        left = len(self.questions) - len(whole)
        said = [f"{len(grades)} pairs are graded; {len(whole)} questions have an answer, {left} have none yet and are left out."]
        if path and whole:
            file = placed(path)
            kept = load(file) if file.exists() else ()
            untouched = {question.id for question in kept} - {id for id, _ in grades}
            found = merged(whole, {pair: grade for pair, grade in grades.items() if pair[0] in {q.id for q in whole}})
            write_questions(renewed(kept, [question for question in found if question.id not in untouched]), file)
            said.append(f"Written to {file}: `vuedocs bench --questions {file}` measures with them.")
        return Findings(said)

    def _write(self) -> None:
        lines = (json.dumps({"id": id, "section": key, "grade": grade}) for (id, key), grade in self.grades.items())
        beside = self.file.with_suffix(".new")
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            beside.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
            beside.replace(self.file)
        except OSError as error:
            raise StorageError(f"the grade cannot be written to {self.file}: {error}; give another folder") from error

    def _draw(self) -> None:
        done = sum(pair in self.grades for pair in self.pairs)
        if not self._sections:
            self._view.value = "<b>Nothing is left to judge.</b>"
            return
        row, candidate = self._sections[self.place]
        given = self.grades.get(self.pairs[self.place])
        facts = f"{done} of {len(self.pairs)} judged" + (f" · this one: {given}" if given is not None else "")
        self._view.value = (
            f"<div style='opacity:.75'>{html.escape(facts)}</div><h3 style='margin:.3em 0'>{html.escape(row.question)}</h3>"
            f"<b>{html.escape(candidate['heading'])}</b><pre style='{TEXT}'>{html.escape(candidate['text'])}</pre>"
        )
        for grade, button in self.buttons.items():
            button.button_style = "success" if grade == given else ""


def _agreement(one: Agreement) -> tuple[Any, ...]:
    apart = "\n".join(f"{id} {section}: {a} and {b}" for (id, section), a, b in one.apart[:10])
    return " and ".join(one.judges), one.n, f"{one.equal:.0%}", _kappa(one.kappa), _kappa(one.relevant), apart


def _kappa(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.2f}"
