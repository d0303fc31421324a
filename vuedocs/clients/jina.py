"""Jina's API: one warm connection pool, one limiter and one ledger, over which texts are embedded and documents reranked.

Calls are tried again where that can help (429, 5xx, timeouts, broken connections) and stop at once where it cannot (bad key, no
credit, over-long input). The contract, as far as it is known: api.jina.ai OpenAPI, as read in November 2026.
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import httpx
from pydantic_core import from_json

from vuedocs.clients.ledger import Ledger, Usage
from vuedocs.clients.pacing import pause, seconds_left
from vuedocs.clients.paid import ATTEMPTS, PaidClient, tls
from vuedocs.errors import ProviderError, ProviderRefusedError
from vuedocs.settings import Service

log = logging.getLogger(__name__)

KEEP_ALIVE = 300.0
"""Seconds that an idle connection is kept for the next call."""
CAUTION = 1.03
"""A call under way counts with a little more than it is expected to be billed."""
PATHS = ("embeddings", "rerank")
AGAIN = (408, 409, 429, 500, 502, 503, 504)

_TOKEN = re.compile(r"[A-Za-z]{1,5}|\d|[^\sA-Za-z\d]")


def token_spans(text: str) -> list[tuple[int, int]]:
    """Start and end of each token, estimated: five letters, a digit, or another sign each. Rather too many than too few."""
    return [match.span() for match in _TOKEN.finditer(text)]


def count_tokens(text: str) -> int:
    """Estimated tokens of a text."""
    return len(_TOKEN.findall(text))


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a call failed, and whether it may be tried again."""

    reason: str
    after: float | None = None
    """Seconds that the service told to wait."""
    full_window: bool = False
    """Whether a whole rate window must pass."""
    counted: bool = True
    """Whether the service may have counted the call against its limits."""


class JinaClient(PaidClient):
    """The calls themselves; :mod:`vuedocs.clients.jina_models` makes an embedder and a reranker of them."""

    def __init__(self, service: Service, ledger: Ledger) -> None:
        super().__init__(service, ledger, "https://jina.ai")
        self._billed = self._estimated = 1
        self._addresses = {path: httpx.URL(f"{service.base_url}/{path}") for path in PATHS}
        self._timeouts = httpx.Timeout(service.timeout, connect=min(10.0, service.timeout)).as_dict()
        self._http = httpx.AsyncClient(
            headers={
                "Authorization": f"Bearer {service.key}",
                "Accept": "application/json",
                "Content-Type": "application/json",
            },
            verify=tls(),
            limits=httpx.Limits(
                max_connections=service.concurrency, max_keepalive_connections=service.concurrency, keepalive_expiry=KEEP_ALIVE
            ),
        )

    async def call(self, path: str, body: Mapping[str, Any], tokens: int, stage: str) -> dict[str, Any]:
        """The answer to one call of about ``tokens`` tokens, which is entered in the ledger for ``stage``.

        Raises ProviderRefusedError where asking again is no use, ProviderError when every attempt failed or the deadline leaves
        no time for another, BudgetError when the run's cost limit leaves nothing for it.
        """
        failed = 0
        while True:
            outcome = await self._attempt(path, body, tokens, stage, failed)
            if isinstance(outcome, dict):
                return outcome
            failed += 1
            seconds = pause(failed, self.service.window, outcome.after, full_window=outcome.full_window)
            if failed == ATTEMPTS or seconds > seconds_left():
                times = "once" if failed == 1 else f"{failed} times"
                raise ProviderError(f"Jina's {path} failed {times}, the last time with: {outcome.reason}; try again later")
            self.retries += 1
            log.info("jina %s: %s; attempt %d follows in %.1f s", path, outcome.reason, failed + 1, seconds)
            await asyncio.sleep(seconds)

    async def aclose(self) -> None:
        """Closes the connections."""
        await self._http.aclose()

    @property
    def billed_share(self) -> float:
        """Tokens billed for each that was estimated, over all calls so far; 1 before the first."""
        return self._billed / self._estimated

    async def _attempt(
        self, path: str, body: Mapping[str, Any], tokens: int, stage: str, failed: int
    ) -> dict[str, Any] | Failure:
        expected = max(1, round(tokens * self.billed_share * CAUTION))
        with self.ledger.reserve(body["model"], Usage(expected)):
            async with self._limiter.turn(expected) as turn:
                outcome = await self._post(path, body)
                if isinstance(outcome, Failure):
                    turn.cost(expected if outcome.counted else 0)
                    return outcome
                billed = _billed(outcome, expected)
                turn.cost(billed)
                self._billed, self._estimated = self._billed + billed, self._estimated + tokens
                self.ledger.enter("jina", body["model"], stage, Usage(billed), retries=failed)
                return outcome

    async def _post(self, path: str, body: Mapping[str, Any]) -> dict[str, Any] | Failure:
        content = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
        request = httpx.Request(  # made here: the client's own way merges addresses and headers anew for each call
            "POST",
            self._addresses[path],
            headers=self._http.headers,
            content=content.encode(),
            extensions={"timeout": self._timeouts},
        )
        try:
            response = await self._http.send(request)
        except httpx.TimeoutException:
            return Failure(f"no answer within {self.service.timeout:g} s")
        except httpx.HTTPError as error:
            return Failure(f"{type(error).__name__}: {self._scrubbed(str(error)) or 'the connection broke'}")
        if response.status_code != 200:
            return self._failure(path, response)
        try:
            answer = from_json(response.content, cache_strings="none")  # thousands of numbers: ten times as fast as json
        except ValueError:
            return Failure("an answer that is no JSON")
        return answer if isinstance(answer, dict) else Failure("an answer that is no JSON object")

    def _failure(self, path: str, response: httpx.Response) -> Failure:
        detail, code = _words(response)
        words = self._scrubbed(f"{response.status_code} {code} {detail}".replace("  ", " ").strip())
        if response.status_code not in AGAIN:
            raise ProviderRefusedError(f"Jina refuses the call of {path}: {words}; {remedy(response.status_code, code)}")
        return Failure(
            words,
            after=retry_after(response.headers),
            full_window=code == "RATE_TOKEN_LIMIT_EXCEEDED",
            counted=response.status_code != 429,
        )


def remedy(status: int, code: str) -> str:
    """What to do about a refusal."""
    if status == 402 or code.startswith("AUTHZ_INSUFFICIENT"):
        return "the account is out of credit: top it up at https://jina.ai and run again, nothing that was paid for is lost"
    if status in (401, 403):
        return "see that JINA_API_KEY is a valid key of an account that may do this"
    if code == "INPUT_TOKEN_LIMIT_EXCEEDED":
        return "a text is longer than the model reads; set a smaller embed.window_tokens"
    if code == "INPUT_MODEL_NOT_FOUND":
        return "choose a model that the account offers"
    return "the request does not fit what the API takes now; see JINA_BASE_URL and the model in the config"


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds of a Retry-After header; None without one, or with one that is no number."""
    try:
        seconds = float(headers.get("retry-after", ""))
    except ValueError:
        return None
    return seconds if 0 <= seconds < 86400 else None


def _words(response: httpx.Response) -> tuple[str, str]:
    """(detail, code) of an error's body, at most 200 characters; a page of HTML says nothing."""
    try:
        body = response.json()
    except (json.JSONDecodeError, UnicodeDecodeError):
        return "", ""
    if not isinstance(body, dict):
        return "", ""
    return str(body.get("detail", ""))[:200], str(body.get("code") or "")


def _billed(answer: Mapping[str, Any], expected: int) -> int:
    """``usage.total_tokens``, or the estimate where the answer does not say."""
    usage = answer.get("usage")
    total = usage.get("total_tokens") if isinstance(usage, dict) else None
    return total if isinstance(total, int) and total >= 0 else expected


def texts_in_blocks(texts: Iterable[str], most_texts: int, most_tokens: Callable[[], float]) -> Iterator[list[str]]:
    """Texts in order, in blocks of at most so many and about so many estimated tokens; a longer text is a block of its own.

    ``most_tokens`` is asked at the beginning of each block, since estimates become better as answers come.
    """
    block: list[str] = []
    room = 0.0
    for text in texts:
        tokens = count_tokens(text)
        if block and (len(block) == most_texts or tokens > room):
            yield block
            block = []
        if not block:
            room = most_tokens()
        block.append(text)
        room -= tokens
    if block:
        yield block
