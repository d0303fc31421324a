"""resolve: windows, examples and questions become the chunks that they stand for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from vuedocs.config import Resolve
from vuedocs.query.clients import QueryClients
from vuedocs.records import Candidate, Hit, Search


async def resolve(state: Search, section: Resolve, clients: QueryClients) -> Search:
    """Sets ``candidates``: the best chunks by blended score, with their records, at most ``limit``."""
    candidates = blend(state.legs, section.question_weight)[: section.limit]
    chunks = await clients.library.chunks([candidate.chunk_id for candidate in candidates])
    known = [replace(candidate, chunk=chunks[candidate.chunk_id]) for candidate in candidates if candidate.chunk_id in chunks]
    return replace(state, candidates=tuple(known))


def blend(legs: Mapping[str, tuple[Hit, ...]], question_weight: float) -> list[Candidate]:
    """One candidate a chunk, best first, ties by id.

    ``fused`` = (1 - w) * best own share + w * best question share + best sparse share; a leg that does not know the chunk adds
    nothing.
    """
    best: dict[str, dict[str, Hit]] = {}
    for leg, hits in legs.items():
        for hit in hits:  # best first, so that the first of a chunk is its best
            best.setdefault(hit.chunk_id, {}).setdefault(leg, hit)
    weights = {"dense": 1 - question_weight, "question": question_weight, "sparse": 1.0}
    candidates = []
    for chunk_id, by_leg in best.items():
        fused = sum(weights[leg] * hit.share for leg, hit in by_leg.items())
        scores = {leg: hit.score for leg, hit in by_leg.items()} | {"fused": fused}
        candidates.append(Candidate(chunk_id, scores, found_by=tuple(_reason(leg, hit) for leg, hit in by_leg.items())))
    return sorted(candidates, key=lambda candidate: (-candidate.order, candidate.chunk_id))


def _reason(leg: str, hit: Hit) -> str:
    if leg == "question":
        return f"question: {hit.text}"
    return "example" if hit.kind == "code" else {"dense": "meaning", "sparse": "words"}[leg]
