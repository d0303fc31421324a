"""vuedocs draft, pool and grade."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Iterable, Sequence

from vuedocs.bench import default_path, load, select
from vuedocs.bench.drafts import Draft, drafts, write_drafts
from vuedocs.bench.judging import Pair, agreements, load_grades, merged, settled, write_questions
from vuedocs.bench.mining import asked_drafts, mine
from vuedocs.bench.pooling import SYSTEMS, Row, sheet, write_sheet
from vuedocs.bench.pooling import pool as pool_questions
from vuedocs.bench.questions import GoldenQuestion
from vuedocs.commands import configured
from vuedocs.commands.bench import question_path
from vuedocs.errors import QuestionsError, UsageError
from vuedocs.query.fitting import check_sources
from vuedocs.query.reader import Reader
from vuedocs.sources import find

HOW = (
    "grade each section 3 (answers fully), 2 (in part), 1 (helps) or 0 (does not): write lines "
    '{"id": .., "section": .., "grade": ..} into a file of your own, then `vuedocs grade FILE`'
)
REWORD = "put into 'question' what a developer would type who does not know the docs' words, delete what nobody would ask"
DELETE = "delete what nobody should have asked, correct 'kind' and 'apis'"
SHOWN = 10
"""Pairs that are listed where judges are far apart."""


def draft(options: argparse.Namespace) -> int:
    """Writes ideas for golden questions, which no command takes for questions."""
    if options.count < 1:
        raise UsageError(f"--count is {options.count}; ask for 1 draft or more")
    if options.log is not None and options.log < 1:
        raise UsageError(f"--log is {options.log}; give 1 day or more")
    found = asyncio.run(_drafts(options))
    write_drafts(found, options.out)
    what = DELETE if options.log else REWORD
    print(f"{len(found)} drafts written to {options.out}: {what}, then judge them in notebook 11_judge (questions = the file)")
    return 0


async def _drafts(options: argparse.Namespace) -> list[Draft]:
    source = find(options.source).name
    reader = await Reader.open(*configured(options))
    try:
        check_sources(reader.manifest, [source])
        if options.log:
            return await _asked(reader, source, options)
        entities = list({entity.key: entity for named in reader.library.names.values() for entity in named}.values())
        return drafts(source, await reader.chunks(source), entities, options.count)
    finally:
        await reader.aclose()


async def _asked(reader: Reader, source: str, options: argparse.Namespace) -> list[Draft]:
    path = default_path(source)
    golden = load(path) if path.exists() else ()
    asked, found = await mine(reader, reader.database.queries, source, golden, options.log)
    if not found:
        raise QuestionsError(
            f"the query log of the last {options.log} days holds {asked} questions of {source}, and none whose answer is "
            "suspected; the server keeps a log with VUEDOCS_QUERY_LOG=1"
        )
    return asked_drafts(found[: options.count])


def pool(options: argparse.Namespace) -> int:
    """Writes the sheet that a judge fills in."""
    if options.depth < 1:
        raise UsageError(f"--depth is {options.depth}; each system must add at least 1 section")
    questions = chosen(select(load(question_path(options)), options.split), options.ids)
    rows = asyncio.run(_pool(options, questions))
    write_sheet(rows, options.out)
    print(
        f"{len(rows)} of {len(questions)} questions, {sum(len(row.candidates) for row in rows)} sections to judge, from "
        f"{', '.join(SYSTEMS)}: written to {options.out}"
    )
    print(HOW)
    return 0


async def _pool(options: argparse.Namespace, questions: Sequence[GoldenQuestion]) -> list[Row]:
    reader = await Reader.open(*configured(options))
    try:
        rows: list[Row] = []
        for source in sorted({question.source for question in questions}):
            of_source = [question for question in questions if question.source == source]
            entries = await pool_questions(reader, of_source, depth=options.depth, unjudged=options.unjudged)
            rows += sheet(entries, await reader.chunks(source))
        return rows
    finally:
        await reader.aclose()


def grade(options: argparse.Namespace) -> int:
    """Merges grades into a question file and prints what changed and how far the judges agree."""
    path = question_path(options)
    questions = load(path)
    judges = {str(file): load_grades(file, questions) for file in options.grades}
    if len(judges) < len(options.grades):
        raise UsageError("a file of grades is named twice; give each judge's file once")
    own = {(question.id, key): grade for question in questions for key, grade in question.judged.items()}
    for one in agreements({**judges, path.name: own}):
        print(one)
        for (id, section), a, b in one.apart[:SHOWN]:
            print(f"  {id} {section}: {a} and {b}")
    grades = settled(judges.values())
    result = merged(questions, grades)
    print(summary(own, grades, result))
    if options.dry_run:
        print(f"nothing was written: {path} stays as it is")
    else:
        write_questions(result, path)
        print(f"written to {path}; run `vuedocs bench --check` and, if the changes are meant, `vuedocs baseline`")
    return 0


def summary(own: dict[Pair, int], grades: dict[Pair, int], result: Iterable[GoldenQuestion]) -> str:
    """How the judgements changed, and which questions no section answers fully."""
    new = sum(pair not in own and grade > 0 for pair, grade in grades.items())
    zero = sum(pair not in own and grade == 0 for pair, grade in grades.items())
    changed = sum(pair in own and own[pair] != grade for pair, grade in grades.items())
    unanswered = [question.id for question in result if 3 not in question.relevant.values()]
    said = f"{len(grades)} pairs graded: {new} new with an answer, {zero} new of no help, {changed} changed"
    return said + (f"\nno section has grade 3 for {', '.join(unanswered)}" if unanswered else "")


def chosen(questions: Sequence[GoldenQuestion], ids: Sequence[str]) -> tuple[GoldenQuestion, ...]:
    """The questions with these ids, or all where none is named. Raises QuestionsError for an id that is not there."""
    missing = sorted(set(ids) - {question.id for question in questions})
    if missing:
        raise QuestionsError(f"no question is called {missing[0]!r} in this file and split; its first is {questions[0].id!r}")
    return tuple(question for question in questions if not ids or question.id in ids)
