"""The look at golden questions while a model is trained: dense retrieval alone, over one window a section."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

Judgements = Mapping[str, int]


def ndcg(relevant: Sequence[Judgements], scores: npt.NDArray[np.float32], sections: Sequence[str], depth: int = 10) -> float:
    """Mean nDCG with linear gains, as trec_eval's, of ``scores`` (questions, sections); ties keep the order of ``sections``."""
    total = 0.0
    for judged, row in zip(relevant, scores, strict=True):
        best = np.argsort(-row, kind="stable")[:depth]
        ideal = sorted(judged.values(), reverse=True)[:depth]
        total += _gain([judged.get(sections[number], 0) for number in best]) / _gain(ideal)
    return total / len(relevant)


def _gain(grades: Sequence[int]) -> float:
    return sum(grade / math.log2(rank + 2) for rank, grade in enumerate(grades))
