"""The ingest pipeline: seven stages from a source's repository to a published generation."""

from __future__ import annotations

from vuedocs.ingest.embed import embed
from vuedocs.ingest.enrich import enrich
from vuedocs.ingest.entities import entities
from vuedocs.ingest.fetch import fetch
from vuedocs.ingest.hype import hype
from vuedocs.ingest.parse import parse
from vuedocs.ingest.store import store
from vuedocs.records import Ingest
from vuedocs.stages import Stage

INGEST_STAGES: tuple[Stage[Ingest], ...] = (
    Stage("fetch", fetch),
    Stage("parse", parse),
    Stage("entities", entities),
    Stage("enrich", enrich),
    Stage("hype", hype),
    Stage("embed", embed),
    Stage("store", store),
)
"""All there is to know about order."""
