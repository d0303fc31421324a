"""What all tools say and ask alike."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Annotated

from mcp.types import CallToolResult, ContentBlock, ResourceLink, TextContent, ToolAnnotations
from pydantic import BaseModel, Field

from vuedocs.serving.arguments import wanted_sources
from vuedocs.serving.uris import MARKDOWN

if TYPE_CHECKING:
    from vuedocs.records import Manifest

READ_ONLY = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False)

NameArgument = Annotated[str, Field(description="An API's name, as code writes it.")]
SourceFilter = Annotated[
    str | list[str] | None, Field(description="Only these sources: one, several between commas or as a list; all by default.")
]


def sources_of(manifest: Manifest, given: str | list[str]) -> tuple[str, ...]:
    """The indexed sources that ``given`` names; ``()`` for all. Raises SourceError, which says what is indexed."""
    return wanted_sources(given, {entry.source: entry.state for entry in manifest.sources}, canonical_source, source_names())


def canonical_source(name: str) -> str:
    """The registry's name of a source that people call ``name``, or whose package it is; SourceError for an unknown one."""
    from vuedocs.sources import find, registry

    packages = {package: source.name for source in registry().values() for package in source.packages}
    return packages.get(name.strip().lower()) or find(name).name


@cache
def source_names() -> Mapping[str, Sequence[str]]:
    """What people call each source, from the registry."""
    from vuedocs.sources import registry

    return {name: (source.title, *source.aliases, *source.packages) for name, source in registry().items()}


@cache
def source_titles() -> Mapping[str, str]:
    """What each known source is called, from the registry."""
    from vuedocs.sources import registry

    return {name: source.title for name, source in registry().items()}


def result(text: str, answer: BaseModel, links: Sequence[ResourceLink] = ()) -> CallToolResult:
    """An answer in both forms, and links to the resources that hold more of it."""
    content: list[ContentBlock] = [TextContent(type="text", text=text), *links]
    return CallToolResult(content=content, structured_content=answer.model_dump(mode="json"))


def resource_link(uri: str, name: str) -> ResourceLink:
    """A link to a resource of Markdown, for an answer's end."""
    return ResourceLink(uri=uri, name=name, mime_type=MARKDOWN)


def noted(notes: Iterable[str]) -> list[str]:
    """Notes as Markdown, each a block of its own."""
    return [f"> **Note:** {note}{'' if note.endswith(('.', '?')) else '.'}" for note in notes]
