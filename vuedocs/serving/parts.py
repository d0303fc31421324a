"""Long texts in parts that every client takes."""

from __future__ import annotations

from collections.abc import Sequence

PART_CHARACTERS = 24_000
"""Of one answer, about 6,000 tokens; the rest comes by cursor."""


def parts(texts: Sequence[str], limit: int = PART_CHARACTERS) -> list[str]:
    """``texts`` joined into parts of at most ``limit`` characters, split between texts if possible, else between lines."""
    pieces = [piece for text in texts for piece in split_lines(text.strip(), limit) if piece]
    joined: list[str] = []
    for piece in pieces:
        if joined and len(joined[-1]) + len(piece) + 2 <= limit:
            joined[-1] += f"\n\n{piece}"
        else:
            joined.append(piece)
    return joined


def split_lines(text: str, limit: int) -> list[str]:
    """``text`` in pieces of whole lines; only a line longer than ``limit`` is broken. Fences stay balanced."""
    if len(text) <= limit:
        return [text]
    pieces: list[str] = []
    lines: list[str] = []
    fence = ""
    step = limit // 2
    for line in (whole[start : start + step] for whole in text.split("\n") for start in range(0, len(whole) or 1, step)):
        if lines and sum(map(len, lines)) + len(lines) + len(line) + 2 * len(fence) + 2 > limit:
            pieces.append("\n".join([*lines, *([closing(fence)] if fence else [])]))
            lines = [fence] if fence else []
        fence = fence_after(line, fence)
        lines.append(line)
    return [*pieces, "\n".join(lines)]


def fence_after(line: str, fence: str) -> str:
    """The opening line of the code block that is open after ``line``, or ``""``."""
    mark = line.strip()
    if not mark.startswith(("```", "~~~")):
        return fence
    if not fence:
        return line
    return "" if mark.startswith(closing(fence)) and not mark.strip(mark[0]) else fence


def closing(fence: str) -> str:
    """The line that closes a code block opened by ``fence``."""
    mark = fence.strip()
    return mark[: len(mark) - len(mark.lstrip(mark[0]))]
