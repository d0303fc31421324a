"""explain: what each stage did to one search, in words and numbers, from the states that the stages returned."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from vuedocs.query.expand import linked_only
from vuedocs.records import Candidate, Search
from vuedocs.stages import Result, Step

SHOWN = 5
"""Rows a list."""


def explain(result: Result[Search]) -> str:
    """The whole way of a search, stage by stage, as plain text."""
    lines: list[str] = []
    for step in result.steps:
        lines.append(f"{step.stage}  {step.milliseconds:.1f} ms")
        lines += [f"  {line}" for line in _stage_lines(step)]
    lines.append(f"total  {sum(result.milliseconds.values()):.1f} ms")
    return "\n".join(lines) + "\n"


def _stage_lines(step: Step[Search]) -> Iterator[str]:
    state = step.state
    if step.stage == "detect":
        yield from _detect_lines(state)
    elif step.stage == "search":
        yield from _leg_lines(state)
    elif step.stage in ("resolve", "rerank"):
        yield f"{len(state.candidates)} candidates" + (f", degraded: {', '.join(state.degraded)}" if state.degraded else "")
        yield from (_candidate_line(candidate) for candidate in state.candidates[:SHOWN])
    elif step.stage == "expand":
        added = [candidate for candidate in state.candidates if linked_only(candidate)]
        yield f"{len(added)} added along links"
        yield from (f"{candidate.chunk_id}  ({candidate.found_by[0]})" for candidate in added[:SHOWN])
    else:
        yield from _answer_lines(state)


def _detect_lines(state: Search) -> Iterator[str]:
    if not state.mentions:
        yield "no API named"
    for mention in state.mentions:
        yield f"{mention.words!r} is {mention.entity.key} ({mention.entity.type}, by {mention.how})"
    yield f"{len(state.sparse.indices) if state.sparse else 0} lexical terms"


def _leg_lines(state: Search) -> Iterator[str]:
    for leg, hits in state.legs.items():
        best = "  ".join(f"{hit.chunk_id} {hit.score:.3f} (+{hit.share:.3f})" for hit in hits[:3])
        yield f"{leg}: {len(hits)} points; best {best}"


def _candidate_line(candidate: Candidate) -> str:
    scores = "  ".join(f"{signal} {score:.3f}" for signal, score in candidate.scores.items())
    return f"{candidate.order:.3f}  {candidate.chunk_id}  [{scores}]  {'; '.join(candidate.found_by)}"


def _answer_lines(state: Search) -> Iterator[str]:
    yield f"{len(state.passages)} sections, {sum(passage.tokens for passage in state.passages):,} tokens"
    for passage in state.passages:
        yield f"{passage.chunk_id}  {passage.tokens} tokens{' (cut)' if passage.cut else ''}"
    reasons: dict[str, int] = {}
    for omitted in state.omitted:
        reasons[omitted.reason] = reasons.get(omitted.reason, 0) + 1
    yield "not shown: " + (", ".join(f"{count} {reason}" for reason, count in reasons.items()) or "nothing")
    yield from (f"note: {note}" for note in state.notes)


def as_json(result: Result[Search], explained: bool) -> str:
    """The answer as one JSON object; with every stage's candidates and times where ``explained``."""
    state = result.state
    data: dict[str, Any] = {
        "query": state.query,
        "sources": list(state.sources) or ["all"],
        "scope": state.scope,
        "passages": [asdict(passage) for passage in state.passages],
        "omitted": [asdict(omitted) for omitted in state.omitted],
        "notes": list(state.notes),
        "degraded": list(state.degraded),
        "cursor": state.cursor,
        "text": state.text,
    }
    if explained:
        data["milliseconds"] = result.milliseconds
        data["mentions"] = [{"words": m.words, "entity": m.entity.key, "how": m.how} for m in state.mentions]
        data["candidates"] = [
            {"id": candidate.chunk_id, "scores": dict(candidate.scores), "found_by": list(candidate.found_by)}
            for candidate in state.candidates
        ]
    return json.dumps(data, ensure_ascii=False, indent=2)
