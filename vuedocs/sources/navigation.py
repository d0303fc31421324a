"""The order of reading: from the sidebar in a site's config, or from a ``nav.json`` that lies beside exported docs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vuedocs.errors import SourceError
from vuedocs.sources.typescript import TypeScript, Unread


@dataclass(frozen=True, slots=True)
class Entry:
    """One page that a navigation names: its link or file, as written, with its title and group there."""

    link: str
    title: str
    section: str


@dataclass(frozen=True, slots=True)
class Navigation:
    """A site's order of reading, and what of it could not be read."""

    entries: tuple[Entry, ...] = ()
    reports: tuple[str, ...] = ()


def read_navigation(folder: Path, config: Path | None) -> Navigation:
    """The navigation of ``config``, or of ``nav.json`` in ``folder``; empty where there is neither."""
    if config is not None:
        return from_config(config.read_text(encoding="utf-8-sig"), config.name)
    exported = folder / "nav.json"
    return from_json(exported) if exported.is_file() else Navigation()


def from_json(file: Path) -> Navigation:
    """The navigation of an export: a list of ``{path, title, section}``. Raises SourceError where the file is none."""
    try:
        items = json.loads(file.read_text(encoding="utf-8-sig"))
        return Navigation(tuple(Entry("/" + item["path"], item.get("title") or "", item.get("section") or "") for item in items))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise SourceError(f"{file} is no navigation ({error}); write a list of objects with path, title and section") from error


def from_config(text: str, name: str) -> Navigation:
    """The sidebar of a VitePress config, read as literals; what is computed is reported."""
    code = TypeScript(text)
    reports: list[str] = []
    sidebars = [value for value in code.pairs("sidebar") if not isinstance(value, Unread) and value]
    sidebar = sidebars[0] if sidebars else code.constant("sidebar")
    if sidebar is None:
        return Navigation((), (f"{name}: no sidebar can be read; pages come in path order",))
    entries = tuple(_entries(sidebar, "", "", reports, name))
    return Navigation(entries, tuple(reports))


def _entries(node: Any, base: str, group: str, reports: list[str], name: str) -> Iterator[Entry]:
    if isinstance(node, Unread):
        reports.append(f"{name}: {node.words!r} in the sidebar cannot be read without running it; left out")
    elif isinstance(node, list):
        for item in node:
            yield from _entries(item, base, group, reports, name)
    elif isinstance(node, dict):
        yield from _item(node, base, group, reports, name)


def _item(item: dict[str, Any], base: str, group: str, reports: list[str], name: str) -> Iterator[Entry]:
    base = item["base"] if isinstance(item.get("base"), str) else base
    title = item["text"] if isinstance(item.get("text"), str) else ""
    nested = [value for key, value in item.items() if key == "items" or key.startswith(("/", "..."))]
    link = item.get("link")
    if isinstance(link, Unread):
        reports.append(f"{name}: the link of {title!r} ({link.words}) cannot be read; left out")
    elif isinstance(link, str):
        yield Entry(_joined(base, link), title, title if nested and title else group)
    for value in nested:
        yield from _entries(value, base, title or group, reports, name)


def _joined(base: str, link: str) -> str:
    return link if not base or link.startswith(("/", "http:", "https:")) else f"{base.rstrip('/')}/{link}"


def excluded_by(config: Path | None) -> tuple[str, ...]:
    """The patterns of ``srcExclude`` in a site's config."""
    if config is None:
        return ()
    found = next(TypeScript(config.read_text(encoding="utf-8-sig")).pairs("srcExclude"), None)
    return tuple(pattern for pattern in found if isinstance(pattern, str)) if isinstance(found, list) else ()
