"""Views of what enrich said before each chunk."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from vuedocs.ingest.enrich import sentence_of
from vuedocs.ingest.packs import load, pack_for
from vuedocs.records import Chunk, Ingest
from vuedocs.workbench import plots
from vuedocs.workbench.tables import Card, Cards, Findings, Link, Table, clip, evenly, share

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WRITTEN, SENTENCE, BREADCRUMB = "written sentence", "page's first sentence", "breadcrumb only"


def origin(chunk: Chunk) -> str:
    """Where a chunk's context comes from beyond its breadcrumb."""
    said = sentence_of(chunk)
    pack = pack_for(chunk)
    if not said:
        return BREADCRUMB
    return WRITTEN if pack and pack.context == said else SENTENCE


def examples(state: Ingest, count: int) -> Cards:
    """Chunks spread over the docs, each below the context that is embedded with it."""
    prose = _prose(state)
    return Cards(
        [
            Card(
                prose[place].id,
                f"{origin(prose[place])} · {len(prose[place].text):,} characters",
                prose[place].text,
                prose[place].kind,
                prose[place].context,
            )
            for place in evenly(prose, count)
        ]
    )


def origins(state: Ingest) -> Figure:
    """How many sections have a written sentence, a rule's, or none."""
    counts = Counter(map(origin, _prose(state)))
    total = sum(counts.values())
    values = {name: counts[name] for name in (WRITTEN, SENTENCE, BREADCRUMB)}
    notes = {name: share(value, total) for name, value in values.items()}
    return plots.bars(values, "chunks of prose", "Where context comes from", notes=notes)


def lengths(state: Ingest) -> Figure:
    """Characters of context, by where it comes from."""
    groups = {
        name: [len(chunk.context) for chunk in _prose(state) if origin(chunk) == name] for name in (WRITTEN, SENTENCE, BREADCRUMB)
    }
    return plots.histograms(groups, "characters of context", "How much is said before a chunk", ylabel="chunks")


def longest(state: Ingest, top: int) -> Table:
    """The longest contexts: each costs room in every window of its chunk."""
    chosen = sorted(_prose(state), key=lambda chunk: -len(chunk.context))[:top]
    rows = [(Link(chunk.id, chunk.url), len(chunk.context), origin(chunk), chunk.context) for chunk in chosen]
    return Table(("chunk", "characters", "origin", "context"), rows, "The longest contexts")


def stale(state: Ingest) -> Table:
    """Written sentences that are not used, because their section reads otherwise now or is gone."""
    chunks = {(chunk.source, chunk.section): chunk for chunk in _prose(state)}
    rows = [
        (source, section, "reads otherwise now" if (source, section) in chunks else "is gone", clip(pack.context))
        for source in state.sources
        for section, pack in load(source).items()
        if (source, section) not in chunks or pack_for(chunks[source, section]) is None
    ]
    return Table(
        ("source", "section", "the section", "what was written"), rows, f"Written entries out of use: {len(rows)}", height=320
    )


def findings(state: Ingest) -> Findings:
    """What stands out."""
    prose = _prose(state)
    counts = Counter(map(origin, prose))
    own = sum(len(chunk.text) for chunk in prose)
    said = sum(len(chunk.context) for chunk in prose)
    without = [chunk.path for chunk in prose if chunk.kind == "page" and origin(chunk) == BREADCRUMB]
    return Findings(
        [
            f"{share(counts[WRITTEN], len(prose))} chunks have a sentence that was written for them, "
            f"{share(counts[SENTENCE], len(prose))} their page's first one, "
            f"{share(counts[BREADCRUMB], len(prose))} a breadcrumb only.",
            f"Context is {said / max(1, own + said):.0%} of what is embedded, counted once a chunk.",
            f"{len(without)} pages stand alone with their title.",
        ]
    )


def _prose(state: Ingest) -> list[Chunk]:
    return [chunk for chunk in state.chunks if chunk.kind != "code"]
