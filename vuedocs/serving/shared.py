"""What all tools say and ask alike."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from mcp.types import ToolAnnotations

from vuedocs.serving.arguments import wanted_sources

if TYPE_CHECKING:
    from vuedocs.records import Manifest

READ_ONLY = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False)


def sources_of(manifest: Manifest, given: str | list[str]) -> tuple[str, ...]:
    """The indexed sources that ``given`` names; ``()`` for all. Raises SourceError, which says what is indexed."""
    return wanted_sources(given, [entry.source for entry in manifest.sources], canonical_source)


def canonical_source(name: str) -> str:
    """The registry's name of a source that people call ``name``; SourceError for an unknown one."""
    from vuedocs.sources import find

    return find(name).name


def source_names() -> dict[str, Iterable[str]]:
    """What people call each source, from the registry."""
    from vuedocs.sources import registry

    return {name: (source.title, *source.aliases, *source.packages) for name, source in registry().items()}
