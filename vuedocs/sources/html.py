"""HTML and Vue components among Markdown: what of them is text, and which API style their classes speak of."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser

from vuedocs.records import ApiStyle
from vuedocs.sources.code import fenced, inline
from vuedocs.sources.document import Example, Href
from vuedocs.sources.plain_yaml import plain_yaml
from vuedocs.sources.tables import table, words

VOID = frozenset(["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"])
_BLOCK = frozenset(
    """
    address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure
    footer form h1 h2 h3 h4 h5 h6 header hr legend li main menu nav ol option p section select summary table tbody
    td textarea tfoot th thead tr ul template
    """.split()  # noqa: SIM905 (a list would be sixty lines)
)
_TITLES = {"doctip": ("title", "type"), "callout": ("title",), "tabmarkdown": ("title",), "tabpreview": ("name",)}
"""Components that show one of these attributes above their content."""
_KINDS = {"doctip": "tip"}
_KIND_WORDS = {"warn": "Warning", "tip": "Tip", "danger": "Danger"}
BADGES = frozenset({"badge", "version", "docbadge"})
"""Components whose text, or whose content, is a remark such as a version."""
_BOLD_BLOCK = frozenset({"h1", "h2", "h3", "h4", "h5", "h6", "summary"})
_DROPPED = frozenset({"script", "style", "svg", "iframe", "video", "audio", "canvas", "object", "noscript"})
_MARKS = {"strong": "**", "b": "**", "em": "*", "i": "*"}
_PROMOTION = re.compile(r"vue-?school|vue-?mastery|scrimba|lambdatest|sponsor|banner|carbon-?ads", re.IGNORECASE)
_INTERPOLATION = re.compile(r"\{\{[^{}]*\}\}")
_BREAKS = re.compile(r"\s+|\\n")
_NAME = re.compile(r"</?\s*([A-Za-z][\w.-]*)")


@dataclass(slots=True)
class OpenTag:
    """An element that is open at this place of the page."""

    name: str
    style: ApiStyle
    dropped: bool
    around: ApiStyle
    """The style of what it holds: its own, or that of the elements around it."""
    silent: bool
    """Whether it, or an element around it, holds no documentation."""


@dataclass(slots=True)
class Reading:
    """What is known at this place of the page, and what the part under way has gathered so far."""

    site: Callable[[str], str]
    """A link as written to the URL that a reader can follow; ``""`` where there is none."""
    stack: list[OpenTag] = field(default_factory=list)
    names: Counter[str] = field(default_factory=Counter)
    """How often each name is open: a page may leave thousands open, too many to look through at each tag."""
    hrefs: list[Href] = field(default_factory=list)
    anchors: list[str] = field(default_factory=list)
    examples: list[Example] = field(default_factory=list)
    prose: list[str] = field(default_factory=list)
    """Paragraphs since the last example."""
    introduction: str = ""
    """The prose of the last example."""
    first: str = ""
    """The part's first paragraph, as plain text."""

    @property
    def style(self) -> ApiStyle:
        return self.stack[-1].around if self.stack else "both"

    @property
    def dropped(self) -> bool:
        """Whether an element is open whose content is no documentation."""
        return bool(self.stack) and self.stack[-1].silent

    def open(self, name: str, attributes: Mapping[str, str]) -> None:
        if "id" in attributes:
            self.anchors.append(attributes["id"])
        if name.lower() in VOID:
            return
        classes = attributes.get("class", "")
        self._push(name.lower(), style_of(classes), is_dropped(name, classes))

    def _push(self, name: str, style: ApiStyle, dropped: bool) -> None:
        self.stack.append(OpenTag(name, style, dropped, self.style if style == "both" else style, dropped or self.dropped))
        self.names[name] += 1

    def close(self, name: str) -> None:
        """Closes the innermost element of this name, and what was left open in it; nothing where there is none."""
        if not self.names[name.lower()]:
            return
        closed = ""
        while closed != name.lower():
            closed = self.stack.pop().name
            self.names[closed] -= 1

    def link(self, href: str, text: str) -> str:
        """A link as Markdown: with the URL that a reader can follow, or its text alone."""
        plain = text.strip()
        if not href or not plain:
            return text
        self.hrefs.append(Href(href, plain))
        url = self.site(href)
        if not url or url == plain:
            return text
        return f"[{text}]({url})"

    def part(self) -> tuple[tuple[Example, ...], tuple[Href, ...], tuple[str, ...], str]:
        """What the part has gathered, forgetting it; elements stay open, except dropped ones that a heading must have ended."""
        gathered = tuple(self.examples), tuple(self.hrefs), tuple(self.anchors), self.first
        self.examples, self.hrefs, self.anchors, self.prose = [], [], [], []
        self.first = self.introduction = ""
        if self.dropped:
            stack, self.stack = self.stack, []
            self.names.clear()
            for tag in stack:
                if not tag.dropped:
                    self._push(tag.name, tag.style, False)
        return gathered


def style_of(classes: str) -> ApiStyle:
    """The API style that a class attribute marks."""
    names = classes.split()
    options, composition = "options-api" in names, "composition-api" in names
    if options == composition:
        return "both"
    return "options" if options else "composition"


def is_dropped(name: str, classes: str) -> bool:
    """Whether an element holds no documentation: scripts, media, and promotion of courses and sponsors."""
    return name.lower() in _DROPPED or bool(_PROMOTION.search(name) or _PROMOTION.search(classes))


def badge(name: str, attributes: Mapping[str, str]) -> str:
    """The text of a badge element: ``3.5+``; ``""`` for any other element."""
    classes = attributes.get("class", "").split()
    if name.lower() == "sup" and "vt-badge" in classes:
        return attributes.get("data-text") or " ".join(c for c in classes if c != "vt-badge").replace("-", " ")
    if name.lower() == "docbadge":
        return attributes.get("title", "")
    return attributes.get("text", "") if name.lower() in BADGES else ""


def title_of(name: str, attributes: dict[str, str]) -> str:
    """What a component shows above its content: the name of a tab, the title of a tip or its kind; ``""`` for any other."""
    shown = _TITLES.get(name.lower(), ())
    title = next((attributes[key] for key in shown if attributes.get(key)), _KINDS.get(name.lower(), ""))
    return _KIND_WORDS.get(title, title)


def tag_name(markup: str) -> str:
    """The name in a tag as it is written: ``<VueSchoolLink href="...">`` gives ``VueSchoolLink``."""
    match = _NAME.match(markup)
    return match.group(1) if match else ""


def read_html(html: str, reading: Reading) -> list[str]:
    """The text of a stretch of HTML as Markdown blocks; elements that it leaves open stay open in ``reading``."""
    fragment = _Fragment(reading)
    whole = html.rfind(">") + 1
    fragment.feed(html[:whole])
    fragment.close()
    if rest := html[whole:].strip():
        # No tag ends here; fed to the parser, each that begins would be searched to the end.
        fragment.handle_data(rest)
    return fragment.finish()


def props_table(name: str, attributes: dict[str, str]) -> str:
    """The table that ``<APITable :data="[...]">`` shows; ``""`` for any other element, or where its data is no literal."""
    if name.lower() != "apitable":
        return ""
    try:
        rows = table(plain_yaml(_BREAKS.sub(" ", attributes.get(":data", ""))))
    except ValueError:
        return ""
    kind = words(attributes.get(":type", "").strip("'"))
    return f"**{kind}s**\n\n{rows}" if rows and kind else rows


class _Fragment(HTMLParser):
    def __init__(self, reading: Reading) -> None:
        super().__init__(convert_charrefs=True)
        self._reading = reading
        self._buffer: list[str] = []
        self._starts: list[tuple[str, int, str]] = []
        self._names: Counter[str] = Counter()
        self._flushed = self._linked = 0
        """How many of ``_starts`` began before the buffer, and how many of those whose link has been written."""
        self._prefix = self._suffix = ""
        self._blocks: list[str] = []

    def updatepos(self, i: int, j: int) -> int:
        """Nobody asks for line numbers, and counting lines takes long."""
        return j

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        name = tag_name(self.get_starttag_text() or tag)
        if tag in ("td", "th") and "".join(self._buffer).strip():
            self._buffer.append(" | ")
        elif tag in _BLOCK or tag == "pre":
            self._flush()
        elif title := title_of(name, attributes):
            self._flush()
            self._blocks.append(f"**{title}**")
        if rows := props_table(name, attributes):
            self._blocks.append(rows)
        self._reading.open(name, attributes)
        if self._reading.dropped:
            return
        if tag == "br":
            self._buffer.append("\n")
        elif tag == "img":
            self._buffer.append(attributes.get("alt", ""))
        elif text := badge(name, attributes):
            self._buffer.append(f" ({text})")
        elif tag in _BOLD_BLOCK:
            self._prefix = self._suffix = "**"
        elif tag == "li":
            self._prefix, self._suffix = "- ", ""
        self._starts.append((tag, len(self._buffer), attributes.get("href", "")))
        self._names[tag] += 1

    def handle_endtag(self, tag: str) -> None:
        if tag == "pre":
            self._pre()
        elif tag in _BLOCK and tag not in ("td", "th"):
            self._flush()
        if self._names[tag]:
            start, href = self._close(tag)
            if not self._reading.dropped:
                self._wrap(tag, start, href)
        self._reading.close(tag)

    def _close(self, tag: str) -> tuple[int, str]:
        """Forgets the innermost ``tag`` and what is open in it; where it began in the buffer, and its link if still unwritten."""
        name, start, href = "", 0, ""
        while name != tag:
            name, start, href = self._starts.pop()
            self._names[name] -= 1
        place = len(self._starts)
        start, href = 0 if place < self._flushed else start, "" if place < self._linked else href
        self._flushed, self._linked = min(self._flushed, place), min(self._linked, place)
        return start, href

    def handle_data(self, data: str) -> None:
        if self._names["pre"]:
            self._buffer.append(data)
        elif not self._reading.dropped:
            self._buffer.append(re.sub(r"\s+", " ", _INTERPOLATION.sub("", data)))

    def _wrap(self, tag: str, start: int, href: str) -> None:
        """Marks what an inline element holds, as Markdown does."""
        text = "".join(self._buffer[start:])
        if tag == "a" and href:
            self._buffer[start:] = [self._reading.link(href, text)]
        elif tag == "code" and text.strip() and "\n" not in text:
            self._buffer[start:] = [inline(text)]
        elif tag in _MARKS and text.strip():
            self._buffer[start:] = [f"{_MARKS[tag]}{text.strip()}{_MARKS[tag]}"]

    def _pre(self) -> None:
        """Preformatted text, as a code block."""
        text = "".join(self._buffer).strip("\n")
        if text.strip():
            self._blocks.append(fenced(text))
        self._buffer, self._starts = [], []
        self._names.clear()
        self._flushed = self._linked = 0

    def _flush(self) -> None:
        text = "\n".join(" ".join(line.split()) for line in "".join(self._buffer).split("\n")).strip()
        if text:
            href = next((href for _, _, href in self._starts[self._linked :] if href), "")
            text = self._reading.link(href, text) if href else text
            bold = self._suffix and text.startswith(self._suffix) and text.endswith(self._suffix)
            self._blocks.append(text if bold else f"{self._prefix}{text}{self._suffix}")
            self._prefix = self._suffix = ""
            self._linked = len(self._starts)
        self._buffer = []
        self._flushed = len(self._starts)

    def finish(self) -> list[str]:
        self._flush()
        return self._blocks
