"""The query pipeline: six stages from a question to an answer."""

from __future__ import annotations

from vuedocs.query.detect import detect
from vuedocs.query.expand import expand
from vuedocs.query.reconstruct import reconstruct
from vuedocs.query.rerank import rerank
from vuedocs.query.resolve import resolve
from vuedocs.query.search import search
from vuedocs.records import Search
from vuedocs.stages import Stage

QUERY_STAGES: tuple[Stage[Search], ...] = (
    Stage("detect", detect),
    Stage("search", search),
    Stage("resolve", resolve),
    Stage("expand", expand),
    Stage("rerank", rerank),
    Stage("reconstruct", reconstruct),
)
"""All there is to know about order."""
