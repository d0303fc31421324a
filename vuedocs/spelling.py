"""One form for the many spellings of a name."""

from __future__ import annotations

import re
from functools import lru_cache


@lru_cache(maxsize=65536)
def joined(name: str) -> str:
    """A name without case, signs and spaces: ``v-model``, ``vModel`` and ``V Model`` are one."""
    return re.sub(r"[\W_]+", "", name).casefold()
