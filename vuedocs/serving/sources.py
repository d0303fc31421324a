"""list_sources: what is indexed, how current it is, and which values docs_search takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from mcp.server.mcpserver import MCPServer
from mcp.types import CallToolResult
from pydantic import BaseModel, Field

from vuedocs.serving.catalogue import scopes
from vuedocs.serving.service import Reading, Service
from vuedocs.serving.shared import READ_ONLY, resource_link, result, source_names
from vuedocs.serving.uris import SCHEME

if TYPE_CHECKING:
    from vuedocs.records import SourceManifest

SOURCES = """\
List what is indexed: each source with its version or commit, its dates, how much it holds and its scopes, and which known \
sources \
are not indexed. Use it to learn which values docs_search takes for source and scope, and how current the answers are. It \
takes no \
arguments."""

SCOPES_SHOWN = 40
"""Of each source; the resource of its scopes has all."""


class IndexedSource(BaseModel):
    """One source of documentation."""

    name: str
    title: str
    version: str = Field(description="Version or commit of the documentation.")
    commit: str
    date: str = Field(description="Of the documentation's last change, ISO 8601; empty where unknown.")
    indexed: str = Field(description="When it was indexed, ISO 8601.")
    pages: int
    chunks: int = Field(description="Sections and examples.")
    entities: int = Field(description="API names.")
    licence: str
    scopes: list[str] = Field(description="Folders that docs_search takes as scope, besides all.")


class SourceList(BaseModel):
    """All that is indexed."""

    generation: str
    created: str
    sources: list[IndexedSource]
    not_indexed: list[str] = Field(description="Sources that are known but cannot be searched here.")


def add_source_tool(server: MCPServer[Any], service: Service) -> None:
    """Registers list_sources."""

    @server.tool(title="List the indexed documentation", description=SOURCES, annotations=READ_ONLY)
    async def list_sources() -> Annotated[CallToolResult, SourceList]:
        return await source_list(await service.reader())


async def source_list(reader: Reading) -> CallToolResult:
    """What the manifest says, in both forms."""
    manifest = reader.manifest
    sources = [await indexed_source(reader, entry) for entry in manifest.sources]
    listed = SourceList(
        generation=manifest.generation,
        created=manifest.created,
        sources=sources,
        not_indexed=[name for name in source_names() if manifest.source(name) is None and name != "sample"],
    )
    links = [resource_link(f"{SCHEME}{source.name}/topics", f"{source.name}/topics") for source in sources]
    return result(text_of(listed), listed, links)


async def indexed_source(reader: Reading, entry: SourceManifest) -> IndexedSource:
    """One source with its title and the scopes that hold more than one page."""
    from vuedocs.sources import registry

    known = registry().get(entry.source)
    counted = scopes(await reader.library.pages(entry.source))
    return IndexedSource(
        name=entry.source,
        title=known.title if known else entry.source,
        version=entry.state,
        commit=entry.commit,
        date=entry.date,
        indexed=entry.indexed,
        pages=entry.pages,
        chunks=entry.chunks,
        entities=entry.entities,
        licence=entry.licence,
        scopes=[scope for scope, count in counted.items() if count > 1][:SCOPES_SHOWN],
    )


def text_of(listed: SourceList) -> str:
    """The list as a Markdown table, and what is known but not indexed."""
    lines = [
        "| source | version | pages | sections and examples | API names | indexed | scopes |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    lines += [
        f"| {s.name} | {s.version} | {s.pages} | {s.chunks} | {s.entities} | {s.indexed[:10]} | {', '.join(s.scopes[:12])} |"
        for s in listed.sources
    ]
    if listed.not_indexed:
        lines += ["", f"Known but not indexed here: {', '.join(listed.not_indexed)}."]
    return "\n".join(lines)
