"""The content keys under which what costs money or minutes is remembered."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping


def memory_key(model: str, task: str, parameters: Mapping[str, object], text: str) -> bytes:
    """The content key under which a model's answer is remembered, 32 bytes."""
    settings = ",".join(f"{name}={value}" for name, value in sorted(parameters.items()))
    return hashlib.sha256("\x1f".join((model, task, settings, text)).encode("utf-8", "surrogatepass")).digest()
