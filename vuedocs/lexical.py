"""The lexical leg's words: a tokenizer for prose and code, and BM25 weights.

Symbols are words here: ``v-if``, ``$emit``, ``@click``, ``:class``, ``#default``, ``app.config.globalProperties`` and
``vite.config.ts`` are kept whole, and given in parts beside (``keep-alive`` and ``KeepAlive`` both give ``keepalive``,
``keep`` and ``alive``), so that half a name still finds the whole.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache

from vuedocs.records import Sparse

STOP_WORDS = frozenset(
    """
    a an and are as at be been but by can did do does for from had has have how i if in into is it its me my no not of on or
    our so than that the their them then there these they this those to too us was we were what when where which who why
    will with would you your
    """.split()  # noqa: SIM905 - a word list reads best as words
)
"""Dropped unless they are part of a symbol: ``is`` alone says nothing, ``v-is`` and ``:is`` do."""

_WORD = re.compile(
    r"(?:(?<![\w$])[@:#$.]|(?<![\w])v-)?"  # @click, :class, #default, $emit, .trim, v-if
    r"[^\W_]+(?:['’](?=[a-z]\b)[a-z])?"  # a word; don't keeps its t and is split below
    r"(?:[-._:/][^\W_]+|_+[^\W_]+)*",  # kebab-case, dotted.names, update:modelValue, snake_case, paths
    re.UNICODE,
)
_CAMEL = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+|[^\W\d_A-Za-z]+")
_SEPARATORS = re.compile(r"[-._:/@#$'’]+")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


def tokenise(text: str) -> list[str]:
    """The lexical tokens of ``text``, in order, lower-cased; a name gives its whole, its joined form and its stemmed parts."""
    tokens: list[str] = []
    for match in _WORD.finditer(text):
        tokens.extend(_word_tokens(match.group()))
    return tokens


@lru_cache(maxsize=65536)
def _word_tokens(word: str) -> tuple[str, ...]:
    if _CJK.search(word):
        return _cjk_tokens(word)
    pieces = [piece for piece in _SEPARATORS.split(word) if piece]
    parts = [part.lower() for piece in pieces for part in _CAMEL.findall(piece)]
    whole = word.lower()
    if len(parts) <= 1 and whole.isalnum():
        return () if whole in STOP_WORDS else (stem(whole),)
    joined = "".join(parts)
    names = [whole] if whole != joined else []
    names += [joined, *(stem(part) for part in parts if part not in STOP_WORDS and len(part) > 1)]
    return tuple(dict.fromkeys(names))


def _cjk_tokens(word: str) -> tuple[str, ...]:
    """Character pairs: these scripts write no spaces."""
    pairs = [word[i : i + 2] for i in range(len(word) - 1)]
    return tuple(pairs or [word])


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """A light English stem (plural and verb endings), the same for documents and queries.

    The S-stemmer of Harman (1991), with -ing and -ed after it; short words and names with digits stay as they are.
    """
    if len(word) < 5 or not word.isascii() or not word.isalpha():
        return word[:-1] if len(word) == 4 and word.endswith("s") and not word.endswith("ss") else word
    if word.endswith("ies") and not word.endswith(("eies", "aies")):
        word = word[:-3] + "y"
    elif word.endswith(("sses", "shes", "ches", "xes")):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending in ("ing", "ed"):
        base = word[: -len(ending)]
        if word.endswith(ending) and len(base) >= 4 and re.search("[aeiouy]", base):
            word = base[:-1] if base[-1] == base[-2] and base[-1] not in "lsz" else base
            break
    return word[:-1] if len(word) >= 5 and word.endswith("e") else word


def term_id(term: str) -> int:
    """A term's place in the sparse space: the first 32 bits of its blake2b, the same in every process and index."""
    return int.from_bytes(hashlib.blake2b(term.encode(), digest_size=4).digest(), "little")


def bm25_weights(tokens: Sequence[str], average_length: float, k1: float, b: float) -> Sparse:
    """A document's stored BM25 weights, ``tf * (k1 + 1) / (tf + k1 * (1 - b + b * len / average_length))``.

    The index multiplies by IDF = ln(1 + (N - df + .5) / (df + .5)) at query time, so that it is of the whole collection
    (Robertson and Zaragoza 2009, in the form that Lucene and Qdrant use).
    """
    norm = k1 * (1 - b + b * len(tokens) / average_length) if average_length else k1
    weights = {term_id(term): tf * (k1 + 1) / (tf + norm) for term, tf in Counter(tokens).items()}
    return _sparse(weights.items())


def idf(documents: int, frequency: int) -> float:
    """How much a term says that is in ``frequency`` of so many documents, as the index computes it."""
    return math.log(1 + (documents - frequency + 0.5) / (frequency + 0.5))


def query_weights(tokens: Iterable[str], weight: Callable[[str], float] = lambda term: 1.0) -> Sparse:
    """A query's sparse vector: ``weight`` of each distinct term, which the index multiplies by its IDF."""
    return _sparse((term_id(term), weight(term)) for term in set(tokens))


def _sparse(weights: Iterable[tuple[int, float]]) -> Sparse:
    ordered = sorted(weights)
    return Sparse(tuple(index for index, _ in ordered), tuple(value for _, value in ordered))
