"""reconstruct: the sections that answer, within a budget, as one small document in reading order.

The best sections are taken in their order while the budget lasts; a long one is cut at the end of a block. Then they are laid
out as the site would read: page by page, neighbours under one page heading, each section with its address. What was found but
not shown is listed, and a cursor says where the rest begins.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from vuedocs import tokens
from vuedocs.config import Reconstruct
from vuedocs.query.clients import QueryClients
from vuedocs.query.expand import linked_only
from vuedocs.records import Candidate, Chunk, Manifest, Omitted, Passage, Search

SEE_ALSO = 5
"""Links that are shown after an answer."""
CUT = "\n\n*(cut: read the rest at {url})*"

_FENCE = re.compile(r"^\s*(`{3,}|~{3,})")


async def reconstruct(state: Search, section: Reconstruct, clients: QueryClients) -> Search:
    """Sets ``passages``, ``omitted``, ``text`` and ``cursor``."""
    found = [candidate for candidate in state.candidates if candidate.chunk is not None and not linked_only(candidate)]
    above = above_floor(found, section.floor)
    fitting = choose(above[state.skip :], state, section, clients.library.manifest)
    shown = {passage.chunk_id for passage in fitting}
    rest = [candidate for candidate in above[state.skip :] if candidate.chunk_id not in shown]
    full = len(fitting) >= (state.max_results or section.max_results)
    omitted = [_omitted(candidate, "max_results" if full else "budget") for candidate in rest]
    omitted += [_omitted(candidate, "below the floor") for candidate in found[len(above) :]]
    omitted += [_omitted(candidate, "see also") for candidate in state.candidates if linked_only(candidate)][:SEE_ALSO]
    positions = {candidate.chunk_id: candidate.chunk.position for candidate in found if candidate.chunk}
    passages = tuple(sorted(fitting, key=lambda passage: (passage.source, positions[passage.chunk_id])))
    cursor = str(state.skip + len(fitting)) if rest and fitting else ""
    return replace(state, passages=passages, omitted=tuple(omitted), text=document(passages), cursor=cursor)


def above_floor(candidates: Sequence[Candidate], floor: float) -> list[Candidate]:
    """The candidates, best first, whose fused score is at least ``floor`` times the best one's."""
    if not candidates:
        return []
    least = floor * max(candidate.scores["fused"] for candidate in candidates)
    return [candidate for candidate in candidates if candidate.scores["fused"] >= least]


def choose(candidates: Sequence[Candidate], state: Search, section: Reconstruct, manifest: Manifest) -> list[Passage]:
    """Passages of the best candidates, in their order, while results and tokens last; the first always fits, cut if need be.

    The choice ends at the first section that does not fit, so that what a cursor continues with is what comes next.
    """
    results = state.max_results or section.max_results
    left = state.max_tokens or section.max_tokens
    passages: list[Passage] = []
    for candidate in candidates[:results]:
        passage = passage_of(candidate, min(section.section_tokens, left if not passages else section.section_tokens), manifest)
        if passages and passage.tokens > left:
            break
        passages.append(passage)
        left -= passage.tokens
    return passages


def passage_of(candidate: Candidate, limit: int, manifest: Manifest) -> Passage:
    """A candidate as the reader receives it, its text at most about ``limit`` tokens long."""
    chunk = candidate.chunk
    assert chunk is not None, "resolve sets the chunk"
    text = body(chunk)
    cut = tokens.estimate(text) > limit
    if cut:
        text = cut_at_block(text, limit * tokens.CHARACTERS_PER_TOKEN) + CUT.format(url=chunk.url)
    entry = manifest.source(chunk.source)
    return Passage(
        chunk_id=chunk.id,
        source=chunk.source,
        title=chunk.title,
        heading_path=chunk.heading_path,
        url=chunk.url,
        version=(entry.version or entry.commit) if entry else "",
        indexed=entry.indexed if entry else "",
        text=text,
        tokens=tokens.estimate(text),
        scores=candidate.scores,
        found_by=candidate.found_by,
        api_style=chunk.api_style,
        since=chunk.since,
        cut=cut,
    )


def body(chunk: Chunk) -> str:
    """A chunk's text without its heading line, which the document sets itself."""
    first, _, rest = chunk.text.partition("\n")
    return rest.strip() if first.startswith("#") else chunk.text.strip()


def cut_at_block(text: str, limit: int) -> str:
    """The whole blocks of ``text`` that fit into ``limit`` characters; of a first block that does not fit, its first lines.

    Fences stay balanced.
    """
    kept: list[str] = []
    used = 0
    for block in blocks(text):
        if used + len(block) > limit:
            return "\n\n".join(kept) if kept else _cut_lines(block, limit)
        kept.append(block)
        used += len(block) + 2
    return "\n\n".join(kept)


def blocks(text: str) -> Iterator[str]:
    """Paragraphs, lists and whole fenced code blocks of a Markdown text, in order."""
    lines: list[str] = []
    fence = ""
    for line in text.split("\n"):
        mark = _FENCE.match(line)
        if mark and not fence:
            fence = mark.group(1)
        elif mark and line.strip().startswith(fence) and not line.strip().strip(fence[0]):
            fence = ""
        if not line.strip() and not fence:
            if lines:
                yield "\n".join(lines)
            lines = []
        else:
            lines.append(line)
    if lines:
        yield "\n".join(lines)


def _cut_lines(block: str, limit: int) -> str:
    lines: list[str] = []
    used = 0
    for line in block.split("\n"):
        if used + len(line) > limit and lines:
            break
        lines.append(line[:limit])
        used += len(line) + 1
    mark = _FENCE.match(lines[0])
    if mark and (len(lines) == 1 or not lines[-1].strip().startswith(mark.group(1))):
        lines.append(mark.group(1))
    return "\n".join(lines)


def document(passages: Sequence[Passage]) -> str:
    """The passages, in reading order, as one Markdown document: each page's heading once, each section under its own.

    A section's heading is a link to where it stands; the heading of a subsection whose section is not shown names that too.
    """
    parts: list[str] = []
    for (source, title), group in groupby(passages, key=lambda passage: (passage.source, passage.heading_path[0])):
        parts.append(f"# {title} ({source})")
        shown: tuple[str, ...] = ()
        for passage in group:
            parts.append(_section(passage, shown))
            shown = passage.heading_path
    return "\n\n".join(parts) + "\n" if parts else ""


def _section(passage: Passage, shown: tuple[str, ...]) -> str:
    path = passage.heading_path[1:]
    while len(path) > 1 and shown[1:2] == path[:1]:
        path = path[1:]
    label = " › ".join(path) or passage.heading_path[0]
    since = f" (since {passage.since})" if passage.since else ""
    style = f" ({passage.api_style} API)" if passage.api_style != "both" else ""
    level = "##" if len(passage.heading_path) < 3 else "###"
    return f"{level} [{label}]({passage.url}){since}{style}\n\n{passage.text}".rstrip()


def _omitted(candidate: Candidate, reason: str) -> Omitted:
    chunk = candidate.chunk
    assert chunk is not None, "resolve sets the chunk"
    return Omitted(chunk.id, " › ".join(chunk.heading_path), chunk.url, reason)
