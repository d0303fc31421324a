"""Config: one section a stage, every number that affects ranking.

No section has a default here: the values live in ``evals/configs/base.toml`` and in the files laid over it, so that what runs
can be read in one place. Keys, URLs and folders are never here (see vuedocs.settings).

    >>> config = load()                                     # base.toml, then evals/tuned.toml where there is one
    >>> config = config.override("search.fusion=rrf", "reconstruct.max_tokens=3000")
    >>> config.fingerprint()                                # 12 hex digits over everything
"""

from __future__ import annotations

from vuedocs.config.config import SHAPING, STAMP, Config, base_path, differences, digest, in_use, load, read, tuned_path
from vuedocs.config.sections import (
    Detect,
    Embed,
    Enrich,
    Entities,
    Expand,
    Fetch,
    Hype,
    Parse,
    Reconstruct,
    Rerank,
    Resolve,
    SearchSection,
    Section,
    Store,
)

__all__ = [
    "SHAPING",
    "STAMP",
    "Config",
    "Detect",
    "Embed",
    "Enrich",
    "Entities",
    "Expand",
    "Fetch",
    "Hype",
    "Parse",
    "Reconstruct",
    "Rerank",
    "Resolve",
    "SearchSection",
    "Section",
    "Store",
    "base_path",
    "differences",
    "digest",
    "in_use",
    "load",
    "read",
    "tuned_path",
]
