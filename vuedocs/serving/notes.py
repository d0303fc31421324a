"""What a question names that was not searched: a library, or an API that only other sources have.

It is said, so that an answer from the wrong documentation is not taken for the right one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vuedocs.records import Entity, Mention, Passage

_CODE_NAME = re.compile(r"(?<![\w$.-])\$?[A-Za-z][\w$]*(?:[.-][A-Za-z][\w$]*)*")
GENERIC = ("vue", "sample")
"""Sources whose name says nothing: every question is about Vue."""


def library_notes(query: str, searched: Sequence[str], indexed: Sequence[str], titles: Mapping[str, str]) -> Iterator[str]:
    """A note for each library that ``query`` names and that was not searched. ``titles`` has all known ones, by source."""
    called, pattern = spellings(tuple(titles.items()))
    for source in dict.fromkeys(called[word.lower()] for word in pattern.findall(query)):
        if source not in indexed:
            yield f"{titles[source]} is not indexed here, so that nothing of its documentation is in this answer"
        elif source not in searched:
            yield f'the question names {titles[source]}, which was not searched; ask again with source="{source}"'


@cache
def spellings(titles: tuple[tuple[str, str], ...]) -> tuple[Mapping[str, str], re.Pattern[str]]:
    """The source by each name of it in lower case, and what finds these names in a text, of ``(source, title)``."""
    called = {name.lower(): source for source, title in titles for name in (title, source, source.replace("-", " "))}
    spelt = sorted((name for name, source in called.items() if source not in GENERIC), key=len, reverse=True)
    names = "|".join(map(re.escape, spelt)) or "(?!)"
    return called, re.compile(rf"(?<![\w@/-])(?:{names})(?![\w-])", re.IGNORECASE)


def api_notes(query: str, searched: Sequence[str], names: Mapping[str, tuple[Entity, ...]]) -> Iterator[str]:
    """A note for each API that ``query`` names as code writes it and that only sources which were not searched have."""
    for word in dict.fromkeys(_CODE_NAME.findall(query)):
        if not re.search(r"[a-z][A-Z]|^\$|[.-]", word):
            continue
        owners = list(dict.fromkeys(entity.source for entity in names.get(word.lower(), ()) if entity.name == word))
        if owners and not set(owners) & set(searched):
            yield f'`{word}` is an API of {" and ".join(owners)}, not of what was searched; ask with source="{",".join(owners)}"'


def strange_words(query: str, vocabulary: frozenset[str]) -> Iterator[str]:
    """A note where no word of ``query`` is in the documentation, so that only likeness speaks for what is found."""
    from vuedocs import lexical

    words = lexical.tokenise(query)
    if words and not vocabulary.intersection(words):
        yield "no word of the question is in what is indexed, which is in English; what follows may have nothing to do with it"


def homonym_notes(mentions: Iterable[Mention], passages: Iterable[Passage]) -> Iterator[str]:
    """A note for each API that the question names and that also a source has which is not in the answer."""
    shown = {passage.source for passage in passages}
    owners: dict[str, list[str]] = {}
    for mention in mentions:
        if mention.how == "exact" and mention.entity.source not in owners.setdefault(mention.entity.name, []):
            owners[mention.entity.name].append(mention.entity.source)
    for name, sources in owners.items():
        missing = [source for source in sources if source not in shown]
        if missing and len(sources) > 1:
            yield f'`{name}` is also an API of {" and ".join(missing)}, not shown here; source="{",".join(missing)}" shows it'
