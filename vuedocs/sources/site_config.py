"""What a VitePress site's own config says of its docs: the sidebar, and the files that are no pages."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vuedocs.sources.literals import TOP, Function, Literals, Unread
from vuedocs.sources.modules import Modules
from vuedocs.sources.typescript import TypeScript

SUFFIXES = (".ts", ".mts", ".js", ".mjs", ".cts", ".cjs")
SIDEBARS = ("sidebar", "sidebarNav")
_USUAL = (".vitepress/config", ".vitepress/config/index")
_MAIN_LOCALES = ("root", "en")


def config_file(folder: Path, written: str) -> Path | None:
    """The config of the site in ``folder``: the file that is ``written`` for it, else where VitePress looks for one."""
    usual = (f"{name}{suffix}" for name in _USUAL for suffix in SUFFIXES)
    inside = folder.resolve()
    files = (folder / name for name in (written, *usual) if name)
    return next((file for file in files if file.is_file() and file.resolve().is_relative_to(inside)), None)


@dataclass(frozen=True, slots=True)
class SiteConfig:
    """The parts of a config that matter here."""

    name: str
    """The file that holds the sidebar, for reports."""
    sidebar: Any
    """As literals; None where there is none."""
    excluded: tuple[str, ...] = ()


def read_config(config: Path, site: Path, docs: Path | None = None) -> SiteConfig:
    """The config in ``config``, with what it imports from inside ``site``.

    A sidebar may also stand in a ``config.ts`` of its own beside the docs (VitePress' ``defineAdditionalConfig``).
    """
    modules = Modules(site)
    excluded: tuple[str, ...] = ()
    read = None
    for file in (config, *_additional(docs or site, site)):
        code = Literals(TypeScript(file.read_text(encoding="utf-8-sig", errors="replace")), file, modules)
        excluded = excluded or _excluded(code)
        sidebar = _sidebar(code)
        if sidebar is not None:
            return SiteConfig(file.name, sidebar, excluded)
        read = read or file.name
    return SiteConfig(read or config.name, None, excluded)


def _additional(docs: Path, site: Path) -> Iterator[Path]:
    for folder in (docs, *docs.parents):
        yield from (file for suffix in SUFFIXES if (file := folder / f"config{suffix}").is_file())
        if folder == site or not folder.is_relative_to(site):
            return


def _sidebar(code: Literals) -> Any:
    """The sidebar of what the file exports, of its main language; else the first one that stands anywhere in the file."""
    exported = _exported(code)
    locales = exported.get("locales")
    themes = [exported, *(locales.get(name) for name in _MAIN_LOCALES)] if isinstance(locales, dict) else [exported]
    for theme in themes:
        found = _theme(theme).get("sidebar")
        if found and not isinstance(found, Unread):
            return found
    anywhere = [code.value(node) for name in SIDEBARS for node in code.code.pairs(name)]
    anywhere += [value for name in SIDEBARS if (value := code.constant(name)) is not None]
    known = (value for value in anywhere if value and not isinstance(value, Unread))
    return next(known, anywhere[0] if anywhere else None)


def _exported(code: Literals) -> dict[str, Any]:
    value = code.exported("default")
    if isinstance(value, Function):
        value = value.call((), TOP)
    return value if isinstance(value, dict) else {}


def _theme(config: Any) -> dict[str, Any]:
    theme = config.get("themeConfig") if isinstance(config, dict) else None
    return theme if isinstance(theme, dict) else {}


def _excluded(code: Literals) -> tuple[str, ...]:
    found = _exported(code).get("srcExclude")
    if not isinstance(found, list):
        found = next((code.value(node) for node in code.code.pairs("srcExclude")), None)
    return tuple(pattern for pattern in found if isinstance(pattern, str)) if isinstance(found, list) else ()
