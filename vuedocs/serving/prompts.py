"""Prompts: tasks that people start by name, written so that the assistant answers from the documentation by the tools."""

from __future__ import annotations

import re
from typing import Annotated, Any

from mcp.server.mcpserver import MCPServer
from mcp.shared.exceptions import MCPError
from mcp.types import INVALID_PARAMS
from pydantic import Field

from vuedocs.errors import UsageError, VuedocsError
from vuedocs.serving.service import Service
from vuedocs.serving.shared import sources_of

SOURCE = Annotated[str, Field(description='Which documentation: a source, several between commas, or "all".')]

RULES = """\
Rules:
- Keep to source="{source}". Where the answer lies in another library, say so before you look there.
- Take facts from what the tools return, not from memory. What the documentation does not say, say that it does not.
- Pass on their notes: a version that is not indexed, a name that was read as another, a scope that was widened.
- Cite the sections you use by the links they came with."""

DEBUG = """\
Find out why this goes wrong, and how to put it right, from the documentation.

Symptom: {symptom}

{code}Use the vuedocs tools in this order:
1. docs_search(query=..., source="{source}") with the symptom in one sentence: what is done, what happens instead, the text \
of the \
error and the names of the APIs in play.
2. api_lookup(name=..., source="{source}") for each API in the code whose behaviour matters here.
3. read_page with the URL of the section that explains it, where the passage is not enough; get_related where the cause may \
lie in \
an API beside it.

Then answer: the cause in one or two sentences, the corrected code, and why it works. If several causes are possible, say \
what would \
tell them apart.

{rules}"""

COMPARE = """\
Compare these for somebody who must choose between them, from the documentation: {items}

Use the vuedocs tools in this order:
1. api_lookup(name=..., source="{source}") for each of them; where one is no API but a concept, docs_search(query=..., \
source="{source}").
2. docs_search(query="difference between {spoken}", source="{source}") for what the documentation itself says of the choice.
3. get_related(name=..., source="{source}") where it is not clear what else belongs to one of them.

Then answer: a table with a row for what each is for, its signature, when it runs, what it returns, its limits and since when it \
exists; then when to take which, with a short example of each.

{rules}"""

MIGRATE = """\
Show how to migrate code from {before} to {after}, from the documentation.

Use the vuedocs tools in this order:
1. docs_search(query="migrate from {before} to {after}", source="{source}").
2. docs_search or api_lookup(name=..., source="{source}") for {before}, to know what it promises today and whether it is \
deprecated; \
then for {after}.
3. read_page with the URL of the section that covers the change, where the passages leave steps out.

Then answer: what corresponds to what, as a table; code before and after; the steps in order; what behaves differently \
afterwards; \
and what has no counterpart.

{rules}"""


def add_prompts(server: MCPServer[Any], service: Service) -> None:
    """Registers the prompts."""

    @server.prompt(
        title="Debug an issue", description="Find the cause of a symptom from the documentation, and the corrected code."
    )
    async def debug_issue(
        symptom: Annotated[str, Field(description="What goes wrong: what you did, what happened, the text of the error.")],
        code: Annotated[str, Field(description="The code it happens in, if any.")] = "",
        source: SOURCE = "vue",
    ) -> str:
        chosen = await named_source(service, source)
        block = f"Code:\n\n{fenced(code)}\n\n" if code.strip() else ""
        return DEBUG.format(symptom=symptom.strip(), code=block, source=chosen, rules=RULES.format(source=chosen))

    @server.prompt(title="Compare APIs", description="Compare two or more APIs or concepts and say when to take which.")
    async def compare_apis(
        items: Annotated[str, Field(description="What to compare, between commas: ref, reactive, shallowRef.")],
        source: SOURCE = "vue",
    ) -> str:
        names = [name.strip() for name in re.split(r",|\bvs\.?\s", items) if name.strip()]
        if len(names) < 2:
            raise MCPError(code=INVALID_PARAMS, message=f"items names {len(names)} thing; give two or more between commas")
        chosen = await named_source(service, source)
        quoted = ", ".join(f"`{name}`" for name in names)
        return COMPARE.format(items=quoted, spoken=" and ".join(names), source=chosen, rules=RULES.format(source=chosen))

    @server.prompt(title="Migrate a pattern", description="Show how code in one pattern is written in another, step by step.")
    async def migrate_pattern(
        from_pattern: Annotated[str, Field(description="What the code uses now: mixins, Options API, Vuex.")],
        to_pattern: Annotated[str, Field(description="What it shall use: composables, Composition API, Pinia.")],
        source: SOURCE = "vue",
    ) -> str:
        chosen = await named_source(service, source)
        return MIGRATE.format(
            before=from_pattern.strip(), after=to_pattern.strip(), source=chosen, rules=RULES.format(source=chosen)
        )


async def named_source(service: Service, source: str) -> str:
    """``source`` as the tools take it; as it was given while there is no index to know. Raises MCPError for an unknown one."""
    try:
        reader = await service.reader()
        return ",".join(sources_of(reader.manifest, source)) or "all"
    except UsageError as error:
        raise MCPError(code=INVALID_PARAMS, message=str(error)) from None
    except VuedocsError:
        return source


def fenced(code: str) -> str:
    """Code as a Markdown block, whatever fences it holds itself."""
    longest = max((len(run) for run in re.findall(r"`{3,}", code)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}vue\n{code.strip()}\n{fence}"
