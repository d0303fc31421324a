"""How much a word says among the sources that are searched."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Sequence

from vuedocs.lexical import idf
from vuedocs.records import Bm25Model


class Terms:
    """In how many documents of each source a term is.

    The index knows one IDF, of all that it holds: among fifteen sources ``ref`` is a rare word, in Vue's own docs it says little.
    """

    def __init__(self, models: Sequence[Bm25Model]) -> None:
        self._models = {model.source: model for model in models}
        self._documents = sum(model.documents for model in models)
        self._known = all(len(model.frequencies) == len(model.vocabulary) for model in models)

    def weight(self, term: str, sources: Collection[str]) -> float:
        """The IDF of ``term`` among ``sources`` as a multiple of that in the whole index.

        1 where all are searched (``sources`` is empty), and in an index that is older than :attr:`Bm25Model.frequencies`.
        """
        chosen = [model for name, model in self._models.items() if name in sources]
        if not (chosen and self._known):
            return 1.0
        here = idf(sum(model.documents for model in chosen), sum(frequency(model, term) for model in chosen))
        everywhere = idf(self._documents, sum(frequency(model, term) for model in self._models.values()))
        return here / everywhere


def frequency(model: Bm25Model, term: str) -> int:
    """In how many of the source's documents ``term`` is."""
    place = bisect_left(model.vocabulary, term)
    return model.frequencies[place] if place < len(model.vocabulary) and model.vocabulary[place] == term else 0
