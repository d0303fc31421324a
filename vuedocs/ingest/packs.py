"""Question packs: questions and one context sentence for each section, written by people who read it, kept as data.

``vuedocs/packs/<source>.jsonl`` holds one object a line: ``{"section": "<section key>", "fits": "<16 hex digits>",
"context": "...", "questions": ["...", ...]}``. An entry is used only while the words of its section are still those that
it was written for.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from vuedocs.records import Chunk


@dataclass(frozen=True, slots=True)
class Pack:
    """What was written for one section."""

    section: str
    fits: str
    """:func:`fingerprint` of the text that it was written for."""
    context: str
    questions: tuple[str, ...]


def fingerprint(text: str) -> str:
    """16 hex digits over the words of a section: another way to set the same words keeps a pack valid."""
    return hashlib.sha256(" ".join(re.findall(r"\w+", text)).encode()).hexdigest()[:16]


@cache
def load(source: str) -> Mapping[str, Pack]:
    """The packs of a source by section key; empty where none were written."""
    file = files("vuedocs").joinpath("packs", f"{source}.jsonl")
    if not file.is_file():
        return {}
    rows = (json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line.strip())
    return {row["section"]: Pack(row["section"], row["fits"], row["context"], tuple(row["questions"])) for row in rows}


def pack_for(chunk: Chunk) -> Pack | None:
    """The pack that was written for exactly this section's words, or None."""
    pack = load(chunk.source).get(chunk.section)
    return pack if pack and chunk.kind != "code" and pack.fits == fingerprint(chunk.text) else None
