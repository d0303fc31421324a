"""One Qdrant server over HTTP: where it is, how long it is waited for, and the seam where its client's errors become ours."""

from __future__ import annotations

import asyncio
import random
import time
import warnings
from collections.abc import Awaitable, Callable
from typing import TypeVar
from urllib.parse import urlsplit

import httpx
from qdrant_client import AsyncQdrantClient
from qdrant_client.common.client_exceptions import QdrantException, ResourceExhaustedResponse
from qdrant_client.http.exceptions import ApiException, ResponseHandlingException, UnexpectedResponse

from vuedocs.errors import ConfigError, IndexDamagedError, IndexServerError, VuedocsError
from vuedocs.settings import QdrantSettings, check_key

OLDEST = (1, 19)
"""The oldest server whose answers are understood: fusion with k and weights, ``memory`` of a vector, metadata of a collection."""
OLDEST_TURBO8 = (1, 20)
"""The oldest that keeps vectors in one byte a number."""

PORT = 6333
"""Of a URL without one, as Qdrant's own clients have it; a proxy's port must be written."""

CONNECTIONS = 20
"""Kept open to the server, so that queries at the same time need not make their own."""

FAILURES = (ApiException, QdrantException, httpx.HTTPError, TimeoutError, ValueError)
"""What a call of the client raises: ValueError where the answer is no JSON of the expected form."""

PASSING = frozenset({429, 502, 503, 504})
"""Status codes after which the same request may succeed."""

AGAIN = "run `vuedocs ingest` again: it builds a new generation from what is remembered"

T = TypeVar("T")


class QdrantServer:
    """A server and one pool of connections to it; nothing is sent before the first :meth:`ask`."""

    def __init__(self, settings: QdrantSettings, client: AsyncQdrantClient | None = None) -> None:
        """``client``: another than one for the settings' URL. ConfigError for a URL or key that cannot be used."""
        self.settings = settings
        self.address, self._has_port = address_of(settings.url)
        self.client = client or connect(self.address, settings.api_key)

    async def ask(
        self, doing: str, question: Callable[[AsyncQdrantClient], Awaitable[T]], seconds: float, patience: float = 0.0
    ) -> T:
        """The answer to a question, which may be asked again: what passes is waited for until ``patience`` seconds are over.

        ``doing`` begins the message of an error; ``seconds`` is the longest that one answer may take. Raises IndexServerError, or
        IndexDamagedError where the server says that the collection is not there.
        """
        give_up = time.monotonic() + patience
        pause = 0.1
        while True:
            try:
                async with asyncio.timeout(seconds):
                    return await question(self.client)
            except FAILURES as error:
                wait = max(pause * random.uniform(0.5, 1.0), asked_to_wait(error))
                if not passes(error) or time.monotonic() + wait > give_up:
                    raise self._translated(doing, error, seconds) from error
            await asyncio.sleep(wait)
            pause = min(2 * pause, 3.0)

    async def aclose(self) -> None:
        """Closes the connections."""
        await self.client.close()

    def _translated(self, doing: str, error: Exception, seconds: float) -> VuedocsError:
        status = status_of(error)
        if status == 404 and isinstance(error, UnexpectedResponse) and own_words(error):
            return IndexDamagedError(f"{doing}: {self.address} says: {self._safe(own_words(error))}; {AGAIN}")
        reason, remedy = self._unreachable(error, seconds) if status is None else self._refused(status, error)
        return IndexServerError(f"{doing}: {self.address} {self._safe(reason)}; {remedy}")

    def _unreachable(self, error: Exception, seconds: float) -> tuple[str, str]:
        source = error.source if isinstance(error, ResponseHandlingException) else error
        if isinstance(source, (TimeoutError, httpx.TimeoutException)):
            return f"did not answer within {seconds:g} s", "see that the server of QDRANT_URL is well and near"
        words = " ".join(str(source).split())[:200] or type(source).__name__
        if not isinstance(source, httpx.HTTPError):
            return f"does not answer as Qdrant does ({words})", "see that QDRANT_URL names a Qdrant server and nothing else"
        remedy = "see that the server of QDRANT_URL runs and can be reached from here"
        if not self._has_port:
            remedy += f" (QDRANT_URL has no port, so {PORT} was used: write the port, such as :443 behind a proxy)"
        return f"cannot be reached ({words})", remedy

    def _refused(self, status: int, error: Exception) -> tuple[str, str]:
        words = own_words(error) or "no reason given"
        if status in (401, 403):
            return f"refuses the key ({status}: {words})", "set QDRANT_API_KEY to a key that may read and write collections"
        if status == 413:
            return "refuses a single point as too large (413)", "raise its service.max_request_size_mb, or its proxy's limit"
        if status == 429:
            return f"limits how often it may be asked ({words})", "wait, or raise the limit there"
        if status in PASSING:
            return f"is not ready ({status}: {words})", "wait until it has started, and see its log"
        return f"answers {status}: {words}", "see the server's log"

    def _safe(self, words: str) -> str:
        return words.replace(self.settings.api_key, "***") if self.settings.api_key else words


def address_of(url: str) -> tuple[str, bool]:
    """``scheme://host:port/path`` of a server, and whether the URL named the port. ConfigError says how to write one."""
    remedy = "write http://host:6333, or https://host:6333 for Qdrant Cloud; the key goes into QDRANT_API_KEY"
    try:
        parts = urlsplit(url.strip())
        host, port = parts.hostname, parts.port
    except ValueError:
        raise ConfigError(f"QDRANT_URL cannot be read; {remedy}") from None
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ConfigError(f"QDRANT_URL holds more than an address; {remedy}")
    if parts.scheme not in ("http", "https") or not host:
        raise ConfigError(f"QDRANT_URL is {url.strip()[:100]!r}; {remedy}")
    name = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{name}:{port or PORT}{parts.path.rstrip('/')}", port is not None


def connect(address: str, api_key: str) -> AsyncQdrantClient:
    """A client of the server at ``address``; sends nothing yet."""
    check_key(api_key, "QDRANT_API_KEY", ConfigError)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a key without TLS: `vuedocs status` says it
        return AsyncQdrantClient(
            url=address,
            api_key=api_key or None,
            timeout=120,
            check_compatibility=False,
            limits=httpx.Limits(max_connections=CONNECTIONS, max_keepalive_connections=CONNECTIONS),
        )


def passes(error: Exception) -> bool:
    """Whether the same request may succeed a little later: connection or server not there yet, limited, or too slow."""
    status = status_of(error)
    if status is not None:
        return status in PASSING
    source = error.source if isinstance(error, ResponseHandlingException) else error
    return isinstance(source, (TimeoutError, httpx.TransportError))


def status_of(error: Exception) -> int | None:
    """The HTTP status of an answer that was an error."""
    if isinstance(error, ResourceExhaustedResponse):
        return 429
    return error.status_code if isinstance(error, UnexpectedResponse) else None


def asked_to_wait(error: Exception) -> float:
    """Seconds that the server asked to wait before the next request."""
    return float(error.retry_after_s) if isinstance(error, ResourceExhaustedResponse) else 0.0


def own_words(error: Exception) -> str:
    """What Qdrant itself says of an error; ``""`` where the answer is not Qdrant's, such as a proxy's page."""
    if isinstance(error, ResourceExhaustedResponse):
        return str(error)[:300]
    if not isinstance(error, UnexpectedResponse):
        return ""
    try:
        words = error.structured()["status"]["error"]
    except (ValueError, KeyError, TypeError):
        return ""
    return " ".join(str(words).split())[:300]
