"""Lost: at which stage of the pipeline a golden section was lost, from the states that the stages returned.

A golden section (grade 2 or better) is missed when it is not among the ten best or not in the answer. It was lost where it was
last seen:

    not parsed       the index has no such section, or one without text of its own, which is not searched
    not in any leg   no leg returned a point of it
    fused out        a leg did, but its blended score put it below the limit of candidates
    reranked down    among the ten best before rerank, not after
    cut              a candidate below the tenth place; or among the ten, and outside of the answer by its floor or its count
    budget           among the ten, and the answer's tokens were spent by the time
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from vuedocs.bench.questions import page_of
from vuedocs.query.expand import linked_only
from vuedocs.records import Search
from vuedocs.stages import Result

Stage = Literal["not parsed", "not in any leg", "fused out", "reranked down", "cut", "budget"]
TOP = 10
RELEVANT = 2
"""Grade from which a section must be found; grade 1 only helps."""
LEGS = ("dense", "question", "sparse", "name")


@dataclass(frozen=True, slots=True)
class Lost:
    """A golden section that was missed."""

    section: str
    """As the question file has it; at page level, the page."""
    grade: int
    stage: Stage
    rank: int | None
    """Its final place from 1 among sections (or pages); None where it was no candidate."""
    legs: Mapping[str, int]
    """In which place from 1 each leg had it, among chunks; legs that did not find it are left out."""
    why: str
    """What happened, in words and numbers."""


@dataclass(frozen=True, slots=True)
class Trace:
    """One search as this module reads it: what each stage ended with, as section keys of the question's source."""

    legs: Mapping[str, tuple[str, ...]]
    """Best first, each section once."""
    fused: tuple[str, ...]
    """Candidates of resolve, best first."""
    ranking: tuple[str, ...]
    """Candidates after rerank, best first."""
    linked: frozenset[str]
    """Those that only a link led to."""
    answered: frozenset[str]
    omitted: Mapping[str, str]
    """Section to the reason why the answer leaves it out."""

    def pages(self) -> Trace:
        """The same with pages in the place of their sections."""
        return Trace(
            legs={leg: _pages(keys) for leg, keys in self.legs.items()},
            fused=_pages(self.fused),
            ranking=_pages(self.ranking),
            linked=frozenset(_pages(self.linked)),
            answered=frozenset(_pages(self.answered)),
            omitted={page_of(key): reason for key, reason in reversed(list(self.omitted.items()))},
        )


def trace_of(result: Result[Search], source: str) -> Trace:
    """What a pipeline's result says of one source's sections; a stage that was left out has nothing to say."""
    states = {step.stage: step.state for step in result.steps}
    searched, resolved = states.get("search"), states.get("resolve")
    final = next((step.state.candidates for step in reversed(result.steps) if step.stage != "reconstruct"), ())
    legs = searched.legs if searched else {}

    def keys(chunk_ids: Iterable[str]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(id.removeprefix(f"{source}/").partition("~code-")[0] for id in chunk_ids))

    return Trace(
        legs={leg: keys(hit.chunk_id for hit in legs[leg]) for leg in LEGS if leg in legs},
        fused=keys(candidate.chunk_id for candidate in (resolved.candidates if resolved else final)),
        ranking=keys(candidate.chunk_id for candidate in final),
        linked=frozenset(keys(candidate.chunk_id for candidate in final if linked_only(candidate))),
        answered=frozenset(keys(passage.chunk_id for passage in result.state.passages)),
        omitted={keys([one.chunk_id])[0]: one.reason for one in reversed(result.state.omitted)},
    )


def lost(
    relevant: Mapping[str, int], trace: Trace, searched: Iterable[str], ranking: Sequence[str] | None = None
) -> tuple[Lost, ...]:
    """The missed ones among ``relevant`` (section, or at page level page, to grade), best grade first, ties by key.

    ``searched`` are the keys of which the index holds points. ``ranking`` is the order that was scored, where it differs from the
    trace's (pages are ordered by aggregation).
    """
    order = list(trace.ranking if ranking is None else ranking)
    known = set(searched)
    missed = [
        key
        for key, grade in sorted(relevant.items(), key=lambda item: (-item[1], item[0]))
        if grade >= RELEVANT and not (key in order[:TOP] and key in trace.answered)
    ]
    return tuple(_lost(key, relevant[key], trace, order, known) for key in missed)


def _lost(key: str, grade: int, trace: Trace, order: list[str], known: set[str]) -> Lost:
    rank = order.index(key) + 1 if key in order else None
    legs = {leg: keys.index(key) + 1 for leg, keys in trace.legs.items() if key in keys}
    stage, why = _where(key, rank, legs, trace, known)
    return Lost(key, grade, stage, rank, legs, why)


def _where(key: str, rank: int | None, legs: Mapping[str, int], trace: Trace, known: set[str]) -> tuple[Stage, str]:
    found = ", ".join(f"{leg} {place}" for leg, place in legs.items())
    if key not in known:
        return "not parsed", "the index holds no text under this key, so that nothing can find it"
    if trace.legs and not legs:
        linked = f"; a link led to it, place {rank}, but links do not rank" if key in trace.linked else ""
        sizes = ", ".join(f"{leg} {len(keys)}" for leg, keys in trace.legs.items())
        return "not in any leg", f"none of the sections that the legs returned ({sizes}){linked}"
    if key not in trace.fused:
        return "fused out", f"found in place {found}, below the {len(trace.fused)} candidates by its blended score"
    before = trace.fused.index(key) + 1
    if rank is None or rank > TOP:
        why = f"place {before} when fused, {rank or 'none'} in the end ({found or 'no legs'})"
        return "reranked down" if before <= TOP else "cut", why
    reason = trace.omitted.get(key, "")
    if reason == "budget":
        return "budget", f"place {rank}, but the sections before it had used the answer's tokens"
    return "cut", f"place {rank}, but the answer leaves it out: {reason or 'it holds other sections'}"


def _pages(keys: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(map(page_of, keys)))


REMEDIES: Mapping[Stage, str] = {
    "not parsed": "look at `vuedocs chunks SOURCE --path PAGE`: correct the key in the question file, or the parser",
    "not in any leg": "the section says it in other words: a pack question or context sentence in the asker's words, a synonym, "
    "or a larger search.leg_depth",
    "fused out": "a larger resolve.limit, or more weight for the leg that found it (search.*_weight, resolve.question_weight)",
    "reranked down": "the reranker prefers others: less weight for it, or look at what it put first",
    "cut": "look at the sections above it: judge them where they are as good, else lower the weight of the leg that is misled",
    "budget": "a larger reconstruct.max_tokens, or a smaller share a section (reconstruct.section_tokens)",
}
"""What a person can do about it."""


def counted(losses: Iterable[Sequence[Lost]]) -> dict[Stage, int]:
    """How many golden sections each stage lost, in the order of the stages; stages that lost none are left out."""
    stages = [one.stage for each in losses for one in each]
    return {stage: stages.count(stage) for stage in REMEDIES if stage in stages}
