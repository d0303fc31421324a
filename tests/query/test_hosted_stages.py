"""What the query stages do with hosted engines: a reranker's order and threshold, deadlines, and what is left when one fails."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from fakes import WordEmbedder
from small_docs import VUE, Workplace, fake_config

from vuedocs.clients import Reranker
from vuedocs.errors import ProviderError
from vuedocs.query import recent
from vuedocs.query.clients import QueryClients
from vuedocs.query.reader import Reader
from vuedocs.query.recent import Interactive, Recent
from vuedocs.query.rerank import rerank
from vuedocs.records import Candidate, Search, Vector
from vuedocs.settings import PATIENT, Deadlines

SECTION = fake_config("rerank.method=jina", "rerank.depth=3", "rerank.min_score=0.0").rerank
CANDIDATES = tuple(Candidate(name, {"fused": 1.0 - place / 10}) for place, name in enumerate("abcd"))


class FixedReranker:
    name = "fixed"

    def __init__(self, scores: Sequence[float], seconds: float = 0.0, error: ProviderError | None = None) -> None:
        self.scores, self.seconds, self.error = scores, seconds, error
        self.seen: list[str] = []

    async def rerank(self, query: str, documents: Sequence[str]) -> list[float]:
        self.seen = list(documents)
        await asyncio.sleep(self.seconds)
        if self.error:
            raise self.error
        return list(self.scores)

    async def aclose(self) -> None: ...


class FailingEmbedder(WordEmbedder):
    """Fails while ``down``; notes what queries it was asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.down = False
        self.asked: list[str] = []

    async def embed_query(self, text: str) -> Vector:
        self.asked.append(text)
        if self.down:
            raise ProviderError("the service is down; try again later")
        return await super().embed_query(text)


async def reranked(reranker: Reranker, deadlines: Deadlines = PATIENT) -> Search:
    clients = QueryClients(None, None, None, reranker, deadlines)  # type: ignore[arg-type]
    return await rerank(Search("q", candidates=CANDIDATES), SECTION, clients)


class TestRerank:
    async def test_the_reranker_orders_what_it_sees_and_its_threshold_cuts(self) -> None:
        reranker = FixedReranker([0.1, -0.2, 0.5])
        state = await reranked(reranker)
        assert reranker.seen == ["a", "b", "c"]
        assert [candidate.chunk_id for candidate in state.candidates] == ["c", "a", "d"]
        assert "rerank" not in state.candidates[-1].scores
        assert state.degraded == ()

    async def test_a_failed_reranker_leaves_the_order_and_applies_no_threshold(self) -> None:
        state = await reranked(FixedReranker([], error=ProviderError("down")))
        assert (state.candidates, state.degraded) == (CANDIDATES, ("rerank",))

    async def test_one_that_is_late_has_failed(self) -> None:
        state = await reranked(FixedReranker([0.1] * 3, seconds=30), Deadlines(rerank=0.05))
        assert (state.candidates, state.degraded) == (CANDIDATES, ("rerank",))


@pytest.fixture
async def place(tmp_path: Path) -> Workplace:
    workplace = Workplace(tmp_path)
    workplace.embedder = FailingEmbedder()
    workplace.write("vue", VUE)
    await workplace.ingest("vue")
    return workplace


async def opened(place: Workplace, *overrides: str, interactive: Interactive | None = None) -> Reader:
    reader = await place.reader(fake_config(*overrides))
    reader._interactive = interactive
    return reader


class TestWithoutEmbedder:
    async def test_it_is_an_error_that_says_so(self, place: Workplace) -> None:
        reader = await opened(place)
        place.embedder.down = True  # type: ignore[attr-defined]
        with pytest.raises(ProviderError, match="service is down"):
            await reader.search(Search("watch a ref"))
        await reader.aclose()

    async def test_or_by_config_a_search_by_words_that_is_marked(self, place: Workplace) -> None:
        reader = await opened(place, "detect.without_embedder=lexical")
        whole = await reader.search(Search("nested mutations deep watcher"))
        place.embedder.down = True  # type: ignore[attr-defined]
        words = await reader.search(Search("nested mutations deep watcher"))
        assert (whole.state.degraded, words.state.degraded) == ((), ("detect",))
        assert words.state.dense is None
        assert "only sections that share words" in words.state.notes[-1]
        assert words.state.passages[0].title == "Deep Watchers"
        await reader.aclose()

    async def test_a_corrected_query_is_embedded_in_its_right_spelling(self, place: Workplace) -> None:
        reader = await opened(place)
        await reader.search(Search("comuted caching"))
        assert place.embedder.asked == ["comuted caching", "computed caching"]  # type: ignore[attr-defined]
        await reader.aclose()


class TestInteractive:
    async def test_a_repeated_search_asks_no_model(self, place: Workplace) -> None:
        reader = await opened(place, interactive=Interactive(Deadlines(), Recent()))
        first = await reader.search(Search("watch a ref"))
        again = await reader.search(Search("watch a ref"))
        await reader.search(Search("watch a ref", max_results=1))
        await reader.search(Search("watch a ref"), config=fake_config("search.fusion=rrf"))
        assert again.state == first.state
        assert {step.reused for step in again.steps} == {True}
        assert len(place.embedder.asked) == 3  # type: ignore[attr-defined]
        await reader.aclose()

    async def test_what_was_degraded_is_asked_again(self, place: Workplace) -> None:
        reader = await opened(place, "detect.without_embedder=lexical", interactive=Interactive(Deadlines(), Recent()))
        place.embedder.down = True  # type: ignore[attr-defined]
        assert (await reader.search(Search("watch a ref"))).state.degraded == ("detect",)
        place.embedder.down = False  # type: ignore[attr-defined]
        assert (await reader.search(Search("watch a ref"))).state.degraded == ()
        await reader.aclose()

    async def test_the_whole_has_a_deadline(self, place: Workplace) -> None:
        reader = await opened(place, interactive=Interactive(Deadlines(total=0.001), Recent()))
        with pytest.raises(ProviderError, match="took longer than"):
            await reader.search(Search("watch a ref"))
        await reader.aclose()

    async def test_memory_is_bounded_and_fades(self, place: Workplace, monkeypatch: pytest.MonkeyPatch) -> None:
        reader = await opened(place)
        result = await reader.search(Search("watch a ref"))
        await reader.aclose()
        now = [0.0]
        monkeypatch.setattr(recent, "ANSWERS", 2)
        kept = Recent(lambda: now[0])
        for name in "abc":
            kept.put((name,), result)
        assert [kept.get((name,)) is not None for name in "abc"] == [False, True, True]
        now[0] = recent.SECONDS + 1
        assert kept.get(("c",)) is None


def test_keys_differ_in_all_that_an_answer_depends_on() -> None:
    config = fake_config()
    keys = {
        recent.key_of("g1", config, Search("q"), ()),
        recent.key_of("g2", config, Search("q"), ()),
        recent.key_of("g1", fake_config("rerank.depth=5"), Search("q"), ()),
        recent.key_of("g1", config, Search("q", skip=3), ()),
        recent.key_of("g1", config, Search("q"), ("expand",)),
        recent.key_of("g1", config, replace(Search("q"), scope="guide"), ()),
    }
    assert len(keys) == 6
