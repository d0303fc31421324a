"""docs_search: reads its arguments, asks the reader and hands the answer on, no longer than clients take."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

from mcp.server.mcpserver import Context, MCPServer
from mcp.types import CallToolResult
from pydantic import Field

from vuedocs.config import Config
from vuedocs.serving import answers
from vuedocs.serving.answers import SearchAnswer
from vuedocs.serving.arguments import make_cursor, read_cursor
from vuedocs.serving.catalogue import scopes
from vuedocs.serving.notes import api_notes, homonym_notes, library_notes, strange_words
from vuedocs.serving.progress import stage_progress
from vuedocs.serving.service import Reading, Service
from vuedocs.serving.shared import READ_ONLY, resource_link, source_names, source_titles, sources_of
from vuedocs.serving.uris import address, page_uri
from vuedocs.serving.versions import version_notes

if TYPE_CHECKING:
    from vuedocs.records import Manifest, Search

MAX_RESULTS = 50
MAX_TOKENS = 10_000
LEAST_TOKENS = 100
LINKS_SHOWN = 5
"""Pages that an answer links to as resources."""

SEARCH = """\
Search the official documentation of the Vue ecosystem and get the passages that answer a question, as one short Markdown \
document with links to cite.

Use it first for any question on how something in Vue (or another indexed source) works, is written or is configured, and \
whenever an answer must be current or cited. Ask in a full sentence or give API names: both are understood, misspelt names too \
("how do I watch a nested property", "computed caching", "v-model modifiers"). One good query is better than several narrow ones.

source: which documentation ("vue" by default; several between commas; "all" where libraries are compared or several have the \
name). list_sources says what is indexed. A source or version that is not indexed is said to be missing.
scope: a folder of the documentation such as "guide" or "api", to narrow; "all" by default.
The answer names sections that did not fit; send its cursor back with the same arguments to go on."""

SourceArgument = Annotated[
    str | list[str], Field(description='A source, several between commas or as a list, or "all". list_sources names them.')
]


def add_search_tool(server: MCPServer[Any], service: Service, config: Config) -> None:
    """Registers docs_search; its defaults are the config's."""
    defaults = config.reconstruct

    @server.tool(title="Search the documentation", description=SEARCH, annotations=READ_ONLY)
    async def docs_search(
        ctx: Context[Any, Any],
        query: Annotated[str, Field(description="What to look for: a question, or API names.")],
        source: SourceArgument = "vue",
        scope: Annotated[
            str, Field(max_length=200, description='A folder of the documentation, such as "guide/components", or "all".')
        ] = "all",
        max_results: Annotated[int, Field(ge=1, le=MAX_RESULTS, description="Most sections to show.")] = defaults.max_results,
        max_tokens: Annotated[
            int, Field(ge=LEAST_TOKENS, le=MAX_TOKENS, description="Most tokens of documentation to show.")
        ] = defaults.max_tokens,
        cursor: Annotated[
            str | None, Field(max_length=200, description="From an earlier answer to the same arguments, to go on.")
        ] = None,
    ) -> Annotated[CallToolResult, SearchAnswer]:
        reader = await service.reader()
        search = request(reader.manifest, query, source, scope, max_results, max_tokens, cursor)
        return await answer(reader, await in_known_scope(reader, search), ctx)


def request(
    manifest: Manifest, query: str, source: str | list[str], scope: str, max_results: int, max_tokens: int, cursor: str | None
) -> Search:
    """The pipeline's first state for these arguments. Raises SourceError and QueryError."""
    from vuedocs.records import Search

    sources = sources_of(manifest, source)
    scope = scope.strip().strip("/") or "all"
    scope = "all" if scope.lower() == "all" else scope
    return Search(
        query=query,
        sources=sources,
        scope=scope,
        max_results=max_results,
        max_tokens=max_tokens,
        skip=read_cursor(cursor, query, sources, scope.lower(), manifest.generation),
    )


async def in_known_scope(reader: Reading, search: Search) -> Search:
    """The search with its scope as the site writes it, whatever its case; one that is unknown stays, and finds nothing."""
    from dataclasses import replace

    if search.scope == "all":
        return search
    pages = [page for page in await reader.library.pages() if not search.sources or page.source in search.sources]
    known = {scope.lower(): scope for scope in scopes(pages)}
    return replace(search, scope=known.get(search.scope.lower(), search.scope))


async def answer(reader: Reading, search: Search, ctx: Context[Any, Any]) -> CallToolResult:
    """The answer in both forms; asked again for less where it would be longer than clients take."""
    from dataclasses import replace

    async with stage_progress(ctx) as progress:
        state = (await reader.search(search, progress=progress)).state
    notes = notes_before(reader, search)
    while True:
        answered = await result_of(reader, search, state, notes)
        length = answers.size(answered)
        budget = search.max_tokens or MAX_TOKENS
        if length <= answers.MAX_CHARACTERS or budget <= LEAST_TOKENS:
            return answered
        search = replace(search, max_tokens=max(LEAST_TOKENS, int(budget * 0.9 * answers.MAX_CHARACTERS / length)))
        state = (await reader.search(search)).state


def notes_before(reader: Reading, search: Search) -> tuple[str, ...]:
    """What the question alone shows: versions, libraries and APIs that are not where is searched."""
    indexed = reader.manifest.source_names
    searched = search.sources or indexed
    return (
        *version_notes(search.query, reader.manifest.sources, source_names(), searched),
        *library_notes(search.query, searched, indexed, source_titles()),
        *api_notes(search.query, searched, reader.library.names),
    )


async def result_of(reader: Reading, search: Search, state: Search, notes: Sequence[str]) -> CallToolResult:
    """Both forms of what was found, with its cursor and the pages that it is from."""
    generation = reader.manifest.generation
    cursor = make_cursor(state.cursor, search.query, search.sources, search.scope.lower(), generation) if state.cursor else None
    chunks = await reader.library.chunks([passage.chunk_id for passage in state.passages])
    pages = list(dict.fromkeys((chunk.source, address(chunk)) for chunk in chunks.values()))[:LINKS_SHOWN]
    links = [resource_link(page_uri(source, name), f"{source}/{name}") for source, name in pages]
    strange = () if state.mentions else strange_words(search.query, reader.library.vocabulary)
    said = (*notes, *strange, *homonym_notes(state.mentions, state.passages), *state.notes)
    return answers.search_result(state, said, cursor, links)
