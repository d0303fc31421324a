"""Which files of a docs folder are pages, and in what order they are read."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from vuedocs.sources import Source
from vuedocs.sources.categories import with_categories
from vuedocs.sources.links import Place, Site
from vuedocs.sources.navigation import COMPUTED, Entry, Navigation

_LOCALES = frozenset(
    [
        "ar",
        "bg",
        "bn",
        "ca",
        "cs",
        "da",
        "de",
        "el",
        "es",
        "et",
        "fa",
        "fi",
        "fr",
        "he",
        "hi",
        "hr",
        "hu",
        "id",
        "it",
        "ja",
        "jp",
        "ko",
        "lt",
        "lv",
        "ms",
        "nl",
        "no",
        "pl",
        "pt",
        "ro",
        "ru",
        "sk",
        "sl",
        "sr",
        "sv",
        "th",
        "tr",
        "uk",
        "vi",
        "zh",
    ]
)
_LOCALE = re.compile(r"^([a-z]{2})(?:[-_][A-Za-z]{2,4})?$")
_NO_DOCS = frozenset({"node_modules", "public", "dist"})
SUFFIXES = {"vitepress": (".md",), "mdc": (".md",), "mdx": (".mdx", ".md")}
"""Of the files that are pages, by engine."""
_SUFFIX = re.compile(r"\.mdx?$")
_INCLUDED = re.compile(r"<!--[ \t]*@include:[ \t]*([^\s#{]+?)[ \t]*(?:[#{][^\n]*?)?-->")


@dataclass(frozen=True, slots=True)
class PageFile:
    """One page's file, in the order of reading."""

    path: str
    name: str
    text: str
    position: int
    entry: Entry | None
    """What the navigation says of it."""


def candidates(source: Source, folder: Path, excluded: Iterable[str] = ()) -> list[str]:
    """The Markdown files of ``folder``, relative to it and sorted, without translations, templates and excluded ones."""
    patterns = [glob_pattern(pattern) for pattern in (*source.exclude, *excluded)]
    root = folder.resolve()
    files = [file for suffix in SUFFIXES[source.engine] for file in folder.rglob(f"*{suffix}")]
    names = [file.relative_to(folder).as_posix() for file in files if file.resolve().is_relative_to(root)]
    return sorted(name for name in names if _is_page(name) and not any(pattern.fullmatch(name) for pattern in patterns))


def path_of(name: str) -> str:
    """A page's path: its file's name without the suffix."""
    return _SUFFIX.sub("", name)


def _is_page(name: str) -> bool:
    *folders, file = name.split("/")
    if any(folder.startswith(".") or folder in _NO_DOCS for folder in folders) or file.startswith("."):
        return False
    if "[" in name and "]" in name:
        return False
    locale = _LOCALE.match(folders[0]) if folders else None
    return not (locale and locale.group(1) in _LOCALES)


def glob_pattern(pattern: str) -> re.Pattern[str]:
    """A file pattern as a regular expression: ``*`` stays in a folder, ``**`` crosses folders, ``{a,b}`` is either."""
    pieces = re.split(r"(\*\*/|\*\*|\*|\?|\{[^{}]*\})", pattern.removeprefix("./"))
    meanings = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    regex = "".join(
        "(?:" + "|".join(re.escape(option) for option in piece[1:-1].split(",")) + ")"
        if piece[:1] == "{" and piece[-1:] == "}"
        else meanings.get(piece, re.escape(piece))
        for piece in pieces
    )
    return re.compile(regex)


def fragments(texts: Mapping[str, str]) -> set[str]:
    """The files that other pages include."""
    included: set[str] = set()
    for name, text in texts.items():
        for match in _INCLUDED.finditer(text):
            written = match.group(1)
            below_root = written.startswith("@")
            path = written.removeprefix("@").lstrip("/") if below_root else posixpath.join(posixpath.dirname(name), written)
            included.add(posixpath.normpath(path))
    return included


def in_reading_order(source: Source, texts: Mapping[str, str], navigation: Navigation) -> tuple[list[PageFile], list[str]]:
    """The pages of ``texts`` (text by file name) as the navigation orders them, those that it does not name after, by path.

    Also reports the entries of the navigation that are no page.
    """
    paths = {path_of(name): name for name in sorted(texts)}
    site = Site(source, frozenset(paths))
    named: dict[str, Entry] = {}
    missing: list[str] = []
    if source.categories:
        navigation = with_categories(navigation, texts, source.categories)
    for entry in navigation.entries:
        written = path_of(entry.link.lstrip("/"))
        place = Place(written, "") if written in paths else site.place(entry.link, "index") if entry.link != COMPUTED else None
        if place is not None and place.path is not None:
            named.setdefault(place.path, entry)
        elif place is not None:
            missing.append(f"the navigation names {entry.link}, which is no page here")
    included = fragments(texts)
    order = [*named, *(path for path, name in paths.items() if path not in named and name not in included)]
    files = [PageFile(path, paths[path], texts[paths[path]], place, named.get(path)) for place, path in enumerate(order)]
    return files, list(dict.fromkeys(missing))
