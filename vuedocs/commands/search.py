"""vuedocs search."""

from __future__ import annotations

import argparse
import asyncio

from vuedocs.commands import configured
from vuedocs.query.explain import as_json, explain
from vuedocs.query.reader import Reader
from vuedocs.records import Search
from vuedocs.sources import find
from vuedocs.stages import Result


def search(options: argparse.Namespace) -> int:
    """Prints the answer to a question; with ``--explain`` how it came about, with ``--json`` both as data."""
    result = asyncio.run(_search(options))
    if options.json:
        print(as_json(result, options.explain))
        return 0
    if options.explain:
        print(explain(result))
    print(answer(result.state))
    return 0


def parse_sources(text: str) -> tuple[str, ...]:
    """``vue``, ``vue,pinia`` or ``all`` as names that the registry knows; empty means all. SourceError for any other."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    return () if "all" in names or not names else tuple(dict.fromkeys(find(name).name for name in names))


async def _search(options: argparse.Namespace) -> Result[Search]:
    config, settings = configured(options)
    request = Search(
        query=options.query,
        sources=parse_sources(options.source),
        scope=options.scope.strip("/") or "all",
        max_results=options.max_results,
        max_tokens=options.max_tokens,
    )
    reader = await Reader.open(config, settings, interactive=True)
    try:
        return await reader.search(request)
    finally:
        await reader.aclose()


def answer(state: Search) -> str:
    """An answer for a terminal: notes, the document, and what else there is."""
    parts = [f"Note: {note}." for note in state.notes]
    parts += [f"Degraded: {stage}." for stage in state.degraded]
    parts.append(state.text or "Nothing was found. Try other words, another source, or `--source all`.")
    more = [
        f"- {omitted.title}: {omitted.url} ({omitted.reason})" for omitted in state.omitted if omitted.reason != "below the floor"
    ]
    if more:
        parts.append("Not shown:\n" + "\n".join(more[:8]))
    return "\n\n".join(parts)
