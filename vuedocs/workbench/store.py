"""Views of what is published, and of one search leg by leg."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from vuedocs.query.reader import Reader
from vuedocs.records import Chunk, Ingest, Manifest, Search
from vuedocs.settings import Settings
from vuedocs.stages import Result
from vuedocs.workbench import plots
from vuedocs.workbench.tables import Card, Cards, Findings, Link, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def manifest(of: Manifest) -> Table:
    """What each source contributes to the generation."""
    rows = [
        (
            entry.source,
            entry.state,
            entry.date[:10],
            entry.indexed,
            entry.pages,
            entry.chunks,
            entry.entities,
            entry.points,
            entry.licence,
        )
        for entry in of.sources
    ]
    columns = ("source", "version", "docs of", "indexed", "pages", "chunks", "entities", "points", "licence")
    made = f"{of.points:,} points by {of.embedder}, {of.dims} dimensions, settings {of.fingerprint}"
    caption = f"Generation {of.generation}, made {of.created}: {made}"
    return Table(columns, rows, caption)


def generations(settings: Settings, of: Manifest) -> Table:
    """The generations on disk, with their size; the published one is what readers serve."""
    folders = sorted(path for path in (settings.home / "index").glob("*") if path.is_dir())
    rows = [
        (
            folder.name,
            folder.name == of.generation,
            sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) / 1e6,
        )
        for folder in folders
    ]
    return Table(("generation", "published", "MB"), rows)


def by_kind(chunks: tuple[Chunk, ...]) -> Table:
    """Chunks by source and kind."""
    counted = Counter((chunk.source, chunk.kind) for chunk in chunks)
    kinds = list(dict.fromkeys(chunk.kind for chunk in chunks))
    sources = list(dict.fromkeys(chunk.source for chunk in chunks))
    rows = [(source, *(counted[source, kind] for kind in kinds), sum(counted[source, k] for k in kinds)) for source in sources]
    return Table(("source", *kinds, "all"), rows)


def by_folder(chunks: tuple[Chunk, ...], source: str) -> Figure:
    """Chunks of one source by the folder of their page."""
    folders = Counter(chunk.route.rpartition("/")[0] or "(root)" for chunk in chunks if chunk.source == source)
    return plots.bars(dict(folders.most_common(20)), "chunks", f"Where the chunks of {source} are")


async def leg(reader: Reader, result: Result[Search], name: str, top: int) -> Table:
    """The best hits of one leg, with its own score."""
    hits = result.after("search").legs.get(name, ())
    chunks = await reader.library.chunks([hit.chunk_id for hit in hits[:top]])
    rows = [
        (
            place,
            hit.score,
            Link(hit.chunk_id, chunks[hit.chunk_id].url),
            hit.text if name == "question" else chunks[hit.chunk_id].title,
        )
        for place, hit in enumerate(hits[:top], 1)
    ]
    return Table(("rank", name, "chunk", "question" if name == "question" else "title"), rows, f"{name}: {len(hits)} points")


def fused(result: Result[Search], top: int) -> Table:
    """The candidates in their final order, with the score of each signal."""
    candidates = result.after("rerank").candidates[:top]
    signals = list(dict.fromkeys(name for candidate in candidates for name in candidate.scores))
    rows = [
        (
            place,
            *(candidate.scores.get(name, "") for name in signals),
            Link(candidate.chunk_id, candidate.chunk.url if candidate.chunk else ""),
        )
        for place, candidate in enumerate(candidates, 1)
    ]
    return Table(("rank", *signals, "chunk"), rows, "All legs together")


def answer(result: Result[Search]) -> Cards:
    """What the reader receives."""
    state = result.state
    facts = f"{len(state.passages)} sections, about {sum(passage.tokens for passage in state.passages):,} tokens"
    return Cards([Card(state.query, facts, state.text)], lines=34)


def findings(state: Ingest, reader: Reader, result: Result[Search]) -> Findings:
    """What stands out."""
    assert state.manifest is not None, "store sets the manifest"
    served = reader.manifest
    legs = {name: {hit.chunk_id for hit in hits[:10]} for name, hits in result.after("search").legs.items()}
    best = [candidate.chunk_id for candidate in result.after("rerank").candidates[:10]]
    agree = len(set.intersection(*legs.values())) if legs else 0
    done = "a new generation was published" if state.counts["published"] else "nothing has changed, so nothing was published"
    own = ", ".join(f"{name} {len(found & set(best))}" for name, found in legs.items())
    fits = "yes" if served.fingerprint == reader.config.shape() else "no"
    return Findings(
        [
            f"{done}: {served.generation} serves {len(served.sources)} sources with {served.points:,} points.",
            f"The index was made with the settings of this notebook: {fits}.",
            f"For this query {agree} sections are among the best ten points of every leg; "
            f"of the final ten, the legs' own ten hold: {own}.",
            f"The search took {sum(result.milliseconds.values()):.0f} ms.",
        ]
    )
