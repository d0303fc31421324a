"""detect: what the query is made of: its dense vector, its BM25 vector, and the APIs that it names.

Entities are found exactly (names that are English words only where the query shows that code is meant), as neighbouring words
("watch effect"), by the curated synonyms that entities carry as aliases, and, for words that no document knows, by spelling.
A misspelt name is searched in its right spelling, and the answer says so.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from rapidfuzz import fuzz, process

from vuedocs import lexical
from vuedocs.clients.pacing import within
from vuedocs.config import Detect
from vuedocs.errors import ProviderError, QueryError
from vuedocs.query.clients import QueryClients
from vuedocs.query.library import Library
from vuedocs.records import Entity, Mention, Search, Sparse

log = logging.getLogger(__name__)

ENGLISH = frozenset(
    """
    a accordion action actions activated alert alias aliases api app appearance as assert attributes avatar badge bail
    base bench benchmark breadcrumb build builder button cache calendar call card carousel changed changes checkbox
    class classes close collapsible combobox command commands component components composer computed config configure
    container content context coverage create created css cursor data deactivated debug default define delete deps
    describe description dev devtools dialog diff dir directive directives dispatch drawer element emit emits emitted
    env environment error event events exclude exists expect experimental expose extends extensions features field
    filter find fit fixtures form from fullscreen future geolocation get global globals go h head hooks html icon
    ignore image import imports include index inherit inject input is isolate key label lang link list listen load
    local locale map mark markdown match matches message messages methods mixins mock modal mode model module modules
    mount mounted name network next now on once open optimization options order output page pages pagination params
    parent path plugin plugins plus pool popover portal preview progress project projects props provide provider public
    push query raw readonly ready ref refs remove render repeats replace reporter reporters request reset resizable
    resolve restart result retry rewrites root router routes run runner schema scope script select separator sequence
    server set setup shallow shard share shared sheet show silent sitemap size skeleton slider slot slots snapshot
    source spy ssr state stepper store style suite suspense switch table tabs tags target teleport template test tests
    text textarea theme threads timeout title toast toggle tooltip transition translation trigger tsconfig type
    typecheck types typescript ui unmount unmounted until update updated use utils value version view vite vue watch
    watcher watchers webpack whenever window with worker workers
    """.split()  # noqa: SIM905 - a word list reads best as words
)
"""API names that are also words of English prose about software: alone they need a sign that code is meant."""

_WORD = re.compile(r"[@:#$.]?[A-Za-z_][\w$]*(?:[-.:][A-Za-z_][\w$]*)*(?:\(\))?")
_CODE_SIGNS = re.compile(r"`|\(\)|[<>{}=]|^\W*[\w.$@:#-]+\W*$")


async def detect(state: Search, section: Detect, clients: QueryClients) -> Search:
    """Adds ``dense``, ``sparse`` and ``mentions``. Raises QueryError for a blank or over-long query.

    An embedder that fails raises ProviderError, or by config leaves ``dense`` out and marks the search as degraded.
    """
    query = state.query.encode("utf-8", "surrogatepass").decode("utf-8", "replace").strip()  # a shell passes any bytes on
    if not query:
        raise QueryError("the query is blank; ask a question or name an API, such as `how do I watch a ref`")
    if len(query) > section.max_query_chars:
        raise QueryError(
            f"the query has {len(query):,} characters and may have {section.max_query_chars:,}; "
            "leave out logs and code that the question does not need"
        )
    state = replace(state, query=query)
    try:
        async with within(clients.deadlines.detect, f"embedding the query by {clients.embedder.name}"):
            return await _detected(state, section, clients)
    except ProviderError as error:
        if section.without_embedder == "error":
            raise
        log.warning("embedder %s failed, words alone are searched: %s", clients.embedder.name, error)
    mentions, _, sparse = await asyncio.to_thread(_by_words, state, section, clients.library)
    state = replace(state, sparse=sparse, mentions=mentions, degraded=(*state.degraded, "detect"))
    return state.note("the embedding model failed: only sections that share words with the query were found")


async def _detected(state: Search, section: Detect, clients: QueryClients) -> Search:
    """The vector is asked for at once, beside words and names; where those correct the query, it is asked for again."""
    meaning = asyncio.create_task(clients.embedder.embed_query(state.query))
    try:
        mentions, corrected, sparse = await asyncio.to_thread(_by_words, state, section, clients.library)
        dense = await (meaning if corrected == state.query else clients.embedder.embed_query(corrected))
    finally:
        meaning.cancel()
        meaning.add_done_callback(lambda task: task.cancelled() or task.exception())  # what nobody needs any more, fails unseen
    notes = [f"{m.words!r} was read as `{m.entity.name}`" for m in mentions if m.how == "typo"]
    return replace(state, dense=dense, sparse=sparse, mentions=mentions).note(*dict.fromkeys(notes))


def _by_words(state: Search, section: Detect, library: Library) -> tuple[tuple[Mention, ...], str, Sparse]:
    """The APIs that the query names, the query with misspelt names corrected, and its BM25 vector."""
    mentions = mentions_in(state.query, library.names, library.vocabulary, state.sources, section)
    corrected = correct(state.query, mentions)
    words = lexical.tokenise(state.query) + (lexical.tokenise(corrected) if corrected != state.query else [])
    searched = state.sources if section.idf == "searched" else ()
    return mentions, corrected, lexical.query_weights(words, lambda term: library.terms.weight(term, searched))


def mentions_in(
    query: str,
    names: Mapping[str, tuple[Entity, ...]],
    vocabulary: frozenset[str],
    sources: Sequence[str],
    section: Detect,
) -> tuple[Mention, ...]:
    """The entities that the query names, in its order, at most ``max_mentions``; of ``sources`` only, where any are given."""
    code = bool(_CODE_SIGNS.search(query))
    found: dict[str, Mention] = {}
    for words, how in spelled(query):
        matches = names.get(words.lower(), ())
        in_capitals = any(entity.name == words != words.lower() for entity in matches)
        if how == "exact" and words.lower() in ENGLISH and not (code or in_capitals):
            continue
        for entity in matches:
            alias = entity.name.lower() != words.lower()
            found.setdefault(entity.key, Mention(entity, "synonym" if alias and " " not in words else how, words))
    for words in unknown_words(query, names, vocabulary, section.fuzzy_min_length):
        for entity in nearest(words, names, section.fuzzy_cutoff):
            found.setdefault(entity.key, Mention(entity, "typo", words))
    chosen = [mention for mention in found.values() if not sources or mention.entity.source in sources]
    return tuple(chosen[: section.max_mentions])


def spelled(query: str) -> Iterator[tuple[str, Literal["exact", "bigram"]]]:
    """Every spelling that may be a name: words as they stand, then neighbours joined with nothing, a dash and a space."""
    words = [word.removesuffix("()") for word in _WORD.findall(query)]
    for word in words:
        yield word, "exact"
        if word[0] in "@:#." and len(word) > 1:
            yield word[1:], "exact"
    for size in (3, 2):
        for start in range(len(words) - size + 1):
            pieces = words[start : start + size]
            yield "".join(pieces), "bigram"
            yield "-".join(pieces), "bigram"
            yield " ".join(pieces), "bigram"


def unknown_words(query: str, names: Mapping[str, tuple[Entity, ...]], vocabulary: frozenset[str], shortest: int) -> list[str]:
    """Words that neither a document nor an entity knows: what may be misspelt."""
    words = [word.removesuffix("()") for word in _WORD.findall(query)]
    return [
        word
        for word in words
        if len(word) >= shortest and word.lower() not in names and not (set(lexical.tokenise(word)[:1]) & vocabulary)
    ]


def nearest(word: str, names: Mapping[str, tuple[Entity, ...]], cutoff: float) -> tuple[Entity, ...]:
    """The entities whose name is most like ``word``, if it is like enough: by edit distance and transpositions."""
    match = process.extractOne(word.lower(), list(names), scorer=fuzz.ratio, score_cutoff=cutoff)
    return names[match[0]] if match else ()


def correct(query: str, mentions: Sequence[Mention]) -> str:
    """The query with misspelt names in their right spelling; only whole words are replaced, and each once."""
    names: dict[str, str] = {}
    for mention in mentions:
        if mention.how == "typo":
            names.setdefault(mention.words, mention.entity.name)  # of the same name in several sources the first
    return _WORD.sub(lambda word: _corrected(word.group(), names), query)


def _corrected(word: str, names: Mapping[str, str]) -> str:
    bare = word.removesuffix("()")
    return names[bare] + word[len(bare) :] if bare in names else word
