"""Directives that bring in another file: ``<!--@include: ./part.md-->`` and ``<<< @/code.ts#region{2,4}``.

A directive that names a file outside of the docs, one that is missing, or one that includes itself is reported, and the page
goes on without it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from vuedocs.sources.front import split_front_matter

_INCLUDE = re.compile(r"<!--[ \t]*@include:[ \t]*([^\n]*?)[ \t]*-->")
_RANGE = re.compile(r"\{(\d*),(\d*)\}$")
_REGION = re.compile(r"#([^\s{]+)")
_SNIPPET = re.compile(r"^(?P<file>[^\s#{\[]+)(?:#(?P<region>[\w-]+))?\s*(?:\{(?P<options>[^}]*)\})?\s*(?:\[(?P<title>.+)\])?\s*$")
_REGION_MARK = re.compile(
    r"^\s*(?://|/\*|<!--|#|--|::|@?REM|\(\*)?\s*#?(?:pragma\s+)?(?P<end>end\s?)?region\b\s*(?P<name>[\w-]*)\s*(?:\*/|-->|\*\))?\s*$",
    re.IGNORECASE,
)
_DEEPEST = 10
_MOST = 1_000_000
"""Characters that one page may bring in: files that include each other many times would grow without end."""


@dataclass(slots=True)
class Includes:
    """Resolves the directives of one page; what cannot be resolved is added to ``reports``."""

    root: Path
    """The docs folder, which nothing may leave."""
    page: str
    below: str = ""
    """The docs folder's own path below the folder that ``@`` means; ``""`` where ``@`` means the docs folder."""
    reports: list[str] = field(default_factory=list)
    room: int = _MOST
    """Characters that may still be brought in."""

    def expand(self, text: str, file: str, above: tuple[str, ...] = ()) -> str:
        """``text`` of ``file`` (relative to the root) with every include put in."""
        if "@include" not in text:
            return text

        def put_in(match: re.Match[str]) -> str:
            return self._included(match.group(1), file, (*above, file))

        return _INCLUDE.sub(put_in, text).replace("@@include", "@include")

    def _included(self, directive: str, file: str, above: tuple[str, ...]) -> str:
        span = _RANGE.search(directive)
        rest = directive[: span.start()] if span else directive
        region = _REGION.search(rest)
        name = self._inside(rest[: region.start()] if region else rest, file, "include")
        if name is None:
            return ""
        if name in above or len(above) > _DEEPEST:
            self.reports.append(f"{self.page}: include {directive!r} goes round in a circle; left out")
            return ""
        text = self._read(name, directive, "include")
        if region:
            text = cut_region(text, region.group(1)) or cut_heading(text, region.group(1))
        if span:
            text = "\n".join(text.split("\n")[int(span.group(1) or 1) - 1 : int(span.group(2)) if span.group(2) else None])
        if not (region or span) and name.endswith(".md"):
            text = split_front_matter(text)[1]
        return self.expand(text, name, above)

    def snippet(self, directive: str, file: str) -> tuple[str, str]:
        """Info string and code of a ``<<<`` directive; where it cannot be resolved the code says so, as on the site."""
        match = _SNIPPET.match(directive)
        if match is None:
            self.reports.append(f"{self.page}: snippet {directive!r} cannot be read; write <<< @/file.ext#region [title]")
            return "", f"Code snippet not found: {directive}"
        written = match.group("file")
        words = (match.group("options") or "").split()
        named = [word for word in words if not re.fullmatch(r"[\d,-]+", word)]
        language = named[0] if named else PurePosixPath(written).suffix.removeprefix(".")
        lines = "".join(f"{{{word}}}" for word in words if word not in named)
        info = f"{language}{lines}[{match.group('title') or PurePosixPath(written).name}]"
        name = self._inside(written, file, "snippet")
        text = self._read(name, directive, "snippet") if name else ""
        if region := match.group("region"):
            text = cut_region(text, region) or text
        return info, text or f"Code snippet not found: {written}"

    def _inside(self, path: str, file: str, what: str) -> str | None:
        """The file that ``path`` in ``file`` means, relative to the root; None, with a report, where it lies outside."""
        written = path.strip()
        target = (self._below(written) if written.startswith("@") else (self.root / file).parent / written).resolve()
        if not target.is_relative_to(self.root.resolve()):
            self.reports.append(f"{self.page}: {what} {path!r} lies outside of the docs folder; left out")
            return None
        return target.relative_to(self.root.resolve()).as_posix()

    def _below(self, written: str) -> Path:
        """What ``@/path`` means."""
        path = written.removeprefix("@").lstrip("/")
        if not self.below:
            return self.root / path
        inside = path.removeprefix(f"{self.below}/")
        return self.root / inside if inside != path else self.root.parent / path

    def _read(self, name: str, directive: str, what: str) -> str:
        try:
            text = (self.root / name).read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError):
            self.reports.append(f"{self.page}: {what} {directive!r} names a file that is not there or not text; left out")
            return ""
        self.room -= len(text)
        if self.room < 0:
            self.reports.append(f"{self.page}: {what} {directive!r} and others bring in more than {_MOST:,} characters; left out")
            return ""
        return text.replace("\r\n", "\n").replace("\r", "\n")


def cut_region(text: str, name: str) -> str:
    """The lines between ``#region name`` and its end, without region marks, dedented; ``""`` where there is no such region."""
    inside: list[str] = []
    depth = 0
    for line in text.split("\n"):
        mark = _REGION_MARK.match(line) if "region" in line.lower() else None
        if mark and not mark.group("end"):
            depth += 1 if depth or mark.group("name") == name else 0
        elif mark and depth:
            depth -= 1
            if not depth:
                break
        elif depth and not mark:
            inside.append(line)
    margin = min((len(line) - len(line.lstrip()) for line in inside if line.strip()), default=0)
    return "\n".join(line[margin:] for line in inside)


def cut_heading(text: str, anchor: str) -> str:
    """The section of a Markdown text below the heading with this explicit ``{#anchor}``; ``""`` where there is none."""
    lines = text.split("\n")
    levels = [(i, len(m.group(1)), line) for i, line in enumerate(lines) if (m := re.match(r"(#{1,6})\s", line))]
    for place, (number, level, line) in enumerate(levels):
        if f"{{#{anchor}}}" in line:
            end = next((i for i, deeper, _ in levels[place + 1 :] if deeper <= level), len(lines))
            return "\n".join(lines[number + 1 : end])
    return ""
