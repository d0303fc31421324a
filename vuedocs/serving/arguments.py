"""What callers mean by the arguments they send: names that models invent, several sources in one text, cursors.

Everything here is pure. A name that cannot be understood is refused with an error that names the right one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rapidfuzz import process

from vuedocs.errors import QueryError, SourceError, UsageError
from vuedocs.spelling import joined

ALIASES: Mapping[str, tuple[str, ...]] = {
    "query": (
        "question",
        "user_query",
        "user_question",
        "search_query",
        "search_term",
        "search_text",
        "q",
        "text",
        "prompt",
        "input",
        "keywords",
        "topic",
        "term",
        "search",
    ),
    "source": ("sources", "library", "libraries", "library_name", "library_id", "framework", "package", "lib", "docs", "product"),
    "scope": ("scopes", "folder", "category", "area"),
    "max_results": (
        "limit",
        "top_k",
        "k",
        "n",
        "count",
        "num_results",
        "n_results",
        "number_of_results",
        "max",
        "results",
        "size",
        "page_size",
    ),
    "max_tokens": ("tokens", "token_limit", "token_budget", "budget", "max_length"),
    "cursor": ("next_cursor", "page_token", "next", "continue_from"),
    "name": ("api", "api_name", "symbol", "identifier", "function", "entity", "item", "query", "q", "question", "term"),
    "path": ("page", "url", "uri", "route", "page_path", "file", "link", "id"),
    "section": ("anchor", "heading", "fragment", "hash"),
}
"""By argument, the names that models send instead; compared without case, ``_`` and ``-``."""


def understand(tool: str, arguments: Mapping[str, Any], known: Sequence[str]) -> dict[str, Any]:
    """``arguments`` under the names that ``tool`` knows; ``None`` counts as not given.

    Raises UsageError for a name that cannot be understood, and for two names that mean the same argument.
    """
    understood: dict[str, Any] = {}
    for name, value in arguments.items():
        if value is None:
            continue
        target = name if name in known else meant(name, known)
        if target is None:
            listed = ", ".join(known)
            raise UsageError(f"{tool} has no argument {name[:60]!r}; {suggestion(name, known)}its arguments are {listed}.")
        if target in understood:
            raise UsageError(f"{tool} was given {target} twice, once as {name[:60]!r}; give {target} alone.")
        understood[target] = value
    return understood


def meant(name: str, known: Sequence[str]) -> str | None:
    """The argument that ``name`` stands for, or None."""
    joinedd = joined(name)
    for argument in known:
        if joinedd in {joined(argument), *map(joined, ALIASES.get(argument, ()))}:
            return argument
    return None


def suggestion(name: str, known: Sequence[str]) -> str:
    """``did you mean ...? `` where one of the known names is near, or nothing."""
    near = process.extractOne(name, known, score_cutoff=70)
    return f"did you mean {near[0]}? " if near else ""


def wanted_sources(given: str | Sequence[str], indexed: Sequence[str], canonical: Callable[[str], str]) -> tuple[str, ...]:
    """The indexed sources that ``given`` names; ``()`` for all of them.

    ``given`` is one name, several between commas, or a list; ``all`` anywhere means all. ``canonical`` gives the name of a source
    that people call otherwise, and raises SourceError for one that nobody knows.
    Raises SourceError that says what is indexed, for any name that is not.
    """
    names = [part.strip() for text in ([given] if isinstance(given, str) else given) for part in text.split(",") if part.strip()]
    if not names:
        raise SourceError(f"source is empty; {what_is_indexed(indexed)}")
    if any(joined(name) in {"all", "any", "every", "everything"} for name in names):
        return ()
    by_joined = {joined(name): name for name in indexed}
    return tuple(dict.fromkeys(by_joined.get(joined(name)) or indexed_source(name, indexed, canonical) for name in names))


def indexed_source(name: str, indexed: Sequence[str], canonical: Callable[[str], str]) -> str:
    """The indexed source that people call ``name``."""
    try:
        found = canonical(name)
    except SourceError as error:
        raise SourceError(f"{str(error).rstrip('.')}. {what_is_indexed(indexed)}") from error
    if found not in indexed:
        raise SourceError(f"The source {found!r} is known but not indexed, so it cannot be searched. {what_is_indexed(indexed)}")
    return found


def what_is_indexed(indexed: Sequence[str]) -> str:
    """A sentence for errors."""
    return f'Indexed: {", ".join(indexed)}; give one, several between commas, or "all".'


def make_cursor(skip: str, *request: object) -> str:
    """The pipeline's cursor, tied to the request and generation that it continues."""
    return f"{skip}-{_mark(request)}"


def read_cursor(cursor: str | None, *request: object) -> int:
    """How many sections earlier answers to the same request have shown; 0 without a cursor.

    Raises QueryError for a cursor of another request, or of an index that has been replaced since.
    """
    if not cursor:
        return 0
    skip, _, mark = cursor.strip().partition("-")
    if not (skip.isascii() and skip.isdigit() and len(skip) <= 6 and mark):
        raise QueryError("This cursor was not made by this server; use the one of an answer as it is, or leave it out.")
    if mark != _mark(request):
        raise QueryError(
            "This cursor belongs to another query, source or scope, or the index has been replaced since; ask again without it."
        )
    return int(skip)


def _mark(request: Sequence[object]) -> str:
    return hashlib.sha256(repr(request).encode()).hexdigest()[:8]
