"""From read documents to pages and chunks: keys, heading paths, links between sections."""

from __future__ import annotations

import hashlib
import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from vuedocs.config import Parse
from vuedocs.ingest.sentences import first_sentence
from vuedocs.records import Chunk, ChunkKind, Link, Page
from vuedocs.sources import Source
from vuedocs.sources.document import Document, Href, Part
from vuedocs.sources.links import Anchors, Site, priority
from vuedocs.sources.pages import PageFile
from vuedocs.sources.routes import page_url, route_of, without_number

_EMPTY = Part(0, "", "", "both", "", "", "", (), (), ())


@dataclass(frozen=True, slots=True)
class ReadPage:
    """A page's file with what was read in it."""

    file: PageFile
    document: Document

    @property
    def title(self) -> str:
        """From the H1, else the front matter, else the navigation, else the file's name."""
        first = self.document.parts[0]
        written = self.document.front.get("title")
        named = self.file.entry.title if self.file.entry else ""
        return first.title if first.level == 1 and first.title else str(written or named or _from_name(self.file.path))

    @property
    def parts(self) -> tuple[Part, ...]:
        """The parts with the page's own text first, empty where the file begins with a section."""
        parts = self.document.parts
        return parts if parts[0].level <= 1 else (_EMPTY, *parts)

    def key(self, place: int) -> str:
        """The section key of a part; a heading of symbols alone has no anchor on the site and is named by its place."""
        path = self.file.path
        return path if place == 0 else f"{path}#{self.parts[place].anchor or f'heading-{place}'}"


def _from_name(path: str) -> str:
    name = without_number(posixpath.basename(path))
    if name in ("index", "README"):
        name = without_number(posixpath.basename(posixpath.dirname(path))) or "Home"
    return " ".join(word[:1].upper() + word[1:] for word in re.split(r"[-_\s]+", name) if word)


def sha256(text: str) -> str:
    """64 hex digits."""
    return hashlib.sha256(text.encode()).hexdigest()


def page_of(source: Source, page: ReadPage) -> Page:
    """The Page record."""
    file = page.file
    return Page(
        source=source.name,
        path=file.path,
        route=route_of(source, file.path),
        url=page_url(source, file.path),
        title=page.title,
        section=file.entry.section if file.entry else "",
        position=file.position,
        description=_description(page),
        text="\n\n".join(_part_text(part, page.title, place) for place, part in enumerate(page.document.parts)),
        content_hash=sha256(file.text),
    )


def _description(page: ReadPage) -> str:
    """The front matter's description, or the first sentence of the page's own prose; a section's speaks of the section only."""
    written = page.document.front.get("description")
    if isinstance(written, str) and written.strip():
        return " ".join(written.split())
    return first_sentence(page.parts[0].prose)


def _part_text(part: Part, page_title: str, place: int) -> str:
    """A part's text with its heading line first, and below it what badges say: readers of chunks set headings themselves.

    Where nothing else follows, the remark stands in the heading line, so that the section is still no more than a heading.
    """
    title, level = (page_title, 1) if place == 0 and part.level <= 1 else (part.title, max(part.level, 2))
    heading = f"{'#' * level} {title}"
    if not part.remark:
        return f"{heading}\n\n{part.body}" if part.body else heading
    return f"{heading}\n\n({part.remark})\n\n{part.body}" if part.body else f"{heading} ({part.remark})"


class Chunker:
    """Makes the chunks of one source's pages; it has to know all of them to resolve links."""

    def __init__(self, source: Source, pages: Sequence[ReadPage], section: Parse) -> None:
        self._source = source
        self._pages = pages
        self._section = section
        self._site = Site(source, frozenset(page.file.path for page in pages))
        self._anchors = Anchors({page.file.path: _anchor_map(page) for page in pages})
        self.dead: list[str] = []
        """Links that lead nowhere, in words."""

    def chunks(self) -> Iterator[Chunk]:
        """All chunks, in reading order."""
        for page in self._pages:
            for place, chunk in enumerate(self._page_chunks(page)):
                yield replace(chunk, position=(page.file.position, place))

    def _page_chunks(self, page: ReadPage) -> Iterator[Chunk]:
        above: tuple[str, ...] = ()
        for place, part in enumerate(page.parts):
            heading_path: tuple[str, ...]
            if place == 0:
                heading_path = (page.title,)
            elif part.level < 3:
                heading_path = above = (page.title, part.title)
            else:
                heading_path = (*(above or (page.title,)), part.title)
            chunk = self._chunk(page, part, place, heading_path)
            yield chunk
            yield from self._code_chunks(chunk, part)

    def _chunk(self, page: ReadPage, part: Part, place: int, heading_path: tuple[str, ...]) -> Chunk:
        kind: ChunkKind = "page" if place == 0 else ("section" if part.level < 3 else "subsection")
        path, key = page.file.path, page.key(place)
        url = page_url(self._source, path)
        text = _part_text(part, page.title, place)
        return Chunk(
            id=f"{self._source.name}/{key}",
            source=self._source.name,
            path=path,
            route=route_of(self._source, path),
            kind=kind,
            anchor=key.partition("#")[2],
            url=f"{url}#{part.anchor}" if place and part.anchor else url,
            title=heading_path[-1],
            heading_path=heading_path,
            position=(page.file.position, 0),
            text=text,
            content_hash=sha256(text),
            api_style=part.style,
            since=part.since,
            links=tuple(self._links(page, key, part.hrefs)),
        )

    def _code_chunks(self, chunk: Chunk, part: Part) -> Iterator[Chunk]:
        if not self._section.code_chunks:
            return
        long_enough = [example for example in part.examples if example.lines >= self._section.code_min_lines]
        for number, example in enumerate(long_enough, start=1):
            yield replace(
                chunk,
                id=f"{chunk.id}~code-{number}",
                kind="code",
                text=example.text,
                content_hash=sha256(example.text),
                api_style=chunk.api_style if example.style == "both" else example.style,
                links=(),
            )

    def _links(self, page: ReadPage, key: str, hrefs: Sequence[Href]) -> Iterator[Link]:
        """The links of a section to others, each target once."""
        seen = {key}
        for href in hrefs:
            target = self._target(page, href.href)
            if target is not None and target not in seen:
                seen.add(target)
                yield Link(target, " ".join(href.text.split()), priority(page.file.path, target.partition("#")[0]))

    def _target(self, page: ReadPage, href: str) -> str | None:
        place = self._site.place(href, page.file.path)
        if place is None:
            return None
        if place.path is None:
            self.dead.append(f"{page.file.name} links to {href}, which is no page here")
            return None
        section = self._anchors.section(place.path, place.fragment) if place.fragment else place.path
        if section is None:
            self.dead.append(f"{page.file.name} links to {href}, but {place.path} has no such anchor")
            return place.path
        return section


def _anchor_map(page: ReadPage) -> dict[str, str]:
    """The section key for every anchor on the page."""
    return {anchor: page.key(place) for place, part in reversed(list(enumerate(page.parts))) for anchor in part.anchors}
