"""What is left of a winner's gain: tested on systems whose true difference is known."""

from __future__ import annotations

import numpy as np
from fake_reader import golden

from vuedocs.bench.selection import folds_of, front, nested

IDS = [f"q{number:03d}" for number in range(120)]
FOLDS = {id: number % 5 for number, id in enumerate(IDS)}


def values(random: np.random.Generator, gain: float) -> dict[str, float]:
    return dict(zip(IDS, (0.5 + gain + random.normal(0, 0.2, len(IDS))).tolist(), strict=True))


def test_the_best_of_many_equals_gains_by_luck_and_nothing_held_out() -> None:
    chosen, held_out = [], []
    for seed in range(6):
        random = np.random.default_rng(seed)
        found = nested([values(random, 0) for _ in range(30)], values(random, 0), FOLDS)
        chosen.append(found.chosen.mean)
        held_out.append(found.held_out.mean)
    assert np.mean(chosen) > 0.03  # one standard error is .018
    assert abs(np.mean(held_out)) < 0.02
    assert all(first > second for first, second in zip(chosen, held_out, strict=True))


def test_a_real_gain_is_left_when_it_is_held_out() -> None:
    random = np.random.default_rng(7)
    tried = [values(random, 0) for _ in range(10)] + [values(random, 0.2)]
    found = nested(tried, values(random, 0), FOLDS)
    assert found.held_out.mean > 0.12
    assert found.held_out.ci95[0] > 0
    assert abs(found.luck) < 0.02


def test_the_only_system_has_no_luck() -> None:
    random = np.random.default_rng(7)
    found = nested([values(random, 0.1)], values(random, 0), FOLDS)
    assert found.luck == 0
    assert found.held_out == found.chosen


def test_questions_of_one_page_are_left_out_together() -> None:
    questions = [golden(f"q{number}", {f"page-{number % 7}#s{number}": 3, "other": 1}) for number in range(70)]
    folds = folds_of(questions, 3)
    assert set(folds.values()) == {0, 1, 2}
    assert all(folds[f"q{number}"] == folds[f"q{number % 7}"] for number in range(70))


def test_the_front_holds_what_no_other_beats() -> None:
    points = [(0.5, 10.0), (0.7, 30.0), (0.6, 30.0), (0.7, 20.0), (0.4, 20.0), (0.7, 20.0)]
    assert front(points) == [0, 3]
    assert front([]) == []
