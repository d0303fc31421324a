"""What ingest stages may use."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from vuedocs.clients import Database, Embedder, IndexBuilder, Progress, Writer
from vuedocs.clients.ledger import Ledger


@dataclass(frozen=True, slots=True)
class IngestClients:
    """The engines that an ingest reads and writes, and what it must know besides its config's sections."""

    embedder: Embedder
    database: Database
    builder: IndexBuilder
    home: Path
    """The data folder, for checkouts."""
    fingerprint: str
    """Of the ingest sections of the config."""
    details: Mapping[str, Any]
    """The ingest sections in full, for the manifest."""
    progress: Progress
    """Called during long work."""
    writers: Mapping[str, Writer] = field(default_factory=dict)
    """By stage: ``enrich`` and ``hype``, where a language model writes for them."""
    ledger: Ledger | None = None
    """Of the run's paid calls."""
