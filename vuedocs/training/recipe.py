"""How a model is trained: every number that affects it, with why."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Recipe:
    """The recipe of the shipped model; its card repeats it."""

    seed: int = 7
    epochs: float = 1.99
    """Times that every section is seen."""
    batch: int = 48
    """Sections a step; all questions of the others are wrong answers for each."""
    group: int = 4
    """Sections of a batch that are near each other: hard negatives that cost no further passage."""
    near: int = 8
    """Nearest sections that a group is drawn from."""
    near_limit: float = 0.93
    """Cosine above which two sections say the same, so that neither is a wrong answer for the other."""
    questions: int = 2
    """Of a section, drawn anew each time. A passage is the dear part of a step: two questions share it."""
    passage_tokens: int = 112
    """Of a window: half the product's, which two cores can afford."""
    question_tokens: int = 48
    learning_rate: float = 5e-5
    head_rate: float = 1e-3
    """Of the token head, which starts from nothing."""
    warm_up: int = 30
    """Steps; from half of all steps on, the rates fall in a line to nearly nothing."""
    frozen_layers: int = 2
    """Of six, from below, with the word embeddings: a fifth less work."""
    together_weight: float = 0.2
    """Of the loss that draws questions of one section together."""
    token_weight: float = 0.3
    """Of the loss over token vectors (late interaction)."""
    check_every: int = 90
    """Steps between two looks at the dev questions."""
