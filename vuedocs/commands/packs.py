"""vuedocs packs."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Iterable
from pathlib import Path

from vuedocs.commands import configured, table
from vuedocs.commands.check import chosen
from vuedocs.errors import UsageError
from vuedocs.ingest import packs as kept
from vuedocs.ingest.session import silent
from vuedocs.ingest.survey import Folders, read_chunks
from vuedocs.records import Chunk


def packs(options: argparse.Namespace) -> int:
    """Prints how far each source's question packs cover its docs, and what is stale; with ``--add`` takes written ones in."""
    config, settings = configured(options)
    if options.add and len(options.sources) != 1:
        raise UsageError("--add takes the packs of one source: name it, such as `vuedocs packs pinia --add FILE`")
    names = chosen(options.sources, settings.docs)
    clients = Folders(settings.home, silent)
    chunks = {name: asyncio.run(read_chunks(name, settings.docs, config, clients)) for name in names}
    if options.add:
        print(add(names[0], options.add, chunks[names[0]]))
        kept.load.cache_clear()
    covered = {name: kept.coverage(kept.load(name), found) for name, found in chunks.items()}
    print(
        table(
            [("source", "fitting", "stale", "missing", "gone", "questions"), *(_row(name, one) for name, one in covered.items())]
        )
    )
    for name, one in covered.items():
        for word, keys in (("stale", one.stale), ("gone", one.gone)):
            print("".join(f"\n{word}: {name}/{key}" for key in keys), end="")
    print()
    return 0


def add(source: str, file: Path, chunks: Iterable[Chunk]) -> str:
    """Takes what was written into the source's packs, in the order of reading; what it did, in words."""
    found = list(chunks)
    present = kept.load(source)
    new = kept.written(file, found, present)
    merged = {**present, **new}
    order = {chunk.section: place for place, chunk in enumerate(found)}
    ordered = {key: merged[key] for key in sorted(merged, key=lambda key: order.get(key, len(order)))}
    target = kept.pack_file(source)
    target.parent.mkdir(exist_ok=True)
    target.write_text(kept.dump(ordered), encoding="utf-8")
    return f"{len(new)} packs written to {target}"


def _row(name: str, one: kept.Coverage) -> tuple[str, ...]:
    counts = (len(one.fitting), len(one.stale), len(one.missing), len(one.gone), one.questions)
    return (name, *(f"{count:,}" for count in counts))
