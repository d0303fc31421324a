"""Resources: what is indexed, its topics, pages, APIs and scopes, by URI."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError
from mcp.shared.exceptions import MCPError
from mcp.types import INTERNAL_ERROR, INVALID_PARAMS, CallToolResult, ListResourcesResult, TextContent

from vuedocs.errors import NotIndexedError, QueryError, UsageError, VuedocsError
from vuedocs.serving import catalogue
from vuedocs.serving.apis import api_result
from vuedocs.serving.arguments import make_cursor, read_cursor
from vuedocs.serving.parts import parts
from vuedocs.serving.reading import page_result
from vuedocs.serving.service import NotReadyError, Reading, Service, how_to_index
from vuedocs.serving.shared import sources_of
from vuedocs.serving.sources import source_list
from vuedocs.serving.uris import MARKDOWN, SOURCES

if TYPE_CHECKING:
    from vuedocs.records import Page

logger = logging.getLogger(__name__)

PAGE_SIZE = 100
"""Resources of one answer to resources/list."""


def add_resources(server: MCPServer[Any], service: Service) -> None:
    """Registers the resources; pages and APIs read as the tools of the same matter answer."""

    @server.resource(SOURCES, title="Indexed documentation", mime_type=MARKDOWN)
    async def sources() -> str:
        """What is indexed: sources, versions, dates."""
        with words_for_clients():
            return text_of(await source_list(await service.reader()))

    @server.resource("vuedocs://{source}/topics", title="Topics of a source", mime_type=MARKDOWN)
    async def topics(source: str) -> str:
        """The groups of a site's navigation with the titles of their pages."""
        with words_for_clients():
            name, _, pages = await of_source(service, source)
            return whole(catalogue.topics_text(name, pages))

    @server.resource("vuedocs://{source}/topics/{+section}", title="Pages of a topic", mime_type=MARKDOWN)
    async def topic(source: str, section: str) -> str:
        """The pages of a group of the navigation, or of a folder, with what each is about."""
        with words_for_clients():
            name, _, pages = await of_source(service, source)
            return whole(catalogue.topic_text(name, section, catalogue.topic_pages(pages, section)))

    @server.resource("vuedocs://{source}/scopes", title="Scopes of a source", mime_type=MARKDOWN)
    async def scopes(source: str) -> str:
        """The folders that docs_search takes as scope."""
        with words_for_clients():
            name, _, pages = await of_source(service, source)
            return whole(catalogue.scopes_text(name, pages))

    add_texts(server, service)


def add_texts(server: MCPServer[Any], service: Service) -> None:
    """Registers the resources that hold documentation."""

    @server.resource("vuedocs://{source}/pages/{+path}", title="A page of the documentation", mime_type=MARKDOWN)
    async def page(source: str, path: str) -> str:
        """A page by its path, or with #anchor a section of it; a long one says how the rest is read."""
        with words_for_clients():
            name, reader, _ = await of_source(service, source)
            return text_of(await page_result(reader, f"{name}/{path}"))

    @server.resource("vuedocs://{source}/api", title="APIs of a source", mime_type=MARKDOWN)
    async def apis(source: str) -> str:
        """The names of all APIs, by type."""
        with words_for_clients():
            name, reader, _ = await of_source(service, source)
            entities = [entity for same in reader.library.names.values() for entity in same]
            return whole(catalogue.apis_text(name, catalogue.apis(entities, name)))

    @server.resource("vuedocs://{source}/api/{+name}", title="An API", mime_type=MARKDOWN)
    async def api(source: str, name: str) -> str:
        """An API by its name: type, signature, description, example."""
        with words_for_clients():
            return text_of(await api_result(await service.reader(), name, source))


async def of_source(service: Service, source: str) -> tuple[str, Reading, tuple[Page, ...]]:
    """The one indexed source that ``source`` names, and its pages. Raises UsageError."""
    reader = await service.reader()
    names = sources_of(reader.manifest, source)
    if len(names) != 1:
        raise QueryError(f"{source!r} is not one source; an address names one, such as vuedocs://vue/topics")
    return names[0], reader, await reader.library.pages(names[0])


async def resource_page(service: Service, cursor: str | None) -> ListResourcesResult:
    """A page of the list of all resources; without an index, what can be read when there is one.

    Raises MCPError for a cursor of another list.
    """
    try:
        reader = await service.reader()
    except VuedocsError:
        return ListResourcesResult(resources=list(catalogue.all_resources(None, ())))
    try:
        pages = await reader.library.pages()
    except VuedocsError as error:
        logger.error("the list of resources cannot be read: %s", error)
        raise MCPError(code=INTERNAL_ERROR, message="The list cannot be read now; try again later.") from None
    listed = list(catalogue.all_resources(reader.manifest, pages))
    request = ("resources", reader.manifest.generation)
    try:
        start = read_cursor(cursor, *request)
    except QueryError as error:
        raise MCPError(code=INVALID_PARAMS, message=str(error)) from None
    end = start + PAGE_SIZE
    return ListResourcesResult(
        resources=listed[start:end], next_cursor=make_cursor(str(end), *request) if end < len(listed) else None
    )


@contextlib.contextmanager
def words_for_clients() -> Iterator[None]:
    """Errors that are for the caller in the protocol's own: not found, or for now not to be had."""
    try:
        yield
    except UsageError as error:
        raise ResourceNotFoundError(str(error)) from error
    except NotIndexedError as error:
        raise ResourceError(how_to_index(error)) from error
    except NotReadyError as error:
        raise ResourceError(str(error)) from error


def whole(text: str) -> str:
    """A list that every client takes; one that is longer says that it is cut."""
    first, *rest = parts([text])
    return f"{first}\n\n(cut here; docs_search finds the rest)" if rest else first


def text_of(result: CallToolResult) -> str:
    """The text form of a tool's answer."""
    return "".join(block.text for block in result.content if isinstance(block, TextContent))
