"""The query log: what is asked and what is served, kept in the database for research where the operator wants that.

Off by default. A call never waits for it: entries are collected and written about once a second, and where the database does not
take them, the oldest are dropped and the log says how many.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import logging
import secrets
from collections import deque
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from vuedocs.errors import VuedocsError
from vuedocs.records import LoggedQuery
from vuedocs.serving.observing import Call
from vuedocs.serving.requests import current

if TYPE_CHECKING:
    from vuedocs.clients import QueryBook
    from vuedocs.config import Config
    from vuedocs.records import Manifest, Search
    from vuedocs.stages import Result

logger = logging.getLogger(__name__)

MOST_WAITING = 2000
"""Entries that wait to be written."""
WRITE_SECONDS = 1.0
FORGET_SECONDS = 3600.0


class QueryLog:
    """Collects as an observer, writes in :meth:`keep`. ``days`` is how long an entry is kept."""

    def __init__(self, days: int) -> None:
        self._days = days
        self._waiting: deque[LoggedQuery] = deque(maxlen=MOST_WAITING)
        self._dropped = 0
        self._key = secrets.token_bytes(32)

    def call_begins(self, tool: str) -> None:
        """Of no interest: only searches are kept."""

    def call_ended(self, call: Call) -> None:
        """Of no interest."""

    def generation_opened(self, manifest: Manifest, first: bool) -> None:
        """Of no interest: each entry names its generation."""

    def searched(self, result: Result[Search], generation: str, config: Config) -> None:
        """Takes an entry down."""
        self._dropped += len(self._waiting) == MOST_WAITING
        search = result.state
        self._waiting.append(
            LoggedQuery(
                asked=datetime.now(UTC),
                query=search.query,
                sources=search.sources,
                scope=search.scope,
                config=config.fingerprint(),
                generation=generation,
                sections=tuple(passage.chunk_id for passage in search.passages),
                milliseconds={stage: round(milliseconds, 2) for stage, milliseconds in result.milliseconds.items()},
                client=self.hashed(current().client),
            )
        )

    def hashed(self, client: str) -> str:
        """A client's name in the log: with a key that is forgotten when the server ends, so that nobody can turn it round."""
        return hmac.new(self._key, client.encode(), hashlib.sha256).hexdigest()[:16]

    async def keep(self, book: Callable[[], QueryBook | None]) -> None:
        """Writes for as long as the server runs, and forgets what is too old. ``book`` is None while there is none."""
        loop = asyncio.get_running_loop()
        forget_at = loop.time()
        while True:
            await asyncio.sleep(WRITE_SECONDS)
            there = book()
            if there is None:
                continue
            await self.write(there)
            if loop.time() >= forget_at:
                forget_at = loop.time() + FORGET_SECONDS
                await self._forget(there)

    async def write(self, book: QueryBook) -> None:
        """Writes what waits; what the database does not take goes on waiting."""
        batch = list(self._waiting)
        if not batch:
            return
        self._waiting.clear()
        try:
            await book.write(batch)
        except asyncio.CancelledError:  # the server ends, and writes once more before it does
            self._put_back(batch)
            raise
        except VuedocsError as error:
            self._put_back(batch)
            logger.warning("%d queries wait to be logged: %s", len(self._waiting), type(error).__name__)
        if self._dropped:
            logger.warning("%d queries could not be logged and are lost", self._dropped)
            self._dropped = 0

    def _put_back(self, batch: Sequence[LoggedQuery]) -> None:
        """Before what came meanwhile; the oldest are dropped where there is no room."""
        excess = max(0, len(batch) + len(self._waiting) - MOST_WAITING)
        self._dropped += excess
        self._waiting.extendleft(reversed(batch[excess:]))

    async def _forget(self, book: QueryBook) -> None:
        try:
            forgotten = await book.forget(datetime.now(UTC) - timedelta(days=self._days))
        except VuedocsError as error:
            logger.warning("old queries cannot be forgotten: %s", type(error).__name__)
        else:
            if forgotten:
                logger.info("%d queries older than %d days were forgotten", forgotten, self._days)
