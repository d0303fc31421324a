"""From a page's path, which is its file's, to its path and URL on the site."""

from __future__ import annotations

import re
from collections.abc import Iterator

from vuedocs.sources import Source

_PREFIX = re.compile(r"^\d+\.(?!\d+(?:\.\d+)*$)")
"""The number that orders a file or folder of Nuxt Content; a whole name such as ``1.0`` is a version."""
_SIGNS = {"$": "dollar", "%": "percent", "&": "and"}
_RUNS = re.compile(r"(\d+)")


def without_number(name: str) -> str:
    """The name of a file or folder without the number that orders it: ``1.app`` is ``app``."""
    return _PREFIX.sub("", name)


def route_of(source: Source, path: str) -> str:
    """The path on the site of a page's path: ``api/index`` gives ``api``, ``index`` gives ``""``, ``1.app/2.use`` ``app/use``."""
    if source.engine == "mdc":
        path = "/".join(_slug(without_number(name)) for name in path.split("/"))
    return "" if path == "index" else path.removesuffix("/index")


def _slug(name: str) -> str:
    """A name in a URL of Nuxt Content: lower case, with signs in words: ``$fetch`` is ``dollarfetch``."""
    spelt = re.sub("|".join(map(re.escape, _SIGNS)), lambda match: _SIGNS[match.group()], name.lower())
    return re.sub(r"\s+", "-", spelt)


def page_url(source: Source, path: str) -> str:
    """The page's URL as its site writes it."""
    base = source.base_url.rstrip("/")
    if source.engine != "vitepress":
        route = route_of(source, path)
        return f"{base}/{route}{'/' if source.slash and route else ''}" if route or source.slash else base
    if path == "index" or path.endswith("/index"):
        return f"{base}/{path.removesuffix('index')}"
    return f"{base}/{path}" + ("" if source.clean_urls else ".html")


def in_natural_order(path: str) -> list[list[tuple[int, int, str]]]:
    """A key that sorts ``2.b`` before ``10.a``, and a folder's own page before the others."""
    return [list(_pieces(part)) for part in path.split("/")]


def _pieces(part: str) -> Iterator[tuple[int, int, str]]:
    if part == "index":
        yield (-1, 0, "")
    for piece in _RUNS.split(part):
        if piece:
            yield (0, int(piece), "") if piece.isdigit() else (1, 0, piece.lower())
