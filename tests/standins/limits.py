"""Rate limits as a provider enforces them: requests and tokens in a sliding window, and calls at the same time."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass
class Limits:
    """0 is no limit. ``window`` is the provider's minute in real seconds: .6 is a clock that runs a hundred times as fast."""

    requests: int = 0
    tokens: int = 0
    concurrency: int = 0
    window: float = 60.0
    clock: Callable[[], float] = time.monotonic
    running: int = 0
    """Calls under way, this one included."""
    accepted: deque[tuple[float, int]] = field(default_factory=deque)

    def refusal(self, tokens: int) -> str:
        """Which limit refuses the call: ``requests``, ``tokens`` or ``concurrency``; ``""`` accepts it, and counts it."""
        now = self.clock()
        while self.accepted and self.accepted[0][0] <= now - self.window:
            self.accepted.popleft()
        if self.concurrency and self.running > self.concurrency:
            return "concurrency"
        if self.requests and len(self.accepted) >= self.requests:
            return "requests"
        if self.tokens and sum(spent for _, spent in self.accepted) + tokens > self.tokens:
            return "tokens"
        self.accepted.append((now, tokens))
        return ""
