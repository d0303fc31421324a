"""GET /health: whether questions can be answered, without calling anything that costs.

The body is ``{"status", "version", "uptime_seconds", "checks": {"data", "database", "qdrant"}, "sources", "pages", "points",
"data_updated"}``; the status code is 200 when every check is ``ok`` and 503 otherwise. A check that fails names the error's type
and nothing else.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from vuedocs import __version__
from vuedocs.errors import IndexDamagedError, IndexServerError, MismatchError, NotIndexedError, VuedocsError
from vuedocs.serving.service import NotReadyError, Service

if TYPE_CHECKING:
    from vuedocs.records import Manifest

CACHE_SECONDS = 1.0


class Health:
    """Answers from checks at most a second old; callers at the same time share one round of them."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._checks: Mapping[str, str] = {}
        self._checked = float("-inf")
        self._lock = asyncio.Lock()

    async def report(self) -> tuple[int, dict[str, Any]]:
        """The HTTP status and the body."""
        async with self._lock:
            if time.monotonic() - self._checked >= CACHE_SECONDS:
                self._checks = await self._check()
                self._checked = time.monotonic()
            checks = dict(self._checks)
        well = all(outcome == "ok" for outcome in checks.values())
        reader = self._service.opened
        body = {
            "status": "ok" if well else "degraded",
            "version": __version__,
            "uptime_seconds": int(time.monotonic() - self._service.started),
            "checks": checks,
            **counts(reader.manifest if reader else None),
        }
        return (200 if well else 503), body

    async def _check(self) -> Mapping[str, str]:
        reader = self._service.opened
        if reader is None:
            return without_reader(self._service.failure or NotReadyError("opening"))
        return await reader.check()


def without_reader(error: VuedocsError) -> dict[str, str]:
    """The checks while no index is open: only what the failure itself proves to work is ``ok``: the database
    must have answered to say that nothing, or something that does not fit, is published."""
    name = type(error).__name__
    database_answered = isinstance(error, (NotIndexedError, MismatchError, IndexDamagedError, IndexServerError))
    return {"data": name, "database": "ok" if database_answered else name, "qdrant": name}


def counts(manifest: Manifest | None) -> dict[str, Any]:
    """What is served, in numbers."""
    if manifest is None:
        return {"sources": 0, "pages": 0, "points": 0, "data_updated": None}
    return {
        "sources": len(manifest.sources),
        "pages": sum(source.pages for source in manifest.sources),
        "points": manifest.points,
        "data_updated": manifest.created,
    }
