"""Tables, cards and findings that a notebook shows: values as HTML, and the same as plain text.

Everything is escaped: the text of a documentation page is shown, never rendered.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

BORDER = "var(--jp-border-color2, #ddd)"
HEADING = "var(--jp-layout-color2, #f3f3f3)"
KIND_COLOURS = {"page": "#35495e", "section": "#2f7d5b", "subsection": "#4f9bd9", "code": "#d98e04"}


@dataclass(frozen=True, slots=True)
class Link:
    """A cell that leads somewhere."""

    text: str
    url: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Table:
    """Rows under named columns; a long one scrolls. Numbers stand to the right, floats with three decimals."""

    columns: Sequence[str]
    rows: Sequence[Sequence[object]]
    caption: str = ""
    height: int = 440
    """Pixels before it scrolls."""
    numeric: frozenset[int] = field(init=False)

    def __post_init__(self) -> None:
        numbers = {place for place in range(len(self.columns)) if self.rows and all(_number(row[place]) for row in self.rows)}
        object.__setattr__(self, "numeric", frozenset(numbers))

    def _repr_html_(self) -> str:
        head = "".join(self._cell("th", place, name) for place, name in enumerate(self.columns))
        body = "".join(f"<tr>{''.join(self._cell('td', n, cell) for n, cell in enumerate(row))}</tr>" for row in self.rows)
        caption = f"<div style='font-weight:600;margin:.4em 0'>{html.escape(self.caption)}</div>" if self.caption else ""
        empty = "" if self.rows else "<div style='opacity:.7;padding:.3em'>none</div>"
        table = f"<table style='border-collapse:collapse;margin:0'><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        box = f"<div style='max-height:{self.height}px;overflow:auto;display:inline-block;max-width:100%'>{table}{empty}</div>"
        return f"{caption}{box}"

    def _cell(self, tag: str, place: int, value: object) -> str:
        style = f"text-align:{'right' if place in self.numeric else 'left'};padding:.25em .8em;vertical-align:top;"
        style += "max-width:44em;overflow-wrap:anywhere;white-space:pre-wrap;"
        style += f"position:sticky;top:0;background:{HEADING};" if tag == "th" else f"border-top:1px solid {BORDER};"
        style += "white-space:nowrap;" if tag == "td" and place in self.numeric else ""
        text = html.escape(shown(value))
        if isinstance(value, Link) and value.url.startswith(("https://", "http://")):
            text = f'<a href="{html.escape(value.url)}" target="_blank" rel="noopener">{text}</a>'
        return f"<{tag} style='{style}'>{text}</{tag}>"

    def __repr__(self) -> str:
        texts = [[shown(cell).replace("\n", " ") for cell in row] for row in (self.columns, *self.rows)]
        widths = [min(60, max(len(row[place]) for row in texts)) for place in range(len(self.columns))]
        lines = ["  ".join(cell[:width].ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in texts]
        return "\n".join([*([self.caption] if self.caption else []), *lines])


@dataclass(frozen=True)
class Card:
    """One text with what is to be known of it."""

    title: str
    facts: str
    text: str
    kind: str = "section"
    above: str = ""
    """Shown between title and text, set off: a chunk's context, or its questions."""


@dataclass(frozen=True)
class Cards:
    """Texts one below the other, each as it is kept."""

    cards: Sequence[Card]
    lines: int = 14
    """Lines of a text before it scrolls."""

    def _repr_html_(self) -> str:
        return "".join(self._card(card) for card in self.cards) or "<div style='opacity:.7'>none</div>"

    def _card(self, card: Card) -> str:
        colour = KIND_COLOURS.get(card.kind, "#888")
        text = "white-space:pre-wrap;overflow-wrap:anywhere;margin:.4em 0 0 0;font-size:.85em;line-height:1.45;"
        text += f"max-height:{self.lines * 1.45:.1f}em;overflow:auto;background:transparent;padding:0"
        above = "white-space:pre-wrap;margin:.4em 0 0 0;padding:.4em .7em;font-size:.9em;"
        above += f"background:{HEADING};border-radius:3px"
        said = f"<div style='{above}'>{html.escape(card.above)}</div>" if card.above else ""
        return (
            f"<div style='border-left:4px solid {colour};padding:.3em 0 .3em .9em;margin:0 0 1.1em 0'>"
            f"<b>{html.escape(card.title)}</b> <span style='opacity:.75'>&nbsp;{html.escape(card.facts)}</span>"
            f"{said}<pre style='{text}'>{html.escape(card.text)}</pre></div>"
        )

    def __repr__(self) -> str:
        return "\n\n".join(f"{card.title} ({card.facts})\n{card.above}\n{card.text}" for card in self.cards)


@dataclass(frozen=True)
class Findings:
    """Sentences that were computed, as a list."""

    sentences: Sequence[str]

    def _repr_html_(self) -> str:
        items = "".join(f"<li style='margin:.25em 0'>{html.escape(sentence)}</li>" for sentence in self.sentences)
        return f"<b>Findings</b><ul style='margin:.3em 0'>{items}</ul>"

    def __repr__(self) -> str:
        return "\n".join(["Findings", *(f"- {sentence}" for sentence in self.sentences)])


def shown(value: object) -> str:
    """A cell's text: thousands with commas, floats with three decimals, several values with commas between."""
    if isinstance(value, bool) or value is None:
        return "yes" if value else ""
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:.3f}"
    if isinstance(value, tuple | list):
        return ", ".join(map(shown, value))
    return str(value)


def share(part: int, whole: int) -> str:
    """``12 of 80 (15%)``."""
    return f"{part:,} of {whole:,} ({part / whole:.0%})" if whole else "none of none"


def clip(text: str, length: int = 160) -> str:
    """The beginning of ``text`` on one line."""
    line = " ".join(text.split())
    return line if len(line) <= length else line[: length - 1].rstrip() + "…"


def evenly(items: Iterable[object], count: int) -> list[int]:
    """Places of ``count`` items spread evenly over all of them: a sample that is the same every time."""
    size = len(list(items))
    return sorted({place * size // count for place in range(min(count, size))}) if size > count else list(range(size))


def _number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
