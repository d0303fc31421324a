"""vuedocs bench --run and --mcp: systems that are not this pipeline."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

from vuedocs.bench.outside import ARGUMENTS, ask_all, outside_result, parse_arguments, read_trec
from vuedocs.bench.questions import GoldenQuestion
from vuedocs.bench.result import BenchResult
from vuedocs.clients.tool import connect
from vuedocs.errors import UsageError
from vuedocs.query.reader import Reader


async def outside(options: argparse.Namespace, questions: Sequence[GoldenQuestion], reader: Reader) -> dict[str, BenchResult]:
    """The results of the runs and the server that the options name. Raises UsageError, QuestionsError, ProviderError."""
    named = [_named(text, "--run") for text in options.run]
    results = {}
    for name, file in named:
        rankings = read_trec(Path(file))
        results[name] = outside_result(name, questions, options.level, rankings, reader.manifest.generation, (), options.unscoped)
    if not options.mcp:
        return results
    name, server = _named(options.mcp, "--mcp")
    if not options.tool:
        raise UsageError("--mcp needs --tool: the name of the tool that answers questions, such as docs_search")
    arguments = options.arguments or ARGUMENTS
    parse_arguments(arguments)
    chunks = {entry.source: await reader.chunks(entry.source) for entry in reader.manifest.sources}
    async with connect(server, options.tool, os.environ) as tool:
        rankings, answers = await ask_all(tool, questions, arguments, options.urls, chunks)
    results[name] = outside_result(
        name, questions, options.level, rankings, reader.manifest.generation, answers, options.unscoped
    )
    return results


def _named(text: str, option: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not (name and equals and value):
        raise UsageError(f"{option} {text!r} is no NAME=VALUE; give the system a name, such as {option} theirs={text}")
    return name, value
