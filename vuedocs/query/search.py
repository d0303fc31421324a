"""search: one hybrid query over the generation: dense (own text), question (HyPE) and sparse (BM25) legs, and their fusion.

``minmax`` scales each leg to [0, 1] here, and a hit gets its ``share``: what it adds to its chunk in resolve. ``rrf`` (Cormack et
al., SIGIR 2009) and ``dbsf`` fuse inside Qdrant; their result is a leg of its own, ``fused``, and the legs it was made of have no
share. A query that is nothing but an API's name has one more leg, ``name``: the section that defines it, which words alone may
not find (``is``, ``h``, ``define props``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from vuedocs.clients import Fusion
from vuedocs.config import SearchSection
from vuedocs.query.clients import QueryClients
from vuedocs.query.facts import own_sections
from vuedocs.query.library import Library
from vuedocs.records import Chunk, Entity, Hit, Mention, Search, scopes_of
from vuedocs.spelling import joined

Legs = Mapping[str, tuple[Hit, ...]]


async def search(state: Search, section: SearchSection, clients: QueryClients) -> Search:
    """Adds ``legs``. A scope that finds nothing is widened to all scopes, and a note says so."""
    legs = await _legs(state, section, clients)
    if state.scope != "all" and not any(legs.values()):
        state = replace(state, scope="all").note(f"nothing was found in scope {state.scope!r}; all scopes were searched instead")
        legs = await _legs(state, section, clients)
    definitions = await _definitions(state, section.name_weight, clients)
    return replace(state, legs={**legs, "name": definitions} if definitions else legs)


async def _definitions(state: Search, weight: float, clients: QueryClients) -> tuple[Hit, ...]:
    """The sections, within the scope, that define what the whole query names."""
    if weight == 0:
        return ()
    chunks = await clients.library.chunks([entity.chunk_id for entity in named(state.query, state.mentions)])
    defining = [await with_text(chunk, clients.library) for chunk in chunks.values()]
    within = [chunk for chunk in defining if state.scope == "all" or state.scope in scopes_of(chunk.route, chunk.path)]
    return tuple(Hit(chunk.id, "window", 0, 1.0, share=weight) for chunk in within)


async def with_text(chunk: Chunk, library: Library) -> Chunk:
    """The chunk, or where it is nothing but a heading the first section below it that says something, if there is one."""
    if chunk.has_text:
        return chunk
    return next((below for below in await own_sections(library, chunk) if below.has_text), chunk)


def named(query: str, mentions: Sequence[Mention]) -> list[Entity]:
    """The entities that the whole query names, signs and spaces apart: ``"keep alive"``, ``<KeepAlive>``, ``keep-alive``."""
    return [mention.entity for mention in mentions if joined(mention.words) == joined(query)]


async def _legs(state: Search, section: SearchSection, clients: QueryClients) -> Legs:
    dense = state.dense if section.dense_weight > 0 else None
    sparse = state.sparse if section.sparse_weight > 0 else None
    depth = section.leg_depth
    legs = await clients.index.legs(dense, sparse, state.sources, state.scope, depth)
    weights = {"dense": section.dense_weight, "question": section.dense_weight, "sparse": section.sparse_weight}
    if section.fusion == "minmax":
        return {leg: minmax(hits, weights[leg]) for leg, hits in legs.items()}
    fusion = Fusion(section.fusion, section.rrf_k, weights)
    fused = await clients.index.fuse(dense, sparse, state.sources, state.scope, depth, fusion)
    return {**legs, "fused": engine_fused(fused)}


def engine_fused(hits: Sequence[Hit]) -> tuple[Hit, ...]:
    """What the engine fused counts as it scored it; the legs that it was made of add nothing more."""
    return tuple(hit.sharing(hit.score) for hit in hits)


def minmax(hits: Sequence[Hit], weight: float) -> tuple[Hit, ...]:
    """Hits with their scores scaled to [0, 1] over the leg, times ``weight``; hits that all tie share the whole weight."""
    if not hits:
        return ()
    lowest, highest = hits[-1].score, hits[0].score
    span = highest - lowest
    if span <= 0:
        return tuple(hit.sharing(weight) for hit in hits)
    return tuple(hit.sharing(weight * ((hit.score - lowest) / span)) for hit in hits)
