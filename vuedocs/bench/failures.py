"""Failures: the questions that went wrong, what each lost, what came instead, and the kinds that they fall into.

A kind is where the best missed section was lost (see :mod:`vuedocs.bench.lost`) and what stands in its place: the two together
say who has something to do, the parser, a pack, a weight or a judge.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from vuedocs.bench.lost import REMEDIES, Lost
from vuedocs.bench.questions import GoldenQuestion, page_of
from vuedocs.bench.result import BenchResult
from vuedocs.bench.runs import home_source, judgements_at

GOOD = 0.7
"""nDCG@10 from which a question is no failure: the best section is first or second."""
ABOVE = 3
"""Places that a reader looks at first."""

Instead = Literal["same page", "same folder", "API for guide", "guide for API", "elsewhere", "nothing", "gold first"]
"""What stands first, seen from the best gold section."""

WORDS: dict[Instead, str] = {
    "same page": "another section of the right page came first",
    "same folder": "a neighbouring page came first",
    "API for guide": "the API reference came before the guide",
    "guide for API": "the guide came before the API reference",
    "elsewhere": "another part of the docs came first",
    "nothing": "nothing was found",
    "gold first": "a gold section came first, others were missed",
}
SECOND_LOOK: dict[Instead, str] = {
    "same page": "say in the gold section's pack (context, questions) what its neighbours do not",
    "API for guide": "if the reference answers as well, judge it; else a pack question on the guide's section",
    "guide for API": "if the guide answers as well, judge it; else a pack question or a synonym on the reference",
}


@dataclass(frozen=True, slots=True)
class Failure:
    """A question below :data:`GOOD`."""

    question: GoldenQuestion
    ndcg: float
    gold: str
    """The best gold section that was missed; where none was, the best that there is."""
    lost: Lost | None
    """Where ``gold`` was lost; None where it was found, but too far down."""
    first: tuple[str, ...]
    """The three best keys of the run, as the question file writes keys."""
    instead: Instead
    judged: Mapping[str, int]
    """Key to grade."""

    @property
    def unjudged(self) -> int:
        """How many of ``first`` nobody has judged."""
        return sum(key not in self.judged for key in self.first)

    @property
    def stage(self) -> str:
        """Where the gold was lost; ``too low`` where it was not."""
        return self.lost.stage if self.lost else "too low"

    @property
    def remedies(self) -> tuple[str, ...]:
        """What a person can do, the cheapest first."""
        judge = f"{self.unjudged} of the first {len(self.first)} were never judged: do that first" if self.unjudged else ""
        why = REMEDIES[self.lost.stage] if self.lost else "compare it with what stands above: a pack, or a weight"
        return tuple(filter(None, (judge, SECOND_LOOK.get(self.instead, ""), why)))


def failures(result: BenchResult) -> list[Failure]:
    """The questions below :data:`GOOD`, worst first, ties by id."""
    values = result.values["ndcg@10"]
    chosen = [question for question in result.questions if values[question.id] < GOOD]
    return [_failure(result, question) for question in sorted(chosen, key=lambda question: (values[question.id], question.id))]


def _failure(result: BenchResult, question: GoldenQuestion) -> Failure:
    judged = judgements_at(question, result.level)
    prefix = "" if home_source(result.questions) == question.source else f"{question.source}/"
    first = tuple(key.removeprefix(prefix) for key in list(result.run.get(question.id, {}))[:ABOVE])
    losses = result.lost.get(question.id, ())
    lost = min(losses, key=lambda one: (-one.grade, one.section)) if losses else None
    best = lost.section if lost else min(judged, key=lambda key: (-judged[key], key))
    ndcg = result.values["ndcg@10"][question.id]
    top = max(judged.values())
    kind = "gold first" if first and judged.get(first[0], 0) == top else instead_of(best, first)
    return Failure(question, ndcg, best, lost, first, kind, judged)


def instead_of(gold: str, first: Sequence[str]) -> Instead:
    """What stands first, seen from a gold section; keys as question sets use them."""
    if not first:
        return "nothing"
    here, there = page_of(gold), page_of(first[0])
    if here == there:
        return "same page"
    api, reference = ("api" in page.split("/") for page in (here, there))
    if api != reference:
        return "guide for API" if api else "API for guide"
    same = here.rpartition("/")[0] == there.rpartition("/")[0]
    return "same folder" if same else "elsewhere"


def clusters(found: Sequence[Failure]) -> dict[tuple[str, Instead], list[Failure]]:
    """Failures by where the gold was lost and what came instead, those that cost most together first."""
    groups: dict[tuple[str, Instead], list[Failure]] = {}
    for failure in found:
        groups.setdefault((failure.stage, failure.instead), []).append(failure)
    return dict(sorted(groups.items(), key=lambda item: (-cost(item[1]), item[0])))


def cost(found: Sequence[Failure]) -> float:
    """The nDCG that these questions miss in all: divided by the set's size, what repairing them would gain at most."""
    return sum(1 - failure.ndcg for failure in found)
