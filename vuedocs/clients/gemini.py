"""Gemini by Google's own client: one connection pool, one limiter and one ledger for all that is written by it.

The SDK repeats nothing unless told to, and then ignores the delay that the service names in the error's body; so calls are
repeated here. Its silent failures (blocked, cut or empty answers come without an exception) become AnswerError.
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar

import httpx2
from google import genai
from google.genai import errors, types

from vuedocs.clients.ledger import Ledger, Usage
from vuedocs.clients.pacing import pause, seconds_left
from vuedocs.clients.paid import ATTEMPTS, PaidClient, tls
from vuedocs.errors import AnswerError, ProviderError, ProviderRefusedError
from vuedocs.settings import Service

log = logging.getLogger(__name__)

AGAIN = (408, 429, 500, 502, 503, 504)
CHARACTERS_PER_TOKEN = 4

T = TypeVar("T")


class GeminiClient(PaidClient):
    """The calls themselves; :mod:`vuedocs.clients.gemini_writer` makes a writer of them."""

    def __init__(self, service: Service, ledger: Ledger) -> None:
        super().__init__(service, ledger, "Google AI Studio")
        self._routed: set[str] = set()
        pool = httpx2.Limits(max_connections=service.concurrency + 1, max_keepalive_connections=service.concurrency + 1)
        self._unused = httpx2.Client(verify=tls())
        """The SDK makes one in any case, and reads the certificates for it, and for websockets, anew."""
        self._client = genai.Client(
            api_key=service.key,
            http_options=types.HttpOptions(
                base_url=service.base_url or None,
                timeout=round(service.timeout * 1000),
                httpx_client=self._unused,
                httpx_async_client=httpx2.AsyncClient(limits=pool, timeout=service.timeout, verify=tls()),
                async_client_args={"ssl": tls()},
            ),
        )

    @property
    def api(self) -> Any:
        """The SDK's asynchronous interface."""
        return self._client.aio

    async def generate(
        self, model: str, contents: list[str], settings: types.GenerateContentConfig, stage: str, cached_tokens: int = 0
    ) -> types.GenerateContentResponse:
        """One answer, whatever it is worth, entered in the ledger for ``stage``; the errors are those of :meth:`call`."""
        output = settings.max_output_tokens or 0
        words = sum(map(len, contents)) + len(str(settings.system_instruction or ""))
        expected = Usage(words // CHARACTERS_PER_TOKEN + 1 + cached_tokens, output // 4, cached_tokens)
        parts = [types.Part.from_text(text=text) for text in contents]

        def ask() -> Awaitable[types.GenerateContentResponse]:
            answer: Awaitable[types.GenerateContentResponse] = self.api.models.generate_content(
                model=model, contents=parts, config=settings
            )
            return answer

        with self.ledger.reserve(model, expected):
            response, failed = await self.call(ask, f"answer of {model}", expected.input)
            self.enter(model, stage, response, failed)
        return response

    def enter(
        self, model: str, stage: str, response: types.GenerateContentResponse, failed: int = 0, *, batch: str | None = None
    ) -> None:
        """Enters what an answer cost, under the model that really wrote it; ``batch`` names the answer of a batch."""
        wrote = (response.model_version or model).removeprefix("models/")
        if wrote != model and wrote not in self._routed:
            self._routed.add(wrote)
            log.warning("asked for %s, but %s answered: its price and rules hold; change the model in the config", model, wrote)
        self.ledger.enter("gemini", wrote, stage, usage_of(response, batch is not None), failed, reference=batch)

    async def call(self, ask: Callable[[], Awaitable[T]], what: str, tokens: int) -> tuple[T, int]:
        """What ``ask`` gives, and how many attempts failed before.

        Raises ProviderRefusedError where asking again is no use, ProviderError when every attempt failed.
        """
        failed = 0
        while True:
            async with self._limiter.turn(tokens) as turn:
                try:
                    return await ask(), failed
                except errors.APIError as error:
                    reason, told = self._judged(error, what)
                    if error.code == 429:
                        turn.cost(0)
                except ValueError:  # the SDK's own, or json's
                    reason, told = "an answer that is no JSON", None
                except (httpx2.HTTPError, TimeoutError) as error:
                    reason, told = f"{type(error).__name__} after {self.service.timeout:g} s at most", None
            failed += 1
            seconds = pause(failed, self.service.window, told)
            if failed == ATTEMPTS or seconds > seconds_left():
                raise ProviderError(f"Gemini gave no {what} in {failed} attempts, the last time: {reason}; try again later")
            self.retries += 1
            log.info("gemini: %s; attempt %d follows in %.1f s", reason, failed + 1, seconds)
            await asyncio.sleep(seconds)

    async def aclose(self) -> None:
        """Closes the connections."""
        self._unused.close()
        await self._client.aio.aclose()

    def _judged(self, error: errors.APIError, what: str) -> tuple[str, float | None]:
        """Why a call failed and how long to wait, where it may be repeated; else ProviderRefusedError."""
        words = self._scrubbed(f"{error.code} {error.status or ''} {str(error.message or '')[:200]}")
        reasons = {detail.get("reason") for detail in details_of(error)}
        if "API_KEY_INVALID" in reasons or error.code in (401, 403):
            raise ProviderRefusedError(f"Gemini refuses the key: {words}; see that GEMINI_API_KEY is valid and may do this")
        if error.code == 404:
            raise ProviderRefusedError(f"Gemini knows no such model: {words}; set enrich.model and hype.model to one that it has")
        if any("PerDay" in quota for quota in quotas_of(error)):
            raise ProviderRefusedError(f"Gemini's quota of the day is used up: {words}; go on tomorrow, what was paid is kept")
        if error.code not in AGAIN:
            raise ProviderRefusedError(f"Gemini refuses the {what}: {words}; see the model and its thinking in the config")
        return words, retry_delay(error)


def details_of(error: errors.APIError) -> list[Mapping[str, Any]]:
    """The ``details`` of an error's body, where it has any."""
    body = error.details if isinstance(error.details, dict) else {}
    inner = body.get("error", body)
    found = inner.get("details") if isinstance(inner, dict) else None
    return [detail for detail in found if isinstance(detail, dict)] if isinstance(found, list) else []


def quotas_of(error: errors.APIError) -> list[str]:
    """Names of the quotas that an error says are used up."""
    violations = [violation for detail in details_of(error) for violation in detail.get("violations") or []]
    return [str(violation.get("quotaId", "")) for violation in violations if isinstance(violation, dict)]


def retry_delay(error: errors.APIError) -> float | None:
    """Seconds that the body's RetryInfo says to wait; Gemini sends no Retry-After header."""
    for detail in details_of(error):
        told = re.fullmatch(r"(\d+(?:\.\d+)?)s", str(detail.get("retryDelay", "")))
        if told:
            return float(told[1])
    return None


def usage_of(response: types.GenerateContentResponse, batch: bool) -> Usage:
    """Tokens as they are billed: thoughts are output, cached ones are part of the input."""
    usage = response.usage_metadata
    if usage is None:
        return Usage(0, batch=batch)
    written = (usage.candidates_token_count or 0) + (usage.thoughts_token_count or 0)
    return Usage(usage.prompt_token_count or 0, written, usage.cached_content_token_count or 0, batch)


def answer_of(response: types.GenerateContentResponse) -> dict[str, Any]:
    """The JSON object that a response holds; AnswerError says why there is none: ``blocked``, ``cut``, ``empty``, ``no JSON``."""
    blocked = response.prompt_feedback.block_reason if response.prompt_feedback else None
    if blocked:
        raise AnswerError(f"blocked: {blocked.value}")
    candidate = response.candidates[0] if response.candidates else None
    reason = candidate.finish_reason if candidate else None
    if reason == types.FinishReason.MAX_TOKENS:
        raise AnswerError("cut: MAX_TOKENS")
    if reason not in (None, types.FinishReason.STOP):
        raise AnswerError(f"blocked: {reason.value}")
    parts = (candidate.content.parts or []) if candidate and candidate.content else []
    text = "".join(part.text or "" for part in parts if not part.thought)
    if not text.strip():
        raise AnswerError("empty")
    try:
        answer = json.loads(text)
    except ValueError:
        raise AnswerError("no JSON") from None
    if not isinstance(answer, dict):
        raise AnswerError("no JSON object")
    return answer
