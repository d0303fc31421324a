"""expand: one hop along the links of the candidates.

High links (guide to API and back) are followed from every candidate, medium ones (same folder) and low ones (across folders)
from the best few only. A target that the legs had not found comes with a fused score of 0, never with a bonus: links did not help
as a ranking signal, so they are for the reader's "see also" and stay behind what the legs found.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from vuedocs.config import Expand
from vuedocs.query.clients import QueryClients
from vuedocs.records import Candidate, Link, Search, scopes_of

FROM_LINK = "link from "
"""How a candidate's ``found_by`` begins when only a link led to it."""


async def expand(state: Search, section: Expand, clients: QueryClients) -> Search:
    """Adds the targets of links that are not candidates yet, after them, at most ``max_added``."""
    if not section.enabled:
        return state
    known = {candidate.chunk_id for candidate in state.candidates}
    wanted: dict[str, str] = {}
    for origin, target in targets(state.candidates, section):
        if target not in known:
            wanted.setdefault(target, origin)
    chunks = await clients.library.chunks(list(wanted)[: 3 * section.max_added])
    added = [
        Candidate(chunk.id, {"fused": 0.0}, (FROM_LINK + wanted[chunk.id],), chunk)
        for chunk in chunks.values()
        if state.scope == "all" or state.scope in scopes_of(chunk.route, chunk.path)
    ]
    return replace(state, candidates=state.candidates + tuple(added[: section.max_added]))


def targets(candidates: Sequence[Candidate], section: Expand) -> Iterator[tuple[str, str]]:
    """(title of the linking section, chunk id of the target), high links first, then in the candidates' order."""
    reach = {"high": len(candidates), "medium": section.medium_top, "low": section.low_top}
    for priority, top in reach.items():
        for candidate in candidates[:top]:
            chunk = candidate.chunk
            if chunk is None:
                continue
            for link in chunk.links:
                if link.priority == priority:
                    yield chunk.title, target_id(chunk.source, link)


def target_id(source: str, link: Link) -> str:
    """The chunk id of a link's target."""
    return f"{source}/{link.target}"


def linked_only(candidate: Candidate) -> bool:
    """Whether only a link led to the candidate."""
    return all(reason.startswith(FROM_LINK) for reason in candidate.found_by)
