"""Connections that make no progress are closed, so that those who open many, or read and write slowly, keep nobody out.

uvicorn closes a connection that idles after an answer; it waits for ever for a first request, for a head that comes a byte at a
time, and for a reader that does not read.
"""

from __future__ import annotations

import asyncio
import sys
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

PATIENCE_SECONDS = 15.0
"""How long a connection may go without a request's head coming to an end, or without taking any of an answer."""
MOST_CONNECTIONS = 4000
"""Open at a time, where the system allows it; beyond, those that have waited longest for a request are closed."""
OWN_FILES = 200
"""Files that the process itself may need: the index, the database, logs."""


class ImpatientProtocol(H11Protocol):
    """uvicorn's protocol, with an end to waiting and room for newcomers."""

    most = MOST_CONNECTIONS
    patience = PATIENCE_SECONDS
    making_room = False
    """Whether room is about to be made."""

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self._look: asyncio.TimerHandle | None = None
        self._seen: object = None
        self._stuck = False

    @property
    def busy(self) -> bool:
        """Whether a request is being served."""
        return self.cycle is not None and not self.cycle.response_complete

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Makes room first where there is none."""
        super().connection_made(transport)
        self._look = self.loop.call_later(self.patience, self._look_again)
        if len(self.connections) > self.most and not ImpatientProtocol.making_room:
            ImpatientProtocol.making_room = True
            self.loop.call_soon(self._make_room)  # once for all that come in one turn: there may be thousands

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing to look after any more."""
        if self._look is not None:
            self._look.cancel()
        super().connection_lost(exc)

    def _look_again(self) -> None:
        """Closes the connection when nothing moved since the last look."""
        idle = not self.busy and self._seen is self.cycle
        stuck = self.busy and self.flow.write_paused
        if idle or (stuck and self._stuck):
            self.transport.abort()
            return
        self._seen, self._stuck = self.cycle, stuck
        self._look = self.loop.call_later(self.patience, self._look_again)

    def _make_room(self) -> None:
        ImpatientProtocol.making_room = False
        excess = len(self.connections) - self.most
        if excess <= 0:
            return
        waiting = [other for other in self.connections if isinstance(other, ImpatientProtocol) and not other.busy]
        waiting.sort(key=lambda other: other._due)
        for other in waiting[: excess + self.most // 20]:
            other.transport.abort()

    @property
    def _due(self) -> float:
        """When it will be looked at next: the earlier, the longer it has been there."""
        return self._look.when() if self._look is not None else 0.0


def room_for_connections() -> int:
    """How many connections may be open, once the system's limit on open files is raised as far as it may be."""
    if sys.platform == "win32":
        return MOST_CONNECTIONS
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_CONNECTIONS + OWN_FILES
    if soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return max(10, min(MOST_CONNECTIONS, soft - OWN_FILES))
