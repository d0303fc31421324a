"""One tool of any MCP server, by the official SDK: what a benchmark of other people's servers calls."""

from __future__ import annotations

import shlex
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from vuedocs.errors import ProviderError

TIMEOUT = 120.0
"""Seconds that one answer may take, the server's start included."""


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """What a tool returned: its text, and its structured content where it gives any."""

    text: str
    structured: Any


class Tool:
    """A tool of a server that is connected."""

    def __init__(self, client: Any, name: str) -> None:
        self._client = client
        self.name = name

    async def call(self, arguments: Mapping[str, Any]) -> ToolAnswer:
        """The tool's answer. Raises ProviderError where it answers with an error, or not at all."""
        from mcp import MCPError

        try:
            result = await self._client.call_tool(self.name, dict(arguments))
        except (MCPError, OSError, TimeoutError) as error:
            raise ProviderError(f"tool {self.name!r} did not answer {dict(arguments)}: {error}; try it by hand") from error
        text = "\n".join(part.text for part in result.content if getattr(part, "type", "") == "text")
        if result.is_error:
            raise ProviderError(f"tool {self.name!r} refused {dict(arguments)}: {text[:300]}; see which arguments it takes")
        return ToolAnswer(text, result.structured_content)


@asynccontextmanager
async def connect(server: str, tool: str, environment: Mapping[str, str]) -> AsyncIterator[Tool]:
    """The tool of the server at a URL, or that a command starts over stdio. Raises ProviderError where there is none."""
    from mcp import Client, MCPError, StdioServerParameters

    if server.startswith(("http://", "https://")):
        target: Any = server
    else:
        command, *arguments = shlex.split(server) or [""]
        target = StdioServerParameters(command=command, args=arguments, env=dict(environment))
    failure: BaseException | None = None
    try:
        async with Client(target, read_timeout_seconds=TIMEOUT) as client:
            known = [one.name for one in (await client.list_tools()).tools]
            if tool not in known:
                raise ProviderError(f"{server!r} has no tool {tool!r}; its tools are {', '.join(known)}")
            yield Tool(client, tool)
    except* ProviderError as errors:  # the SDK's task groups wrap what is raised inside them
        failure = first_of(errors)
    except* (MCPError, OSError) as errors:
        failure = ProviderError(f"{server!r} cannot be used as an MCP server: {first_of(errors)}; run it by hand to see why")
    if failure:
        raise failure


def first_of(errors: BaseException) -> BaseException:
    """The first error inside nested groups."""
    while isinstance(errors, BaseExceptionGroup):
        errors = errors.exceptions[0]
    return errors
