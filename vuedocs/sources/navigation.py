"""The order of reading: from the sidebar in a site's config, or from a ``nav.json`` that lies beside exported docs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vuedocs.errors import SourceError
from vuedocs.sources.literals import Unread
from vuedocs.sources.plain_yaml import UNSEEN
from vuedocs.sources.site_config import SiteConfig

COMPUTED = "..."
"""The link of an entry that stands for a part of the sidebar that is not read."""
_FIRST = {"": 0, "guide": 0, "api": 1}
_VERSION = re.compile(r"v\d[\w.]*")


@dataclass(frozen=True, slots=True)
class Entry:
    """One page that a navigation names: its link or file, as written, with its title and group there."""

    link: str
    title: str
    section: str

    def __post_init__(self) -> None:
        """Configs and exports are read as they are written; escapes bring in what a page's text is rid of."""
        for name in ("link", "title", "section"):
            object.__setattr__(self, name, UNSEEN.sub("", getattr(self, name)))


@dataclass(frozen=True, slots=True)
class Navigation:
    """A site's order of reading, and what of it could not be read."""

    entries: tuple[Entry, ...] = ()
    reports: tuple[str, ...] = ()


def read_navigation(folder: Path, config: SiteConfig | None) -> Navigation:
    """The navigation of a site's config, or of ``nav.json`` in ``folder``; empty where there is neither."""
    if config is not None:
        return from_config(config)
    exported = folder / "nav.json"
    return from_json(exported) if exported.is_file() else Navigation()


def from_json(file: Path) -> Navigation:
    """The navigation of an export: a list of ``{path, title, section}``. Raises SourceError where the file is none."""
    try:
        items = json.loads(file.read_text(encoding="utf-8-sig"))
        return Navigation(tuple(Entry("/" + item["path"], item.get("title") or "", item.get("section") or "") for item in items))
    except (OSError, RecursionError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise SourceError(f"{file} is no navigation ({error}); write a list of objects with path, title and section") from error


def from_config(config: SiteConfig) -> Navigation:
    """The sidebar of a VitePress config; what of it is computed is reported.

    Where it has several sidebars, the guide is read first, then the API, then the others, and last those of older versions.
    """
    sidebar = config.sidebar
    if sidebar is None:
        return Navigation((), (f"{config.name}: no sidebar can be read; pages come in path order",))
    if isinstance(sidebar, dict):
        sidebar = [{"": value} if isinstance(value, list) else value for _, value in sorted(sidebar.items(), key=_rank)]
    reports: list[str] = []
    entries = tuple(_entries(sidebar, "", (), reports, config.name))
    return Navigation(entries, tuple(dict.fromkeys(reports)))


def _rank(sidebar: tuple[str, Any]) -> tuple[bool, int]:
    """When a sidebar is read, by the folder that it is for; equal ranks keep the config's order."""
    folders = sidebar[0].strip("/").split("/")
    return any(_VERSION.fullmatch(folder) for folder in folders), _FIRST.get(folders[0], len(_FIRST))


def _entries(node: Any, base: str, groups: tuple[str, ...], reports: list[str], name: str) -> Iterator[Entry]:
    if isinstance(node, Unread):
        reports.append(f"{name}: {node.words!r} in the sidebar cannot be read without running it; left out")
        yield Entry(COMPUTED, "", " > ".join(groups))
    elif isinstance(node, list):
        for item in node:
            yield from _entries(item, base, groups, reports, name)
    elif isinstance(node, dict):
        yield from _item(node, base, groups, reports, name)


def _item(item: dict[str, Any], base: str, groups: tuple[str, ...], reports: list[str], name: str) -> Iterator[Entry]:
    base = item["base"] if isinstance(item.get("base"), str) else base
    title = _text(item, "text", "title")
    nested = [value for key, value in item.items() if key in ("", "items") or key.startswith("...")]
    link = item.get("link", item.get("href"))
    if isinstance(link, Unread):
        reports.append(f"{name}: the link of {title!r} ({link.words}) cannot be read; left out")
    elif isinstance(link, str):
        yield Entry(_joined(base, link), "" if "#" in link else title, " > ".join(groups) or title)
    for value in nested:
        yield from _entries(value, base, (*groups, title) if title else groups, reports, name)


def _text(item: dict[str, Any], *keys: str) -> str:
    return next((value for key in keys if isinstance(value := item.get(key), str)), "")


def _joined(base: str, link: str) -> str:
    """As VitePress does it: a base may end in the middle of a name."""
    if not base or link.startswith(("http:", "https:", "//")):
        return link
    between = "/" if link.startswith("/") and not base.endswith("/") else ""
    return base + between + link.removeprefix("/")
