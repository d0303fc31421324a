"""Links between pages: from what a file writes to a URL on the site, and to the section that it means."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from vuedocs.records import LinkPriority
from vuedocs.sources import Source
from vuedocs.sources.routes import in_natural_order, page_url, route_of, without_number
from vuedocs.sources.slugs import slugify

_SCHEME = re.compile(r"^(?:[a-z][a-z0-9+.-]*:|//)", re.IGNORECASE)
_FILE = re.compile(r"\.(?!mdx?$|html$)[a-z0-9]{2,5}$", re.IGNORECASE)
_LONGEST_URL = 160
"""Longer external URLs carry a payload (a playground's whole program) and are left out of texts."""
_BADGE = re.compile(r"-v?\d+$")
"""A version at an anchor's end: where a heading has a badge, links may still name it without."""
_KINDS = {"guide": "guide", "api": "api"}


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
        self._routes = _routes(source, paths)
        self._base = source.base_url.rstrip("/") + "/"
        address = urlsplit(source.base_url)
        self._domain, self._base_path = f"{address.scheme}://{address.netloc}", address.path.rstrip("/") + "/"

    def place(self, href: str, page: str) -> Place | None:
        """Where ``href`` on ``page`` points; None for another site, a file that is no page, or mail."""
        address = href.strip()
        if (address + "/").startswith(self._base) and not self._source.bundled:
            address = "/" + address[len(self._base) :]
        elif address.startswith("/") and self._base_path != "/":
            if (re.split("[?#]", address)[0] + "/").startswith(self._base_path):
                address = "/" + address[len(self._base_path) :]
            elif self._source.domain_links:
                return None
        if _SCHEME.match(address):
            return None
        target, _, fragment = address.partition("#")
        target = unquote(target.partition("?")[0])
        if not target:
            return Place(page, unquote(fragment)) if fragment else None
        if _FILE.search(target) and not self._named(target.lstrip("/")):
            return None
        found = (self._named(self._joined(target, folder)) for folder in self._folders(page))
        return Place(next((path for path in found if path is not None), None), unquote(fragment))

    def _folders(self, page: str) -> tuple[str, ...]:
        """Where relative links on a page start from: its file's folder, and where the site has other paths, its URL's."""
        folder = posixpath.dirname(page)
        if self._source.engine == "vitepress":
            return (folder,)
        route = route_of(self._source, page)
        return folder, route_of(self._source, folder), route if self._source.slash else posixpath.dirname(route)

    @staticmethod
    def _joined(target: str, folder: str) -> str:
        return posixpath.normpath(posixpath.join("/", "" if target.startswith("/") else folder, target.lstrip("/"))).strip("/")

    def url(self, href: str, page: str) -> str:
        """``href`` on ``page`` as an absolute URL; ``""`` where a reader could not use one."""
        place = self.place(href, page)
        if place is not None and place.path is not None:
            url = page_url(self._source, place.path)
            return f"{url}#{place.fragment}" if place.fragment else url
        if self._source.domain_links and href.startswith("/") and not href.startswith("//"):
            return self._domain + href if place is None and not _FILE.search(href.partition("#")[0]) else ""
        if _SCHEME.match(href):
            return href if href.startswith(("http://", "https://")) and len(href) <= _LONGEST_URL else ""
        return ""

    def _named(self, name: str) -> str | None:
        """The path of the page that a link's path names, in any of the ways in which links write it."""
        plain = name.removesuffix(".md").removesuffix(".mdx").removesuffix(".html").strip("/")
        candidates = (name, plain, f"{plain}/index" if plain else "index", f"{plain}/README")
        return next((path for path in candidates if path in self._paths), None) or self._routes.get(plain)


def _routes(source: Source, paths: frozenset[str]) -> dict[str, str]:
    """The page of each route; on a site of Nuxt Content a folder's route leads to the first page in it."""
    ordered = sorted(paths, key=in_natural_order)
    routes: dict[str, str] = {}
    for path in ordered:
        routes.setdefault(route_of(source, path), path)
    for path in ordered if source.engine == "mdc" else ():
        folder = posixpath.dirname(route_of(source, path))
        while folder:
            routes.setdefault(folder, path)
            folder = posixpath.dirname(folder)
    return routes


class Anchors:
    """All anchors of a source: which section holds each."""

    def __init__(self, sections: Mapping[str, Mapping[str, str]]) -> None:
        """``sections`` maps a page's path to a mapping from each anchor on it to the key of the section that holds it."""
        self._exact = sections
        self._folded: dict[str, dict[str, str]] = {}

    def section(self, path: str, fragment: str) -> str | None:
        """The section key of ``path#fragment``: exact, else whatever its slug is, else without the version of a badge.

        None where the page has no such anchor.
        """
        known = self._exact.get(path, {})
        if fragment in known:
            return known[fragment]
        if path not in self._folded:
            self._folded[path] = {}
            for anchor, key in known.items():
                self._folded[path].setdefault(slugify(anchor), key)
            for anchor, key in known.items():
                self._folded[path].setdefault(_BADGE.sub("", slugify(anchor)), key)
        return self._folded[path].get(slugify(fragment))


def priority(path: str, target: str) -> LinkPriority:
    """How much a link says: high between guide and API, medium within a folder, low elsewhere."""
    kinds = {_KINDS.get(without_number(name.split("/")[0])) for name in (path, target)}
    if kinds == {"guide", "api"}:
        return "high"
    return "medium" if posixpath.dirname(path) == posixpath.dirname(target) else "low"
