"""What a benchmark's queries cost."""

from __future__ import annotations

import pytest

from vuedocs.bench.cost import UNCOUNTED, Cost
from vuedocs.clients.ledger import Ledger, Usage


def test_a_query_costs_its_share_by_stage() -> None:
    ledger = Ledger("bench")
    for _ in range(10):
        ledger.enter("jina", "jina-embeddings-v4", "detect", Usage(20))
        ledger.enter("jina", "jina-reranker-v3", "rerank", Usage(24_020), retries=1)
    cost = Cost.of(ledger.entries, 10)
    assert cost.usd == pytest.approx(24_040 * 0.05 / 1e6)
    document = cost.document()
    assert (document["queries"], document["stages"]["rerank"]["tokens"], document["stages"]["rerank"]["retries"]) == (
        10,
        24_020,
        10,
    )
    assert str(cost).startswith("$0.001202 a query (detect jina-embeddings-v4 20 tokens, rerank jina-reranker-v3 24,020 tokens)")


def test_local_engines_cost_nothing() -> None:
    assert (UNCOUNTED.usd, UNCOUNTED.document()["stages"]) == (0.0, {})


def test_a_model_without_a_price_makes_no_total() -> None:
    ledger = Ledger("bench")
    ledger.enter("jina", "jina-reranker-v9", "rerank", Usage(24_020))
    cost = Cost.of(ledger.entries, 1)
    assert (cost.usd, cost.document()["stages"]["rerank"]["usd"]) == (None, None)
    assert "jina-reranker-v9 costs, which has no price" in str(cost)
