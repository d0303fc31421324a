"""Views of what parse made: pages, chunks, anchors, reports."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, get_args

from vuedocs.records import Chunk, ChunkKind, Ingest
from vuedocs.workbench import plots
from vuedocs.workbench.tables import Card, Cards, Findings, Link, Table, clip, share

if TYPE_CHECKING:
    from matplotlib.figure import Figure

KINDS: tuple[ChunkKind, ...] = get_args(ChunkKind)
MARKUP = re.compile(r"^\s*:{3,}|<script\b|<style\b|\{#[\w-]+\}|<!--|<VTCodeGroup|\[\[toc\]\]|<<< @", re.MULTILINE | re.IGNORECASE)
"""What a reader of the site never sees, and so should not be in a chunk's prose."""
FENCED = re.compile(r"^ *(`{3,}|~{3,})[^\n]*\n.*?^ *\1[`~]*\s*$|`[^`\n]+`", re.MULTILINE | re.DOTALL)


def overview(state: Ingest) -> Table:
    """Where the docs come from, and how many of what were made of them."""
    kinds = Counter((chunk.source, chunk.kind) for chunk in state.chunks)
    rows = [
        (
            checkout.source,
            checkout.version or checkout.commit[:12],
            checkout.origin,
            sum(page.source == checkout.source for page in state.pages),
            *(kinds[checkout.source, kind] for kind in KINDS),
        )
        for checkout in state.checkouts
    ]
    return Table(("source", "version", "origin", "pages", *(f"{kind} chunks" for kind in KINDS)), rows)


def sizes(state: Ingest) -> Figure:
    """Characters a chunk, by kind."""
    groups: dict[str, list[float]] = {kind: [] for kind in KINDS}
    for chunk in state.chunks:
        groups[chunk.kind].append(max(1, len(chunk.text)))
    return plots.histograms(groups, "characters of a chunk (log scale)", "Chunk sizes by kind", ylabel="chunks", log=True)


def pages(state: Ingest) -> Table:
    """Every page in reading order, with what it holds."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for chunk in state.chunks:
        counts[chunk.path][chunk.kind] += 1
    rows = [
        (
            page.position,
            page.section,
            Link(page.title, page.url),
            page.path,
            counts[page.path]["section"],
            counts[page.path]["subsection"],
            counts[page.path]["code"],
            len(page.text),
        )
        for page in state.pages
    ]
    columns = ("place", "navigation", "title", "path", "sections", "subsections", "examples", "characters")
    return Table(columns, rows, "Pages in the order of reading")


def longest(state: Ingest, top: int) -> Table:
    """The longest chunks: what will be cut into many windows."""
    return _listed(sorted(state.chunks, key=lambda chunk: -len(chunk.text))[:top], "The longest chunks")


def shortest(state: Ingest, top: int) -> Table:
    """The shortest chunks of prose: headings with little or nothing below them."""
    prose = [chunk for chunk in state.chunks if chunk.kind != "code"]
    return _listed(sorted(prose, key=lambda chunk: len(chunk.text))[:top], "The shortest chunks of prose")


def _listed(chunks: Sequence[Chunk], caption: str) -> Table:
    rows = [(chunk.kind, Link(chunk.id, chunk.url), len(chunk.text), clip(chunk.text)) for chunk in chunks]
    return Table(("kind", "chunk", "characters", "begins"), rows, caption)


def strange(state: Ingest, top: int) -> Table:
    """Chunks that are worth a look, each with the reason."""
    found = list(_strange(state))
    rows = [(reason, Link(chunk.id, chunk.url), clip(words)) for reason, chunk, words in found[:top]]
    return Table(("why", "chunk", "what"), rows, f"Chunks worth a look: {len(found)}, of which {len(rows)} are shown")


def _strange(state: Ingest) -> Iterator[tuple[str, Chunk, str]]:
    first: dict[str, Chunk] = {}
    for chunk in state.chunks:
        prose = FENCED.sub(" ", re.sub(r"\A#.*", "", chunk.text))
        if match := MARKUP.search(prose):
            yield "markup left over", chunk, prose[max(0, match.start() - 30) : match.end() + 60]
        if len(re.findall(r"^ *(?:`{3,}|~{3,})", chunk.text, re.MULTILINE)) % 2:
            yield "a code fence is open", chunk, chunk.text[-120:]
        if chunk.kind == "code":
            continue
        if (
            chunk.kind != "page"
            and not re.search(r"\w", chunk.text.partition("\n")[2])
            and not _has_children(chunk, state.chunks)
        ):
            yield "nothing below the heading", chunk, chunk.text
        if chunk.content_hash in first:
            yield "the same text as another", chunk, first[chunk.content_hash].id
        first.setdefault(chunk.content_hash, chunk)


def _has_children(chunk: Chunk, chunks: Sequence[Chunk]) -> bool:
    following = [c for c in chunks if c.path == chunk.path and c.position > chunk.position and c.kind != "code"]
    after = min(following, key=lambda other: other.position).heading_path if following else ()
    return len(after) > len(chunk.heading_path) and after[: len(chunk.heading_path)] == chunk.heading_path


def anchors(state: Ingest, top: int) -> Table:
    """Anchors that do not simply spell their heading: set by hand, numbered because the heading comes again, or with signs."""
    rows = [
        (_why(chunk), Link(chunk.anchor, chunk.url), chunk.title, chunk.path)
        for chunk in state.chunks
        if chunk.anchor and chunk.kind != "code" and _why(chunk)
    ]
    caption = f"Anchors that are not their heading in small letters: {len(rows)}, of which {min(top, len(rows))} are shown"
    return Table(("why", "anchor", "heading", "page"), sorted(rows, key=lambda row: row[0])[:top], caption)


def _why(chunk: Chunk) -> str:
    plain = re.sub(r"[^\w]+", "-", chunk.title.lower()).strip("-")
    if chunk.anchor == plain:
        return ""
    if re.fullmatch(re.escape(plain) + r"-\d+", chunk.anchor):
        return "numbered: the heading comes again"
    return (
        "signs in the heading"
        if re.sub(r"[\W_]", "", chunk.anchor) == re.sub(r"[\W_]", "", chunk.title.lower())
        else "set by hand"
    )


def reports(state: Ingest) -> Table:
    """What the parser could not resolve."""
    return Table(("report",), [(report,) for report in state.reports], f"Reports: {len(state.reports)}")


def page(state: Ingest, path: str = "") -> Cards:
    """One page's chunks as they are kept, in order; by default the first page with sections and examples.

    Raises ValueError for a path that is no page's.
    """
    by_page: dict[str, list[Chunk]] = defaultdict(list)
    for chunk in state.chunks:
        by_page[chunk.path].append(chunk)
    rich = [name for name, chunks in by_page.items() if len(chunks) >= 8 and any(chunk.kind == "code" for chunk in chunks)]
    name = path or next(iter(rich or by_page))
    if name not in by_page:
        raise ValueError(f"there is no page {name!r}; give a path of the table of pages, such as {next(iter(by_page))}")
    return Cards([_card(chunk) for chunk in by_page[name]])


def _card(chunk: Chunk) -> Card:
    facts = [
        chunk.kind,
        f"#{chunk.anchor}" if chunk.anchor else "",
        f"{len(chunk.text):,} characters",
        f"since {chunk.since}" if chunk.since else "",
    ]
    facts += [f"{chunk.api_style} API" if chunk.api_style != "both" else "", _counted(len(chunk.links), "link")]
    return Card(" › ".join(chunk.heading_path), " · ".join(filter(None, facts)), chunk.text, chunk.kind)


def _counted(count: int, word: str) -> str:
    return f"{count} {word}{'s' if count > 1 else ''}" if count else ""


def findings(state: Ingest) -> Findings:
    """What stands out."""
    prose = [chunk for chunk in state.chunks if chunk.kind != "code"]
    by_length = sorted(state.chunks, key=lambda chunk: len(chunk.text))
    links = Counter(link.priority for chunk in prose for link in chunk.links)
    styles = Counter(chunk.api_style for chunk in prose)
    keys = Counter((chunk.source, chunk.section) for chunk in prose)
    strange_ones = Counter(reason for reason, _, _ in _strange(state))
    strange_words = ", ".join(f"{count} × {reason}" for reason, count in strange_ones.most_common())
    return Findings(
        [
            f"{len(state.pages):,} pages became {len(prose):,} chunks of prose and {len(state.chunks) - len(prose):,} examples.",
            f"Half of the chunks of prose have fewer than {sorted(len(c.text) for c in prose)[len(prose) // 2]:,} characters; "
            f"the longest chunk is {by_length[-1].id} with {len(by_length[-1].text):,}.",
            f"{sum(count > 1 for count in keys.values())} section keys come more than once.",
            "Links inside the docs by priority: " + ", ".join(f"{name} {count:,}" for name, count in sorted(links.items())) + ".",
            f"{share(styles['options'], len(prose))} chunks of prose are for the Options API only, "
            f"{share(styles['composition'], len(prose))} for the Composition API only.",
            f"{share(sum(not p.section for p in state.pages), len(state.pages))} pages are in no navigation group.",
            f"Worth a look: {strange_words or 'nothing'}. Reports: {len(state.reports)}.",
        ]
    )
