"""A question that was asked of the server, as it is kept for research."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class LoggedQuery:
    """One run of the query pipeline."""

    asked: datetime
    """With its time zone."""
    query: str
    sources: tuple[str, ...]
    """Empty: all."""
    scope: str
    config: str
    """Fingerprint of the config that it ran with."""
    generation: str
    sections: tuple[str, ...]
    """Ids of the chunks that were served, in their order."""
    milliseconds: Mapping[str, float]
    """Wall time by stage."""
    client: str
    """Who asked: a hash that tells the clients of one run of the server apart and says nothing else."""
