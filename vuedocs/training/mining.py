"""Hard negatives: for every section, the others that the untrained model takes for nearly the same."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


def neighbours(vectors: npt.NDArray[np.float32], count: int, limit: float) -> list[list[int]]:
    """For each unit vector (n, dims), the numbers of its ``count`` nearest others, those above ``limit`` left out."""
    found = []
    for number, row in enumerate(vectors):
        scores = vectors @ row
        scores[number] = -1
        scores[scores > limit] = -1
        nearest = np.argsort(-scores, kind="stable")[:count]
        found.append([int(each) for each in nearest if scores[each] > -1])
    return found
