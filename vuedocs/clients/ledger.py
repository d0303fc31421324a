"""The ledger: every paid call in tokens and money, by provider, model, stage and run; and the limit at which a run stops.

Prices are data (``prices.toml``, with their date). A call is entered as soon as its answer is there, and written to the database
by a task of its own, so that nobody waits for it; :meth:`Ledger.flush` waits.
"""

from __future__ import annotations

import asyncio
import logging
import re
import secrets
import tomllib
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from importlib import resources
from typing import Any

from vuedocs.errors import BudgetError, ConfigError, DatabaseError

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of a call, as they are billed."""

    input: int
    """All tokens sent, those read from a cache included."""
    output: int = 0
    """Written and thought."""
    cached: int = 0
    """Of ``input``, read from an explicit or implicit cache."""
    batch: bool = False


@dataclass(frozen=True, slots=True)
class Entry:
    """One paid call."""

    run: str
    provider: str
    model: str
    stage: str
    usage: Usage
    retries: int
    """Attempts that failed before this one."""
    usd: float | None
    """None where the model's price is not known."""
    prices: str
    """Date of the price list."""
    reference: str | None = None
    """What it was paid for, where a run may meet that again: a batch and its prompt. Entered once."""


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars for a million tokens."""

    input: float
    output: float = 0.0
    cached: float | None = None
    storage: float = 0.0
    batch: float = 1.0

    def of(self, usage: Usage) -> float:
        """What a call cost."""
        cached = self.input if self.cached is None else self.cached
        usd = (usage.input - usage.cached) * self.input + usage.cached * cached + usage.output * self.output
        return usd / 1e6 * (self.batch if usage.batch else 1.0)


@cache
def price_list() -> tuple[str, Mapping[str, Price]]:
    """The list's date, and the price by model."""
    data: dict[str, Any] = tomllib.loads(resources.files("vuedocs.clients").joinpath("prices.toml").read_text(encoding="utf-8"))
    return data.pop("date"), {model: Price(**values) for model, values in data.items()}


_REVISION = re.compile(r"-\d{3}$")


def price_of(model: str) -> Price | None:
    """A model's price, a numbered revision's (``-001``) being its model's; None for one that is not in the list."""
    prices = price_list()[1]
    return prices.get(model) or prices.get(_REVISION.sub("", model))


def new_run(purpose: str) -> str:
    """A name for one run: ``ingest-20261130-140501-1f3a``."""
    return f"{purpose}-{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"


Write = Callable[[Sequence[Entry]], Awaitable[None]]


class Ledger:
    """One run's account. ``limit`` is in US dollars; ``write`` keeps entries, None keeps them in memory alone.

    ``endless`` is for a run that nobody adds up and that may last for a year: :attr:`entries` stays empty.
    """

    def __init__(self, run: str, write: Write | None = None, limit: float | None = None, endless: bool = False) -> None:
        self.run = run
        self.limit = limit
        self.entries: list[Entry] = []
        self._endless = endless
        self.usd = 0.0
        """Spent so far in this run, at the prices that are known."""
        self._write = write
        self._unwritten: list[Entry] = []
        self._writing: asyncio.Task[None] | None = None
        self._reserved = 0.0
        self._references: set[str] = set()
        self._unpriced: set[str] = set()
        """Models that were paid without a known price."""
        self._lock = asyncio.Lock()

    def check_price(self, model: str) -> None:
        """ConfigError where the run has a cost limit that cannot be kept, since the model has no price."""
        unknown = model if price_of(model) is None else next(iter(self._unpriced), "")
        if self.limit is not None and unknown:
            raise ConfigError(
                f"{unknown} has no price in vuedocs/clients/prices.toml, so that no cost limit can be kept; add its price, "
                "or leave --max-cost and VUEDOCS_MAX_COST out"
            )

    @contextmanager
    def reserve(self, model: str, expected: Usage) -> Iterator[None]:
        """Sets money aside while a call is made; errors as of :meth:`hold`."""
        usd = self.hold(model, expected)
        try:
            yield
        finally:
            self.release(usd)

    def hold(self, model: str, expected: Usage, *, owed: bool = False) -> float:
        """Sets money aside until :meth:`release`; the US dollars. ``owed`` is what cannot be called off any more.

        Raises BudgetError when the limit leaves too little for it, ConfigError when there is a limit and no price.
        """
        self.check_price(model)
        usd = self.price(model, expected) or 0.0
        if self.limit is not None and not owed and self.usd + self._reserved + usd > self.limit:
            waiting = f", ${self._reserved:.4f} are set aside for what is under way" if self._reserved else ""
            raise BudgetError(
                f"stopped before the cost limit of ${self.limit:.4f}: ${self.usd:.4f} are spent{waiting}, and the next call of "
                f"{model} costs about ${usd:.4f}; what was paid for is kept: run again with a higher --max-cost to go on"
            )
        self._reserved += usd
        return usd

    def release(self, usd: float) -> None:
        """Gives back what :meth:`hold` set aside."""
        self._reserved -= usd

    def price(self, model: str, usage: Usage) -> float | None:
        """US dollars of so many tokens; None for a model that is not in the price list."""
        price = price_of(model)
        return price.of(usage) if price else None

    def enter(
        self,
        provider: str,
        model: str,
        stage: str,
        usage: Usage,
        retries: int = 0,
        *,
        more: float = 0.0,
        reference: str | None = None,
    ) -> None:
        """Enters a call that was paid; ``more`` is what it cost beyond its tokens, in US dollars. A ``reference`` counts once."""
        if reference in self._references:
            return
        if reference is not None:
            self._references.add(reference)
        usd = self.price(model, usage)
        if usd is None and model not in self._unpriced:
            self._unpriced.add(model)
            log.warning("%s has no price in vuedocs/clients/prices.toml: its tokens are counted, what they cost is not", model)
        usd = None if usd is None else usd + more
        entry = Entry(self.run, provider, model, stage, usage, retries, usd, price_list()[0], reference)
        if not self._endless:
            self.entries.append(entry)
        self.usd += usd or 0.0
        if self._write is not None:
            self._unwritten.append(entry)
            if self._writing is None or self._writing.done():
                self._writing = asyncio.create_task(self._write_soon(), name="vuedocs-ledger")

    async def flush(self) -> None:
        """Returns when every entry is written; DatabaseError when one cannot be."""
        async with self._lock:
            while self._unwritten and self._write is not None:
                entries = list(self._unwritten)
                await self._write(entries)
                del self._unwritten[: len(entries)]

    async def _write_soon(self) -> None:
        try:
            await self.flush()
        except DatabaseError as error:  # they stay and are written with the next one, or by the last flush
            log.warning("the ledger cannot be written yet: %s", error)


@dataclass(frozen=True, slots=True)
class Total:
    """What a run spent on one model in one stage."""

    provider: str
    model: str
    stage: str
    calls: int
    retries: int
    usage: Usage
    usd: float | None
    """None where a call was of a model without a known price."""

    @property
    def cost(self) -> str:
        """US dollars in words."""
        if self.usd is None:
            return "price not known"
        return f"${self.usd:.4f}" if self.usd >= 0.001 or not self.usd else f"${self.usd:.6f}"


def dollars(found: Sequence[Total]) -> tuple[float, str]:
    """US dollars at known prices, and in words what is left out for want of a price (``""`` for nothing)."""
    unknown = sorted({one.model for one in found if one.usd is None})
    left_out = f" and what {', '.join(unknown)} costs, which has no price in vuedocs/clients/prices.toml" if unknown else ""
    return sum(one.usd or 0.0 for one in found), left_out


def totals(entries: Sequence[Entry]) -> list[Total]:
    """Entries added up by provider, model and stage, in the order in which they first came."""
    groups: dict[tuple[str, str, str], list[Entry]] = {}
    for entry in entries:
        groups.setdefault((entry.provider, entry.model, entry.stage), []).append(entry)
    return [
        Total(
            *key,
            calls=len(group),
            retries=sum(entry.retries for entry in group),
            usage=Usage(
                sum(entry.usage.input for entry in group),
                sum(entry.usage.output for entry in group),
                sum(entry.usage.cached for entry in group),
            ),
            usd=None if any(entry.usd is None for entry in group) else sum(entry.usd or 0.0 for entry in group),
        )
        for key, group in groups.items()
    ]
