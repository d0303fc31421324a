"""Drafts: what questions could be asked of a source, from its headings and API names, for a person to write properly.

A draft is no golden question: its words are the heading turned round, which nobody would type, and nobody has judged a section.
It stands in a file of its own, every line marked ``"draft": true``, which the bench refuses to read; :func:`load_drafts` takes
only those that somebody has reworded (``question`` differs from ``was``), and judging makes golden questions of them. Drafts from
the query log (:mod:`vuedocs.bench.mining`) are in the words of somebody who asked, and need no other.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, get_args

from vuedocs.bench.questions import GoldenQuestion, Kind, Split
from vuedocs.errors import QuestionsError, StorageError
from vuedocs.records import Chunk, Entity

TEST_SHARE = 2
"""Of so many pages, one is for test."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A question that somebody should write."""

    id: str
    source: str
    question: str
    was: str
    """The wording that the draft came with; empty for words that somebody has typed."""
    kind: Kind
    about: str
    """The section that gave the idea: a hint for the writer, no judgement."""
    apis: tuple[str, ...]
    split: Split
    draft: bool = True


def drafts(source: str, chunks: Iterable[Chunk], entities: Sequence[Entity], count: int) -> list[Draft]:
    """At most ``count`` drafts, spread over the pages: first one of each page, then a second of each, and so on."""
    sections = [chunk for chunk in chunks if chunk.kind in ("section", "subsection") and chunk.text.strip()]
    pages: dict[str, list[Chunk]] = {}
    for chunk in sorted(sections, key=lambda chunk: hashlib.sha256(chunk.id.encode()).hexdigest()):
        pages.setdefault(chunk.path, []).append(chunk)
    rounds = max(map(len, pages.values()), default=0)
    chosen = [pages[page][turn] for turn in range(rounds) for page in sorted(pages) if turn < len(pages[page])][:count]
    defined = {entity.chunk_id: entity.name for entity in entities}
    return [_draft(source, number, chunk, defined.get(chunk.id, "")) for number, chunk in enumerate(chosen, 1)]


def _draft(source: str, number: int, chunk: Chunk, name: str) -> Draft:
    words = f"What does {name} do?" if name else f"{' '.join(chunk.heading_path[1:])}?"
    kind: Kind = "api" if name else "howto"
    apis = (name,) if name else ()
    return Draft(f"{source}-d{number:03d}", source, words, words, kind, chunk.section, apis, split_of(chunk.path))


def split_of(page: str) -> Split:
    """The split of all questions that are drafted from a page."""
    return "test" if int(hashlib.sha256(page.encode()).hexdigest(), 16) % TEST_SHARE else "dev"


def write_drafts(found: Sequence[Draft], path: Path) -> None:
    """One JSON object a line; never over a file that is there, which may hold somebody's work. Raises StorageError."""
    try:
        with path.open("x", encoding="utf-8") as file:
            file.writelines(json.dumps({**asdict(draft), "apis": list(draft.apis)}, ensure_ascii=False) + "\n" for draft in found)
    except FileExistsError:
        raise StorageError(f"{path} is there already and may hold questions that somebody wrote; give another file") from None
    except OSError as error:
        raise StorageError(f"the drafts cannot be written to {path}: {error}; give another file") from error


def load_drafts(path: Path) -> tuple[GoldenQuestion, ...]:
    """The drafts that were reworded, as questions without judgements: to be judged, not to be measured with.

    Raises QuestionsError, which names the line, for what cannot be read, and when nothing was reworded yet.
    """
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise QuestionsError(
            f"drafts {path} cannot be read: {error}; make some with `vuedocs draft SOURCE --out FILE`"
        ) from error
    rows = list(_rows(lines, path))
    written = [row for row in rows if row["question"].strip() and row["question"] != row["was"]]
    if not written:
        raise QuestionsError(
            f"drafts {path}: none of the {len(rows)} was reworded; write into 'question' what a developer would type who does "
            "not know the docs' words, then judge"
        )
    return tuple(_question(row) for row in written)


def is_draft(path: Path) -> bool:
    """Whether a file's first line is a draft; False for a file that cannot be read."""
    try:
        with path.open(encoding="utf-8-sig") as file:
            return '"draft": true' in file.readline()
    except (OSError, UnicodeDecodeError):
        return False


def _rows(lines: Iterable[str], path: Path) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            complete = all(isinstance(row[key], str) for key in ("id", "source", "question", "was")) and row["draft"] is True
            complete = (
                complete and row["kind"] in get_args(Kind) and row["split"] in get_args(Split) and isinstance(row["apis"], list)
            )
        except (ValueError, KeyError, TypeError) as error:
            raise QuestionsError(f"{path}:{number}: this is no draft ({error!r}); change only question, kind and apis") from error
        if not complete:
            raise QuestionsError(f"{path}:{number}: this is no draft; change only question, kind and apis")
        yield row


def _question(row: dict[str, Any]) -> GoldenQuestion:
    words = row["question"].strip()
    return GoldenQuestion(row["id"], row["source"], words, row["kind"], {}, tuple(map(str, row["apis"])), row["split"])
