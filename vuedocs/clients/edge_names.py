"""What the points of an Edge generation are called, held in memory: to read it from the engine took as long as to search.

A point's id in the engine is its number here, from 0 in the order in which points were written. The names are a file of the
generation, which its seal covers. 100,000 points take some 13 MB: an id of a chunk is held once, whatever is said of it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from vuedocs.clients.points import ranked
from vuedocs.records import Hit, Point, PointKind

NAMES = "names"
"""The file in a generation's folder."""


@dataclass(frozen=True, slots=True)
class Names:
    """Of all points of a generation, by number."""

    chunks: list[str] = field(default_factory=list)
    kinds: list[PointKind] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    """Of questions; ``""`` for what stands in the database."""

    def __len__(self) -> int:
        return len(self.chunks)

    def add(self, points: Iterable[Point]) -> range:
        """The numbers of these points, which come after all that were added before."""
        first = len(self)
        for point in points:
            self.chunks.append(point.chunk_id)
            self.kinds.append(point.kind)
            self.numbers.append(point.number)
            self.texts.append(point.text if point.kind == "question" else "")
        return range(first, len(self))

    def hits(self, points: Iterable[Any]) -> tuple[Hit, ...]:
        """What the engine scored, best first, ties by what names them. It makes a new object of an id at each access."""
        chunks, kinds, numbers, texts = self.chunks, self.kinds, self.numbers, self.texts
        return ranked([Hit(chunks[n], kinds[n], numbers[n], point.score, texts[n]) for point in points for n in (point.id,)])

    def of(self, number: int) -> tuple[str, PointKind, int, str]:
        """Chunk, kind, number within both, and a question's words."""
        return self.chunks[number], self.kinds[number], self.numbers[number], self.texts[number]


def write_names(names: Names, path: Path) -> None:
    """Writes the file, which is on disk when this returns. Raises OSError."""
    chunks, kinds = list(dict.fromkeys(names.chunks)), list(dict.fromkeys(names.kinds))
    data = {"chunk": _places(names.chunks, chunks), "kind": _places(names.kinds, kinds), "number": names.numbers}
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"chunks": chunks, "kinds": kinds, **data, "text": names.texts}, file, separators=(",", ":"))
        file.flush()
        os.fsync(file.fileno())


def _places(values: Sequence[str], among: Sequence[str]) -> list[int]:
    place = {value: number for number, value in enumerate(among)}
    return [place[value] for value in values]


def read_names(path: Path) -> Names:
    """The names of a generation whose seal is whole. Raises OSError where there are none."""
    data = json.loads(path.read_bytes())
    chunks, kinds = data["chunks"], data["kinds"]
    return Names([chunks[n] for n in data["chunk"]], [kinds[n] for n in data["kind"]], data["number"], data["text"])
