"""Reads fixture files: a title line, the input, a line with a dot, the expected text, a line with a dot; then the next case."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from vuedocs.sources import registry
from vuedocs.sources.document import Document
from vuedocs.sources.front import normalise
from vuedocs.sources.readers import read

FIXTURES = Path(__file__).parent.parent / "fixtures"
FOLDER = FIXTURES / "markup"


def cases(folder: Path = FOLDER) -> Iterator[tuple[str, str, str]]:
    """(name, input, expected) of every case in every file of a folder."""
    for file in sorted(folder.glob("*.txt")):
        lines = iter(file.read_text(encoding="utf-8").split("\n"))
        for title in lines:
            if title.strip():
                yield f"{file.stem}: {title}", "\n".join(until_dot(lines)), "\n".join(until_dot(lines))


def until_dot(lines: Iterator[str]) -> Iterator[str]:
    """The lines before the next dot that stands alone."""
    for line in lines:
        if line == ".":
            return
        yield line


def document(text: str, source: str = "vue", root: Path = FOLDER) -> Document:
    """A page of this text, whose links stay as they are written."""
    return read(normalise(text), "page.md", registry()[source], root, lambda href: href)


def outline(document: Document) -> str:
    """A document as the fixtures write it: for each part what it is in brackets, and its text."""
    texts: list[str] = []
    for part in document.parts:
        words = [f"h{part.level}", part.title, f"#{part.anchor}" if part.anchor else ""]
        words += [part.style if part.style != "both" else "", f"since {part.since}" if part.since else ""]
        texts.append("[" + " | ".join(word for word in words if word) + "]")
        if part.body:
            texts.append(part.body)
    return "\n".join(texts)
