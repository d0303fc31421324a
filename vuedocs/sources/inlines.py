"""Inline Markdown, from tokens back to text: links made absolute, badges and Vue components read, markup kept."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from html.parser import HTMLParser

from markdown_it.token import Token

from vuedocs.records import ApiStyle
from vuedocs.sources.code import inline
from vuedocs.sources.html import BADGES, Reading, badge, style_of, tag_name

_SINCE = re.compile(r"^(?:since\s+|available in\s+|added in\s+)?v?(\d+(?:\.\d+)*)\s*\+?$", re.IGNORECASE)
_EMOJI = re.compile(r"(?<!\S):[a-z][a-z0-9_+-]*:(?!\S)")
"""A shortcode such as :tada: that stands alone; which names are emoji is the renderer's table, and headings hold no others."""
_MARKER = re.compile(r"\s+(\*{1,2})$")
_BARE_TAG = re.compile(r"</?[\w.-]+\s*/?>")


class _Attributes(HTMLParser):
    found: dict[str, str]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found = {name: value or "" for name, value in attrs}


def attributes_of(markup: str) -> Mapping[str, str]:
    """The attributes of one tag."""
    if _BARE_TAG.fullmatch(markup):
        return {}
    reader = _Attributes()
    reader.found = {}
    reader.feed(markup)
    return reader.found


class InlineText:
    """Writes the tokens of one block."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._out: list[str] = []
        self._links: list[tuple[str, int]] = []
        self._closed_span: tuple[ApiStyle, int] | None = None

    def write(self, tokens: Sequence[Token]) -> str:
        """The block's text; soft line breaks stay line breaks."""
        dropped = self._reading.dropped
        for token in tokens:
            if token.type == "html_inline":
                self._html(token.content)
                dropped = self._reading.dropped
            elif dropped:
                continue
            elif writer := _WRITERS.get(token.type):
                writer(self, token)
            else:
                self._out.append(token.markup if token.type in _KEPT_MARKUP else token.content)
        return "".join(self._out).strip()

    def _code_inline(self, token: Token) -> None:
        self._out.append(inline(token.content))

    def _softbreak(self, token: Token) -> None:
        self._out.append("\n")

    def _image(self, token: Token) -> None:
        self._out.append(token.content)

    def _link_open(self, token: Token) -> None:
        self._links.append((str(token.attrGet("href") or ""), len(self._out)))

    def _link_close(self, token: Token) -> None:
        self._end_link()

    def _end_link(self) -> None:
        if not self._links:
            return
        href, start = self._links.pop()
        self._out[start:] = [self._reading.link(href, "".join(self._out[start:]))]

    def _html(self, markup: str) -> None:
        name = tag_name(markup)
        if not name:
            return
        if markup.startswith("</"):
            self._html_close(name)
            return
        attributes = attributes_of(markup)
        style = style_of(attributes.get("class", ""))
        if not markup.endswith("/>") or name.lower() == "sup":
            self._reading.open(name, attributes)
        if self._reading.dropped:
            pass
        elif name.lower() == "br":
            self._out.append("\n")
        elif name.lower() == "img":
            self._out.append(attributes.get("alt", ""))
        elif text := badge(name, attributes):
            self._out.append(f"{self._before_badge()}{text})")
        elif name.lower() in BADGES and not markup.endswith("/>"):
            self._out.append(self._before_badge())
        elif name == "code":
            self._out.append("`")
        elif name == "a":
            self._links.append((attributes.get("href", ""), len(self._out)))
        elif style != "both":
            self._separate(style)
        if name.lower() == "sup" and markup.endswith("/>"):
            self._reading.close(name)

    def _before_badge(self) -> str:
        return "(" if "".join(self._out[-1:]).endswith((" ", "\n")) else " ("

    def _html_close(self, name: str) -> None:
        if name.lower() in BADGES and self._reading.names[name.lower()]:
            self._out.append(")")
        style = self._reading.stack[-1].style if self._reading.stack else "both"
        self._reading.close(name)
        if name == "code":
            self._out.append("`")
        elif name == "a":
            self._end_link()
        if style != "both":
            self._closed_span = style, len(self._out)

    def _separate(self, style: ApiStyle) -> None:
        """Puts `` / `` between neighbouring words for the two API styles."""
        if self._closed_span is None:
            return
        before, end = self._closed_span
        if before != style and not "".join(self._out[end:]).strip():
            self._out[end:] = [" / "]


_WRITERS: Mapping[str, Callable[[InlineText, Token], None]] = {
    "code_inline": InlineText._code_inline,
    "softbreak": InlineText._softbreak,
    "hardbreak": InlineText._softbreak,
    "image": InlineText._image,
    "link_open": InlineText._link_open,
    "link_close": InlineText._link_close,
}
_KEPT_MARKUP = frozenset({"em_open", "em_close", "strong_open", "strong_close", "s_open", "s_close"})


class Title:
    """A heading's own text, with what its markers and badges say."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        badges: list[list[str]] = []
        words: list[str] = []
        inside = ""
        for token in tokens:
            if token.type != "html_inline":
                content = _EMOJI.sub("", token.content) if token.type == "text" else token.content
                (badges[-1] if inside else words).append(content)
                continue
            name = tag_name(token.content)
            if token.content.startswith("</"):
                inside = "" if name == inside else inside
            elif name in ("Badge", "Version") or badge(name, attributes_of(token.content)):
                badges.append([badge(name, attributes_of(token.content))])
                inside = "" if token.content.endswith("/>") else name
        text = " ".join("".join(words).split())
        marker = _MARKER.search(text)
        self.text = text[: marker.start()] if marker else text
        self.style: ApiStyle = "both" if not marker else ("options" if marker.group(1) == "*" else "composition")
        self.badges = tuple(text for said in badges if (text := " ".join("".join(said).split())))
        """What each badge says: ``3.5+``, ``advanced``."""
        place = next((place for place, text in enumerate(self.badges) if _SINCE.match(text)), None) if badges else None
        since = None if place is None else _SINCE.match(self.badges[place])
        self.since = since.group(1) if since else ""
        self.remark = ", ".join(text for number, text in enumerate(self.badges) if number != place)
        """What the badges say besides the version of ``since``."""


def slug_text(tokens: Sequence[Token]) -> str:
    """What a heading's anchor is made from: entities as they are spelt, no tags and no emoji."""
    return "".join(_slug_piece(token) for token in tokens if token.type != "html_inline")


def _slug_piece(token: Token) -> str:
    if token.info == "entity":
        return token.markup
    return _EMOJI.sub("", token.content) if token.type == "text" else token.content
