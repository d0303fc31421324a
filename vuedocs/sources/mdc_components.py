"""What each Markdown component says to a reader: a box with a label, a heading line, a link, an example, a table, or nothing.

Components that are not named here only lay their content out: it stays, below their title where they have one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from vuedocs.sources.component_code import component_code
from vuedocs.sources.slugs import slugify_github
from vuedocs.sources.tables import table, words

Props = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Plan:
    """How a block component is written. ``before`` and ``after`` are Markdown around its content."""

    label: str = ""
    """The title of a box round the content; ``""`` for no box."""
    before: str = ""
    after: str = ""
    tabs: bool = False
    """Whether its code blocks are the tabs of one example."""
    silent: bool = False
    """Whether its content is a demonstration and not text."""
    slot_labels: bool = False
    """Whether the names of its slots tell readers which of them is theirs."""


_CALLOUTS = frozenset({"note", "tip", "info", "warning", "important", "caution", "danger", "success"})
_COLLAPSED = frozenset({"collapsible", "accordion-item", "tabs-item", "collapsed-details", "details"})
_TABS = frozenset({"code-group", "code-tree"})
_ALTERNATIVES = frozenset({"framework-only", "module-only"})
_TABLES = frozenset({"reference-table", "keyboard-events-table", "accessibility-table"})
_DEMONSTRATIONS = frozenset({"example", "component-example", "video", "video-card", "example-card", "install-wizard"})
_GENERATED = re.compile(r"^component-(?:props|slots|emits|theme|meta)$")


def block_plan(name: str, props: Props, empty: bool, page: str) -> Plan:
    """How the block component ``name`` is written; ``empty`` says that it has no content, ``page`` is its page's last name."""
    title = _text(props, "title", "label", "name")
    if name in _CALLOUTS or name == "callout":
        kind = name if name != "callout" else _text(props, "type")
        label = escaped(_text(props, "title", "label") or kind.capitalize())
        return Plan(label=_link(props, label)) if label else Plan(after=_where(props))
    if name in _COLLAPSED:
        return Plan(label=escaped(title or _text(props, "summary")))
    if name in _TABS:
        return Plan(tabs=True)
    if name in _ALTERNATIVES:
        return Plan(label=words(_text(props, "framework", "module")), slot_labels=True)
    if name in ("read-more", "link-example"):
        return Plan(before=inline_text(name, props)) if empty else Plan(after=_where(props))
    if name == "component-code":
        return Plan(before=component_code(props, page), silent=True)
    if name in _TABLES:
        return Plan(before=_outside_code("<", "\\<", table(props.get("data"))))
    if name in _DEMONSTRATIONS or _GENERATED.match(name):
        return Plan(silent=True)
    if name == "api-entry":
        return Plan(before=_entry_line(title, _text(props, "type")))
    return Plan(before=_heading_line(props))


def inline_text(name: str, props: Props) -> str:
    """The Markdown that an inline component without content stands for."""
    return _INLINE.get(name, _titled)(props)


def place_words(href: str) -> str:
    """Where a link leads, in words: ``/docs/4.x/api/utils/use-fetch#params`` is ``API > Utils > Use Fetch``."""
    if re.match(r"[a-z]+:", href):
        return re.sub(r"^[a-z]+://", "", href).rstrip("/")
    path, _, fragment = href.partition("#")
    parts = [part for part in path.split("/") if part and not re.fullmatch(r"docs|\d+\.x", part)]
    return " > ".join(words(part) for part in parts) or words(fragment)


def escaped(text: str) -> str:
    """A prop's plain text as Markdown."""
    return re.sub(r"([\\`*_\[\]<>&])", r"\\\1", text)


def _outside_code(old: str, new: str, markdown: str) -> str:
    pieces = re.split(r"(`[^`]*`)", markdown)
    return "".join(piece if piece.startswith("`") else piece.replace(old, new) for piece in pieces)


def _text(props: Props, *names: str) -> str:
    """The first of these props that is a text."""
    return next((value.strip() for name in names if isinstance(value := props.get(name), str) and value.strip()), "")


def _link(props: Props, text: str) -> str:
    target = _text(props, "to", "href")
    return f"[{text}](<{target}>)" if target else text


def _where(props: Props) -> str:
    target = _text(props, "to", "href")
    return _link(props, escaped(place_words(target))) if target else ""


def _heading_line(props: Props) -> str:
    title = _text(props, "title", "label")
    if not title:
        return _where(props)
    description = _text(props, "description")
    return f"**{_link(props, escaped(title))}**" + (f"\n\n{escaped(description)}" if description else "")


def _entry_line(name: str, kind: str) -> str:
    """An API entry: its name, where links to it lead, and what it is."""
    return f'<span id="{slugify_github(name)}"></span>**{escaped(name)}**' + (f" ({kind})" if kind else "")


def _titled(props: Props) -> str:
    title = _text(props, "title", "label", "text")
    return _link(props, escaped(title)) if title else ""


def _read_more(props: Props) -> str:
    target = _text(props, "to", "href")
    title = escaped(_text(props, "title", "label") or place_words(target))
    return f"Read more in {_link(props, title)}." if title else ""


def _live_example(props: Props) -> str:
    return f"See a live example in {_where(props)}."


def _video(props: Props) -> str:
    site = "https://vimeo.com/" if props.get("platform") == "vimeo" else "https://www.youtube.com/watch?v="
    return site + _text(props, "videoId")


def _frameworks(props: Props) -> str:
    """The same words for several frameworks, one after the other."""
    return " / ".join(re.sub(r"</?code>", "`", value) for value in props.values() if isinstance(value, str))


_INLINE: Mapping[str, Callable[[Props], str]] = {
    "read-more": _read_more,
    "link-example": _live_example,
    "framework-text": _frameworks,
    "video-accordion": lambda props: _titled({"to": _video(props), **props}),
    "kbd": lambda props: _text(props, "value"),
    "badge": lambda props: _text(props, "label"),
    "avatar": lambda props: "",
    "u-avatar": lambda props: "",
    "source": lambda props: "",
    "input": lambda props: "",
}
