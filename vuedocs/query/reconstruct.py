"""reconstruct: the sections that answer, within a budget, as one small document in reading order.

The best sections are taken in their order while the budget lasts; a long one is cut at the end of a block. Then they are laid
out as the site would read: page by page, neighbours under one page heading, each section with its address. What was found but
not shown is listed, and a cursor says where the rest begins.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby

from vuedocs import tokens
from vuedocs.config import Reconstruct
from vuedocs.query.clients import QueryClients
from vuedocs.query.expand import linked_only
from vuedocs.records import Candidate, Chunk, Manifest, Omitted, Passage, Search

SEE_ALSO = 5
"""Links that are shown after an answer."""
BREAK = "\n\n"
CUT = "*(cut: the address above has the rest)*"

_FENCE = re.compile(r"^\s*(`{3,}|~{3,})")


async def reconstruct(state: Search, section: Reconstruct, clients: QueryClients) -> Search:
    """Sets ``passages``, ``omitted``, ``text`` and ``cursor``."""
    known = [candidate for candidate in state.candidates if candidate.chunk is not None]
    linked = [candidate for candidate in known if linked_only(candidate)]
    found = [candidate for candidate in known if not linked_only(candidate)]
    above = above_floor(found, section.floor)
    positions = {candidate.chunk_id: candidate.chunk.position for candidate in found if candidate.chunk}
    fitting = choose(above[state.skip :], state, section, clients.library.manifest)
    shown = {passage.chunk_id for passage in fitting}
    high = {candidate.chunk_id for candidate in above}
    rest = [candidate for candidate in above[state.skip :] if candidate.chunk_id not in shown]
    full = len(fitting) >= (state.max_results or section.max_results)
    omitted = [_omitted(candidate, "max_results" if full else "budget") for candidate in rest]
    omitted += [_omitted(candidate, "below the floor") for candidate in found if candidate.chunk_id not in high]
    omitted += [_omitted(candidate, "see also") for candidate in linked[:SEE_ALSO]]
    cursor = str(state.skip + len(fitting)) if rest and fitting else ""
    passages = in_reading_order(fitting, positions)
    return replace(state, passages=passages, omitted=tuple(omitted), text=document(passages), cursor=cursor)


def in_reading_order(passages: Iterable[Passage], positions: Mapping[str, tuple[int, int]]) -> tuple[Passage, ...]:
    """The passages as the sites put them: source by source, page by page; ``positions`` is by chunk id."""
    return tuple(sorted(passages, key=lambda passage: (passage.source, positions[passage.chunk_id])))


def above_floor(candidates: Sequence[Candidate], floor: float) -> list[Candidate]:
    """The candidates, best first, whose fused score is at least ``floor`` times the best one's."""
    if not candidates:
        return []
    least = floor * max(candidate.scores["fused"] for candidate in candidates)
    return [candidate for candidate in candidates if candidate.scores["fused"] >= least]


def choose(candidates: Sequence[Candidate], state: Search, section: Reconstruct, manifest: Manifest) -> list[Passage]:
    """Passages of the best candidates, in their order, while results and tokens last; the first always fits, cut if need be.

    What counts is the document that they make, headings and addresses included. The choice ends at the first section that does
    not fit, so that what a cursor continues with is what comes next.
    """
    budget = state.max_tokens or section.max_tokens
    positions = {candidate.chunk_id: candidate.chunk.position for candidate in candidates if candidate.chunk}
    passages: list[Passage] = []
    for candidate in candidates[: state.max_results or section.max_results]:
        room = section.section_tokens * tokens.CHARACTERS_PER_TOKEN
        if not passages:
            frame = document([replace(passage_of(candidate, 0, manifest), text="")])
            room = min(room, budget * tokens.CHARACTERS_PER_TOKEN - len(frame) - len(BREAK))
        passage = passage_of(candidate, room, manifest)
        if passages and tokens.estimate(document(in_reading_order([*passages, passage], positions))) > budget:
            break
        passages.append(passage)
    return passages


def passage_of(candidate: Candidate, room: int, manifest: Manifest) -> Passage:
    """A candidate as the reader receives it, its text cut to ``room`` characters where it is longer."""
    chunk = candidate.chunk
    assert chunk is not None, "resolve sets the chunk"
    text = body(chunk)
    cut = len(text) > room
    if cut:
        text = (cut_at_block(text, room - len(BREAK + CUT)) + BREAK + CUT).removeprefix(BREAK)
    entry = manifest.source(chunk.source)
    return Passage(
        chunk_id=chunk.id,
        source=chunk.source,
        title=chunk.title,
        heading_path=chunk.heading_path,
        url=chunk.url,
        version=entry.state if entry else "",
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
        fence = fence_after(line, fence)
        if not line.strip() and not fence:
            if lines:
                yield "\n".join(lines)
            lines = []
        else:
            lines.append(line)
    if lines:
        yield "\n".join(lines)


def fence_after(line: str, fence: str) -> str:
    """The fence that is open after a line, where ``fence`` was before it; ``""`` for none."""
    mark = _FENCE.match(line)
    if mark is None:
        return fence
    if not fence:
        return mark.group(1)
    return "" if line.strip().startswith(fence) and not line.strip().strip(fence[0]) else fence


def _cut_lines(block: str, limit: int) -> str:
    """The first lines of a block, and of a first line that is too long its beginning; a fence that is cut through is closed."""
    lines: list[str] = []
    used = 0
    fence = ""
    for line in block.split("\n"):
        opened = fence_after(line, fence)
        needed = len(line) + (len(opened) + 1 if opened else 0)
        if used + needed > limit:
            break
        lines.append(line)
        used += len(line) + 1
        fence = opened
    first = block.split("\n")[0]
    if not lines or (fence and lines == [first]):
        return "" if _FENCE.match(first) else first[: max(limit, 0)].rstrip()
    return "\n".join([*lines, fence] if fence else lines)


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
