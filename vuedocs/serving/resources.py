"""Resources: what is indexed, its pages and its APIs, by URI."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError
from mcp.types import CallToolResult, TextContent

from vuedocs.errors import NotIndexedError, QueryError, UsageError
from vuedocs.serving.apis import api_result
from vuedocs.serving.reading import page_result
from vuedocs.serving.service import NotReadyError, Service, how_to_index
from vuedocs.serving.shared import sources_of
from vuedocs.serving.tools import source_list

MARKDOWN = "text/markdown"


def add_resources(server: MCPServer[Any], service: Service) -> None:
    """Registers the resources; each reads as the tool of the same matter answers."""

    @server.resource("vuedocs://sources", title="Indexed documentation", mime_type=MARKDOWN)
    async def sources() -> str:
        """What is indexed: sources, versions, dates."""
        with words_for_clients():
            return text_of(await source_list(await service.reader()))

    @server.resource("vuedocs://{source}/pages/{+path}", title="A page of the documentation", mime_type=MARKDOWN)
    async def page(source: str, path: str) -> str:
        """A page by its path; a long one is cut where its first part ends."""
        with words_for_clients():
            reader = await service.reader()
            names = sources_of(reader.manifest, source)
            if len(names) != 1:
                raise QueryError(f"{source!r} is not one source; a page's address names one, such as vuedocs://vue/pages/{path}")
            return text_of(await page_result(reader, f"{names[0]}/{path}"))

    @server.resource("vuedocs://{source}/api/{+name}", title="An API", mime_type=MARKDOWN)
    async def api(source: str, name: str) -> str:
        """An API by its name: type, signature, example."""
        with words_for_clients():
            reader = await service.reader()
            return text_of(await api_result(reader, name, source))


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


def text_of(result: CallToolResult) -> str:
    """The text form of a tool's answer."""
    return "".join(block.text for block in result.content if isinstance(block, TextContent))
