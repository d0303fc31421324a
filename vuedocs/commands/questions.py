"""vuedocs bench --check."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Iterable, Sequence
from pathlib import Path

from vuedocs.bench import default_path, load
from vuedocs.bench.checks import Finding, check_files
from vuedocs.bench.questions import GoldenQuestion, questions_folder
from vuedocs.commands import configured
from vuedocs.config import Config
from vuedocs.errors import NotIndexedError, QuestionsError
from vuedocs.ingest import packs
from vuedocs.ingest.session import silent
from vuedocs.ingest.survey import Folders, read_chunks
from vuedocs.query.reader import Reader
from vuedocs.records import Chunk
from vuedocs.settings import Settings
from vuedocs.sources import find

ALL = "all"
"""As a source: all that there are."""
SHOWN = 20
"""Remarks that are listed; faults all are."""


def check_questions(options: argparse.Namespace) -> int:
    """Prints what is wrong with question files; 1 where a fault was found."""
    config, settings = configured(options)
    files = {path.name: load(path) for path in question_files(options)}
    sources = sorted({question.source for questions in files.values() for question in questions})
    chunks = asyncio.run(_chunks(sources, config, settings))
    written = {source: [text for pack in packs.load(source).values() for text in pack.questions] for source in sources}
    findings = check_files(files, chunks, written)
    print("\n".join(listing(findings, files, [source for source in sources if source not in chunks])))
    return 1 if any(finding.fault for finding in findings) else 0


def files_of(sources: str) -> list[Path]:
    """The project's own question files of one source, or of several with commas; SourceError for one that nobody knows."""
    return [default_path(find(name.strip()).name) for name in sources.split(",")]


def question_files(options: argparse.Namespace) -> list[Path]:
    """The file that the options name, or all of the project's own."""
    if options.questions:
        return [options.questions]
    if options.source and options.source != ALL:
        return files_of(options.source)
    found = sorted(questions_folder().glob("*.jsonl"))
    if not found:
        raise QuestionsError(f"there are no question files in {questions_folder()}; name one with --questions")
    return found


async def _chunks(sources: Sequence[str], config: Config, settings: Settings) -> dict[str, tuple[Chunk, ...]]:
    """The chunks of each source: from its docs where they are at hand, else from the index; sources of neither are left out."""
    clients = Folders(settings.home, silent)
    at_hand = [name for name in sources if find(name).bundled or (settings.docs and (settings.docs / name).is_dir())]
    found = {name: await read_chunks(name, settings.docs, config, clients) for name in at_hand}
    if len(found) == len(sources):
        return found
    try:
        reader = await Reader.open(config, settings)
    except NotIndexedError:
        return found
    try:
        indexed = [name for name in sources if name not in found and reader.manifest.source(name)]
        return {**found, **{name: await reader.chunks(name) for name in indexed}}
    finally:
        await reader.aclose()


def listing(findings: Sequence[Finding], files: dict[str, tuple[GoldenQuestion, ...]], unchecked: Iterable[str]) -> list[str]:
    """Faults by rule, then remarks, then what was checked and what could not be."""
    lines = []
    for fault in (True, False):
        for rule in dict.fromkeys(finding.rule for finding in findings if finding.fault is fault):
            of_rule = [finding for finding in findings if finding.rule == rule and finding.fault is fault]
            lines.append(f"{'FAULT' if fault else 'remark'} {rule}: {len(of_rule)}")
            shown = of_rule if fault else of_rule[:SHOWN]
            lines += [f"  {finding}" for finding in shown]
            lines += [f"  ... and {len(of_rule) - len(shown)} more"] if len(of_rule) > len(shown) else []
    for source in unchecked:
        lines.append(f"NOT CHECKED against docs: {source} is neither in the docs folder nor indexed; give --docs, or ingest it")
    count = sum(len(questions) for questions in files.values())
    faults = sum(finding.fault for finding in findings)
    return [*lines, f"{count} questions in {len(files)} files: {faults} faults, {len(findings) - faults} remarks"]
