"""GET /metrics: what the server did since it started, in Prometheus' text form.

Counts and times of calls and of the query's stages, what is refused, which index is served, how the watcher does, and the
process's memory. No label holds anything that a caller chose.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, generate_latest

from vuedocs.serving.observing import Call

if TYPE_CHECKING:
    from vuedocs.config import Config
    from vuedocs.records import Manifest, Search, Watched, Watcher
    from vuedocs.stages import Result

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
CALL_BUCKETS = (0.005, 0.01, 0.02, 0.03, 0.05, 0.075, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
STAGE_BUCKETS = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 5.0)
"""Upper bounds in seconds."""

WATCHING = {
    "seen": ("Unix time of the watcher's last sign of life.", []),
    "success": ("Unix time of a source's last success.", ["source"]),
    "failures": ("Failures of a source since its last success.", ["source"]),
    "held": ("1 where a source's new docs are held back.", ["source"]),
}
"""What ``vuedocs watch`` keeps in the database; without the database, or a watcher, there are no such numbers."""


class Metrics:
    """All numbers of one server, in a registry of their own."""

    def __init__(self) -> None:
        self.registry = registry = CollectorRegistry()
        ProcessCollector(registry=registry)
        self._calls = Counter("vuedocs_calls", "Calls of tools and readings of resources.", ["tool"], registry=registry)
        self._errors = Counter(
            "vuedocs_call_errors", "Calls that ended with an error, by its type.", ["tool", "error"], registry=registry
        )
        self._seconds = Histogram(
            "vuedocs_call_seconds", "How long a call took.", ["tool"], buckets=CALL_BUCKETS, registry=registry
        )
        self._stages = Histogram(
            "vuedocs_stage_seconds", "How long a query's stage took.", ["stage"], buckets=STAGE_BUCKETS, registry=registry
        )
        self._running = Gauge("vuedocs_calls_in_flight", "Calls that run now.", registry=registry)
        self._requests = Counter(
            "vuedocs_http_requests", "HTTP requests to /mcp, by the status of the answer.", ["status"], registry=registry
        )
        self._limited = Counter(
            "vuedocs_rate_limited", "HTTP requests that were refused with 429, by the limit.", ["limit"], registry=registry
        )
        self._points = Gauge(
            "vuedocs_index_points", "Points of the generation that is served.", ["generation"], registry=registry
        )
        self._watching = {
            name: Gauge(f"vuedocs_watch_{name}", words, labels, registry=registry) for name, (words, labels) in WATCHING.items()
        }
        self._reloads = Counter("vuedocs_index_reloads", "Times that a newer generation was taken up.", registry=registry)
        for limit in ("calls_per_minute", "calls_at_once"):
            self._limited.labels(limit)

    def call_begins(self, tool: str) -> None:
        """A call is in flight."""
        self._running.inc()

    def call_ended(self, call: Call) -> None:
        """It no longer is."""
        self._running.dec()
        self._calls.labels(call.tool).inc()
        self._seconds.labels(call.tool).observe(call.seconds)
        if call.error:
            self._errors.labels(call.tool, call.error).inc()

    def searched(self, result: Result[Search], generation: str, config: Config) -> None:
        """Times of the stages."""
        for stage, milliseconds in result.milliseconds.items():
            self._stages.labels(stage).observe(milliseconds / 1000)

    def generation_opened(self, manifest: Manifest, first: bool) -> None:
        """Another generation is served."""
        self._points.clear()
        self._points.labels(manifest.generation).set(manifest.points)
        if not first:
            self._reloads.inc()

    def watched(self, watcher: Watcher | None, entries: Iterable[Watched]) -> None:
        """What the watcher last wrote down; nothing of what was known before stays."""
        for gauge in self._watching.values():
            gauge.clear()
        if watcher:
            self._watching["seen"].set(watcher.seen.timestamp())
        for entry in entries:
            if entry.succeeded:
                self._watching["success"].labels(entry.source).set(entry.succeeded.timestamp())
            self._watching["failures"].labels(entry.source).set(entry.failures)
            self._watching["held"].labels(entry.source).set(entry.held is not None)

    def answered(self, status: int) -> None:
        """An HTTP request to /mcp was answered."""
        self._requests.labels(str(status)).inc()

    def limited(self, limit: str) -> None:
        """An HTTP request was one too many."""
        self._limited.labels(limit).inc()

    def text(self) -> bytes:
        """All of it, in Prometheus' text form."""
        return generate_latest(self.registry)
