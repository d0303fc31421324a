"""resolve: windows, examples and questions become the chunks that they stand for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from heapq import nlargest
from math import exp

from vuedocs.config import Resolve
from vuedocs.query.clients import QueryClients
from vuedocs.records import Candidate, Hit, Search


async def resolve(state: Search, section: Resolve, clients: QueryClients) -> Search:
    """Sets ``candidates``: the best chunks by blended score, with their records, at most ``limit``."""
    candidates = blend(state.legs, section, several=len(state.sources) != 1)
    chunks = await clients.library.chunks([candidate.chunk_id for candidate in candidates])
    known = [replace(candidate, chunk=chunks[candidate.chunk_id]) for candidate in candidates if candidate.chunk_id in chunks]
    return replace(state, candidates=tuple(known))


def blend(legs: Mapping[str, tuple[Hit, ...]], section: Resolve, several: bool = False) -> list[Candidate]:
    """One candidate a chunk, best first, ties by id, at most ``limit``; ``several`` where more than one source is searched.

    ``fused`` = (1 - w) * best own share + w * best question share + best share of every other leg (sparse, name, or what the
    engine fused); a leg that does not know the chunk adds nothing. What :func:`favour` takes is taken last. The order is that of
    ``fused`` and :func:`support` together.
    """
    weights = {"dense": 1 - section.question_weight, "question": section.question_weight}
    best = {leg: _best(hits) for leg, hits in legs.items()}
    fused: dict[str, float] = {}
    for leg, hits in best.items():
        weight = weights.get(leg, 1.0)
        for chunk_id, hit in hits.items():
            fused[chunk_id] = fused.get(chunk_id, 0.0) + weight * hit.share
    if several and section.source_weight:
        fused = favour(fused, section)
    chosen = sorted(fused, key=lambda chunk_id: (-fused[chunk_id], chunk_id))[: section.limit]
    pages = support({chunk_id: fused[chunk_id] for chunk_id in chosen}, section.page_weight, section.page_top)
    candidates = [_candidate(chunk_id, best, fused[chunk_id], pages[_page(chunk_id)]) for chunk_id in chosen]
    return sorted(candidates, key=lambda candidate: (-candidate.order, candidate.chunk_id))


def favour(fused: Mapping[str, float], section: Resolve) -> dict[str, float]:
    """``fused`` with less for sources that the query is unlikely to be about: ``source_weight`` times (1 - likelihood).

    A source's likelihood is exp(-lack / ``source_temperature``), where ``lack`` is how far it stays behind the likeliest in
    evidence: the mean of its best chunk and of its ``source_top`` best together, as parts of the best of all. What merely shares
    words with a query comes from everywhere, what answers it mostly from one source.
    """
    scores: dict[str, list[float]] = {}
    for chunk_id, score in fused.items():
        scores.setdefault(_source(chunk_id), []).append(score)
    best = max(fused.values(), default=0.0) or 1.0
    evidence = {source: (max(own) + _mean(own, section.source_top)) / (2 * best) for source, own in scores.items()}
    most = max(evidence.values(), default=0.0)
    taken = {
        source: section.source_weight * (1 - exp((own - most) / section.source_temperature)) for source, own in evidence.items()
    }
    return {chunk_id: max(0.0, score - taken[_source(chunk_id)]) for chunk_id, score in fused.items()}


def support(fused: Mapping[str, float], weight: float, top: int) -> dict[str, float]:
    """For each page, ``weight`` times the mean of its ``top`` best chunks' scores, those that it lacks counted as 0.

    A page with several sections that match is more likely to be about the question than one with a single match.
    """
    pages: dict[str, list[float]] = {}
    for chunk_id, score in fused.items():
        pages.setdefault(_page(chunk_id), []).append(score)
    return {page: weight * _mean(scores, top) for page, scores in pages.items()}


def _mean(scores: Iterable[float], top: int) -> float:
    """Of the ``top`` best; those that lack count as 0."""
    return sum(nlargest(top, scores)) / top


def _page(chunk_id: str) -> str:
    return chunk_id.partition("#")[0]


def _source(chunk_id: str) -> str:
    return chunk_id.partition("/")[0]


def _best(hits: Sequence[Hit]) -> dict[str, Hit]:
    """The best hit of each chunk; hits come best first, so that read from the end the best is the last to be kept."""
    return {hit.chunk_id: hit for hit in reversed(hits)}


def _candidate(chunk_id: str, best: Mapping[str, Mapping[str, Hit]], fused: float, page: float) -> Candidate:
    hits = {leg: of_leg[chunk_id] for leg, of_leg in best.items() if chunk_id in of_leg}
    scores = {leg: hit.score for leg, hit in hits.items()} | {"fused": fused} | ({"page": page} if page else {})
    return Candidate(chunk_id, scores, found_by=tuple(_reason(leg, hit) for leg, hit in hits.items() if leg != "fused"))


def _reason(leg: str, hit: Hit) -> str:
    if leg == "question":
        return f"question: {hit.text}"
    return "example" if hit.kind == "code" else {"dense": "meaning", "sparse": "words", "name": "name"}[leg]
