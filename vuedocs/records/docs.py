"""Documentation as it is read: pages, chunks, links, entities, and the questions that chunks answer."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal

ChunkKind = Literal["page", "section", "subsection", "code"]
ApiStyle = Literal["options", "composition", "both"]
LinkPriority = Literal["high", "medium", "low"]


@dataclass(frozen=True, slots=True)
class Checkout:
    """One source's documentation on disk, and what is known of its state."""

    source: str
    folder: Path
    """The docs folder itself: paths of pages are relative to it."""
    site: Path | None
    """The folder that holds the site's own config (``.vitepress/``), where there is one."""
    commit: str
    """Commit hash; ``sha256:...`` of the contents where the folder is no checkout."""
    version: str
    date: datetime | None
    origin: str
    """In words for people: ``git https://... at v3.5`` or ``folder ../docs/vue``."""


@dataclass(frozen=True, slots=True)
class Link:
    """A link out of a chunk to another page of the same source, or to one of its sections."""

    target: str
    """Section key, ``path#anchor`` or ``path``."""
    text: str
    priority: LinkPriority


@dataclass(frozen=True, slots=True)
class Page:
    """One file of documentation, as its reader would see it."""

    source: str
    path: str
    """The file in the docs folder without its suffix, as it is named: ``guide/essentials/computed``."""
    route: str
    """The path on the site: ``guide/essentials/computed``; ``""`` for a site's root."""
    url: str
    title: str
    section: str
    """The navigation group that names the page; ``""`` where none does."""
    position: int
    """Place in the order of reading, from 0."""
    description: str
    """The page's first sentence of prose (or its front matter's description)."""
    text: str
    """The page as plain Markdown."""
    content_hash: str
    """sha256 of the file's normalised text, 64 hex digits: a CRLF twin has the same one."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """The indexed unit: a page's own text, a section, a subsection, or one code example."""

    id: str
    source: str
    path: str
    route: str
    kind: ChunkKind
    anchor: str
    """URL fragment without ``#``; ``""`` for a page."""
    url: str
    title: str
    """The heading's own text; for code, the title of the section it belongs to."""
    heading_path: tuple[str, ...]
    """Page title first, the chunk's own title last."""
    position: tuple[int, int]
    """(page position in the order of reading, place on the page), both from 0."""
    text: str
    """The chunk's own text as Markdown, its heading line first, without its subsections' text."""
    content_hash: str
    """sha256 of ``text``, 64 hex digits."""
    api_style: ApiStyle = "both"
    since: str = ""
    """The version of the heading's badge: ``3.5``."""
    links: tuple[Link, ...] = ()
    entities: tuple[str, ...] = ()
    """Names of entities that the chunk speaks of, the most frequent first."""
    context: str = ""
    """Set by enrich: what to say before the text so that it stands alone. Embedded, never shown."""

    @property
    def section(self) -> str:
        """The section key: ``path#anchor``, or ``path`` for a page's own text."""
        return f"{self.path}#{self.anchor}" if self.anchor else self.path

    @property
    def section_id(self) -> str:
        """The id of the chunk that holds this one's text: its own, or for code that of the section around it."""
        return self.id.split("~code-")[0]

    @property
    def has_text(self) -> bool:
        """Whether it is more than its heading, which alone answers nothing: it is then read, but not searched."""
        first, _, rest = self.text.partition("\n")
        return bool(rest.strip()) or not first.startswith("#")


@dataclass(frozen=True, slots=True)
class Entity:
    """An API name, with the section that defines it."""

    name: str
    """As the docs write it: ``computed``, ``v-model``, ``KeepAlive``, ``app.config.globalProperties``."""
    type: str
    """``lifecycle hook``, ``composable``, ``directive``, ``component``, ``compiler macro``, ``option``, ..."""
    source: str
    chunk_id: str
    aliases: tuple[str, ...] = ()
    """Other spellings: ``keep-alive`` for ``KeepAlive``."""
    signature: str = ""
    since: str = ""
    deprecated: bool = False
    description: str = ""

    @property
    def key(self) -> str:
        """Unique over all sources: ``vue:computed``."""
        return f"{self.source}:{self.name}"


@dataclass(frozen=True, slots=True)
class Question:
    """A hypothetical question that a chunk answers (HyPE), kept as a point of its own."""

    chunk_id: str
    text: str
    origin: str
    """Who wrote it: ``rule``, ``pack``, or a model's name."""


def scopes_of(route: str, path: str) -> tuple[str, ...]:
    """All folders of a route, outermost first; a folder's index page is in the folder: ``guide``, ``guide/components``."""
    parts = route.strip("/").split("/")
    folders = parts if path.endswith("index") and route else parts[:-1]
    return tuple("/".join(folders[: depth + 1]) for depth in range(len(folders)))
