"""The tools beside docs_search that read one thing: an API, what is related to it, a page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from mcp.server.mcpserver import MCPServer
from mcp.types import CallToolResult, TextContent
from pydantic import BaseModel, Field

from vuedocs.errors import QueryError
from vuedocs.serving.answers import link, listing
from vuedocs.serving.arguments import make_cursor, read_cursor
from vuedocs.serving.entities import elsewhere, first_example, linked_ids, lookup, near_names, related_names
from vuedocs.serving.pages import find_page, parts, section_chunks
from vuedocs.serving.service import Reading, Service
from vuedocs.serving.shared import READ_ONLY, sources_of

if TYPE_CHECKING:
    from vuedocs.records import Chunk, Entity

LOOKUP = """\
Look up one API by its name: what it is, its signature, since when it exists, an example and where it is documented. \
Use it when you know the name (computed, v-model, KeepAlive, app.config.globalProperties) and need the facts; use \
docs_search for questions. A misspelt name is answered with the names that are near it."""

RELATED = """\
List what belongs with an API: the sections its documentation links to, and the other APIs that are spoken of beside \
it. Use it to find what else to read after api_lookup or docs_search."""

PAGE = """\
Read a page of the documentation, or one section of it, in full. Use it with the URL of a passage that docs_search \
found, when the passage is not enough. path is a URL, or a path such as "guide/essentials/computed" or \
"vue/guide/introduction"; section is an anchor or a heading. A long page comes in parts: send the cursor back for the \
next."""

RELATED_SHOWN = 15
NameArgument = Annotated[str, Field(description="An API's name, as code writes it.", max_length=200)]
SourceFilter = Annotated[str | list[str] | None, Field(description="Only these sources; all by default.")]


class Api(BaseModel):
    """One API name."""

    name: str
    type: str = Field(description="global API, composable, directive, component, option, ...")
    source: str
    version: str
    signature: str
    since: str
    deprecated: bool
    description: str
    example: str = Field(description="Markdown; empty where the docs have none.")
    title: str = Field(description="The section that defines it.")
    url: str = Field(description="Cite this.")
    indexed: str


class ApiAnswer(BaseModel):
    """The APIs of this name, one a source."""

    name: str
    apis: list[Api]


class RelatedSection(BaseModel):
    """A section to read next."""

    title: str
    url: str
    source: str


class RelatedAnswer(BaseModel):
    """What belongs with an API."""

    name: str
    apis: list[str]
    sections: list[RelatedSection]


class PageAnswer(BaseModel):
    """A page, a section of it, or a part of either."""

    title: str
    url: str = Field(description="Cite this.")
    source: str
    version: str
    indexed: str
    text: str = Field(description="Markdown.")
    part: int
    parts: int
    cursor: str | None = Field(description="Send it back for the next part; null after the last.")


def add_reading_tools(server: MCPServer[Any], service: Service) -> None:
    """Registers api_lookup, get_related and read_page."""

    @server.tool(title="Look up an API", description=LOOKUP, annotations=READ_ONLY)
    async def api_lookup(name: NameArgument, source: SourceFilter = None) -> Annotated[CallToolResult, ApiAnswer]:
        reader = await service.reader()
        return await api_result(reader, name, known_entities(reader, name, source))

    @server.tool(title="Find what belongs with an API", description=RELATED, annotations=READ_ONLY)
    async def get_related(name: NameArgument, source: SourceFilter = None) -> Annotated[CallToolResult, RelatedAnswer]:
        reader = await service.reader()
        return await related_result(reader, known_entities(reader, name, source))

    @server.tool(title="Read a page", description=PAGE, annotations=READ_ONLY)
    async def read_page(
        path: Annotated[str, Field(description="URL, path or route of the page.", max_length=1000)],
        section: Annotated[str | None, Field(description="Anchor or heading; the whole page without it.")] = None,
        cursor: Annotated[str | None, Field(description="From an earlier part of the same page.")] = None,
    ) -> Annotated[CallToolResult, PageAnswer]:
        return await page_result(await service.reader(), path, section or "", cursor)


def known_entities(reader: Reading, name: str, source: str | list[str] | None) -> tuple[Entity, ...]:
    """The entities called ``name``. Raises QueryError, with names that are near, and SourceError."""
    sources = sources_of(reader.manifest, source) if source else ()
    names = reader.library.names
    found = lookup(name, names, sources)
    if found:
        return found
    near = near_names(name, names, sources)
    others = elsewhere(name, names)
    hint = f" Did you mean {' or '.join(near)}?" if near else ""
    hint += f" {', '.join(others)} has it." if others else ""
    indexed = ", ".join(sources or [entry.source for entry in reader.manifest.sources])
    raise QueryError(f"No API is called {name[:100]!r} in {indexed}.{hint} docs_search finds APIs by what they do.")


async def api_result(reader: Reading, name: str, entities: tuple[Entity, ...]) -> CallToolResult:
    """All that is known of these entities, in both forms."""
    chunks = await reader.library.chunks([entity.chunk_id for entity in entities])
    apis = [api(reader, entity, chunks.get(entity.chunk_id)) for entity in entities]
    text = "\n\n".join(card(entry) for entry in apis)
    return both(text, ApiAnswer(name=name, apis=apis))


def api(reader: Reading, entity: Entity, chunk: Chunk | None) -> Api:
    """One entity with its section and its source's provenance."""
    entry = reader.manifest.source(entity.source)
    return Api(
        name=entity.name,
        type=entity.type,
        source=entity.source,
        version=(entry.version or entry.commit) if entry else "",
        signature=entity.signature,
        since=entity.since,
        deprecated=entity.deprecated,
        description=entity.description,
        example=first_example(chunk.text)[:4000] if chunk else "",
        title=" › ".join(chunk.heading_path) if chunk else entity.name,
        url=chunk.url if chunk else "",
        indexed=entry.indexed if entry else "",
    )


def card(entry: Api) -> str:
    """An API as Markdown."""
    facts = [entry.type, f"{entry.source} {entry.version}", f"since {entry.since}" if entry.since else ""]
    facts += ["**deprecated**"] if entry.deprecated else []
    lines = [f"## {entry.name}", ", ".join(fact for fact in facts if fact), entry.description]
    lines += [f"```ts\n{entry.signature}\n```"] if entry.signature else []
    lines += [entry.example, f"Documented in {link(entry.title, entry.url)}, indexed {entry.indexed[:10]}."]
    return "\n\n".join(line for line in lines if line)


async def related_result(reader: Reading, entities: tuple[Entity, ...]) -> CallToolResult:
    """What the sections of these entities link to and speak of."""
    own = [entity.chunk_id for entity in entities]
    chunks = await reader.library.chunks(own)
    targets = await reader.library.chunks(linked_ids(chunks.values()))
    sections = [
        RelatedSection(title=" › ".join(chunk.heading_path), url=chunk.url, source=chunk.source)
        for id, chunk in targets.items()
        if id not in own
    ][:RELATED_SHOWN]
    name = entities[0].name
    apis = list(related_names([*chunks.values(), *targets.values()], name))[:RELATED_SHOWN]
    text = "\n\n".join(
        [
            f"## {name}: related",
            listing("APIs", [f"`{other}`" for other in apis]) or "No other API is spoken of beside it.",
            listing("Sections", [link(section.title, section.url) for section in sections]) or "Its sections link to no other.",
        ]
    )
    return both(text, RelatedAnswer(name=name, apis=apis, sections=sections))


async def page_result(reader: Reading, path: str, section: str, cursor: str | None) -> CallToolResult:
    """One part of a page or section, in both forms."""
    page, anchor = find_page(path, await reader.pages())
    section = section or anchor
    chunks = section_chunks(await reader.library.page_chunks(page.source, page.path), section)
    pieces = parts([chunk.text for chunk in chunks]) or [page.text]
    request = (page.source, page.path, section, reader.manifest.generation)
    number = min(read_cursor(cursor, *request), len(pieces) - 1)
    following = make_cursor(str(number + 1), *request) if number + 1 < len(pieces) else None
    entry = reader.manifest.source(page.source)
    answer = PageAnswer(
        title=" › ".join(chunks[0].heading_path) if chunks else page.title,
        url=chunks[0].url if chunks else page.url,
        source=page.source,
        version=(entry.version or entry.commit) if entry else "",
        indexed=entry.indexed if entry else "",
        text=pieces[number],
        part=number + 1,
        parts=len(pieces),
        cursor=following,
    )
    ending = f"From {link(answer.title, answer.url)}: {answer.source} {answer.version}, indexed {answer.indexed[:10]}."
    if following:
        ending += f" Part {answer.part} of {answer.parts}; call read_page again with cursor={following!r} for the next."
    return both(f"{answer.text}\n\n{ending}", answer)


def both(text: str, answer: BaseModel) -> CallToolResult:
    """A result with a text and a structured form."""
    return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=answer.model_dump(mode="json"))
