"""docs_search and list_sources: thin functions that read arguments, ask the reader and hand its answer on."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Any

from mcp.server.mcpserver import Context, MCPServer
from mcp.types import CallToolResult, TextContent
from pydantic import BaseModel, Field

from vuedocs.config import Config
from vuedocs.serving import answers
from vuedocs.serving.answers import SearchAnswer
from vuedocs.serving.arguments import make_cursor, read_cursor
from vuedocs.serving.progress import stage_progress
from vuedocs.serving.service import Reading, Service
from vuedocs.serving.shared import READ_ONLY, source_names, sources_of
from vuedocs.serving.versions import version_notes

if TYPE_CHECKING:
    from vuedocs.records import Manifest, Search

MAX_RESULTS = 50
MAX_TOKENS = 10_000
LEAST_TOKENS = 100

SEARCH = """\
Search the official documentation of the Vue ecosystem and get the passages that answer a question, as one short Markdown \
document with links to cite.

Use it first for any question on how something in Vue (or another indexed source) works, is written or is configured, and \
whenever an answer must be current or cited. Ask in a full sentence or give API names: both are understood, misspelt names too \
("how do I watch a nested property", "computed caching", "v-model modifiers"). One good query is better than several narrow ones.

source: which documentation ("vue" by default; several between commas; "all"). list_sources says what is indexed. A source \
or version that is not indexed is said to be missing.
scope: a folder of the documentation such as "guide" or "api", to narrow; "all" by default.
The answer names sections that did not fit; send its cursor back with the same arguments to go on."""

SOURCES = """\
List what is indexed: each source with its version, dates, numbers of pages and sections, and its scopes. Use it to learn which \
values docs_search takes for source and scope, and how current the answers are."""

SourceArgument = Annotated[
    str | list[str], Field(description='A source, several between commas or as a list, or "all". list_sources names them.')
]


class IndexedSource(BaseModel):
    """One source of documentation."""

    name: str
    version: str
    commit: str
    date: str = Field(description="Of the documentation's last change, ISO 8601; empty where unknown.")
    indexed: str = Field(description="When it was indexed, ISO 8601.")
    pages: int
    chunks: int
    entities: int = Field(description="API names.")
    licence: str
    scopes: list[str] = Field(description="Folders that docs_search takes as scope, besides all.")


class SourceList(BaseModel):
    """All that is indexed."""

    generation: str
    created: str
    sources: list[IndexedSource]


def add_tools(server: MCPServer[Any], service: Service, config: Config) -> None:
    """Registers the tools; their defaults are the config's."""
    defaults = config.reconstruct

    @server.tool(title="Search the documentation", description=SEARCH, annotations=READ_ONLY)
    async def docs_search(
        ctx: Context[Any, Any],
        query: Annotated[str, Field(description="What to look for: a question, or API names.")],
        source: SourceArgument = "vue",
        scope: Annotated[str, Field(description='A folder of the documentation, such as "guide/components", or "all".')] = "all",
        max_results: Annotated[int, Field(ge=1, le=MAX_RESULTS, description="Most sections to show.")] = defaults.max_results,
        max_tokens: Annotated[
            int, Field(ge=LEAST_TOKENS, le=MAX_TOKENS, description="Most tokens of documentation to show.")
        ] = defaults.max_tokens,
        cursor: Annotated[str | None, Field(description="From an earlier answer to the same arguments, to go on.")] = None,
    ) -> Annotated[CallToolResult, SearchAnswer]:
        reader = await service.reader()
        search = request(reader.manifest, query, source, scope, max_results, max_tokens, cursor)
        return await answer(reader, search, ctx)

    @server.tool(title="List the indexed documentation", description=SOURCES, annotations=READ_ONLY)
    async def list_sources() -> Annotated[CallToolResult, SourceList]:
        return await source_list(await service.reader())


def request(
    manifest: Manifest, query: str, source: str | list[str], scope: str, max_results: int, max_tokens: int, cursor: str | None
) -> Search:
    """The pipeline's first state for these arguments. Raises SourceError and QueryError."""
    from vuedocs.records import Search

    sources = sources_of(manifest, source)
    scope = scope.strip().strip("/") or "all"
    return Search(
        query=query,
        sources=sources,
        scope=scope,
        max_results=max_results,
        max_tokens=max_tokens,
        skip=read_cursor(cursor, query, sources, scope, manifest.generation),
    )


async def answer(reader: Reading, search: Search, ctx: Context[Any, Any]) -> CallToolResult:
    """The answer in both forms; asked again for less where it would be longer than clients take."""
    from dataclasses import replace

    generation = reader.manifest.generation
    notes = version_notes(search.query, reader.manifest.sources, source_names())
    budget = search.max_tokens or MAX_TOKENS
    while True:
        async with stage_progress(ctx) as progress:
            state = (await reader.search(replace(search, max_tokens=budget), progress=progress)).state
        cursor = make_cursor(state.cursor, search.query, search.sources, search.scope, generation) if state.cursor else None
        result = answers.search_result(state, (*notes, *state.notes), cursor)
        length = answers.size(result)
        if length <= answers.MAX_CHARACTERS or budget <= LEAST_TOKENS:
            return result
        budget = max(LEAST_TOKENS, int(budget * 0.9 * answers.MAX_CHARACTERS / length))


async def source_list(reader: Reading) -> CallToolResult:
    """What the manifest says, in both forms."""
    manifest = reader.manifest
    sources = [
        IndexedSource(
            name=entry.source,
            version=entry.version,
            commit=entry.commit,
            date=entry.date,
            indexed=entry.indexed,
            pages=entry.pages,
            chunks=entry.chunks,
            entities=entry.entities,
            licence=entry.licence,
            scopes=scopes_of(page.route for page in await reader.library.pages(entry.source)),
        )
        for entry in manifest.sources
    ]
    text = "\n".join(
        [
            "| source | version | pages | sections and examples | API names | indexed |",
            "| --- | --- | --- | --- | --- | --- |",
            *(f"| {s.name} | {s.version} | {s.pages} | {s.chunks} | {s.entities} | {s.indexed[:10]} |" for s in sources),
        ]
    )
    listed = SourceList(generation=manifest.generation, created=manifest.created, sources=sources)
    return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=listed.model_dump(mode="json"))


def scopes_of(routes: Iterable[str]) -> list[str]:
    """All folders of these routes, sorted: ``guide``, ``guide/essentials``."""
    folders = (route.split("/")[:depth] for route in routes for depth in range(1, route.count("/") + 1))
    return sorted({"/".join(folder) for folder in folders})
