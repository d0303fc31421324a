"""What is known of hosted models; apart from their clients, whose libraries take a while to import."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class JinaModel:
    """An embedding model of Jina's."""

    dims: int
    """At most; fewer by config."""
    max_tokens: int
    base64: bool = False
    """Whether its contract has vectors as base64."""


JINA_MODELS: Mapping[str, JinaModel] = {
    "jina-embeddings-v3": JinaModel(1024, 8192),
    "jina-embeddings-v4": JinaModel(2048, 32768, base64=True),
    "jina-embeddings-v5-text-small": JinaModel(1024, 32768),
    "jina-embeddings-v5-text-nano": JinaModel(768, 8192),
}
