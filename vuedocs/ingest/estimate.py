"""What an ingest would cost, before it is paid: the same stages over clients that count in place of asking.

What is remembered costs nothing here either. Sentences and questions that are not written yet are taken to be as long as they
usually are, so that embedding them is counted too.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from vuedocs.clients import Database, Embedder, IndexBuilder, Progress, Prompt, Writer
from vuedocs.clients.engines import open_database
from vuedocs.clients.hosted_models import JINA_MODELS
from vuedocs.clients.jina import count_tokens, token_spans
from vuedocs.clients.ledger import Ledger, Total, Usage, dollars, price_list, totals
from vuedocs.clients.local_model import LocalModel, find_files
from vuedocs.config import Config
from vuedocs.config.prompts import prompt as prompt_text
from vuedocs.ingest import INGEST_STAGES
from vuedocs.ingest.clients import IngestClients
from vuedocs.ingest.session import begin
from vuedocs.records import Vector
from vuedocs.settings import Settings
from vuedocs.stages import run

SENTENCE_WORDS, QUESTION_WORDS = 30, 10
"""As the prompts ask for."""
OVERHEAD = 30
"""Tokens of an answer beside its words: JSON, and a few of thought."""


class CountingEmbedder:
    """Counts what a hosted model would be sent; the vectors that it gives are zeros."""

    def __init__(self, name: str, dims: int, max_tokens: int, ledger: Ledger | None, spans: Any) -> None:
        self.name = name
        self.dims = dims
        self.max_tokens = max_tokens
        self.parallel = 1
        self.offsets = spans
        self._ledger = ledger

    def plan(self, texts: Iterable[str]) -> list[list[str]]:
        """All at once."""
        chosen = list(texts)
        return [chosen] if chosen else []

    async def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Zeros; what is counted costs money only with a hosted model."""
        if self._ledger is not None:
            self._ledger.enter("jina", self.name, "embed", Usage(sum(map(count_tokens, texts))))
        return np.zeros((len(texts), self.dims), np.float32)

    async def embed_query(self, text: str) -> Vector:
        """Zeros."""
        return np.zeros(self.dims, np.float32)

    async def aclose(self) -> None:
        """Nothing is open."""


class CountingWriter:
    """Counts what a language model would be sent, and answers with as many words as it is asked for."""

    parallel = 1
    batch = False
    poll_seconds = 0.0

    def __init__(self, name: str, stage: str, batch: bool, ledger: Ledger) -> None:
        self.name = name
        self._stage = stage
        self._half = batch
        self._ledger = ledger

    @asynccontextmanager
    async def page(self, prompts: Sequence[Prompt]) -> AsyncIterator[str]:
        """No cache: the estimate is the most that it may cost."""
        yield ""

    async def write(self, prompt: Prompt, cache: str = "") -> Mapping[str, Any]:
        """An answer that fits the schema."""
        wanted = prompt.schema["properties"].get("questions", {}).get("minItems", 0)
        words = QUESTION_WORDS * wanted or SENTENCE_WORDS
        tokens = sum(map(count_tokens, (prompt_text("system"), prompt.page, prompt.ask)))
        self._ledger.enter("gemini", self.name, self._stage, Usage(tokens, words * 2 + OVERHEAD, batch=self._half))
        if not wanted:
            return {"context": " ".join(["word"] * SENTENCE_WORDS)}
        return {"questions": [" ".join([f"{prompt.key}-{n}", *["word"] * (QUESTION_WORDS - 1)]) for n in range(wanted)]}


class ForgettingDatabase:
    """Remembers what is there, and keeps nothing of what an estimate makes up."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def remembered(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """What is kept under these keys."""
        return await self._database.remembered(keys)

    async def remember(self, values: Mapping[bytes, bytes], kind: str) -> None:
        """Keeps nothing."""


async def estimate(sources: Sequence[str], config: Config, settings: Settings, progress: Progress) -> list[Total]:
    """What ingesting ``sources`` would be billed, by provider, model and stage; needs no key and asks nobody."""
    ledger = Ledger("dry run")
    embedder = await asyncio.to_thread(counting_embedder, config, settings, ledger)
    sections = {"enrich": config.enrich, "hype": config.hype}
    writers = {
        stage: CountingWriter(section.model, stage, settings.gemini_batch, ledger)
        for stage, section in sections.items()
        if section.method == "gemini"
    }
    start = begin(sources, settings.docs)
    database = await open_database(settings)
    try:
        clients = IngestClients(
            embedder=embedder,
            database=cast(Database, ForgettingDatabase(database)),
            builder=cast(IndexBuilder, None),  # store is left out
            home=settings.home,
            fingerprint=config.shape(),
            details=config.shaping(),
            progress=progress,
            writers=cast("Mapping[str, Writer]", writers),
        )
        await run(INGEST_STAGES, start, config, clients, skip=("store",))
    finally:
        await database.aclose()
    return totals(ledger.entries)


def counting_embedder(config: Config, settings: Settings, ledger: Ledger) -> Embedder:
    """One that counts as the config's own would cut and embed; a local model costs nothing."""
    known = JINA_MODELS.get(config.embed.embedder)
    if known is not None:
        return CountingEmbedder(config.embed.embedder, config.embed.dims, known.max_tokens, ledger, token_spans)
    model = LocalModel(find_files(config.embed.embedder, settings.model))
    return CountingEmbedder(model.name, model.dims, model.max_tokens, None, model.offsets)


def spent(found: Sequence[Total], heading: str) -> str:
    """Totals as lines: what was sent and written, and what that costs at the listed prices."""
    if not found:
        return f"{heading}: nothing is asked of a paid service"
    lines = [
        f"  {one.stage}: {one.model}, {one.calls:,} calls ({one.retries:,} more failed), {one.usage.input:,} tokens in, "
        f"{one.usage.output:,} out, {one.cost}"
        for one in found
    ]
    usd, left_out = dollars(found)
    return "\n".join([f"{heading}: ${usd:.4f}{left_out} (prices of {price_list()[0]})", *lines])
