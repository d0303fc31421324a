"""vuedocs bench."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from vuedocs.bench import (
    VARIANTS,
    BenchResult,
    benchmark,
    compare,
    default_path,
    gains_by,
    hybrid_rrf,
    load,
    read_baseline,
    select,
    table,
)
from vuedocs.bench.baselines import Verdict, judge
from vuedocs.bench.cost import Cost
from vuedocs.bench.explanation import explanation
from vuedocs.bench.hybrid import NAME as HYBRID
from vuedocs.bench.ledger import record, run_id, runs_folder
from vuedocs.bench.questions import questions_folder
from vuedocs.commands import configured
from vuedocs.commands.outside import outside
from vuedocs.commands.questions import ALL, check_questions, files_of
from vuedocs.config import Config
from vuedocs.errors import StorageError, UsageError
from vuedocs.query.reader import Reader
from vuedocs.records import Manifest, Search
from vuedocs.sources import find

WHOLE = "whole pipeline"
REGRESSION = 1
"""Exit code of a gate that found one."""


def bench(options: argparse.Namespace) -> int:
    """Prints the metrics of a question set; with ``--gate`` the exit code says whether retrieval became worse."""
    if options.check:
        return check_questions(options)
    if options.docs:
        raise UsageError("--docs is for --check; a benchmark reads the index, which `vuedocs ingest --docs` makes")
    if options.explain:
        print(asyncio.run(_explained(options)))
        return 0
    if options.gate and not options.baseline:
        raise UsageError("--gate needs --baseline: the folder that an earlier `vuedocs bench --out` wrote")
    # A wrong path is said now, not after minutes of measuring.
    if options.source != ALL:
        for path in question_paths(options):
            load(path)
    baseline = [read_baseline(options.baseline)] if options.baseline else []
    _, settings = configured(options)
    folder = options.out or runs_folder(settings) / run_id()
    results, configs, manifest = asyncio.run(_benchmark(options))
    result = results[next(iter(results))]
    print(table(result))
    if len(results) > 1:
        whole = next(iter(results))
        print("\n" + compare(results, baseline=whole))
        for attribute in ("source", "kind"):
            if len(result.group(attribute)) > 1:
                print("\n" + gains_by(results, whole, attribute))
    record(folder, results, configs, manifest, question_paths(options, manifest.source_names), baseline)
    print(f"\nwritten to {folder}: report.html, metrics.json, per_question.jsonl, run.json and the rest")
    if not options.baseline:
        return 0
    worse = _worse(judge(result, options.baseline, manifest), folder, settings.step_summary)
    return REGRESSION if worse and options.gate else 0


async def _benchmark(options: argparse.Namespace) -> tuple[dict[str, BenchResult], dict[str, Config], Manifest]:
    config, settings = configured(options)
    reader = await Reader.open(config, settings)
    try:
        paths = question_paths(options, reader.manifest.source_names)
        questions = select([question for path in paths for question in load(path)], options.split)
        variants = VARIANTS if options.variants else {WHOLE: ()}
        configs = {name: config.override(*overrides) for name, overrides in variants.items()}
        results = {}
        for name, one in configs.items():
            before = len(reader.paid)
            result = await benchmark(reader, questions, options.level, options.unscoped, one)
            cost = Cost.of(reader.paid[before:], len(questions) + 1)  # it begins with a query that is not timed
            results[name] = replace(result, cost=cost)
            if cost.paid:
                print(f"cost of {name}: {cost}")
        if options.variants:
            results[HYBRID] = hybrid_rrf(results[WHOLE])
        results |= await outside(options, questions, reader)
        return results, configs, reader.manifest
    finally:
        await reader.aclose()


async def _explained(options: argparse.Namespace) -> str:
    config, settings = configured(options)
    reader = await Reader.open(config, settings)
    try:
        paths = question_paths(options, reader.manifest.source_names)
        questions = {question.id: question for path in paths for question in load(path)}
        question = questions.get(options.explain)
        if question is None:
            files = ", ".join(str(path) for path in paths)
            raise UsageError(
                f"no question {options.explain!r} in {files}; the first is {next(iter(questions))!r}; name its --source"
            )
        result = await benchmark(reader, [question], options.level, options.unscoped, progress=False)
        sources = () if options.unscoped else (question.source,)
        return explanation(result, await reader.search(Search(question.question, sources)))
    finally:
        await reader.aclose()


def question_path(options: argparse.Namespace) -> Path:
    """The question file that the options name, by itself or by its source."""
    path: Path = options.questions or default_path(find(options.source or "vue").name)
    return path


def question_paths(options: argparse.Namespace, sources: Sequence[str] = ()) -> list[Path]:
    """The question files that the options name: one by itself, those of several sources, or those there are of all ``sources``.

    Raises UsageError where no indexed source has questions.
    """
    if options.questions:
        return [options.questions]
    if options.source != ALL:
        return files_of(options.source or "vue")
    paths = [path for path in map(default_path, sources) if path.exists()]
    if not paths:
        raise UsageError(f"--source all: no indexed source has questions in {questions_folder()}; give a file with --questions")
    return paths


def _worse(verdict: Verdict, folder: Path, step_summary: Path | None) -> bool:
    """Prints a verdict, keeps it beside the run, and hands it to a CI that asks for a summary; whether it is worse."""
    for words in verdict.worse:
        print(f"WORSE: {words}", file=sys.stderr)
    print(f"\n{verdict.summary}")
    try:
        (folder / "gate.md").write_text(verdict.summary, encoding="utf-8")
        if step_summary:
            with step_summary.open("a", encoding="utf-8") as file:
                file.write(verdict.summary)
    except OSError as error:
        raise StorageError(f"the verdict cannot be written: {error}; make its folder writable") from error
    return bool(verdict.worse)
