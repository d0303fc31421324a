"""All vector indexes behave alike: the same points, in the same order, with the same scores, whichever engine holds them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import numpy as np
import pytest
from engines import DIMS, ENGINES, POINTS, builder_of, many, point, stream, unit

from vuedocs.clients import Fusion, IndexBuilder, VectorIndex
from vuedocs.errors import IndexDamagedError, StorageError
from vuedocs.records import Hit, Point, Sparse, Vector

OTHERS = [engine for engine in ENGINES if engine != "edge"]
COUNT = 150


@pytest.fixture(params=ENGINES)
async def builder(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[IndexBuilder]:
    async with builder_of(request.param, tmp_path) as made:
        yield made


@pytest.fixture
async def index(builder: IndexBuilder) -> AsyncIterator[VectorIndex]:
    await builder.ready()
    assert await builder.build("g000001", stream(POINTS), DIMS, batch=2) == len(POINTS)
    opened = await builder.open("g000001", DIMS)
    yield opened
    await opened.aclose()


async def test_each_leg_has_its_own_points_best_first(index: VectorIndex) -> None:
    legs = await index.legs(unit(1, 0), Sparse((1,), (1.0,)), (), "all", 10)
    assert [hit.chunk_id for hit in legs["dense"]] == ["vue/guide/computed", "vue/api/ref", "pinia/guide/stores"]
    assert legs["question"] == (Hit("vue/guide/computed", "question", 0, 0.0, "what is guide/computed"),)
    assert [hit.chunk_id for hit in legs["sparse"]] == ["vue/guide/computed"]


async def test_a_leg_without_a_vector_is_not_there(index: VectorIndex) -> None:
    assert set(await index.legs(None, Sparse((1,), (1.0,)), (), "all", 10)) == {"sparse"}
    assert set(await index.legs(unit(1), Sparse((), ()), (), "all", 10)) == {"dense", "question"}
    assert await index.legs(None, None, (), "all", 10) == {}
    assert await index.fuse(None, None, (), "all", 10, Fusion("dbsf", 2, {"dense": 1.0})) == ()


async def test_unknown_terms_match_nothing_in_the_sparse_leg(index: VectorIndex) -> None:
    assert (await index.legs(None, Sparse((999,), (1.0,)), (), "all", 10))["sparse"] == ()


async def test_words_are_weighed_by_the_idf_of_the_whole_index_also_where_a_source_is_chosen(index: VectorIndex) -> None:
    (hit,) = (await index.legs(None, Sparse((3,), (1.0,)), ("pinia",), "all", 10))["sparse"]
    assert hit.score == pytest.approx(np.log(1 + (3 - 1 + 0.5) / (1 + 0.5)), rel=1e-5)  # 1 of 3 texts has the word


async def test_source_and_scope_are_filters(index: VectorIndex) -> None:
    by_source = await index.legs(unit(1, 0), None, ("pinia",), "all", 10)
    assert [hit.chunk_id for hit in by_source["dense"]] == ["pinia/guide/stores"]
    by_scope = await index.legs(unit(1, 0), None, (), "api", 10)
    assert [hit.chunk_id for hit in by_scope["dense"]] == ["vue/api/ref"]
    nothing = await index.legs(unit(1, 0), None, ("vue",), "no/such", 10)
    assert nothing == {"dense": (), "question": ()}


async def test_rrf_is_the_formula_over_ranks_from_zero(index: VectorIndex) -> None:
    fusion = Fusion("rrf", 2, {"dense": 1.0, "sparse": 1.0})
    fused = await index.fuse(unit(1, 0), Sparse((2,), (1.0,)), ("vue",), "all", 10, fusion)
    by_chunk = {hit.chunk_id: hit.score for hit in fused}
    # dense: computed, ref; sparse: ref (1.5), computed (1.0)
    assert by_chunk["vue/guide/computed"] == pytest.approx(1 / 2 + 1 / 3)
    assert by_chunk["vue/api/ref"] == pytest.approx(1 / 3 + 1 / 2)


async def test_vectors_of_other_dimensions_are_refused_when_it_is_opened(builder: IndexBuilder) -> None:
    await builder.build("g000001", stream(POINTS), DIMS, 2)
    with pytest.raises(IndexDamagedError, match=rf"{DIMS}.*(9|2048)|(9|2048).*{DIMS}"):
        await builder.open("g000001", 9)


async def test_what_is_not_there_is_named_with_the_remedy(builder: IndexBuilder) -> None:
    assert not await builder.exists("g000007")
    with pytest.raises(IndexDamagedError, match=r"g000007.*run `vuedocs ingest` again"):
        await builder.open("g000007", DIMS)


async def test_a_vector_of_the_wrong_length_fails_the_build_which_is_not_complete(builder: IndexBuilder) -> None:
    wrong = point("guide/wrong", "window", np.ones(DIMS + 1, np.float32))
    with pytest.raises(StorageError, match="g000001"):
        await builder.build("g000001", stream([*POINTS, wrong]), DIMS, 2)
    assert not await builder.exists("g000001")
    with pytest.raises(IndexDamagedError):
        await builder.open("g000001", DIMS)
    assert await builder.remove([]) == ["g000001"]


async def test_old_generations_go_and_those_kept_stay_readable(builder: IndexBuilder) -> None:
    for name in ("g000001", "g000002", "g000003"):
        await builder.build(name, stream(POINTS), DIMS, 3)
        await builder.published(name)
    assert await builder.remove(["g000003", "g000002"]) == ["g000001"]
    assert [await builder.exists(f"g00000{n}") for n in (1, 2, 3)] == [False, True, True]
    opened = await builder.open("g000002", DIMS)
    assert await opened.count() == len(POINTS)
    await opened.aclose()


QUESTIONS = [
    (sources, scope)
    for sources in ((), ("vue",), ("pinia", "vite"))
    for scope in ("all", "guide", "guide/essentials", "api/deep", "guide/über uns")
]
"""Which sources and scope a question is asked of; its vectors are made from its place here."""


def asked(number: int) -> tuple[Vector, Sparse]:
    random = np.random.default_rng(number)
    dense = random.normal(size=DIMS).astype(np.float32)
    terms = tuple(int(term) for term in np.unique(random.zipf(1.6, size=4)))
    return dense / np.float32(np.linalg.norm(dense)), Sparse(terms, (1.0,) * len(terms))


async def answers(index: VectorIndex, depth: int) -> list[dict[str, tuple[Hit, ...]]]:
    return [await index.legs(*asked(number), *question, depth) for number, question in enumerate(QUESTIONS)]


def order(hits: Sequence[Hit]) -> list[str]:
    return [f"{hit.chunk_id} {hit.kind} {hit.number}" for hit in hits]


def best_first(scores: Mapping[str, float]) -> list[str]:
    return sorted(scores, key=lambda name: (-round(scores[name], 5), name))


@asynccontextmanager
async def both(engine: str, folder: Path, points: Sequence[Point]) -> AsyncIterator[tuple[VectorIndex, VectorIndex]]:
    """The points in the embedded index and in the other engine's."""
    async with builder_of("edge", folder) as embedded, builder_of(engine, folder) as other:
        for builder in (embedded, other):
            await builder.build("g000001", stream(points), DIMS, 64)
        ours, theirs = await embedded.open("g000001", DIMS), await other.open("g000001", DIMS)
        yield ours, theirs
        await ours.aclose()
        await theirs.aclose()


@pytest.mark.parametrize("engine", OTHERS)
async def test_legs_are_the_embedded_ones(engine: str, tmp_path: Path) -> None:
    async with both(engine, tmp_path, many(COUNT, twins=True)) as (ours, theirs):
        for depth in (10, COUNT):
            for mine, yours in zip(await answers(ours, depth), await answers(theirs, depth), strict=True):
                assert {leg: order(hits) for leg, hits in mine.items()} == {leg: order(hits) for leg, hits in yours.items()}
                pairs = [(a, b) for leg in mine for a, b in zip(mine[leg], yours[leg], strict=True)]
                assert all(a.score == pytest.approx(b.score, abs=1e-5) for a, b in pairs)
                assert all(a._replace(score=0.0) == b._replace(score=0.0) for a, b in pairs)


FUSIONS = [
    Fusion("rrf", 2, {"dense": 1.0, "question": 1.0, "sparse": 1.0}),
    Fusion("rrf", 61, {"dense": 0.5, "question": 0.0, "sparse": 0.9}),
    Fusion("dbsf", 2, {"dense": 1.0, "question": 1.0, "sparse": 1.0}),
]


@pytest.mark.parametrize("engine", OTHERS)
async def test_fusions_are_the_embedded_ones(engine: str, tmp_path: Path) -> None:
    """Without twins: an engine ranks equal scores of a leg as it likes before it fuses them."""
    async with both(engine, tmp_path, many(COUNT, twins=False)) as (ours, theirs):
        for fusion in FUSIONS:
            for number, question in enumerate(QUESTIONS):
                both_fused = [await index.fuse(*asked(number), *question, 30, fusion) for index in (ours, theirs)]
                mine, yours = [dict(zip(order(hits), (hit.score for hit in hits), strict=True)) for hits in both_fused]
                assert mine == pytest.approx(yours, abs=1e-5)
                assert best_first(mine) == best_first(yours)


async def test_the_examples_fill_every_leg_and_filter() -> None:
    """So that the comparison above compares something."""
    points = many(COUNT, twins=True)
    assert {p.source for p in points} == {"vue", "pinia", "vite"}
    assert any(p.dense is None for p in points)
    for sources, scope in QUESTIONS:
        for question in (True, False):
            fits = [p for p in points if (not sources or p.source in sources) and scope in ("all", *p.scopes)]
            assert any((p.kind == "question") == question for p in fits)
