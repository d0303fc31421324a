"""Intervals and tests: known values, fixed seeds."""

from __future__ import annotations

import math

import numpy as np
import pytest

from vuedocs.bench.intervals import difference, holm, interval, sign_flip


def test_an_interval_repeats_bit_for_bit() -> None:
    values = np.random.default_rng(1).random(200).tolist()
    assert interval(values) == interval(list(values))


def test_an_interval_is_about_two_standard_errors_wide() -> None:
    values = np.random.default_rng(2).normal(0.7, 0.2, 400).tolist()
    found = interval(values)
    error = np.std(values) / math.sqrt(400)
    assert found.mean == pytest.approx(np.mean(values))
    assert found.ci95[0] == pytest.approx(found.mean - 1.96 * error, abs=0.002)
    assert found.ci95[1] == pytest.approx(found.mean + 1.96 * error, abs=0.002)


def test_equal_values_leave_no_doubt() -> None:
    assert interval([0.5, 0.5, 0.5]).ci95 == (0.5, 0.5)
    assert str(interval([0.5, 0.5])) == "0.500 [0.500, 0.500]"


def test_a_large_set_is_drawn_in_pieces() -> None:
    found = interval([0.0, 1.0] * 2500)
    assert found.ci95[0] == pytest.approx(0.5 - 1.96 * 0.5 / math.sqrt(5000), abs=0.001)


@pytest.mark.parametrize("values", [[], [0.5, math.nan], [math.inf]])
def test_nothing_and_nan_have_no_mean(values: list[float]) -> None:
    with pytest.raises(ValueError, match=r"no value|NaN"):
        interval(values)


def test_all_of_five_differences_of_one_sign_have_p_two_in_32() -> None:
    # Of the 2^5 ways to set the signs, only all plus and all minus give a mean as large as the one observed.
    assert sign_flip(np.array([0.1, 0.1, 0.2, 0.3, 0.1])) == pytest.approx(2 / 32)
    assert sign_flip(np.array([0.1, 0.1, 0.2, 0.3, 0.1]), "greater") == pytest.approx(1 / 32)
    assert sign_flip(np.array([0.1, 0.1, 0.2, 0.3, 0.1]), "less") == 1


def test_no_difference_has_p_1() -> None:
    assert sign_flip(np.zeros(4)) == 1


def test_one_difference_says_nothing() -> None:
    # Of its two signs both are as far from 0, and one as far down.
    assert [sign_flip(np.array([-0.4]), way) for way in ("two-sided", "less", "greater")] == [1, 0.5, 1]  # type: ignore[arg-type]
    assert difference({"a": 0.4}, {"a": 0.1}).ci95 == (pytest.approx(0.3), pytest.approx(0.3))


def test_a_difference_is_paired_and_repeats() -> None:
    base = {f"q{i}": (i % 10) / 10 for i in range(60)}
    better = {id: value + 0.05 for id, value in base.items()}
    found = difference(better, base)
    assert found.mean == pytest.approx(0.05)
    assert found.ci95 == (pytest.approx(0.05), pytest.approx(0.05))
    assert found.p == pytest.approx(2 / 10_000)  # +1 corrected, both sides
    assert found.n == 60
    assert difference(dict(reversed(better.items())), base) == found


def test_runs_of_different_questions_are_not_compared() -> None:
    with pytest.raises(ValueError, match="do not hold the same questions: b, c"):
        difference({"a": 1.0, "b": 1.0}, {"a": 1.0, "c": 1.0})


def test_holm_by_hand() -> None:
    # Sorted: .01 * 3 = .03, .02 * 2 = .04, .03 * 1 = .03, which may not fall below .04.
    assert holm({"x": 0.03, "y": 0.01, "z": 0.02}) == {
        "x": pytest.approx(0.04),
        "y": pytest.approx(0.03),
        "z": pytest.approx(0.04),
    }
    assert holm({"x": 0.9, "y": 0.8}) == {"x": 1.0, "y": 1.0}
    assert holm({}) == {}


def simulated(chance: np.random.Generator, effect: float, questions: int = 60) -> tuple[dict[str, float], dict[str, float]]:
    """Two systems on one set: most questions tie, the others differ, skewed, by ``effect`` on average."""
    ids = [f"q{i}" for i in range(questions)]
    base = chance.beta(3, 1.5, questions)
    moves = np.where(chance.random(questions) < 0.4, chance.exponential(0.2, questions) - 0.2, 0.0) + effect
    return dict(zip(ids, base + moves, strict=True)), dict(zip(ids, base, strict=True))


def test_the_interval_covers_a_known_difference_and_the_test_keeps_its_level() -> None:
    # 60 pairs of systems each: 95% of 60 is 57 (standard error 1.7), 5% is 3; bounds of three standard errors.
    chance = np.random.default_rng(11)
    found = [difference(*simulated(chance, 0.03)) for _ in range(60)]
    assert sum(test.ci95[0] <= 0.03 <= test.ci95[1] for test in found) >= 52
    alarms = sum(difference(*simulated(chance, 0.0)).p < 0.05 for _ in range(60))
    assert alarms <= 8
    assert sum(difference(*simulated(chance, 0.08)).p < 0.05 for _ in range(10)) >= 8
