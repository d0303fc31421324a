"""Docs in numbered editions, every page of which says its number: an answer that holds two numbers mixes generations."""

from __future__ import annotations

import asyncio
import re
import shutil
from pathlib import Path

from vuedocs.clients.edge import EdgeBuilder, EdgeIndex
from vuedocs.clients.engines import open_database
from vuedocs.settings import Settings

QUESTION = "what does this edition say about watchers, slots and computed values"
PAGES = ("guide/watchers", "guide/slots", "guide/computed", "guide/props", "api/core")


def write_edition(docs: Path, number: int) -> None:
    """Puts a whole edition in the place of the last one: a reader of files sees one or the other."""
    fresh, place = docs / ".fresh" / "vue", docs / "vue"
    shutil.rmtree(docs / ".fresh", ignore_errors=True)
    for page in PAGES:
        name = page.rpartition("/")[2]
        file = fresh / f"{page}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        text = f"What edition {number} says about {name}: words of edition {number}."
        file.write_text(f"# {name.title()}\n\n{text}\n\n## More {{#more}}\n\nMore on {name}. {text}\n", encoding="utf-8")
    if place.exists():
        place.rename(docs / ".fresh" / "old")
    fresh.rename(place)


def editions_in(text: str) -> set[int]:
    """The numbers of all editions that an answer quotes."""
    return {int(number) for number in re.findall(r"edition (\d+)", text)}


def content(home: Path) -> dict[str, str]:
    """Digest of each source and of the index of what is published, for comparing two data folders."""

    async def read() -> dict[str, str]:
        settings = Settings(home=home)
        database = await open_database(settings)
        try:
            manifest = await database.published()
            assert manifest is not None
            index = await EdgeBuilder(home / "index").open(manifest.generation)
            assert isinstance(index, EdgeIndex)
            digests = {**await database.snapshot_digests(), "index": await index.digest()}
            await index.aclose()
            return digests
        finally:
            await database.aclose()

    return asyncio.run(read())
