"""Links between pages: from what a file writes to a URL on the site, and to the section that it means."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import unquote

from vuedocs.records import LinkPriority
from vuedocs.sources import Source
from vuedocs.sources.slugs import slugify

_SCHEME = re.compile(r"^(?:[a-z][a-z0-9+.-]*:|//)", re.IGNORECASE)
_FILE = re.compile(r"\.(?!md$|html$)[a-z0-9]{2,5}$", re.IGNORECASE)
_LONGEST_URL = 160
"""Longer external URLs carry a payload (a playground's whole program) and are left out of texts."""
_KINDS = {"guide": "guide", "api": "api"}


def route_of(path: str) -> str:
    """The path on the site of a page's path: ``api/index`` gives ``api``, ``index`` gives ``""``."""
    return "" if path == "index" else path.removesuffix("/index")


def page_url(source: Source, path: str) -> str:
    """The page's URL as its site writes it."""
    base = source.base_url.rstrip("/")
    if path == "index" or path.endswith("/index"):
        return f"{base}/{path.removesuffix('index')}"
    return f"{base}/{path}" + ("" if source.clean_urls else ".html")


@dataclass(frozen=True, slots=True)
class Place:
    """Where an internal link points: a page's path (None where there is no such page) and a fragment."""

    path: str | None
    fragment: str


class Site:
    """The pages of one source, and what links on them mean."""

    def __init__(self, source: Source, paths: frozenset[str]) -> None:
        self._source = source
        self._paths = paths
        self._base = source.base_url.rstrip("/") + "/"

    def place(self, href: str, page: str) -> Place | None:
        """Where ``href`` on ``page`` points; None for another site, a file that is no page, or mail."""
        address = href.strip()
        if (address + "/").startswith(self._base) and not self._source.bundled:
            address = "/" + address[len(self._base) :]
        if _SCHEME.match(address):
            return None
        target, _, fragment = address.partition("#")
        target = unquote(target.partition("?")[0])
        if not target:
            return Place(page, unquote(fragment)) if fragment else None
        if _FILE.search(target) and not self._named(target.lstrip("/")):
            return None
        folder = "" if target.startswith("/") else posixpath.dirname(page)
        name = posixpath.normpath(posixpath.join("/", folder, target.lstrip("/"))).strip("/")
        return Place(self._named(name), unquote(fragment))

    def url(self, href: str, page: str) -> str:
        """``href`` on ``page`` as an absolute URL; ``""`` where a reader could not use one."""
        place = self.place(href, page)
        if place is not None and place.path is not None:
            url = page_url(self._source, place.path)
            return f"{url}#{place.fragment}" if place.fragment else url
        if _SCHEME.match(href):
            return href if href.startswith(("http://", "https://")) and len(href) <= _LONGEST_URL else ""
        return ""

    def _named(self, name: str) -> str | None:
        """The path of the page that a link's path names, in any of the ways in which links write it."""
        plain = name.removesuffix(".md").removesuffix(".html").strip("/")
        candidates = (name, plain, f"{plain}/index" if plain else "index", f"{plain}/README")
        return next((path for path in candidates if path in self._paths), None)


class Anchors:
    """All anchors of a source: which section holds each."""

    def __init__(self, sections: Mapping[str, Mapping[str, str]]) -> None:
        """``sections`` maps a page's path to a mapping from each anchor on it to the key of the section that holds it."""
        self._exact = sections
        self._folded: dict[str, dict[str, str]] = {}

    def section(self, path: str, fragment: str) -> str | None:
        """The section key of ``path#fragment``: exact, else whatever its slug is; None where the page has no such anchor."""
        known = self._exact.get(path, {})
        if fragment in known:
            return known[fragment]
        if path not in self._folded:
            self._folded[path] = {}
            for anchor, key in known.items():
                self._folded[path].setdefault(slugify(anchor), key)
        return self._folded[path].get(slugify(fragment))


def priority(path: str, target: str) -> LinkPriority:
    """How much a link says: high between guide and API, medium within a folder, low elsewhere."""
    kinds = {_KINDS.get(name.split("/")[0]) for name in (path, target)}
    if kinds == {"guide", "api"}:
        return "high"
    return "medium" if posixpath.dirname(path) == posixpath.dirname(target) else "low"
