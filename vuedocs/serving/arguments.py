"""What callers mean by the arguments they send: names that models invent, several sources in one text, cursors.

Everything here is pure. A name that cannot be understood is refused with an error that names the right one.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from rapidfuzz import process

from vuedocs.errors import QueryError, SourceError, UsageError
from vuedocs.serving.versions import holds
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

MOST_SOURCES = 50
LONGEST_SOURCE = 100
"""Characters of a source's name with its version; a longer one is none, and reading it would take long."""

_WITH_VERSION = re.compile(r"(.*?[^\s@v.-])(?:[\s@-]*(?:version\s*)?v?(\d+(?:\.\d+)*)|@latest)", re.IGNORECASE)
"""A name with its version, or with the tag that means the newest."""


def understand(tool: str, arguments: Mapping[str, Any], known: Sequence[str]) -> dict[str, Any]:
    """``arguments`` under the names that ``tool`` knows; ``None`` counts as not given.

    Raises UsageError for a name that cannot be understood, and for two names that mean the same argument.
    """
    if not known:
        return {}  # a client may fill in something where there is nothing to say
    understood: dict[str, Any] = {}
    for name, value in folded(tool, arguments).items():
        if value is None:
            continue
        target = name if name in known else meant(name, known)
        if target is None:
            listed = ", ".join(known)
            raise UsageError(f"{tool} has no argument {name[:60]!r}{suggestion(name, known)} Its arguments are {listed}.")
        if target in understood:
            raise UsageError(f"{tool} was given {target} twice, once as {name[:60]!r}; give {target} alone.")
        understood[target] = value
    return understood


def folded(tool: str, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
    """``arguments`` of read_page with the source, which it takes in front of the path, put there; else as they are."""
    sources = [name for name in arguments if tool == "read_page" and meant(name, ("source",))]
    rest = {name: value for name, value in arguments.items() if name not in sources}
    paths = [name for name in rest if meant(name, ("path",))]
    for source, path in ((one_name(arguments[source]), name) for source in sources for name in paths):
        if source and not says_source(str(rest[path]), source):
            rest[path] = f"{source}/{str(rest[path]).lstrip('/')}"
    return rest


def one_name(given: Any) -> str:
    """The one source that ``given`` names, in a list or not; ``""`` where it is none, several or all."""
    names = given if isinstance(given, list) else [given]
    name = names[0].strip() if len(names) == 1 and isinstance(names[0], str) else ""
    return "" if "," in name or joined(name) == "all" else name


def says_source(path: str, source: str) -> bool:
    """Whether a path or address has its source in front already, however it is written."""
    return "://" in path or joined(path.strip().lstrip("/").partition("/")[0]) == joined(source)


def meant(name: str, known: Sequence[str]) -> str | None:
    """The argument that ``name`` stands for, or None."""
    joinedd = joined(name)
    for argument in known:
        if joinedd in {joined(argument), *map(joined, ALIASES.get(argument, ()))}:
            return argument
    return None


def suggestion(name: str, known: Sequence[str]) -> str:
    """``; did you mean ...?`` where one of the known names is near, else the end of the sentence."""
    near = process.extractOne(name, known, score_cutoff=70)
    return f"; did you mean {near[0]}?" if near else "."


def wanted_sources(
    given: str | Sequence[str], indexed: Mapping[str, str], canonical: Callable[[str], str], called: Mapping[str, Iterable[str]]
) -> tuple[str, ...]:
    """The indexed sources that ``given`` names; ``()`` for all of them.

    ``given`` is one name, several between commas, or a list; ``all`` anywhere means all. ``indexed`` has each source's version.
    ``canonical`` gives the name of a source that people call otherwise, and raises SourceError for one that nobody knows;
    ``called`` has what people call each. Raises SourceError that says what is indexed, for a source or version that is not.
    """
    names = [part.strip() for text in ([given] if isinstance(given, str) else given) for part in text.split(",") if part.strip()]
    if not names:
        raise SourceError(f"source is empty. {what_is_indexed(indexed)}")
    if len(names) > MOST_SOURCES or max(map(len, names)) > LONGEST_SOURCE:
        raise SourceError(f"source is longer than any list of names. {what_is_indexed(indexed)}")
    if any(joined(name) in {"all", "any", "every", "everything"} for name in names):
        return ()
    by_joined = {joined(name): name for name in indexed}
    return tuple(dict.fromkeys(by_joined.get(joined(name)) or meant_source(name, indexed, canonical, called) for name in names))


def meant_source(
    name: str, indexed: Mapping[str, str], canonical: Callable[[str], str], called: Mapping[str, Iterable[str]]
) -> str:
    """The indexed source that people call ``name``, with or without its version: ``vue@3``, ``Vue Router 4``."""
    versioned = _WITH_VERSION.fullmatch(name)
    bare, version = (versioned.group(1), versioned.group(2) or "") if versioned else (name, "")
    try:
        found = canonical(name)
    except SourceError:
        try:
            found = canonical(bare)
        except SourceError:
            near = suggestion(name, list(indexed))
            raise SourceError(f"there is no source {name[:60]!r}{near} {what_is_indexed(indexed)}") from None
        if version and found in indexed and not holds(version, indexed[found], called.get(found, ())):
            raise SourceError(f"{found} {version} is not indexed; {found} is indexed as {indexed[found]}") from None
    if found not in indexed:
        raise SourceError(f"The source {found!r} is known but not indexed, so it cannot be searched. {what_is_indexed(indexed)}")
    return found


def what_is_indexed(indexed: Iterable[str]) -> str:
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
