"""Views of the ledger: what paid services were sent, wrote and cost, by provider and stage."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from vuedocs.clients.ledger import Entry, Total, dollars, totals
from vuedocs.ingest.clients import IngestClients
from vuedocs.workbench import plots
from vuedocs.workbench.tables import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure


async def paid(clients: IngestClients) -> tuple[Entry, ...]:
    """Every paid call of every run that the database knows, those of this session included."""
    if clients.ledger is not None:
        await clients.ledger.flush()
    return await clients.database.spending()


def by_stage(entries: Sequence[Entry]) -> Table:
    """Calls, tokens and US dollars by provider, model and stage."""
    found = totals(entries)
    usd, left_out = dollars(found)
    rows = [
        (one.provider, one.model, one.stage, one.calls, one.retries, use.input, use.cached, use.output, one.cost)
        for one in found
        for use in (one.usage,)
    ]
    runs = len({entry.run for entry in entries})
    caption = "No paid service was asked: every engine is local"
    if entries:
        caption = f"${usd:.4f}{left_out}, in {runs:,} run{'s' * (runs != 1)}"
    columns = ("provider", "model", "stage", "calls", "attempts failed", "tokens in", "of a cache", "tokens out", "US dollars")
    return Table(columns, rows, caption)


def plot(entries: Sequence[Entry]) -> Figure | None:
    """Tokens and US dollars side by side, by provider and stage; None, which shows nothing, where nothing was paid."""
    found = totals(entries)
    if not found:
        return None
    tokens = {_name(one): float(one.usage.input + one.usage.output) for one in found}
    money = {_name(one): one.usd or 0.0 for one in found}
    notes = {_name(one): one.cost for one in found}
    return plots.side_by_side(
        [("tokens", tokens, {name: f"{value:,.0f}" for name, value in tokens.items()}), ("US dollars", money, notes)],
        "What paid services were sent and cost",
    )


def _name(one: Total) -> str:
    return f"{one.provider}: {one.stage}\n{one.model}"
