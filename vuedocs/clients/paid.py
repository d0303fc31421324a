"""What the clients of paid services share: a key that is one, a limiter, the run's ledger, and a count of retries."""

from __future__ import annotations

import ssl
from functools import cache
from urllib.parse import urlsplit

import httpx

from vuedocs.clients.ledger import Ledger
from vuedocs.clients.pacing import Allowance, Limiter
from vuedocs.errors import ConfigError, ProviderRefusedError
from vuedocs.settings import Service, check_key

ATTEMPTS = 6
"""Of one call, the first included."""


@cache
def tls() -> ssl.SSLContext:
    """What HTTPS connections trust, by SSL_CERT_FILE or the certificates of certifi: read once, which takes a while."""
    return httpx.create_ssl_context()


def check_address(url: str, variable: str) -> None:
    """ConfigError unless ``url`` is an ``http`` or ``https`` address."""
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # a port that is no number, half of an IPv6 address
        usable = False
    if not usable:
        raise ConfigError(f"{variable} is {url[:80]!r}, which is no address; give one such as https://host/v1, or leave it unset")


class PaidClient:
    """The beginning of a client; ``where`` says where its key comes from.

    ProviderRefusedError without a key that can be one, ConfigError for an address that is none.
    """

    def __init__(self, service: Service, ledger: Ledger, where: str) -> None:
        variable = f"{service.name}_API_KEY"
        if not service.key:
            raise ProviderRefusedError(f"{variable} is not set; set it to a key of {where}, or use a config without it")
        check_key(service.key, variable, ProviderRefusedError)
        if service.base_url:
            check_address(service.base_url, f"{service.name}_BASE_URL")
        self.service = service
        self.ledger = ledger
        self.retries = 0
        """Attempts that failed and were followed by another."""
        self._limiter = Limiter(Allowance(service.requests, service.tokens, service.concurrency, service.window))

    def _scrubbed(self, text: str) -> str:
        """``text`` without the key."""
        return text.replace(self.service.key, "***")
