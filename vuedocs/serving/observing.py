"""What happens while serving, told to those who count it or write it down."""

from __future__ import annotations

import contextlib
import logging
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from vuedocs.serving.requests import Request

if TYPE_CHECKING:
    from vuedocs.config import Config
    from vuedocs.records import Manifest, Search
    from vuedocs.stages import Result

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a tool, or the reading of a resource, that has ended."""

    request: Request
    tool: str
    arguments: Mapping[str, Any]
    seconds: float
    error: str = ""
    """The error's type; empty when it was answered."""


class Observer(Protocol):
    """Told of each call, in the task that serves it: it must not wait, and must not fail."""

    def call_begins(self, tool: str) -> None: ...

    def call_ended(self, call: Call) -> None: ...

    def searched(self, result: Result[Search], generation: str, config: Config) -> None:
        """A query went through the pipeline."""

    def generation_opened(self, manifest: Manifest, first: bool) -> None:
        """Another generation is served from now on."""


@contextlib.contextmanager
def observed(observers: Sequence[Observer], request: Request, tool: str, arguments: Mapping[str, Any]) -> Iterator[None]:
    """Tells the observers of a call that lasts as long as the context, and of the error that ends it."""
    error = ""
    started = time.perf_counter()
    for observer in observers:
        observer.call_begins(tool)
    try:
        yield
    except BaseException as raised:
        error = type(raised.__cause__ or raised).__name__
        raise
    finally:
        call = Call(request, tool, arguments, time.perf_counter() - started, error)
        for observer in observers:
            observer.call_ended(call)


class CallLog:
    """One line of the log a call. What was asked is private: the log shows it only where the settings say so."""

    def call_begins(self, tool: str) -> None:
        """Nothing to say yet."""

    def call_ended(self, call: Call) -> None:
        """The line."""
        logger.info(
            "call",
            extra={
                "request_id": call.request.id,
                "tool": call.tool,
                "outcome": call.error or "ok",
                "ms": round(call.seconds * 1000, 1),
                "arguments": call.arguments,
            },
        )

    def searched(self, result: Result[Search], generation: str, config: Config) -> None:
        """The call's own line says enough."""

    def generation_opened(self, manifest: Manifest, first: bool) -> None:
        """The line."""
        logger.info("serving generation %s", manifest.generation, extra={"generation": manifest.generation})
