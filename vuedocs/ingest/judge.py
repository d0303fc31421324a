"""Whether a source's new docs look wrong beside those that are published: a pure judgement over what both hold.

A site that moves, a parser that no longer understands it or a broken checkout shows itself as content that vanishes. A night's
edits touch a few pages; losing half of anything is a rewrite that somebody should look at before it is served.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from vuedocs.records import Chunk, Entity, Page

KEPT_PAGES = 0.5
"""Least share of the number of pages: a site that loses half of them has lost a folder, or its config is not understood."""

KEPT_SECTIONS = 0.5
"""Least share of section keys (page and anchor) that are still there: fewer, and most links into the docs are dead."""

KEPT_ENTITIES = 0.5
"""Least share of API names that are still recognised."""

FEW_ENTITIES = 6
"""Below so many names their share says nothing: one renamed API is half of two."""

KEPT_TEXT = 0.5
"""Least share of characters: pages and headings may all be there, and be empty."""


@dataclass(frozen=True, slots=True)
class Content:
    """What is compared of a source's docs."""

    pages: int
    sections: frozenset[str]
    """Section keys."""
    entities: frozenset[str]
    characters: int

    @classmethod
    def of(cls, pages: Iterable[Page], chunks: Iterable[Chunk], entities: Iterable[Entity]) -> Content:
        """The content of one source's records."""
        texts = [len(page.text) for page in pages]
        sections = frozenset(chunk.section for chunk in chunks if chunk.kind != "code")
        return cls(len(texts), sections, frozenset(entity.name for entity in entities), sum(texts))


def suspicions(old: Content, new: Content) -> tuple[str, ...]:
    """In words, what looks wrong about ``new`` beside ``old``; empty where nothing does."""
    found: list[str] = []
    if new.pages < old.pages * KEPT_PAGES:
        found.append(f"pages fell from {old.pages:,} to {new.pages:,}")
    found += _gone("sections", old.sections, new.sections, KEPT_SECTIONS)
    if len(old.entities) >= FEW_ENTITIES:
        found += _gone("API names", old.entities, new.entities, KEPT_ENTITIES)
    if new.characters < old.characters * KEPT_TEXT:
        found.append(f"the text fell from {old.characters:,} to {new.characters:,} characters")
    return tuple(found)


def _gone(what: str, old: AbstractSet[str], new: AbstractSet[str], kept: float) -> list[str]:
    gone = len(old - new)
    return [f"{gone:,} of {len(old):,} {what} are gone"] if len(old) - gone < len(old) * kept else []
