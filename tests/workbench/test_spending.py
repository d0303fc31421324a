"""The ledger as a notebook shows it."""

from __future__ import annotations

from vuedocs.clients.ledger import Ledger, Usage
from vuedocs.workbench import spending


def test_tokens_and_money_by_provider_and_stage() -> None:
    ledger = Ledger("run")
    for _ in range(3):
        ledger.enter("gemini", "gemini-3.1-flash-lite", "enrich", Usage(2000, 60, cached=1500), retries=1)
    ledger.enter("jina", "jina-embeddings-v4", "embed", Usage(40_000))
    table = spending.by_stage(ledger.entries)
    assert table.rows[0] == ("gemini", "gemini-3.1-flash-lite", "enrich", 3, 3, 6000, 4500, 180, "$0.000758")
    assert table.caption == "$0.0028, in 1 run"
    figure = spending.plot(ledger.entries)
    assert figure is not None
    tokens, money = figure.axes
    assert [bar.get_width() for bar in tokens.patches] == [6180, 40_000]
    assert [text.get_text() for text in money.texts] == [" $0.000758", " $0.0020"]


def test_a_model_without_a_price_is_named() -> None:
    ledger = Ledger("run")
    ledger.enter("jina", "jina-embeddings-v9", "embed", Usage(40_000))
    table = spending.by_stage(ledger.entries)
    assert "what jina-embeddings-v9 costs, which has no price" in table.caption
    assert table.rows[0][-1] == "price not known"


def test_where_nothing_was_paid_it_says_so_and_plots_nothing() -> None:
    assert "every engine is local" in repr(spending.by_stage(()))
    assert spending.plot(()) is None
