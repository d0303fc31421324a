"""The order of reading of sites that have no sidebar in a config: numbers in file names, or in the front matter."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from vuedocs.sources import Source
from vuedocs.sources.front import split_front_matter
from vuedocs.sources.navigation import Entry, Navigation, read_navigation
from vuedocs.sources.pages import path_of
from vuedocs.sources.plain_yaml import plain_yaml
from vuedocs.sources.routes import in_natural_order, without_number
from vuedocs.sources.site_config import SiteConfig

_GROUPS = " > "


def navigation_of(source: Source, folder: Path, config: SiteConfig | None, texts: Mapping[str, str]) -> Navigation:
    """The navigation of a site: as its config or export says, else as its engine orders files (``texts`` by name)."""
    if source.engine == "vitepress" or (folder / "nav.json").is_file():
        return read_navigation(folder, config)
    fronts = {name: split_front_matter(text)[0] for name, text in texts.items()}
    if source.engine == "mdc":
        return by_file_names(folder, fronts)
    return by_front_matter(fronts, source.reading_order)


def by_file_names(folder: Path, fronts: Mapping[str, Mapping[str, Any]]) -> Navigation:
    """Nuxt Content's order: by the numbers before names, then by name; what says ``navigation: false`` is not named.

    ``.navigation.yml`` in a folder gives its title, or takes the folder out.
    """
    reports: list[str] = []
    about = _Folders(folder, reports)
    entries: list[Entry] = []
    for name in sorted(fronts, key=lambda name: in_natural_order(path_of(name))):
        front = fronts[name]
        groups = about.groups(posixpath.dirname(name))
        if groups is not None and front.get("navigation") is not False:
            entries.append(Entry("/" + path_of(name), _title(front), _GROUPS.join(groups)))
    return Navigation(tuple(entries), tuple(reports))


def by_front_matter(fronts: Mapping[str, Mapping[str, Any]], reading_order: Sequence[str]) -> Navigation:
    """The order that the front matter's ``order`` gives within each of the places that ``reading_order`` lists."""

    def key(name: str) -> tuple[int, str, float, str]:
        path = path_of(name)
        within = [place for place in reading_order if path == place or path.startswith(place + "/")]
        place = max(within, key=len, default="")
        group = reading_order.index(place) if place else len(reading_order)
        order = fronts[name].get("order")
        return group, "" if place else posixpath.dirname(path), order if isinstance(order, int | float) else float("inf"), path

    names = sorted(fronts, key=key)
    return Navigation(tuple(Entry("/" + path_of(name), _title(fronts[name]), _GROUPS.join(_named(name))) for name in names))


def _title(front: Mapping[str, Any]) -> str:
    """What the navigation calls a page: ``navigation.title``, nested or as a dotted key, or its menu title, or its title."""
    nested = front.get("navigation")
    inner = nested.get("title") if isinstance(nested, Mapping) else None
    return str(inner or front.get("navigation.title") or front.get("menuTitle") or front.get("title") or "")


def _named(name: str) -> list[str]:
    return [_from_folder(part) for part in posixpath.dirname(name).split("/") if part]


def _from_folder(part: str) -> str:
    return " ".join(word[:1].upper() + word[1:] for word in re.split(r"[-_\s]+", without_number(part)) if word)


class _Folders:
    """What ``.navigation.yml`` says of folders, read once each."""

    def __init__(self, root: Path, reports: list[str]) -> None:
        self._root = root
        self._reports = reports
        self._groups: dict[str, list[str] | None] = {"": []}

    def groups(self, folder: str) -> list[str] | None:
        """The titles of ``folder`` and of those around it, the outermost first; None where the navigation leaves it out."""
        if folder not in self._groups:
            above = self.groups(posixpath.dirname(folder))
            about = self._about(folder)
            title = about.get("title") or _from_folder(posixpath.basename(folder))
            left_out = above is None or about.get("navigation") is False
            self._groups[folder] = None if left_out else [*(above or []), str(title)]
        return self._groups[folder]

    def _about(self, folder: str) -> Mapping[str, Any]:
        file = self._root / folder / ".navigation.yml"
        if not file.is_file():
            return {}
        try:
            data = plain_yaml(file.read_text(encoding="utf-8-sig"))
        except (OSError, ValueError) as error:
            reason = str(error).split("\n")[0]
            self._reports.append(f"{folder}/.navigation.yml cannot be read ({reason}); the folder is named after itself")
            return {}
        if data is False or (isinstance(data, Mapping) and data.get("navigation") is False):
            return {"navigation": False}
        return data if isinstance(data, Mapping) else {}
