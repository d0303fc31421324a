"""rerank: a second look at the best candidates by a reranker, whose scores are on a scale of its own.

With the method ``none`` the fused order stands. ``jina`` sees the best candidates in one call, since its scores compare only
within one. A reranker that fails, or takes longer than its deadline, leaves the fused order, marks the answer
``degraded: ["rerank"]``, and its threshold is not applied to scores that it did not give.
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
from vuedocs.records import Candidate, Search

log = logging.getLogger(__name__)


async def rerank(state: Search, section: Rerank, clients: QueryClients) -> Search:
    """Sets ``rerank`` scores and the order that follows from them, where a reranker is set up."""
    if section.method == "none" or clients.reranker is None or not state.candidates:
        return state
    seen, rest = state.candidates[: section.depth], state.candidates[section.depth :]
    try:
        async with within(clients.deadlines.rerank, f"reranking by {clients.reranker.name}"):
            scores = await clients.reranker.rerank(state.query, [document(candidate) for candidate in seen])
    except ProviderError as error:
        log.warning("reranker %s failed, the fused order is served: %s", clients.reranker.name, error)
        return replace(state, degraded=(*state.degraded, "rerank"))
    kept = [candidate for candidate in reranked(seen, scores) if candidate.scores["rerank"] >= section.min_score]
    return replace(state, candidates=(*kept, *rest))


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
