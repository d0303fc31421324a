"""What the queries of a benchmark were billed by paid services."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from vuedocs.clients.ledger import Entry, Total, dollars, price_list, totals


@dataclass(frozen=True, slots=True)
class Cost:
    """What so many queries were billed, by model and stage; nothing where every engine is local."""

    queries: int
    """All that were made, also those that are not measured."""
    paid: tuple[Total, ...] = ()

    @classmethod
    def of(cls, entries: Sequence[Entry], queries: int) -> Cost:
        """The cost of these calls."""
        return cls(queries, tuple(totals(entries)))

    @property
    def usd(self) -> float | None:
        """US dollars a query; None where a model has no known price."""
        usd, left_out = dollars(self.paid)
        return None if left_out else usd / max(1, self.queries)

    def document(self) -> dict[str, Any]:
        """As it stands in ``metrics.json``: tokens and US dollars a query, at the prices of a date."""
        queries = max(1, self.queries)
        parts = {
            one.stage: {
                "model": one.model,
                "tokens": round((one.usage.input + one.usage.output) / queries, 1),
                "usd": None if one.usd is None else one.usd / queries,
                "retries": one.retries,
            }
            for one in self.paid
        }
        return {"usd": self.usd, "queries": self.queries, "prices": price_list()[0], "stages": parts}

    def __str__(self) -> str:
        usd, left_out = dollars(self.paid)
        parts = ", ".join(
            f"{one.stage} {one.model} {(one.usage.input + one.usage.output) / max(1, self.queries):,.0f} tokens"
            for one in self.paid
        )
        return f"${usd / max(1, self.queries):.6f} a query{left_out} ({parts}), ${usd:.4f} for {self.queries:,} queries"


UNCOUNTED = Cost(0)
