"""Gemini as a writer: one prompt at a time beside its page, or all of them as batches at half the price."""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

from google.genai import errors, types

from vuedocs.clients import Prompt
from vuedocs.clients.gemini import CHARACTERS_PER_TOKEN, GeminiClient, answer_of
from vuedocs.clients.jina import count_tokens
from vuedocs.clients.ledger import Price, Usage, price_of
from vuedocs.errors import AnswerError, BatchLostError, ProviderError, ProviderRefusedError

log = logging.getLogger(__name__)

MOST_OUTPUT = 1024
"""Tokens of an answer, thoughts included."""
CACHE_LEAST = 1500
"""Estimated tokens of a page from which it is cached explicitly; the service refuses fewer than 1,024."""
CACHE_SECONDS = 600
BATCH_BYTES = 15_000_000
"""Of the prompts of one batch; the service takes 20 MB."""
ENDED = (
    types.JobState.JOB_STATE_SUCCEEDED,
    types.JobState.JOB_STATE_PARTIALLY_SUCCEEDED,
    types.JobState.JOB_STATE_FAILED,
    types.JobState.JOB_STATE_CANCELLED,
    types.JobState.JOB_STATE_EXPIRED,
)


class GeminiWriter:
    """A Gemini model with its instructions, which writes JSON for one stage."""

    def __init__(
        self, client: GeminiClient, model: str, thinking: int | str, instructions: str, stage: str, *, batch: bool = False
    ) -> None:
        client.ledger.check_price(model)
        self.name = model
        self.parallel = client.service.concurrency
        self.batch = batch
        self.poll_seconds = client.service.window / 4
        self._client = client
        self._thinking = thinking
        self._instructions = instructions
        self._stage = stage
        self._held: dict[str, float] = {}
        """US dollars set aside, by batch."""

    @asynccontextmanager
    async def page(self, prompts: Sequence[Prompt]) -> AsyncIterator[str]:
        """While the context lasts, a cache of the page that ``prompts`` share, where that is cheaper; its name, or ``""``."""
        tokens = (len(self._instructions) + len(prompts[0].page)) // CHARACTERS_PER_TOKEN
        price = price_of(self.name)
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

    def batches(self, prompts: Sequence[Prompt]) -> list[list[Prompt]]:
        """The prompts in groups, each of which is handed in as one batch."""
        return grouped(prompts, BATCH_BYTES)

    async def submit(self, prompts: Sequence[Prompt], label: str, *, perhaps: bool = False) -> str:
        """Hands in one batch; its name. The money that it may cost is set aside until :meth:`collect` gives its answers.

        Where one may have arrived under this label, which ``perhaps`` says and an attempt whose answer was lost means, it is
        looked for first.
        """
        source = [
            types.InlinedRequest(contents=[content(one)], metadata={"key": one.key}, config=self._settings(one, ""))
            for one in prompts
        ]
        settings = types.CreateBatchJobConfig(display_name=label)
        look = perhaps

        async def ask() -> str:
            nonlocal look
            if look and (name := await self._labelled(label)):
                return name
            look = True
            return str((await self._client.api.batches.create(model=self.name, src=source, config=settings)).name)

        usd = self._client.ledger.hold(self.name, self._at_most(prompts))
        try:
            name, _ = await self._client.call(ask, "batch", 0)
        except BaseException:
            self._client.ledger.release(usd)
            raise
        self._held[name] = usd
        return name

    def resume(self, batch: str, prompts: Sequence[Prompt]) -> None:
        """Sets aside what a batch of an earlier run will cost, however little the limit leaves: it is owed."""
        if batch not in self._held:
            self._held[batch] = self._client.ledger.hold(self.name, self._at_most(prompts), owed=True)

    async def collect(self, batch: str) -> dict[str, Mapping[str, Any] | AnswerError] | None:
        """The answers of a batch by the prompts' keys; None while it runs. BatchLostError when it ended without any.

        Each answer is entered in the ledger once, however often it is collected.
        """

        async def ask() -> types.BatchJob:
            try:
                job: types.BatchJob = await self._client.api.batches.get(name=batch)
            except errors.ClientError as error:
                if error.code != 404:
                    raise
                raise BatchLostError(f"Gemini no longer knows the batch {batch}; its prompts must be handed in anew") from None
            return job

        job, _ = await self._client.call(ask, f"batch {batch}", 0)
        if job.state not in ENDED:
            return None
        answers: dict[str, Mapping[str, Any] | AnswerError] = {}
        for entry in (job.dest.inlined_responses if job.dest else None) or ():
            key = (entry.metadata or {}).get("key", "")
            answers[key] = self._answer(entry, f"{batch}/{key}")
        self._client.ledger.release(self._held.pop(batch, 0.0))
        if not answers:
            raise BatchLostError(f"Gemini's batch {batch} ended with {job.state.value} and without answers; run the ingest again")
        return answers

    def _answer(self, entry: types.InlinedResponse, reference: str) -> Mapping[str, Any] | AnswerError:
        if entry.response is None:
            return AnswerError(f"error: {entry.error.message if entry.error else 'no answer'}")
        self._client.enter(self.name, self._stage, entry.response, batch=reference)
        try:
            return answer_of(entry.response)
        except AnswerError as error:
            return error

    async def _labelled(self, label: str) -> str:
        """The name of the batch that bears a label; ``""`` where there is none."""
        async for job in await self._client.api.batches.list():
            if job.display_name == label:
                return str(job.name)
        return ""

    def _at_most(self, prompts: Sequence[Prompt]) -> Usage:
        """What a batch may cost: nothing stops it once it runs, so that each answer counts as long as it may be."""
        sent = sum(map(count_tokens, (text for one in prompts for text in (self._instructions, one.page, one.ask))))
        return Usage(sent, len(prompts) * MOST_OUTPUT, batch=True)

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
        price = price_of(self.name)
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
