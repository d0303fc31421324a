"""Intervals and tests: how sure a number is, and whether two systems differ.

Questions are resampled, never answers: the unit of chance is the question. Every draw has a fixed seed, so a number repeats bit
for bit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
RESAMPLES = 10_000
PERMUTATIONS = 9_999
SEED = 0
_CHUNK = 2_000_000
"""Numbers drawn at once: bounds the memory of a bootstrap to some 32 MB."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean over ``n`` questions with its 95% interval."""

    mean: float
    ci95: tuple[float, float]
    n: int

    def __str__(self) -> str:
        low, high = self.ci95
        return f"{self.mean:.3f} [{low:.3f}, {high:.3f}]"


@dataclass(frozen=True, slots=True)
class Difference:
    """The mean paired difference of two systems over ``n`` questions, its 95% interval, and the p-value of the sign-flip test."""

    mean: float
    ci95: tuple[float, float]
    p: float
    n: int

    def __str__(self) -> str:
        low, high = self.ci95
        return f"{self.mean:+.3f} [{low:+.3f}, {high:+.3f}] p={self.p:.4f}"


def interval(values: Sequence[float]) -> Interval:
    """The mean of ``values`` with a percentile bootstrap interval (Efron 1979), 10,000 resamples.

    Raises ValueError for no values, or one that is not finite.
    """
    array = _finite(values)
    low, high = _bootstrap(array)
    return Interval(float(array.mean()), (low, high), len(array))


def difference(
    values: Mapping[str, float], baseline: Mapping[str, float], alternative: Literal["two-sided", "less", "greater"] = "two-sided"
) -> Difference:
    """``values`` minus ``baseline``, question by question: paired bootstrap interval and sign-flip permutation test.

    Fisher's randomisation test as Smucker et al. (CIKM 2007) recommend it for retrieval; +1 corrected, so p is never 0.
    Raises ValueError when the two do not hold the same questions.
    """
    if values.keys() != baseline.keys():
        odd = sorted(values.keys() ^ baseline.keys())
        raise ValueError(f"the two runs do not hold the same questions: {', '.join(odd[:3])} is in one only; run both on one set")
    ids = sorted(values)
    differences = _finite([values[id] for id in ids]) - _finite([baseline[id] for id in ids])
    return Difference(float(differences.mean()), _bootstrap(differences), sign_flip(differences, alternative), len(ids))


def sign_flip(differences: Floats, alternative: Literal["two-sided", "less", "greater"] = "two-sided") -> float:
    """The p-value that differences as large arise when the sign of each is a coin's toss."""
    if not differences.any():
        return 1.0
    if len(differences) == 1:  # scipy takes two or more; of the two signs that there are, one or both are as large
        return 0.5 if (alternative == "less") == (differences[0] < 0) and alternative != "two-sided" else 1.0
    from scipy import stats

    test = stats.permutation_test(
        (differences,),
        lambda x, axis=-1: x.mean(axis=axis),
        permutation_type="samples",
        n_resamples=PERMUTATIONS,
        random_state=SEED,
        alternative=alternative,
    )
    return float(test.pvalue)


def holm(p_values: Mapping[str, float]) -> dict[str, float]:
    """Adjusted p-values for several planned comparisons (Holm 1979), in the order given.

    The smallest of m is multiplied by m, the next by m - 1 and so on; none falls below a smaller one, none exceeds 1.
    """
    adjusted: dict[str, float] = {}
    floor = 0.0
    for place, name in enumerate(sorted(p_values, key=lambda name: (p_values[name], name))):
        floor = max(floor, min(1.0, p_values[name] * (len(p_values) - place)))
        adjusted[name] = floor
    return {name: adjusted[name] for name in p_values}


def _bootstrap(array: Floats) -> tuple[float, float]:
    """2.5th and 97.5th percentile of the means of resamples."""
    if (array == array[0]).all():  # a variant that changed nothing: no draw can differ
        return float(array[0]), float(array[0])
    random = np.random.default_rng(SEED)
    rows = max(1, _CHUNK // len(array))
    means = np.concatenate(
        [
            array[random.integers(0, len(array), size=(min(rows, RESAMPLES - start), len(array)))].mean(axis=1)
            for start in range(0, RESAMPLES, rows)
        ]
    )
    low, high = np.percentile(means, [2.5, 97.5])
    return float(low), float(high)


def _finite(values: Sequence[float]) -> Floats:
    array = np.asarray(values, dtype=np.float64)
    if not array.size:
        raise ValueError("there is no value to take a mean of; the set of questions is empty")
    if not np.isfinite(array).all():
        raise ValueError("a value is NaN or infinite; a mean over it would say nothing")
    return array
