"""Selection: what is left of a winner's gain on questions that it was not chosen by, and which trials are worth their price."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from vuedocs.bench.intervals import Difference, difference
from vuedocs.bench.metrics import Values
from vuedocs.bench.questions import GoldenQuestion, page_of

FOLDS = 5


@dataclass(frozen=True)
class Nested:
    """A gain twice: as the winner shows it on the questions that chose it, and on questions held out from the choice."""

    chosen: Difference
    held_out: Difference

    @property
    def luck(self) -> float:
        """What choosing the best of many added to the winner's gain, at least: see :func:`nested`."""
        return self.chosen.mean - self.held_out.mean


def folds_of(questions: Sequence[GoldenQuestion], folds: int = FOLDS) -> dict[str, int]:
    """Question id to its fold, 0 to ``folds`` - 1: questions of one page stay together, and it is the same on every machine."""
    return {question.id: int(hashlib.sha256(_page(question).encode()).hexdigest(), 16) % folds for question in questions}


def _page(question: GoldenQuestion) -> str:
    """The page that answers best; of several the first by name."""
    best = max(question.relevant.values())
    return f"{question.source}/{min(page_of(key) for key, grade in question.relevant.items() if grade == best)}"


def nested(tried: Sequence[Values], baseline: Values, folds: Mapping[str, int]) -> Nested:
    """Chooses the best of ``tried`` with each fold left out in turn, and measures it on that fold (Stone 1974).

    Still optimistic where a search made ``tried``: it was guided by all these questions, and only the last choice is repeated.
    ``tried`` and ``baseline`` hold one value a question, more is better. Raises ValueError when they do not hold the same ones.
    """
    held_out: Values = {}
    for fold in sorted(set(folds.values())):
        inside = [id for id in baseline if folds[id] != fold]
        winner = max(tried, key=lambda values: sum(values[id] for id in inside))
        held_out |= {id: winner[id] for id in baseline if folds[id] == fold}
    overall = max(tried, key=lambda values: sum(values.values()))
    return Nested(difference(overall, baseline), difference(held_out, baseline))


def front(points: Sequence[tuple[float, float]]) -> list[int]:
    """Places of the (quality, cost) points that no other beats: none is as good for less, or better for as little.

    The cheapest first. Of equal points the first counts.
    """
    order = sorted(range(len(points)), key=lambda place: (points[place][1], -points[place][0], place))
    kept: list[int] = []
    for place in order:
        if not kept or points[place][0] > points[kept[-1]][0]:
            kept.append(place)
    return kept
