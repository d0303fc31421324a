"""resolve: windows, examples and questions become the chunks that they stand for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from vuedocs.config import Resolve
from vuedocs.query.clients import QueryClients
from vuedocs.records import Candidate, Hit, Search


async def resolve(state: Search, section: Resolve, clients: QueryClients) -> Search:
    """Sets ``candidates``: the best chunks by blended score, with their records, at most ``limit``."""
    candidates = blend(state.legs, section.question_weight, section.limit)
    chunks = await clients.library.chunks([candidate.chunk_id for candidate in candidates])
    known = [replace(candidate, chunk=chunks[candidate.chunk_id]) for candidate in candidates if candidate.chunk_id in chunks]
    return replace(state, candidates=tuple(known))


def blend(legs: Mapping[str, tuple[Hit, ...]], question_weight: float, limit: int) -> list[Candidate]:
    """One candidate a chunk, best first, ties by id, at most ``limit``.

    ``fused`` = (1 - w) * best own share + w * best question share + best share of every other leg (sparse, name, or what the
    engine fused); a leg that does not know the chunk adds nothing.
    """
    weights = {"dense": 1 - question_weight, "question": question_weight}
    best = {leg: _best(hits) for leg, hits in legs.items()}
    fused: dict[str, float] = {}
    for leg, hits in best.items():
        weight = weights.get(leg, 1.0)
        for chunk_id, hit in hits.items():
            fused[chunk_id] = fused.get(chunk_id, 0.0) + weight * hit.share
    ranking = sorted(fused, key=lambda chunk_id: (-fused[chunk_id], chunk_id))
    return [_candidate(chunk_id, best, fused[chunk_id]) for chunk_id in ranking[:limit]]


def _best(hits: Sequence[Hit]) -> dict[str, Hit]:
    """The best hit of each chunk; hits come best first, so that read from the end the best is the last to be kept."""
    return {hit.chunk_id: hit for hit in reversed(hits)}


def _candidate(chunk_id: str, best: Mapping[str, Mapping[str, Hit]], fused: float) -> Candidate:
    hits = {leg: of_leg[chunk_id] for leg, of_leg in best.items() if chunk_id in of_leg}
    scores = {leg: hit.score for leg, hit in hits.items()} | {"fused": fused}
    return Candidate(chunk_id, scores, found_by=tuple(_reason(leg, hit) for leg, hit in hits.items() if leg != "fused"))


def _reason(leg: str, hit: Hit) -> str:
    if leg == "question":
        return f"question: {hit.text}"
    return "example" if hit.kind == "code" else {"dense": "meaning", "sparse": "words", "name": "name"}[leg]
