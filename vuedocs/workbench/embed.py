"""Views of vectors and BM25 weights."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from vuedocs import lexical
from vuedocs.clients import Embedder
from vuedocs.config import Embed
from vuedocs.records import Ingest, Point
from vuedocs.workbench import plots
from vuedocs.workbench.tables import Findings, Table, clip, share

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Floats = npt.NDArray[np.float64]
NAMED = 8
"""Scopes that have a colour of their own on the map."""
MARKS = 2
"""Tokens that the model sets before and after a text."""


def counts(state: Ingest) -> Table:
    """Points by kind, and how many texts had to be embedded."""
    kinds = Counter(point.kind for point in state.points)
    rows = [
        *((f"points: {kind}", count) for kind, count in kinds.most_common()),
        ("texts embedded now", state.counts["embedded"]),
        ("texts remembered", state.counts["remembered"]),
        ("sections with BM25 weights", sum(point.sparse is not None for point in state.points)),
        ("distinct terms", sum(len(model.vocabulary) for model in state.bm25)),
    ]
    return Table(("what", "count"), rows)


def token_lengths(state: Ingest, section: Embed, embedder: Embedder) -> Figure:
    """Tokens of each embedded text, beside the longest that one vector stands for."""
    groups: dict[str, list[float]] = defaultdict(list)
    for point in state.points:
        groups[point.kind].append(_tokens(point, embedder))
    return plots.histograms(
        groups,
        "tokens, the model's own marks included",
        "How long the embedded texts are",
        ylabel="points",
        mark=section.window_tokens,
        mark_label="window",
    )


def principal(vectors: Floats) -> tuple[Floats, Floats]:
    """The vectors on their first two principal axes, shape (n, 2), and each axis's share of the variance, shape (2,).

    Each axis is turned so that its largest place is positive: the map of the same vectors is the same everywhere.
    """
    centred = vectors - vectors.mean(axis=0)
    _, singular, axes = np.linalg.svd(centred, full_matrices=False)
    places = centred @ axes[:2].T
    turn = np.sign(places[np.abs(places).argmax(axis=0), np.arange(places.shape[1])])
    return places * np.where(turn == 0, 1, turn), singular[:2] ** 2 / max(float((singular**2).sum()), 1e-12)


def embedding_map(state: Ingest) -> Figure:
    """All points in the plane, coloured by the folder that they are in; windows and questions side by side."""
    places, shares = principal(_matrix(state.points))
    scopes = [_scope(point) for point in state.points]
    largest = [name for name, _ in Counter(scopes).most_common(NAMED)]
    return plots.scatter(
        places,
        largest,
        scopes,
        [point.kind for point in state.points],
        "Embeddings on their two principal axes",
        (f"first axis ({shares[0]:.0%} of the variance)", f"second axis ({shares[1]:.0%})"),
    )


def neighbours(state: Ingest) -> Figure:
    """How alike sections are that stand beside one another, and any two of the same page, of the same folder, of all."""
    return plots.overlaid(_similarities(state), "cosine of two sections' first windows", "How alike sections are")


def twins(state: Ingest, top: int) -> Table:
    """Pairs of sections of different pages whose vectors are most alike: what the dense leg confuses."""
    points = _firsts(state)
    matrix = _matrix(points)
    cosines = np.triu(matrix @ matrix.T, k=1)
    pages = np.array([point.chunk_id.split("#")[0] for point in points])
    cosines[pages[:, None] == pages[None, :]] = -1
    best = np.argsort(cosines, axis=None)[::-1][:top]
    pairs = [divmod(int(flat), len(points)) for flat in best]
    rows = [(float(cosines[one, other]), points[one].chunk_id, points[other].chunk_id) for one, other in pairs]
    return Table(("cosine", "section", "its twin"), rows, "Sections of different pages that are most alike")


def telling_terms(state: Ingest, top: int) -> Table:
    """The terms that mark each folder's sections: the largest mean of BM25 weight times IDF, above the mean of all sections."""
    points = [point for point in state.points if point.sparse is not None]
    idf = _idf(points)
    words = {lexical.term_id(term): term for model in state.bm25 for term in model.vocabulary}
    everywhere = _mean_weights(points, idf)
    by_scope: dict[str, list[Point]] = defaultdict(list)
    for point in points:
        by_scope[_scope(point)].append(point)
    rows = []
    for scope, members in sorted(by_scope.items(), key=lambda item: -len(item[1])):
        excess = {term: weight - everywhere[term] for term, weight in _mean_weights(members, idf).items()}
        best = sorted(excess, key=lambda term: -excess[term])[:top]
        rows.append((scope, len(members), [words[term] for term in best]))
    return Table(("folder", "sections", "terms that tell it from the rest"), rows)


def findings(state: Ingest, section: Embed, embedder: Embedder) -> Findings:
    """What stands out."""
    windows = Counter(point.chunk_id for point in state.points if point.kind == "window")
    single = sum(count == 1 for count in windows.values())
    many, most = max(windows.items(), key=lambda item: item[1])
    alike = _similarities(state)
    repeated = len(state.points) - len({point.text for point in state.points})
    full = sum(_tokens(point, embedder) >= section.window_tokens - MARKS for point in state.points if point.kind == "window")
    above = float(np.mean(alike["neighbours on a page"])) - float(np.mean(alike["any two"]))
    return Findings(
        [
            f"{len(state.points):,} points; {share(single, len(windows))} sections fit into one window; {many} needs {most}.",
            f"{share(full, sum(windows.values()))} windows are full.",
            f"{repeated} points have a text that another has too.",
            f"Neighbours on a page are {above:.2f} more alike than any two sections.",
            *(
                f"BM25 of {model.source}: {model.documents:,} sections, {model.average_length:,.0f} tokens on average, "
                f"{len(model.vocabulary):,} distinct terms."
                for model in state.bm25
            ),
        ]
    )


def longest_questions(state: Ingest, embedder: Embedder, top: int) -> Table:
    """The longest questions: what is long is probably a description, not a question."""
    questions = sorted((p for p in state.points if p.kind == "question"), key=lambda point: -len(point.text))[:top]
    return Table(("tokens", "question", "chunk"), [(_tokens(p, embedder), clip(p.text, 240), p.chunk_id) for p in questions])


def _tokens(point: Point, embedder: Embedder) -> int:
    return len(embedder.offsets(point.text)) + MARKS


def _scope(point: Point) -> str:
    return point.scopes[1] if len(point.scopes) > 1 else point.scopes[0] if point.scopes else "(root)"


def _matrix(points: list[Point] | tuple[Point, ...]) -> Floats:
    return np.array([point.dense for point in points], dtype=np.float64)


def _firsts(state: Ingest) -> list[Point]:
    return [point for point in state.points if point.kind == "window" and point.number == 0]


def _similarities(state: Ingest) -> dict[str, list[float]]:
    points = _firsts(state)
    matrix = _matrix(points)
    cosines = matrix @ matrix.T
    page = np.array([point.chunk_id.split("#")[0] for point in points])
    scope = np.array([_scope(point) for point in points])
    upper = np.triu(np.ones(cosines.shape, dtype=bool), k=1)
    same_page, same_scope = page[:, None] == page[None, :], scope[:, None] == scope[None, :]
    beside = [float(cosines[one, other]) for one, other in pairwise(range(len(points))) if page[one] == page[other]]
    return {
        "any two": cosines[upper].tolist(),
        "same folder": cosines[upper & same_scope & ~same_page].tolist(),
        "neighbours on a page": beside,
    }


def _idf(points: list[Point]) -> dict[int, float]:
    frequency = Counter(index for point in points if point.sparse for index in point.sparse.indices)
    return {term: math.log(1 + (len(points) - df + 0.5) / (df + 0.5)) for term, df in frequency.items()}


def _mean_weights(points: list[Point], idf: dict[int, float]) -> Counter[int]:
    sums: Counter[int] = Counter()
    for point in points:
        assert point.sparse is not None, "only points with weights are given"
        for term, weight in zip(point.sparse.indices, point.sparse.values, strict=True):
            sums[term] += weight * idf[term] / len(points)  # type: ignore[assignment]
    return sums
