"""A corpus of any size without docs and without a model: words by Zipf's law, and a unit vector made from each text's hash."""

from __future__ import annotations

import hashlib
import itertools
import random
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from vuedocs.ingest.store import digest_of
from vuedocs.records import Checkout, Chunk, Entity, Ingest, Page, Question, Vector
from vuedocs.sources import registry

WORDS = 20_000
"""Of a source's vocabulary."""

SECTIONS, QUESTIONS, LENGTH = 10, 3, 90
"""Sections of a page, questions of a section, words of a section: about those of real docs."""


class HashEmbedder:
    """Any text's vector for next to nothing: what is measured is everything but the model."""

    name = "hash"
    max_tokens = 256
    parallel = 1

    def __init__(self, dims: int) -> None:
        self.dims = dims

    def plan(self, texts: Iterable[str]) -> Iterator[list[str]]:
        chosen = list(texts)
        return (chosen[start : start + 2_000] for start in range(0, len(chosen), 2_000))

    async def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        return np.vstack([self._vector(text) for text in texts])

    async def embed_query(self, text: str) -> Vector:
        return self._vector(text)

    def offsets(self, text: str) -> list[tuple[int, int]]:
        return [match.span() for match in re.finditer(r"\w+", text)]

    async def aclose(self) -> None: ...

    def _vector(self, text: str) -> Vector:
        seed = int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")
        vector = np.random.default_rng(seed).standard_normal(self.dims, np.float32)
        unit: Vector = vector / np.linalg.norm(vector)
        return unit


class Corpus:
    """Docs of all sources that do not come with the package, equal in size, that make about ``points`` points."""

    def __init__(self, points: int) -> None:
        self.sources = [source.name for source in registry().values() if not source.bundled]
        self._sections = max(SECTIONS, round(points / len(self.sources) / (1 + QUESTIONS)))
        self._shares = list(itertools.accumulate(1 / (rank + 10) for rank in range(WORDS)))

    def words(self, chance: random.Random, count: int) -> str:
        """Text of so many words."""
        return " ".join(f"word{rank}" for rank in chance.choices(range(WORDS), cum_weights=self._shares, k=count))

    def state(self, source: str, edition: int = 1) -> Ingest:
        """The docs of a source as the stages before ``embed`` leave them; another edition differs in its first section."""
        chance = random.Random(source)
        pages, chunks, questions = [], [], []
        for number in range(self._sections):
            place, path = number % SECTIONS, f"part{number // SECTIONS // 100}/page{number // SECTIONS}"
            title = f"{self.words(chance, 2)} {number}"
            text = f"# {title}\n\n{self.words(chance, LENGTH)}" + (f" edition{edition}" if number == 0 else "")
            key = f"{path}#section-{place}" if place else path
            chunk = Chunk(
                f"{source}/{key}", source, path, path, "section" if place else "page", f"section-{place}" if place else "",
                f"https://{source}.example/{key}", title, (title,), (number // SECTIONS, place), text, digest_of([text]),
            )  # fmt: skip
            chunks.append(chunk)
            questions += [Question(chunk.id, f"{self.words(chance, 8)} {source} {number}?", "rule") for _ in range(QUESTIONS)]
            if place == 0:
                pages.append(Page(source, path, path, chunk.url, title, "", len(pages), "", text, chunk.content_hash))
        entities = tuple(Entity(f"use{n}", "composable", source, chunks[n].id) for n in range(0, len(chunks), 20))
        checkout = Checkout(source, Path(), None, f"edition {edition}", f"{edition}", None, "synthetic")
        return Ingest(
            (source,), checkouts=(checkout,), pages=tuple(pages), chunks=tuple(chunks), entities=entities,
            questions=tuple(questions),
        )  # fmt: skip
