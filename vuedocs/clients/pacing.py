"""Pacing: keeps a provider's rate limits from our side, and says how long to wait before a call is tried again.

A provider counts requests and tokens over a sliding window of a minute, from the moment at which a call arrives; we know only
when its answer came. So a call counts here until a window after its answer, which is never too early, and one under way counts
with what it is expected to cost. Who waits for a person's sake sets a deadline with :func:`within`: what cannot be done by then
fails at once.
"""

from __future__ import annotations

import asyncio
import random
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from vuedocs.errors import ProviderError

UNDER_WAY = float("inf")
MARGIN = 0.2
"""Seconds that an inner deadline keeps of an outer one, for what follows."""

_DEADLINE: ContextVar[float] = ContextVar("deadline", default=float("inf"))


@asynccontextmanager
async def within(seconds: float, doing: str) -> AsyncIterator[None]:
    """Ends what takes longer with ProviderError; ``doing`` begins its message. An outer deadline is never passed."""
    now = _now()
    deadline = min(now + seconds, _DEADLINE.get() - MARGIN)
    token = _DEADLINE.set(deadline)
    try:
        async with asyncio.timeout(None if deadline == float("inf") else max(0.0, deadline - now)):
            yield
    except TimeoutError as error:
        raise ProviderError(f"{doing} took longer than {max(0.0, deadline - now):.1f} s and was given up") from error
    finally:
        _DEADLINE.reset(token)


def _now() -> float:
    return asyncio.get_running_loop().time()


def seconds_left() -> float:
    """Until the deadline; infinite without one."""
    return _DEADLINE.get() - _now()


@dataclass(frozen=True, slots=True)
class Allowance:
    """What a provider grants; 0 is no limit."""

    requests: int
    """Requests a window."""
    tokens: int
    """Tokens a window."""
    concurrency: int
    """Calls at the same time, 1 or more."""
    window: float = 60.0
    """Seconds."""


@dataclass(slots=True, eq=False)
class Turn:
    """One call's share of the allowance."""

    tokens: int
    ended: float = UNDER_WAY

    def cost(self, tokens: int) -> None:
        """What the call really cost, once that is known."""
        self.tokens = tokens


class Limiter:
    """Lets calls through in the order in which they ask, as fast as the allowance permits and no faster."""

    def __init__(self, allowance: Allowance) -> None:
        self.allowance = allowance
        self._under_way: set[Turn] = set()
        self._past: deque[Turn] = deque()
        """Those that ended within the last window, in this order; there may be thousands."""
        self._past_tokens = 0
        self._queue = asyncio.Lock()
        self._ended = asyncio.Event()

    @asynccontextmanager
    async def turn(self, tokens: int) -> AsyncIterator[Turn]:
        """Waits until a call of about so many tokens may be made, and counts it from then on.

        ProviderError at once when that would take longer than the deadline allows.
        """
        mine = Turn(tokens)
        async with self._queue:
            while (wait := self._wait(tokens)) > 0:
                if UNDER_WAY > wait > seconds_left():
                    raise ProviderError(
                        f"the rate limit of {self.allowance.tokens:,} tokens and {self.allowance.requests:,} requests a "
                        f"{self.allowance.window:g} s window is used up for {wait:.0f} s; ask again later, or raise the limits"
                    )
                self._ended.clear()
                try:
                    async with asyncio.timeout(None if wait == UNDER_WAY else wait):
                        await self._ended.wait()
                except TimeoutError:
                    continue
            self._under_way.add(mine)
        try:
            yield mine
        finally:
            mine.ended = _now()
            self._under_way.discard(mine)
            self._past.append(mine)
            self._past_tokens += mine.tokens
            self._ended.set()

    def _wait(self, tokens: int) -> float:
        """Seconds until a call may be made; 0 for now, UNDER_WAY until another call ends."""
        now, allowed = _now(), self.allowance
        while self._past and self._past[0].ended + allowed.window <= now:
            self._past_tokens -= self._past.popleft().tokens
        if len(self._under_way) >= allowed.concurrency:
            return UNDER_WAY
        requests = len(self._under_way) + len(self._past)
        used = sum(turn.tokens for turn in self._under_way) + self._past_tokens
        wait = 0.0
        for turn in (*self._past, *self._under_way) if self._full(requests, used + tokens) else ():
            wait = turn.ended + allowed.window - now
            requests, used = requests - 1, used - turn.tokens
            if not self._full(requests, used + tokens):
                break
        return wait

    def _full(self, requests: int, tokens: int) -> bool:
        """Whether so many requests before it leave no room for one that makes the tokens so many."""
        allowed = self.allowance
        return bool((allowed.requests and requests >= allowed.requests) or (allowed.tokens and tokens > allowed.tokens))


def pause(attempt: int, window: float, told: float | None = None, *, full_window: bool = False) -> float:
    """Seconds to wait before the call is tried again, ``attempt`` from 1.

    What the provider told is honoured. Where it told nothing, a used-up token window needs a whole one to clear; all else is
    tried again after a 120th of a window, doubled each time, with jitter so that clients that failed together come back apart.
    """
    if told is not None:
        return told * random.uniform(1.0, 1.1)
    if full_window:
        return window * random.uniform(1.0, 1.05)
    return min(window, window / 120 * float(2 ** (attempt - 1))) * random.uniform(0.5, 1.0)
