"""rerank: a second look at the best candidates by a reranker, whose scores are on a scale of its own.

With the method ``none`` the fused order stands. ``rocchio`` looks for what resembles the best candidates. ``jina`` sees them in
one call, since its scores compare only within one. A service that fails, or takes longer than its deadline, leaves the fused
order, marks the answer ``degraded: ["rerank"]``, and its threshold is not applied to scores that it did not give.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace

from vuedocs.clients.pacing import within
from vuedocs.config import Rerank
from vuedocs.errors import ProviderError
from vuedocs.query.clients import QueryClients
from vuedocs.query.expand import linked_only
from vuedocs.query.rocchio import feedback
from vuedocs.records import Candidate, Search

log = logging.getLogger(__name__)


async def rerank(state: Search, section: Rerank, clients: QueryClients) -> Search:
    """Sets ``rerank`` scores and the order that follows from them, where a reranker is set up."""
    seen, rest = state.candidates[: section.depth], state.candidates[section.depth :]
    if section.method == "rocchio":
        return replace(state, candidates=(*await by_feedback(seen, section, clients), *rest))
    if section.method == "none" or clients.reranker is None or not state.candidates:
        return state
    try:
        async with within(clients.deadlines.rerank, f"reranking by {clients.reranker.name}"):
            scores = await clients.reranker.rerank(state.query, [document(candidate) for candidate in seen])
    except ProviderError as error:
        log.warning("reranker %s failed, the fused order is served: %s", clients.reranker.name, error)
        return replace(state, degraded=(*state.degraded, "rerank"))
    kept = [candidate for candidate in reranked(seen, scores) if candidate.scores["rerank"] >= section.min_score]
    return replace(state, candidates=(*kept, *rest))


async def by_feedback(candidates: Sequence[Candidate], section: Rerank, clients: QueryClients) -> tuple[Candidate, ...]:
    """The candidates in the order of :func:`feedback`; what only a link led to, or has no vectors, keeps its score.

    What defines the API that is all of the query gains as much as the best can: of namesakes, each source's answer stays.
    """
    own = await clients.library.vectors([candidate.chunk_id for candidate in candidates if not linked_only(candidate)])
    known = [candidate for candidate in candidates if candidate.chunk_id in own]
    scores = feedback([candidate.order for candidate in known], [own[candidate.chunk_id] for candidate in known], section)
    given = {candidate.chunk_id: score for candidate, score in zip(known, scores, strict=True)}
    most = section.dense_weight + section.sparse_weight
    given |= {candidate.chunk_id: candidate.order + most for candidate in known if "name" in candidate.scores}
    return reranked(candidates, [given.get(candidate.chunk_id, candidate.order) for candidate in candidates])


def document(candidate: Candidate) -> str:
    """What the reranker reads of a candidate: where it stands, and its text."""
    chunk = candidate.chunk
    return f"{' > '.join(chunk.heading_path)}\n{chunk.text}" if chunk else candidate.chunk_id


def reranked(candidates: Sequence[Candidate], scores: Sequence[float]) -> tuple[Candidate, ...]:
    """The candidates with these ``rerank`` scores, best first, ties by id; those that only a link led to stay behind the rest."""
    scored = [
        replace(candidate, scores={**candidate.scores, "rerank": score})
        for candidate, score in zip(candidates, scores, strict=True)
    ]
    return tuple(sorted(scored, key=lambda candidate: (linked_only(candidate), -candidate.order, candidate.chunk_id)))
