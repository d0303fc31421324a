"""The hosted services of one process: a client of each, opened when it is first wanted, all with one ledger."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vuedocs.clients.ledger import Ledger
from vuedocs.settings import Settings

if TYPE_CHECKING:
    from vuedocs.clients.gemini import GeminiClient
    from vuedocs.clients.jina import JinaClient


class Services:
    """One connection pool and one limiter a provider, shared by whatever uses it. What no config asks for is never opened."""

    def __init__(self, settings: Settings, ledger: Ledger) -> None:
        self.ledger = ledger
        self._settings = settings
        self._jina: JinaClient | None = None
        self._gemini: GeminiClient | None = None

    def jina(self) -> JinaClient:
        """Jina's client; ProviderRefusedError without a key."""
        from vuedocs.clients.jina import JinaClient  # its HTTP library is slow to import, and most processes need none

        if self._jina is None:
            self._jina = JinaClient(self._settings.jina, self.ledger)
        return self._jina

    def gemini(self) -> GeminiClient:
        """Gemini's client; ProviderRefusedError without a key."""
        from vuedocs.clients.gemini import GeminiClient

        if self._gemini is None:
            self._gemini = GeminiClient(self._settings.gemini, self.ledger)
        return self._gemini

    async def aclose(self) -> None:
        """Writes the ledger's last entries and closes all connections."""
        try:
            await self.ledger.flush()
        finally:
            for client in (self._jina, self._gemini):
                if client is not None:
                    await client.aclose()
