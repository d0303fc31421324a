"""The request that is being served: who asks, and under which id all that is said of it stands."""

from __future__ import annotations

import re
import uuid
from contextvars import ContextVar
from dataclasses import dataclass

LOCAL = "local"
"""The client over stdio."""

_FIT_FOR_LOGS = re.compile(r"[A-Za-z0-9._:-]{1,64}")


@dataclass(frozen=True, slots=True)
class Request:
    """One HTTP request, or one call over stdio."""

    id: str
    client: str = LOCAL
    """The caller's address."""


_current: ContextVar[Request | None] = ContextVar("vuedocs_request", default=None)


def current() -> Request:
    """The request that is being served; one with a new id where the transport knows none."""
    return _current.get() or Request(new_id())


def serving(request: Request) -> None:
    """Says which request this task, and those that it starts, serve."""
    _current.set(request)


def new_id() -> str:
    """An id that no other request has."""
    return uuid.uuid4().hex


def request_id(given: str) -> str:
    """The caller's own id where it is one that can stand in a log and a header, else a new one."""
    return given if _FIT_FOR_LOGS.fullmatch(given) else new_id()
