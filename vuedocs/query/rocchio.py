"""Pseudo-relevance feedback (Rocchio, 1971) as a reranker: sections that resemble the best ones move up.

What answers a question in part, or in other words, is often far from the question and near to the section that answers it best.
The best candidates are averaged, in the space of vectors and in that of words, and each candidate gains by its cosines to both.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
import numpy.typing as npt

from vuedocs.config import Rerank
from vuedocs.records import Vector, Window

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class SectionVectors:
    """A section in both spaces, as its own windows were indexed: neither questions nor examples."""

    dense: Vector
    """Mean of its windows, unit length."""
    terms: npt.NDArray[np.uint32]
    """Ids of its terms, each once."""
    weights: Floats
    """BM25 weights of these, without IDF."""


def section_vectors(windows: Iterable[Window]) -> dict[str, SectionVectors]:
    """By chunk id; ``windows`` come chunk by chunk in their order."""
    found = {}
    for chunk_id, own in groupby(windows, key=lambda window: window.chunk_id):
        first, *others = own
        mean = first.dense if not others else np.stack([window.dense for window in (first, *others)]).sum(axis=0)
        found[chunk_id] = SectionVectors(unit(mean), first.terms, first.weights.astype(np.float32))
    return found


def feedback(orders: Sequence[float], vectors: Sequence[SectionVectors], section: Rerank) -> list[float]:
    """New scores of candidates, best first by ``orders``: each its own, plus its weighted cosines to the mean of the best.

    The ``top`` best count by exp((order - best order) / temperature), so that a clear winner counts alone.
    """
    if not orders:
        return []
    best = np.exp((np.array(orders[: section.top]) - orders[0]) / section.temperature).astype(np.float32)
    alike = np.array(orders)
    if section.dense_weight:
        alike = alike + section.dense_weight * alike_in_meaning(vectors, best)
    if section.sparse_weight:
        alike = alike + section.sparse_weight * alike_in_words(vectors, best)
    return [float(score) for score in alike]


def alike_in_meaning(vectors: Sequence[SectionVectors], best: Floats) -> Floats:
    """Cosine of each to the mean of the first, which ``best`` weighs."""
    matrix = np.stack([own.dense for own in vectors])
    return matrix @ unit(best @ matrix[: len(best)])


def alike_in_words(vectors: Sequence[SectionVectors], best: Floats) -> Floats:
    """Cosine of each to the mean of the first, which ``best`` weighs; a term counts by its IDF among these candidates."""
    count = len(vectors)
    owner = np.repeat(np.arange(count), [len(own.terms) for own in vectors])
    _, term = np.unique(np.concatenate([own.terms for own in vectors]), return_inverse=True)
    frequency = np.bincount(term)
    idf = np.log(1 + (count - frequency + 0.5) / (frequency + 0.5))
    weights = np.concatenate([own.weights for own in vectors]) * idf[term]
    length = np.sqrt(np.bincount(owner, weights**2, minlength=count))
    weights /= length[owner]
    first = owner < len(best)
    mean = unit(np.bincount(term[first], weights[first] * best[owner[first]], minlength=len(frequency)).astype(np.float32))
    return np.bincount(owner, weights * mean[term], minlength=count).astype(np.float32)


def unit(vector: Floats) -> Floats:
    """``vector`` at length 1; a null vector as it is."""
    length = float(np.linalg.norm(vector))
    return vector / length if length else vector
