"""Completions: values for the variables of resources and the arguments of prompts, as somebody types them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from mcp.server.mcpserver import MCPServer
from mcp.types import Completion, CompletionArgument, CompletionContext, PromptReference, ResourceTemplateReference
from rapidfuzz import fuzz

from vuedocs.errors import UsageError, VuedocsError
from vuedocs.serving import catalogue
from vuedocs.serving.service import Reading, Service
from vuedocs.serving.shared import sources_of
from vuedocs.serving.uris import address
from vuedocs.spelling import joined

MOST = 100
"""Values of one answer, by the protocol."""
LIKE = 75.0
"""rapidfuzz ratio, of 100, from which a value is like what was typed."""
LISTS = ("items", "source")
"""Arguments of prompts that take several values between commas."""
LONGEST_TYPED = 200
"""Characters of a beginning: nothing that could be completed is longer."""


def add_completions(server: MCPServer[Any], service: Service) -> None:
    """Registers completion of every variable and argument that has a known set of values."""

    async def complete(
        ref: PromptReference | ResourceTemplateReference, argument: CompletionArgument, context: CompletionContext | None
    ) -> Completion:
        prompt = isinstance(ref, PromptReference)
        before, typed = split_list(argument.value) if prompt and argument.name in LISTS else ("", argument.value)
        if len(typed) > LONGEST_TYPED:
            return Completion(values=[], total=0, has_more=False)
        try:
            reader = await service.reader()
            options = await values_for(reader, argument.name, (context.arguments if context else None) or {}, prompt)
        except VuedocsError:
            return Completion(values=[], total=0, has_more=False)
        matches = matching(options, typed)
        return Completion(values=[before + match for match in matches[:MOST]], total=len(matches), has_more=len(matches) > MOST)

    register: Callable[[object], object] = server.completion()  # type: ignore[no-untyped-call]
    register(complete)


async def values_for(reader: Reading, name: str, given: Mapping[str, str], prompt: bool) -> list[str]:
    """All values of an argument; those of the source that is chosen already, where one is. Nothing for free text."""
    indexed = reader.manifest.source_names
    if name == "source":
        return [*indexed, "all"] if prompt else indexed
    try:
        sources = sources_of(reader.manifest, given["source"]) if given.get("source") else ()
    except UsageError:
        return []
    chosen = sources or indexed
    pages = [page for page in await reader.library.pages() if page.source in chosen]
    if name == "path":
        return [address(page) for page in pages]
    if name == "scope":
        return list(catalogue.scopes(pages))
    if name == "section":
        return [*catalogue.topics(pages), *catalogue.scopes(pages)]
    if name not in ("name", "items", "from_pattern", "to_pattern"):
        return []
    entities = [entity for same in reader.library.names.values() for entity in same]
    names = [entity.name for source in chosen for entity in catalogue.apis(entities, source)]
    return names if name in ("name", "items") else [*names, *(page.title for page in pages)]


def matching(options: Iterable[str], typed: str) -> list[str]:
    """The options that ``typed`` begins, then those in which it begins a part, those that hold it, and those that are like it."""
    unique = list(dict.fromkeys(options))
    if not typed.strip():
        return unique
    ranked = [(rank(option, typed), place, option) for place, option in enumerate(unique)]
    return [option for number, _, option in sorted(ranked) if number < len(RANKS)]


RANKS: tuple[Callable[[str, str], bool], ...] = (
    lambda option, typed: option.lower().startswith(typed.lower()),
    lambda option, typed: bool(joined(typed)) and joined(option).startswith(joined(typed)),
    lambda option, typed: any(part.startswith(typed.lower()) for part in re.split(r"[/.\s_-]+", option.lower())),
    lambda option, typed: bool(joined(typed)) and joined(typed) in joined(option),
    lambda option, typed: fuzz.ratio(option.rpartition("/")[2].lower(), typed.rpartition("/")[2].lower()) >= LIKE,
)
"""The ways in which an option may match, the best first."""


def rank(option: str, typed: str) -> int:
    """The number of the best way in which ``option`` matches; that of all ways where it matches in none."""
    return next((number for number, matches in enumerate(RANKS) if matches(option, typed)), len(RANKS))


def split_list(typed: str) -> tuple[str, str]:
    """The values before the last comma as they stand, and what is being typed after it."""
    before, comma, last = typed.rpartition(",")
    space = last[: len(last) - len(last.lstrip())]
    return before + comma + space, last.lstrip()
