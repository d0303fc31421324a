"""The sources: a registry of data, and the readers of their navigation and markup.

``registry.toml`` has one entry a source; this module reads it. A reader of markup turns one file into a
:class:`vuedocs.sources.document.Document`, whatever the engine that the site is made with.
"""

from __future__ import annotations

import difflib
import re
import tomllib
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import Literal

from pydantic import BaseModel, ConfigDict

from vuedocs.errors import SourceError


class Source(BaseModel):
    """One site's documentation: where it lies, where it is read, and what its markup differs in."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    title: str
    repository: str
    """Git URL; ``""`` for a bundled source."""
    ref: str
    """The commit or tag that is cloned."""
    docs_folder: str
    """Where the docs lie in the repository; in the package, for a bundled source."""
    base_url: str
    """The site's root, without a slash at its end."""
    licence: str
    attribution: str
    engine: Literal["vitepress", "mdc", "mdx"] = "vitepress"
    """What the site is made with: VitePress, Nuxt Content (Markdown components), or Astro with MDX."""
    config: str = ".vitepress/config.ts"
    """The site's own config that holds the sidebar, relative to the docs folder or to a folder above it.

    Where this file is not there, the usual places are tried: ``.vitepress/config.*`` and ``.vitepress/config/index.*``."""
    clean_urls: bool = True
    """Whether the site's URLs come without ``.html``."""
    slash: bool = False
    """Whether the site's URLs end with a slash."""
    domain_links: bool = False
    """Whether ``/x`` in the docs means the domain's ``/x``; else it means the page ``x`` below ``base_url``."""
    description: bool = False
    """Whether the site shows the front matter's description below the title."""
    slugify: Literal["default", "as-written"] = "default"
    """How VitePress makes an anchor of a heading: its own way, or keeping case and every hyphen."""
    attrs: tuple[str, ...] = ("{", "}")
    """Delimiters of attributes such as ``{#id}``; empty where they are switched off."""
    indented_close: bool = True
    """Whether an indented ``:::`` after a list closes the box round the list (VitePress before 2.0.0-alpha.18)."""
    below: str = ""
    """The docs folder's own path below the folder that ``@`` means in includes, where that is another one."""
    reading_order: tuple[str, ...] = ()
    """Folders and pages in the order of reading, where the front matter orders pages within a folder only."""
    categories: tuple[str, ...] = ()
    """Categories of front matter in the order in which their pages are read, where the site's sidebar is made of them."""
    exclude: tuple[str, ...] = ()
    """Patterns of files that are no pages; ``**`` crosses folders."""
    packages: tuple[str, ...] = ()
    """npm packages that the docs are about."""
    aliases: tuple[str, ...] = ()
    """Other names that people say."""
    bundled: bool = False
    """Whether the docs come with this package."""


@cache
def registry() -> MappingProxyType[str, Source]:
    """All sources by name, in the order of the file."""
    data = tomllib.loads(resources.files(__package__).joinpath("registry.toml").read_text(encoding="utf-8"))
    return MappingProxyType({name: Source(name=name, **entry) for name, entry in data.items()})


def find(name: str) -> Source:
    """The source of this name or alias; case, spaces, dots and hyphens do not matter.

    Raises SourceError, which names the known sources and the one that is probably meant.
    """
    names = _names()
    wanted = _fold(name)
    if wanted in names:
        return registry()[names[wanted]]
    near = difflib.get_close_matches(wanted, names, n=1, cutoff=0.6)
    guess = f"; did you mean {names[near[0]]!r}?" if near else "."
    raise SourceError(f"there is no source {name!r}{guess} The sources are {', '.join(registry())}")


@cache
def _names() -> MappingProxyType[str, str]:
    entries = [(alias, source.name) for source in registry().values() for alias in (source.name, *source.aliases)]
    return MappingProxyType({_fold(alias): name for alias, name in entries})


def _fold(name: str) -> str:
    return re.sub(r"[\s._-]+", "", name).lower()
