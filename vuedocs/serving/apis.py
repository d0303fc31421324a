"""api_lookup and get_related: an API by its name, and what goes with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from mcp.server.mcpserver import MCPServer
from mcp.types import CallToolResult
from pydantic import BaseModel, Field

from vuedocs.errors import QueryError
from vuedocs.serving.answers import MAX_CHARACTERS, size
from vuedocs.serving.service import Reading, Service
from vuedocs.serving.shared import READ_ONLY, NameArgument, SourceFilter, noted, resource_link, result, sources_of
from vuedocs.serving.uris import address, api_uri, page_uri

if TYPE_CHECKING:
    from vuedocs.query.facts import ApiFacts
    from vuedocs.query.lookup import ApiMatch
    from vuedocs.query.related import Related

LOOKUP = """\
Look up one API by its name: what it is, its signature, since when it exists, an example and where it is documented. Use it \
when you know the name, or half of it, and need the facts (computed, v-model, KeepAlive, app.config.globalProperties); use \
docs_search for questions.

source: all sources by default. A name that several have, such as useFetch, is answered for each; give source for one.
A misspelt name is answered with the one that was surely meant, and a note says so; else with the names that are near it."""

RELATED = """\
List what goes with an API: the other APIs that its documentation speaks of, and the sections that it links to, that link to it \
or that explain it. Use it to find what else to read after api_lookup or docs_search; read_page takes the URLs it gives."""

ALL_CHARACTERS = 30_000
"""Of the cards of one answer together."""
LEAST_CHARACTERS = 500
"""Of a card: below that, nothing is left to shorten."""
APIS_IN_ALL = 12
"""APIs of one name in an answer: with more, none would have room."""
RELATED_IN_ALL = 24
"""APIs and sections of an answer, each; shared out among the sources that have the name."""


class Api(BaseModel):
    """One API."""

    name: str
    type: str = Field(description="reactivity API, composable, directive, component, option, ...")
    source: str
    version: str = Field(description="Version or commit of the documentation.")
    signature: str
    since: str = Field(description="The version that brought it, where the docs say so.")
    deprecated: bool
    description: str
    details: str = Field(description="What else its section says; Markdown.")
    example: str = Field(description="Markdown; empty where the docs have none.")
    title: str = Field(description="The section that defines it.")
    url: str = Field(description="Cite this.")
    indexed: str = Field(description="When it was indexed, ISO 8601.")


class ApiAnswer(BaseModel):
    """The APIs of this name, one or more a source."""

    name: str = Field(description="The name that was looked up.")
    apis: list[Api]
    notes: list[str] = Field(description="What the reader must know, such as that another name was meant.")
    did_you_mean: list[str] = Field(description="Where no API has this name: those that are near it.")


class RelatedApi(BaseModel):
    """An API that is spoken of beside another."""

    name: str
    type: str
    description: str


class RelatedSection(BaseModel):
    """A section to read next."""

    title: str
    url: str
    why: str


class RelatedToApi(BaseModel):
    """What goes with one API."""

    name: str
    source: str
    apis: list[RelatedApi]
    sections: list[RelatedSection]


class RelatedAnswer(BaseModel):
    """What goes with the APIs of this name, one or more a source."""

    name: str = Field(description="The name that was looked up.")
    related: list[RelatedToApi]
    notes: list[str] = Field(description="What the reader must know, such as that another name was meant.")


def add_api_tools(server: MCPServer[Any], service: Service) -> None:
    """Registers api_lookup and get_related."""

    @server.tool(title="Look up an API", description=LOOKUP, annotations=READ_ONLY)
    async def api_lookup(name: NameArgument, source: SourceFilter = None) -> Annotated[CallToolResult, ApiAnswer]:
        return await api_result(await service.reader(), name, source)

    @server.tool(title="Find what goes with an API", description=RELATED, annotations=READ_ONLY)
    async def get_related(name: NameArgument, source: SourceFilter = None) -> Annotated[CallToolResult, RelatedAnswer]:
        return await related_result(await service.reader(), name, source)


def matched(reader: Reading, name: str, source: str | list[str] | None) -> tuple[ApiMatch, tuple[str, ...]]:
    """What ``name`` stands for, and what must be said of it; a misspelt name stands for the one that is surely meant.

    Raises QueryError, with names that are near, where it stands for nothing; and SourceError.
    """
    from dataclasses import replace

    from vuedocs.query.lookup import api_lookup, refusal, remarks

    sources = sources_of(reader.manifest, source) if source else ()
    match = api_lookup(reader.library.names, name, sources)
    if match.entities:
        return match, remarks(match)
    refused = refusal(match, sources or reader.manifest.source_names)
    if not match.certain:
        raise QueryError(f"{refused[:1].upper()}{refused[1:].rstrip('?')}. docs_search finds APIs by what they do.")
    return replace(match, entities=match.did_you_mean[:1]), (refused,)


def at_most(match: ApiMatch, notes: tuple[str, ...]) -> tuple[ApiMatch, tuple[str, ...]]:
    """The match with as many APIs as one answer holds, and a note of those that it leaves out."""
    from dataclasses import replace

    left = match.entities[APIS_IN_ALL:]
    if not left:
        return match, notes
    others = (
        f"{len(left)} more have this name, in {', '.join(dict.fromkeys(entity.source for entity in left))}; ask with a source"
    )
    return replace(match, entities=match.entities[:APIS_IN_ALL]), (*notes, others)


async def api_result(reader: Reading, name: str, source: str | list[str] | None) -> CallToolResult:
    """All that is known of the APIs of this name, in both forms."""
    from vuedocs.query.facts import CARD_CHARACTERS, api_facts, card

    match, notes = at_most(*matched(reader, name, source))
    found = await api_facts(reader.library, match.entities)
    links = [resource_link(api_uri(entity.source, entity.name), f"{entity.source} {entity.name}") for entity in match.entities]
    limit = min(CARD_CHARACTERS, ALL_CHARACTERS // len(found))
    while True:
        answer = ApiAnswer(
            name=match.name,
            apis=[api(facts, limit) for facts in found],
            notes=list(notes),
            did_you_mean=[entity.name for entity in match.did_you_mean],
        )
        answered = result("\n\n".join([*noted(notes), *(card(facts, limit) for facts in found)]), answer, links)
        if size(answered) <= MAX_CHARACTERS or limit < LEAST_CHARACTERS:
            return answered
        limit //= 2


def api(facts: ApiFacts, limit: int) -> Api:
    """One API with its section's words and its source's provenance."""
    from vuedocs.query.facts import details, short_description, short_signature

    entity, section, origin = facts.entity, facts.section, facts.origin
    return Api(
        name=entity.name,
        type=entity.type,
        source=entity.source,
        version=origin.state if origin else "",
        signature=short_signature(entity, limit),
        since=entity.since,
        deprecated=entity.deprecated,
        description=short_description(entity, limit),
        details=details(facts, limit),
        example=facts.example if len(facts.example) <= limit // 4 else "",
        title=" › ".join(section.heading_path) if section else entity.name,
        url=section.url if section else "",
        indexed=origin.indexed if origin else "",
    )


async def related_result(reader: Reading, name: str, source: str | list[str] | None) -> CallToolResult:
    """What goes with the APIs of this name, in both forms."""
    from vuedocs.query.related import LIMIT, related, related_text

    match, notes = at_most(*matched(reader, name, source))
    limit = max(1, min(LIMIT, RELATED_IN_ALL // len(match.entities)))
    found = [await related(reader.library, entity, limit) for entity in match.entities]
    answer = RelatedAnswer(name=match.name, related=[related_to(entry) for entry in found], notes=list(notes))
    pages = dict.fromkeys((section.chunk.source, address(section.chunk)) for entry in found for section in entry.sections)
    text = "\n\n".join([*noted(notes), *map(related_text, found)])
    return result(text, answer, [resource_link(page_uri(source, name), f"{source}/{name}") for source, name in pages])


def related_to(found: Related) -> RelatedToApi:
    """The structured form of what goes with one API."""
    return RelatedToApi(
        name=found.entity.name,
        source=found.entity.source,
        apis=[RelatedApi(name=api.name, type=api.type, description=api.description) for api in found.apis],
        sections=[
            RelatedSection(title=" › ".join(section.chunk.heading_path), url=section.chunk.url, why=section.why)
            for section in found.sections
        ],
    )
