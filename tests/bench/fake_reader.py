"""A reader that answers from a table, for tests of the bench."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from vuedocs.bench.questions import GoldenQuestion
from vuedocs.config import Config, load
from vuedocs.records import Candidate, Chunk, Manifest, Passage, Search
from vuedocs.stages import Result, Step

Found = Sequence[tuple[str, float]]
"""Chunk ids with scores, in the pipeline's order."""


def chunk_of(chunk_id: str, text: str = "") -> Chunk:
    source, _, rest = chunk_id.partition("/")
    path, _, anchor = rest.partition("~code-")[0].partition("#")
    kind = "code" if "~code-" in chunk_id else "section" if anchor else "page"
    url = f"https://docs.example/{path}#{anchor}"
    return Chunk(chunk_id, source, path, path, kind, anchor, url, anchor or path, (path, anchor), (0, 0), text, "0" * 64)  # type: ignore[arg-type]


def passage_of(chunk: Chunk, text: str) -> Passage:
    return Passage(chunk.id, chunk.source, chunk.title, ("Page", "Section"), chunk.url, "3.5", "", text, 1, {}, ())


@dataclass
class FakeReader:
    """Finds what ``found`` says of a query; answers with the first three in the order of ids, each with its own of ``texts``."""

    found: Mapping[str, Found]
    texts: Mapping[str, str] = field(default_factory=dict)
    extra: Sequence[str] = ()
    """Chunk ids of the index that no query finds."""
    config: Config = field(default_factory=load)
    manifest: Manifest = field(default_factory=lambda: Manifest("g000007", "", "f", "fake", 384, (), 0))
    asked: list[Search] = field(default_factory=list)
    skipped: list[Sequence[str]] = field(default_factory=list)

    async def search(self, search: Search, *, config: Config | None = None, skip: Sequence[str] = ()) -> Result[Search]:
        self.asked.append(search)
        self.skipped.append(skip)
        hits = self.found.get(search.query, ())
        candidates = tuple(Candidate(id, {"fused": score}, ("dense",), chunk_of(id)) for id, score in hits)
        ranked = replace(search, candidates=candidates)
        passages = tuple(passage_of(chunk_of(id), self.texts.get(id, "")) for id, _ in sorted(hits[:3]))
        answered = replace(ranked, passages=passages, text="\n".join(passage.text for passage in passages))
        steps = (Step("search", ranked, 1.0), Step("rerank", ranked, 2.0), Step("reconstruct", answered, 3.0))
        return Result(answered, tuple(step for step in steps if step.stage not in skip))

    async def chunks(self, source: str | None = None) -> tuple[Chunk, ...]:
        ids = {id for hits in self.found.values() for id, _ in hits} | set(self.extra)
        return tuple(chunk_of(id) for id in sorted(ids) if source in (None, id.partition("/")[0]))


def golden(id: str, relevant: Mapping[str, int], **changes: Any) -> GoldenQuestion:
    """A question whose text is its id."""
    question = GoldenQuestion(id, "vue", id, "howto", relevant, (), "dev")
    return replace(question, **changes)
