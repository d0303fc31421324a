"""The model's card: what it is, what it was made from and how, and what was measured while it was made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from vuedocs.training.export import Parity
from vuedocs.training.pairs import Example
from vuedocs.training.recipe import Recipe
from vuedocs.training.train import Progress

TEMPLATE = Path(__file__).parent / "card.md"


@dataclass(frozen=True, slots=True)
class Made:
    """What is known once a model is made."""

    recipe: Recipe
    examples: tuple[Example, ...]
    progress: Progress
    parity: Parity
    hashes: Mapping[str, str]
    """File name to sha256."""


def card(made: Made) -> str:
    """The card in Markdown."""
    sections = Counter(example.source for example in made.examples)
    questions: Counter[str] = Counter()
    for example in made.examples:
        questions[example.source] += len(example.questions)
    return TEMPLATE.read_text(encoding="utf-8").format(
        sections=f"{sum(sections.values()):,}",
        questions=f"{sum(questions.values()):,}",
        data="\n".join(f"| {source} | {count:,} | {questions[source]:,} |" for source, count in sorted(sections.items())),
        recipe="\n".join(f"| {name} | {value} |" for name, value in asdict(made.recipe).items()),
        looks="\n".join(f"| {step} | {value:.3f} |" for step, value in made.progress.looks),
        kept=made.progress.kept,
        n=made.parity.n,
        mean=f"{made.parity.mean:.4f}",
        least=f"{made.parity.least:.4f}",
        hashes="\n".join(f"| {name} | `{value}` |" for name, value in made.hashes.items()),
    )
