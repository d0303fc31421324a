"""Mining: which questions that the server was asked got no good answer, and drafts of golden questions from them.

Nobody judged these answers, so an answer is only suspected, by what the query log and a second search say:

    nothing      no section was served
    asked again  the same client asked in other words within minutes
    far off      no text of the docs is as near to the question as to nine in ten golden questions
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Literal, Protocol

import numpy as np

from vuedocs.bench.checks import content_words
from vuedocs.bench.drafts import Draft, split_of
from vuedocs.bench.questions import GoldenQuestion, page_of
from vuedocs.bench.runs import SearchReader
from vuedocs.records import LoggedQuery, Search

Reason = Literal["nothing", "asked again", "far off"]

AGAIN = timedelta(minutes=5)
"""Time in which a second question of one client may be the first in other words."""
AGAIN_SHARE = 0.3
"""Distinct stemmed content words that both have, of all that either has, from which it is."""
FAR_SHARE = 10
"""Percent of golden questions that are as far off as a suspected one, or farther."""
MOST = 10_000
"""Logged queries that are read, the newest first."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One question that was asked, once or more often, and why its answer is suspected."""

    query: str
    """As it was asked last."""
    source: str
    times: int
    last: datetime
    served: tuple[str, ...]
    """Chunk ids of the last answer, in its order."""
    reasons: tuple[Reason, ...]
    nearness: float | None = None
    """The best similarity of the docs' texts to it, by vector; None where no vectors were searched."""


class QueryBook(Protocol):
    """What this module needs of the query log."""

    async def read(self, since: datetime, limit: int) -> tuple[LoggedQuery, ...]: ...


async def mine(
    reader: SearchReader, book: QueryBook, source: str, golden: Sequence[GoldenQuestion], days: int
) -> tuple[int, list[Asked]]:
    """How many different questions of ``source`` the last ``days`` hold, and those whose answer is suspected, the worst first.

    Questions that are golden already count and are left out of the list. Each is searched again in the present index.
    """
    every = grouped(await book.read(datetime.now(UTC) - timedelta(days=days), MOST), source)
    known = {plain(question.question) for question in golden}
    new = [asked for asked in every if plain(asked.query) not in known]
    if not new:
        return len(every), []
    own = [near for question in golden if (near := await nearness(reader, question.question, source)) is not None]
    bar = float(np.percentile(own, FAR_SHARE)) if own else -1.0
    judged = [replace(asked, nearness=await nearness(reader, asked.query, source)) for asked in new]
    far = [_with(asked, "far off") if asked.nearness is not None and asked.nearness < bar else asked for asked in judged]
    return len(every), sorted((asked for asked in far if asked.reasons), key=_worst_first)


def grouped(logged: Sequence[LoggedQuery], source: str) -> list[Asked]:
    """The different questions that were asked of ``source``, or of all sources, with what the log alone says of each."""
    of_source = sorted((e for e in logged if not e.sources or source in e.sources), key=lambda entry: entry.asked)
    again = {plain(query) for query in reworded(of_source)}
    groups: dict[str, list[LoggedQuery]] = {}
    for entry in of_source:
        groups.setdefault(plain(entry.query), []).append(entry)
    found = []
    for words, entries in groups.items():
        last = entries[-1]
        reasons: list[Reason] = [] if last.sections else ["nothing"]
        reasons += ["asked again"] if words in again else []
        found.append(Asked(last.query, source, len(entries), last.asked, last.sections, tuple(reasons)))
    return found


def reworded(logged: Iterable[LoggedQuery]) -> Iterator[str]:
    """Queries after which the same client asked nearly the same in other words; ``logged`` by time."""
    latest: dict[str, LoggedQuery] = {}
    for entry in logged:
        before = latest.get(entry.client)
        if before and entry.asked - before.asked <= AGAIN and plain(before.query) != plain(entry.query):
            first, second = content_words(before.query), content_words(entry.query)
            if len(first & second) >= AGAIN_SHARE * len(first | second) > 0:
                yield before.query
        latest[entry.client] = entry


async def nearness(reader: SearchReader, query: str, source: str) -> float | None:
    """The best similarity of a candidate's own text to ``query``; None where there is none."""
    result = await reader.search(Search(query, (source,)))
    found = [scores["dense"] for scores in (candidate.scores for candidate in result.state.candidates) if "dense" in scores]
    return max(found, default=None)


def asked_drafts(found: Iterable[Asked]) -> list[Draft]:
    """Drafts of these questions, in the words in which they were asked: to be judged, and to be reworded only if need be.

    An id stands for the words, so that mining again gives the same.
    """
    drafts = []
    for asked in found:
        about = next((id.removeprefix(f"{asked.source}/") for id in asked.served if id.startswith(f"{asked.source}/")), "")
        section = about.partition("~code-")[0]
        name = hashlib.sha256(plain(asked.query).encode()).hexdigest()[:6]
        split = split_of(page_of(section) or plain(asked.query))
        words = " ".join(asked.query.split())
        drafts.append(Draft(f"{asked.source}-q{name}", asked.source, words, "", "howto", section, (), split))
    return drafts


def counted(found: Iterable[Asked]) -> Mapping[Reason, int]:
    """Questions by reason; one may have several."""
    counts: dict[Reason, int] = {}
    for reason in (reason for asked in found for reason in asked.reasons):
        counts[reason] = counts.get(reason, 0) + 1
    return counts


def plain(query: str) -> str:
    """A question without what makes no other question of it: case, white space, signs at the end."""
    return " ".join(query.lower().split()).rstrip("?!. ")


def _with(asked: Asked, reason: Reason) -> Asked:
    return replace(asked, reasons=(*asked.reasons, reason))


def _worst_first(asked: Asked) -> tuple[object, ...]:
    return (-len(asked.reasons), -asked.times, 1.0 if asked.nearness is None else asked.nearness, asked.query)
