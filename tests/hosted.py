"""Hosted services that a stand-in plays: settings that reach it, and clients over a small site."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

from small_docs import Workplace, fake_config
from standins.calls import Calls
from standins.faults import parse
from standins.server import Standin

from vuedocs.clients.engines import open_embedder, open_writers
from vuedocs.clients.ledger import Ledger
from vuedocs.clients.services import Services
from vuedocs.config import Config
from vuedocs.ingest import INGEST_STAGES
from vuedocs.ingest.clients import IngestClients
from vuedocs.ingest.session import begin, silent
from vuedocs.records import Ingest
from vuedocs.settings import Settings
from vuedocs.stages import run

JINA_KEY = "jina_0123456789abcdefsecret"
GEMINI_KEY = "AIza-0123456789-secret"
WINDOW = 0.6
"""Seconds of the services' minute: their clock runs a hundred times as fast."""
HOSTED = ("embed.embedder=jina-embeddings-v4", "enrich.method=gemini", "hype.method=gemini", "rerank.method=jina")


def fresh(standin: Standin) -> Standin:
    """The stand-in without faults, limits, and memory of what was."""
    for provider in standin.providers().values():
        provider.calls = Calls()
        provider.faults.waiting.clear()
        provider.limits.accepted.clear()
        limits = provider.limits
        limits.requests, limits.tokens, limits.concurrency, limits.window = 0, 0, 0, WINDOW
        provider.slow, provider.delay = 1.0, 0.0
    standin.kept.caches.clear()
    standin.kept.deleted.clear()
    standin.kept.batches.clear()
    standin.kept.polls.clear()
    return standin


def settings_for(standin: Standin, home: Path, **changes: object) -> Settings:
    """Settings as a person's environment would make them."""
    variables = {
        "VUEDOCS_HOME": str(home),
        "JINA_API_KEY": JINA_KEY,
        "JINA_BASE_URL": standin.jina_url,
        "GEMINI_API_KEY": GEMINI_KEY,
        "GEMINI_BASE_URL": standin.gemini_url,
    }
    variables |= {f"{name}_{what}": "0" for name in ("JINA", "GEMINI") for what in ("REQUESTS", "TOKENS")}
    variables |= {f"{name}_WINDOW": str(WINDOW) for name in ("JINA", "GEMINI")}
    return replace(Settings.from_environment({**variables, **{name: str(value) for name, value in changes.items()}}))


def switch_on(standin: Standin, *faults: str) -> None:
    """Faults as ``gemini:generate:blocked:2``."""
    for fault in faults:
        provider, _, rest = fault.partition(":")
        standin.providers()[provider].faults.waiting.append(parse(rest))


def hosted_config(*overrides: str) -> Config:
    """The base config with all engines hosted."""
    return fake_config(*HOSTED, *overrides)


class HostedPlace(Workplace):
    """A workplace whose models are asked over HTTP; its database and index are the fakes'."""

    def __init__(self, folder: Path, settings: Settings, limit: float | None = None) -> None:
        super().__init__(folder)
        self.settings = settings
        self.limit = limit
        self.ledger = Ledger("none")

    @asynccontextmanager
    async def services(self) -> AsyncIterator[Services]:
        self.ledger = Ledger("run", self.database.enter_spending, self.limit)
        services = Services(self.settings, self.ledger)
        try:
            yield services
        finally:
            await services.aclose()

    async def hosted_ingest(self, *sources: str, config: Config | None = None) -> Ingest:
        """The state after the last stage, as a command's own ingest would leave it."""
        config = config or hosted_config()
        async with self.services() as services:
            clients = IngestClients(
                open_embedder(config.embed, self.settings, services),
                self.database,  # type: ignore[arg-type]
                self.builder,
                self.docs.parent,
                config.shape(),
                config.shaping(),
                silent,
                open_writers(config, self.settings, services),
                self.ledger,
            )
            return (await run(INGEST_STAGES, begin(sources, self.docs), config, clients)).state


def secrets_in(texts: Iterator[str] | list[str]) -> list[str]:
    """The texts that hold a key."""
    return [text for text in texts if JINA_KEY in text or GEMINI_KEY in text]
