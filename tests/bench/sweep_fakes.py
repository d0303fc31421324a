"""A reader whose six stages really run, over a table of what each question finds, and count how often."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from fake_reader import chunk_of, passage_of

from vuedocs.clients.ledger import Entry, Usage
from vuedocs.config import Config, load
from vuedocs.records import Candidate, Chunk, Manifest, Search
from vuedocs.stages import Result, Reuse, Stage, run

NAMES = ("detect", "search", "resolve", "expand", "rerank", "reconstruct")


@dataclass
class StagedReader:
    """``found``: question to section keys, best first; no sparse weight turns their order, a small budget cuts the answer."""

    found: Mapping[str, Sequence[str]]
    config: Config = field(default_factory=load)
    manifest: Manifest = field(default_factory=lambda: Manifest("g000007", "", "f", "fake", 384, (), 0))
    ran: Counter[str] = field(default_factory=Counter)
    paid: list[Entry] = field(default_factory=list)
    """With ``usd`` each search that reranks by a service is billed so much."""
    usd: float | None = 0.0

    async def search(
        self, search: Search, *, config: Config | None = None, skip: Sequence[str] = (), reuse: Reuse[Search] | None = None
    ) -> Result[Search]:
        stages = [Stage(name, self._stage(name)) for name in NAMES]
        return await run(stages, search, config or self.config, None, skip=skip, reuse=reuse)

    async def chunks(self, source: str | None = None) -> tuple[Chunk, ...]:
        self.ran["chunks"] += 1
        return tuple(chunk_of(f"vue/{key}") for key in sorted({key for keys in self.found.values() for key in keys}))

    def _stage(self, name: str) -> Any:
        async def stage(state: Search, section: Any, clients: object) -> Search:
            self.ran[name] += 1
            if name == "rerank" and section.method == "jina":
                self.paid.append(Entry("r", "jina", "m", "rerank", Usage(100), 0, self.usd, "2026-11-30"))
            if name == "search":
                keys = list(self.found.get(state.query, ()))
                keys = keys[::-1] if section.sparse_weight == 0 else keys
                scored = [(f"vue/{key}", 1 - place / 10) for place, key in enumerate(keys)]
                return replace(
                    state, candidates=tuple(Candidate(id, {"fused": score}, ("words",), chunk_of(id)) for id, score in scored)
                )
            if name == "reconstruct":
                shown = state.candidates[: 1 if section.max_tokens <= 1000 else 3]
                passages = tuple(passage_of(chunk_of(candidate.chunk_id), "text " * 20) for candidate in shown)
                return replace(state, passages=passages, text="".join(passage.text for passage in passages))
            return state

        return stage
