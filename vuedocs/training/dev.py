"""The look at golden questions while a model is trained: dense retrieval alone, over one window a section."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from vuedocs.bench.metrics import score

Judgements = Mapping[str, int]
DEPTH = 10


def ndcg(relevant: Sequence[Judgements], scores: npt.NDArray[np.float32], sections: Sequence[str]) -> float:
    """The mean of :func:`ndcg_each`."""
    values = ndcg_each(relevant, scores, sections)
    return sum(values) / len(values)


def ndcg_each(relevant: Sequence[Judgements], scores: npt.NDArray[np.float32], sections: Sequence[str]) -> list[float]:
    """The bench's nDCG@10 of ``scores`` (questions, sections), a value a question; at the tenth place ties keep the order of
    ``sections``."""
    best = np.argsort(-scores, axis=1, kind="stable")[:, :DEPTH]
    qrels = {str(number): dict(judged) for number, judged in enumerate(relevant)}
    run = {
        str(number): {sections[place]: float(row[place]) for place in places}
        for number, (places, row) in enumerate(zip(best, scores, strict=True))
    }
    values = score(qrels, run)["ndcg@10"]
    return [values[number] for number in qrels]
