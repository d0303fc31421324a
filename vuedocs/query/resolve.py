"""resolve: windows, examples and questions become the chunks that they stand for."""

from __future__ import annotations

from collections.abc import Mapping
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
    best: dict[str, dict[str, Hit]] = {}
    fused: dict[str, float] = {}
    for leg, hits in legs.items():
        for hit in hits:  # best first, so that the first of a chunk is its best
            known = best.setdefault(hit.chunk_id, {})
            if leg not in known:
                known[leg] = hit
                fused[hit.chunk_id] = fused.get(hit.chunk_id, 0.0) + weights.get(leg, 1.0) * hit.share
    ranking = sorted(fused, key=lambda chunk_id: (-fused[chunk_id], chunk_id))
    return [_candidate(chunk_id, best[chunk_id], fused[chunk_id]) for chunk_id in ranking[:limit]]


def _candidate(chunk_id: str, hits: Mapping[str, Hit], fused: float) -> Candidate:
    scores = {leg: hit.score for leg, hit in hits.items()} | {"fused": fused}
    return Candidate(chunk_id, scores, found_by=tuple(_reason(leg, hit) for leg, hit in hits.items() if leg != "fused"))


def _reason(leg: str, hit: Hit) -> str:
    if leg == "question":
        return f"question: {hit.text}"
    return "example" if hit.kind == "code" else {"dense": "meaning", "sparse": "words", "name": "name"}[leg]
