"""Texts as the stand-ins see them: tokens that are counted, and vectors that carry meaning without a model.

A text's vector is the sum of its words' vectors, each drawn at random from the word alone, so that texts with words in common are
near and all others about orthogonal, in every process and at every Matryoshka size.
"""

from __future__ import annotations

import hashlib
import re
from functools import lru_cache

import numpy as np
import numpy.typing as npt

DIMS = 2048
STOP = frozenset(
    "a an and are as at be by can do does for from how i in is it of on or that the this to what when which with you".split()  # noqa: SIM905
)


@lru_cache(maxsize=5_000)
def count_tokens(text: str) -> int:
    """Tokens of a text: five letters each, and one for every other sign."""
    return sum(-(-len(piece) // 5) for piece in re.findall(r"\w+|[^\w\s]", text))


def words(text: str) -> list[str]:
    """The words of a text that say something, without their endings."""
    found = (word.lower() for word in re.findall(r"\w+", text))
    return [re.sub(r"(?:ies|es|s|ing|ed)$", "", word) or word for word in found if word not in STOP]


@lru_cache(maxsize=5_000)
def vector(text: str, dims: int = DIMS) -> npt.NDArray[np.float32]:
    """The unit vector of a text, the first ``dims`` of its 2,048 numbers."""
    total = np.full(dims, 1e-4, np.float32)
    counts: dict[str, int] = {}
    for word in words(text):
        counts[word] = counts.get(word, 0) + 1
    for word, count in counts.items():
        total += np.float32(count**0.5) * word_vector(word)[:dims]
    return (total / np.linalg.norm(total)).astype(np.float32)


@lru_cache(maxsize=20_000)
def word_vector(word: str) -> npt.NDArray[np.float32]:
    """The word's own direction."""
    seed = int.from_bytes(hashlib.sha256(word.encode()).digest()[:8], "little")
    return np.random.default_rng(seed).standard_normal(DIMS, dtype=np.float32)
