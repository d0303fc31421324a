"""What the stand-ins have seen: every call, with what it was asked and what it was billed."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Call:
    """One HTTP request and its outcome."""

    endpoint: str
    """``embeddings``, ``rerank``, ``generate``, ``caches``, ``batches``, ``other``."""
    status: int
    fault: str
    texts: tuple[str, ...]
    tokens: int
    """Billed: 0 where the call failed."""
    connection: tuple[str, int]
    started: float
    ended: float
    own_milliseconds: float
    """From the request's body to the answer's, without sending them."""


@dataclass
class Calls:
    """The calls since the start or the last reset."""

    seen: list[Call] = field(default_factory=list)

    def of(self, endpoint: str, *, paid: bool | None = None) -> list[Call]:
        """The calls of one endpoint; only those that were paid (or not) where asked."""
        return [call for call in self.seen if call.endpoint == endpoint and paid in (None, call.tokens > 0)]

    def statuses(self, endpoint: str) -> list[int]:
        """Status by status, in order."""
        return [call.status for call in self.of(endpoint)]

    def paid_texts(self, endpoint: str) -> list[str]:
        """Every text that was billed, as often as it was."""
        return [text for call in self.of(endpoint, paid=True) for text in call.texts]

    def tokens(self, endpoint: str) -> int:
        """All that was billed."""
        return sum(call.tokens for call in self.of(endpoint))

    def connections(self) -> int:
        """TCP connections that calls came over."""
        return len({call.connection for call in self.seen})

    def summary(self) -> dict[str, dict[str, object]]:
        """Numbers by endpoint, for people."""
        return {
            name: {
                "calls": len(self.of(name)),
                "paid": len(self.of(name, paid=True)),
                "texts": len(self.paid_texts(name)),
                "tokens": self.tokens(name),
                "statuses": _counted(self.statuses(name)),
            }
            for name in sorted({call.endpoint for call in self.seen})
        } | {"all": {"connections": self.connections(), "at": time.time()}}


def _counted(statuses: Sequence[int]) -> dict[str, int]:
    return {str(status): statuses.count(status) for status in sorted(set(statuses))}
