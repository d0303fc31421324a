"""Gemini as a writer: one prompt at a time beside its page, or all of them as batches at half the price."""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

from google.genai import types

from vuedocs.clients import Prompt
from vuedocs.clients.gemini import CHARACTERS_PER_TOKEN, GeminiClient, answer_of
from vuedocs.clients.ledger import Price, Usage, price_list
from vuedocs.errors import AnswerError, ProviderError, ProviderRefusedError

log = logging.getLogger(__name__)

MOST_OUTPUT = 1024
"""Tokens of an answer, thoughts included."""
CACHE_LEAST = 1500
"""Estimated tokens of a page from which it is cached explicitly; the service refuses fewer than 1,024."""
CACHE_SECONDS = 600
BATCH_BYTES = 15_000_000
"""Of the prompts of one batch; the service takes 20 MB."""
RUNNING = (
    types.JobState.JOB_STATE_PENDING,
    types.JobState.JOB_STATE_QUEUED,
    types.JobState.JOB_STATE_RUNNING,
    types.JobState.JOB_STATE_UPDATING,
)


class GeminiWriter:
    """A Gemini model with its instructions, which writes JSON for one stage."""

    def __init__(
        self, client: GeminiClient, model: str, thinking: int | str, instructions: str, stage: str, *, batch: bool = False
    ) -> None:
        self.name = model
        self.parallel = client.service.concurrency
        self.batch = batch
        self.poll_seconds = client.service.window / 4
        self._client = client
        self._thinking = thinking
        self._instructions = instructions
        self._stage = stage

    @asynccontextmanager
    async def page(self, prompts: Sequence[Prompt]) -> AsyncIterator[str]:
        """While the context lasts, a cache of the page that ``prompts`` share, where that is cheaper; its name, or ``""``."""
        tokens = (len(self._instructions) + len(prompts[0].page)) // CHARACTERS_PER_TOKEN
        price = price_list()[1].get(self.name)
        if tokens < CACHE_LEAST or price is None or not cache_pays(price, tokens, len(prompts)):
            yield ""
            return
        name = await self._cached(prompts[0].page, tokens)
        try:
            yield name
        finally:
            if name:
                await self._forget(name)

    async def write(self, prompt: Prompt, cache: str = "") -> Mapping[str, Any]:
        """The JSON object that answers a prompt. AnswerError where the answer cannot be used, which was paid for all the same."""
        try:
            return await self._written(prompt, cache)
        except ProviderRefusedError as error:
            if not cache:
                raise
            log.info("once more without the cache, which may have ended: %s", error)
        return await self._written(prompt, "")

    async def _written(self, prompt: Prompt, cache: str) -> Mapping[str, Any]:
        settings = self._settings(prompt, cache)
        contents = [prompt.ask] if cache else [prompt.page, prompt.ask]
        cached = (len(self._instructions) + len(prompt.page)) // CHARACTERS_PER_TOKEN if cache else 0
        return answer_of(await self._client.generate(self.name, contents, settings, self._stage, cached))

    async def submit(self, prompts: Sequence[Prompt]) -> list[tuple[str, list[Prompt]]]:
        """Starts batches for all prompts: each batch's name, with its prompts. Nothing is billed before they end."""
        batches: list[tuple[str, list[Prompt]]] = []
        for group in grouped(prompts, BATCH_BYTES):
            source = [
                types.InlinedRequest(contents=[content(one)], metadata={"key": one.key}, config=self._settings(one, ""))
                for one in group
            ]
            words = sum(len(one.page) + len(one.ask) + len(self._instructions) for one in group)
            expected = Usage(words // CHARACTERS_PER_TOKEN, len(group) * MOST_OUTPUT // 4, batch=True)
            with self._client.ledger.reserve(self.name, expected):
                job, _ = await self._client.call(
                    lambda source=source: self._client.api.batches.create(model=self.name, src=source),  # type: ignore[misc]
                    "batch",
                    0,
                )
            batches.append((job.name, group))
        return batches

    async def collect(self, batch: str) -> dict[str, Mapping[str, Any] | AnswerError] | None:
        """The answers of a batch by the prompts' keys; None while it runs. ProviderError when it failed as a whole."""
        job, _ = await self._client.call(lambda: self._client.api.batches.get(name=batch), "batch", 0)
        if job.state in RUNNING:
            return None
        if job.dest is None or not job.dest.inlined_responses:
            state = job.state.value if job.state else "no state"
            raise ProviderError(f"Gemini's batch {batch} ended with {state} and without answers; run the ingest again")
        answers: dict[str, Mapping[str, Any] | AnswerError] = {}
        for entry in job.dest.inlined_responses:
            key = (entry.metadata or {}).get("key", "")
            if entry.response is None:
                answers[key] = AnswerError(f"error: {entry.error.message if entry.error else 'no answer'}")
                continue
            self._client.enter(self.name, self._stage, entry.response, batch=True)
            try:
                answers[key] = answer_of(entry.response)
            except AnswerError as error:
                answers[key] = error
        return answers

    def _settings(self, prompt: Prompt, cache: str) -> types.GenerateContentConfig:
        thinking = (
            types.ThinkingConfig(thinking_budget=self._thinking)
            if isinstance(self._thinking, int)
            else types.ThinkingConfig(thinking_level=types.ThinkingLevel(self._thinking.upper()))
        )
        return types.GenerateContentConfig(
            system_instruction=None if cache else self._instructions,  # a cache holds them, and refuses them beside it
            cached_content=cache or None,
            temperature=0 if isinstance(self._thinking, int) else None,  # later models are best left alone
            max_output_tokens=MOST_OUTPUT,
            response_mime_type="application/json",
            response_json_schema=dict(prompt.schema),
            thinking_config=thinking,
        )

    async def _cached(self, page: str, tokens: int) -> str:
        """The name of a new cache; ``""`` where the service will not have it: a cache only saves money."""
        content = types.Content(role="user", parts=[types.Part.from_text(text=page)])
        settings = types.CreateCachedContentConfig(
            system_instruction=self._instructions, contents=[content], ttl=f"{CACHE_SECONDS}s"
        )
        try:
            with self._client.ledger.reserve(self.name, Usage(tokens)):
                cache, failed = await self._client.call(
                    lambda: self._client.api.caches.create(model=self.name, config=settings), "cache", tokens
                )
        except ProviderRefusedError as error:
            log.info("no cache: %s", error)
            return ""
        stored = (cache.usage_metadata.total_token_count if cache.usage_metadata else None) or tokens
        price = price_list()[1].get(self.name)
        storage = stored / 1e6 * CACHE_SECONDS / 3600 * (price.storage if price else 0.0)
        self._client.ledger.enter("gemini", self.name, self._stage, Usage(stored), failed, more=storage)
        return str(cache.name)

    async def _forget(self, name: str) -> None:
        try:
            await self._client.call(lambda: self._client.api.caches.delete(name=name), "deletion", 0)
        except ProviderError as error:  # it ends by itself
            log.info("a cache stays until it ends: %s", error)


def content(prompt: Prompt) -> types.Content:
    """A prompt's two parts as one message."""
    return types.Content(role="user", parts=[types.Part.from_text(text=text) for text in (prompt.page, prompt.ask)])


def cache_pays(price: Price, tokens: int, calls: int) -> bool:
    """Whether ``calls`` prompts about a page of so many tokens cost less with an explicit cache, storage included."""
    if price.cached is None:
        return False
    storage = price.storage * CACHE_SECONDS / 3600
    return price.input + calls * price.cached + storage < calls * price.input


def grouped(prompts: Sequence[Prompt], most: int) -> list[list[Prompt]]:
    """Prompts in groups of at most so many bytes as JSON."""
    groups: list[list[Prompt]] = []
    room = 0
    for prompt in prompts:
        size = len(json.dumps([prompt.page, prompt.ask])) + 2000
        if not groups or size > room:
            groups.append([])
            room = most
        groups[-1].append(prompt)
        room -= size
    return groups
