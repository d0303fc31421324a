"""Question packs: questions and one context sentence for each section, written by people who read it, kept as data.

``vuedocs/packs/<source>.jsonl`` holds one object a line: ``{"section": "<section key>", "fits": "<16 hex digits>",
"context": "...", "questions": ["...", ...]}``. An entry is used only while the words of its section are still those that
it was written for.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from vuedocs.errors import SourceError, StorageError
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
    """The packs of a source by section key; empty where none were written. StorageError where its file is damaged."""
    file = pack_file(source)
    return read_packs(file) if file.is_file() else {}


def read_packs(file: Path) -> Mapping[str, Pack]:
    """The packs of a file by section key. StorageError, with the line, where it cannot be read."""
    packs: dict[str, Pack] = {}
    place = str(file)
    try:
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            place = f"{file}:{number}"
            if line.strip():
                row = json.loads(line)
                packs[row["section"]] = Pack(row["section"], row["fits"], row["context"], tuple(row["questions"]))
    except (OSError, ValueError, KeyError, TypeError) as error:
        remedy = "restore it from the repository, or install the package again"
        raise StorageError(f"the question pack {place} is damaged: {error!r}; {remedy}") from error
    return packs


def pack_for(chunk: Chunk) -> Pack | None:
    """The pack that was written for exactly this section's words, or None."""
    pack = load(chunk.source).get(chunk.section)
    return pack if pack and chunk.kind != "code" and pack.fits == fingerprint(chunk.text) else None


@dataclass(frozen=True, slots=True)
class Coverage:
    """How far a source's packs go, for its docs as they are now; section keys throughout."""

    fitting: tuple[str, ...]
    stale: tuple[str, ...]
    """Whose words have changed since the pack was written: it is not used."""
    missing: tuple[str, ...]
    """With text, but without a pack."""
    gone: tuple[str, ...]
    """Packs whose section is no more."""
    questions: int
    """In fitting packs."""


def coverage(packs: Mapping[str, Pack], chunks: Iterable[Chunk]) -> Coverage:
    """Compares packs with a source's sections; a heading alone needs none."""
    texts = {chunk.section: chunk for chunk in chunks if chunk.kind != "code"}
    fitting = tuple(key for key, chunk in texts.items() if key in packs and packs[key].fits == fingerprint(chunk.text))
    return Coverage(
        fitting=fitting,
        stale=tuple(key for key in texts if key in packs and key not in set(fitting)),
        missing=tuple(key for key, chunk in texts.items() if key not in packs and "\n" in chunk.text.strip()),
        gone=tuple(key for key in packs if key not in texts),
        questions=sum(len(packs[key].questions) for key in fitting),
    )


def written(file: Path, chunks: Sequence[Chunk], kept: Mapping[str, Pack]) -> dict[str, Pack]:
    """What an author wrote (lines with ``section``, ``context``, ``questions``) as packs that fit the sections' present words.

    A line without ``context`` adds its questions to the pack that the section has in ``kept``. Raises SourceError for a file that
    cannot be read, a line that is no pack, a section that does not exist or comes twice, and questions added to no fitting pack.
    """
    texts = {chunk.section: chunk.text for chunk in chunks if chunk.kind != "code"}
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise SourceError(f"{file} cannot be read: {error}; give a UTF-8 file with one pack a line") from error
    packs: dict[str, Pack] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        row = _row(line, f"{file}:{number}")
        section = row["section"]
        if section not in texts or section in packs:
            reason = "comes twice" if section in packs else "is no section of these docs"
            raise SourceError(f"{file}:{number}: {section!r} {reason}; `vuedocs chunks <source>` lists the sections")
        fits = fingerprint(texts[section])
        if "context" in row:
            packs[section] = Pack(section, fits, row["context"], tuple(row["questions"]))
        elif section in kept and kept[section].fits == fits:
            packs[section] = with_more(kept[section], row["questions"])
        else:
            raise SourceError(f"{file}:{number}: {section!r} has no fitting pack to add questions to; give its context too")
    return packs


def with_more(pack: Pack, questions: Iterable[str]) -> Pack:
    """``pack`` with further questions after its own; one that it has already, in any case of letters, is left out."""
    merged: dict[str, str] = {}
    for question in (*pack.questions, *questions):
        merged.setdefault(question.casefold(), question)
    return replace(pack, questions=tuple(merged.values()))


def _row(line: str, place: str) -> dict[str, Any]:
    try:
        row = json.loads(line)
        texts = (row["section"], row.get("context", ""), *row["questions"])
        if isinstance(row["questions"], list) and all(isinstance(text, str) for text in texts):
            return dict(row)
    except (ValueError, KeyError, TypeError) as error:
        needed = "a line holds section, context (unless it adds to a pack) and a list of questions"
        raise SourceError(f"{place}: no pack: {error!r}; {needed}") from error
    raise SourceError(f"{place}: no pack: section and context are texts, questions a list of texts")


def dump(packs: Mapping[str, Pack]) -> str:
    """Packs as the lines of a pack file, in their order."""
    rows = (
        {"section": pack.section, "fits": pack.fits, "context": pack.context, "questions": list(pack.questions)}
        for pack in packs.values()
    )
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def pack_file(source: str) -> Path:
    """Where a source's packs are kept."""
    return Path(__file__).parent.parent / "packs" / f"{source}.jsonl"
