"""What docs_search answers: the structured form, and the document that a model reads.

Both forms keep within what every client takes. The structured form holds the passages; the document, which joins them, is the
text form alone, so that a client which passes both on does not pay twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from mcp.types import CallToolResult, ResourceLink, TextContent
from pydantic import BaseModel, Field
from pydantic_core import to_json

from vuedocs.serving.shared import noted, result
from vuedocs.tokens import estimate

if TYPE_CHECKING:
    from vuedocs.records import Omitted, Passage, Search

MAX_CHARACTERS = 40_000
"""Of either form. At four characters a token it is also the limit of 10,000 tokens."""
OMITTED_SHOWN = 6
"""Sections named after the text that a cursor or a narrower question would show; the structured form has as many."""
SEE_ALSO_SHOWN = 3


class FoundPassage(BaseModel):
    """One section of the documentation."""

    title: str
    heading_path: list[str] = Field(description="Page title first, the section's own title last.")
    url: str = Field(description="Cite this.")
    source: str
    version: str = Field(description="Version or commit of the documentation.")
    indexed: str = Field(description="When it was indexed, ISO 8601.")
    text: str = Field(description="Markdown.")
    tokens: int
    found_by: list[str] = Field(description="Why it was found.")
    scores: dict[str, float] = Field(description="By signal, each on a scale of its own.")
    api_style: str = Field(description="options, composition or both.")
    since: str = Field(description="The version that brought it, where the docs say so.")
    cut: bool = Field(description="Whether the section goes on after the text.")


class OmittedPassage(BaseModel):
    """A section that was found but is not in this answer."""

    title: str
    url: str
    reason: str


class SearchAnswer(BaseModel):
    """Passages in reading order, and all that must be said about them."""

    query: str
    passages: list[FoundPassage]
    omitted: list[OmittedPassage]
    notes: list[str] = Field(description="What the reader must know: a widened scope, a version that is not indexed.")
    degraded: list[str] = Field(description="Stages that failed and were gone round.")
    cursor: str | None = Field(description="Send it back, with the same arguments, for the rest; null when nothing is left.")
    tokens: int = Field(description="Of the answer's text, estimated.")


SEE_ALSO = "see also"
"""The reason of sections to which only a link led."""
UNTOLD = ("below the floor",)
"""Reasons that are no recommendation: what answers so much worse than the best would only cost the reader tokens."""


def search_result(state: Search, notes: Sequence[str], cursor: str | None, links: Sequence[ResourceLink] = ()) -> CallToolResult:
    """Both forms of the answer that ``state`` holds, and links to the pages that it is from."""
    left = [entry for entry in state.omitted if entry.reason not in UNTOLD]
    omitted = [entry for entry in left if entry.reason != SEE_ALSO][:OMITTED_SHOWN]
    omitted += [entry for entry in left if entry.reason == SEE_ALSO][:SEE_ALSO_SHOWN]
    text = document(state, notes, omitted, cursor)
    answer = SearchAnswer(
        query=state.query,
        passages=[found(passage) for passage in state.passages],
        omitted=[OmittedPassage(title=entry.title, url=entry.url, reason=entry.reason) for entry in omitted],
        notes=list(notes),
        degraded=list(state.degraded),
        cursor=cursor,
        tokens=estimate(text),
    )
    return result(text, answer, links)


def size(result: CallToolResult) -> int:
    """Characters of the longer form."""
    text = sum(len(block.text) for block in result.content if isinstance(block, TextContent))
    return max(text, len(to_json(result.structured_content).decode()))


def found(passage: Passage) -> FoundPassage:
    """The passage in its structured form."""
    return FoundPassage(
        title=passage.title,
        heading_path=list(passage.heading_path),
        url=passage.url,
        source=passage.source,
        version=passage.version,
        indexed=passage.indexed,
        text=passage.text,
        tokens=passage.tokens,
        found_by=list(passage.found_by),
        scores={signal: round(score, 4) for signal, score in passage.scores.items()},
        api_style=passage.api_style,
        since=passage.since,
        cut=passage.cut,
    )


def document(state: Search, notes: Sequence[str], omitted: Sequence[Omitted], cursor: str | None) -> str:
    """The answer as one Markdown document: notes, the passages, where they stand, and what is not shown."""
    parts = noted(notes)
    if state.degraded:
        parts += noted([f"degraded: {', '.join(state.degraded)} failed; the order is that of the stages before"])
    parts.append(state.text.strip() or "Nothing in the indexed documentation answers this.")
    parts.append(provenance(state.passages))
    parts.append(listing("Sources", [citation(passage) for passage in state.passages if passage.url not in state.text]))
    see_also = [link(entry.title, entry.url) for entry in omitted if entry.reason == SEE_ALSO]
    parts.append(listing("Found, not shown", [link(entry.title, entry.url) for entry in omitted if entry.reason != SEE_ALSO]))
    parts.append(listing("See also", see_also))
    if cursor:
        parts.append(f"More: call docs_search again with the same arguments and cursor={cursor!r}.")
    return "\n\n".join(part for part in parts if part) + "\n"


def provenance(passages: Sequence[Passage]) -> str:
    """Which documentation the passages are from, and when it was indexed."""
    origins = dict.fromkeys((passage.source, passage.version, passage.indexed[:10]) for passage in passages)
    return "\n".join(f"From {source} {version}, indexed {indexed}." for source, version, indexed in origins)


def citation(passage: Passage) -> str:
    """A link to a passage that the text itself does not link to."""
    return link(" › ".join(passage.heading_path) or passage.title, passage.url)


def link(title: str, url: str) -> str:
    """A Markdown link; brackets in the title do not break it."""
    escaped = title.replace("[", "\\[").replace("]", "\\]")
    return f"[{escaped}]({url})"


def listing(heading: str, entries: Sequence[str]) -> str:
    """A headed list, or nothing where there is nothing to list."""
    return "\n".join([f"**{heading}**", "", *(f"- {entry}" for entry in entries)]) if entries else ""
