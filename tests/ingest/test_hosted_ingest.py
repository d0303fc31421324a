"""A whole ingest on hosted engines over HTTP, with every fault of the services switched on in turn, and interrupted."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import asdict
from pathlib import Path

import pytest
from hosted import HOSTED, HostedPlace, fresh, hosted_config, secrets_in, settings_for, switch_on
from small_docs import VUE, fake_config
from standins.server import Standin

from vuedocs.errors import BudgetError, ProviderError, ProviderRefusedError
from vuedocs.query.reader import Reader, open_generation
from vuedocs.records import Ingest, Search

PASSING = {
    "jina:embeddings": ("429", "429-tokens", "429-after", "500", "503", "504", "html", "closed", "no-json", "timeout"),
    "gemini:generate": ("429", "500", "503", "504", "html", "closed", "no-json", "timeout"),
}
ANSWERED = {"jina:embeddings": ("fewer", "reordered", "wrong-dims", "nan"), "gemini:generate": ("blocked", "cut", "empty", "few")}
"""Paid for, but not good: asked again as far as is needed."""
STOPPING = ("jina:embeddings:no-credit", "jina:embeddings:bad-key", "gemini:generate:bad-key", "gemini:generate:429-day")


@pytest.fixture
def place(standin: Standin, tmp_path: Path) -> HostedPlace:
    return placed(standin, tmp_path)


def placed(standin: Standin, folder: Path, limit: float | None = None) -> HostedPlace:
    short = {"JINA_TIMEOUT": 0.5, "GEMINI_TIMEOUT": 0.5}
    workplace = HostedPlace(folder, settings_for(standin, folder, **short), limit)
    pages = ("guide/watchers", "guide/components/slots")
    workplace.write("vue", {path: VUE[path] for path in pages})
    return workplace


@pytest.fixture(scope="module")
def clean(standins: Standin, tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    """What a run without faults does."""
    place = placed(fresh(standins), tmp_path_factory.mktemp("clean"))
    state = asyncio.run(place.hosted_ingest("vue"))
    return {
        "place": place,
        "points": content(state),
        "generate": sorted(standins.gemini.calls.paid_texts("generate")),
        "embeddings": sorted(standins.jina.calls.paid_texts("embeddings")),
    }


def content(state: Ingest) -> dict[str, tuple[object, ...]]:
    """What a state would put into an index."""
    return {p.id: (p.chunk_id, p.kind, p.text, p.sparse, None if p.dense is None else p.dense.tobytes()) for p in state.points}


@pytest.mark.parametrize("fault", [f"{place}:{fault}" for place, faults in PASSING.items() for fault in faults])
async def test_a_fault_that_passes_changes_nothing_but_the_count_of_retries(
    place: HostedPlace, standin: Standin, clean: dict[str, object], fault: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    switch_on(standin, f"{fault}:1")
    state = await place.hosted_ingest("vue")
    assert content(state) == clean["points"]
    assert sorted(standin.gemini.calls.paid_texts("generate")) == clean["generate"]
    assert sorted(standin.jina.calls.paid_texts("embeddings")) == clean["embeddings"]
    assert sum(entry.retries for entry in place.database.entries) == 1
    manifest = await place.database.published()
    assert manifest is not None
    index, writer = manifest.engines["index"], "gemini-3.1-flash-lite"
    assert index.startswith("qdrant edge 0.")
    assert manifest.engines == {"index": index, "embedder": "jina-embeddings-v4", "enrich": writer, "hype": writer}
    assert secrets_in([*caplog.messages, str(asdict(manifest)), *map(str, place.database.entries)]) == []


@pytest.mark.parametrize("fault", [f"{place}:{fault}" for place, faults in ANSWERED.items() for fault in faults])
async def test_an_answer_that_is_not_good_is_asked_for_again(
    place: HostedPlace, standin: Standin, clean: dict[str, object], fault: str
) -> None:
    endpoint = fault.split(":")[1]
    skip = 6 if fault.endswith("few") else 0  # questions come after the sentences
    switch_on(standin, f"{fault}:1:{skip}")
    assert content(await place.hosted_ingest("vue")) == clean["points"]
    provider = standin.providers()[fault.split(":")[0]]
    again = len(provider.calls.paid_texts(endpoint)) - len(clean[endpoint])  # type: ignore[arg-type]
    texts = len(clean["embeddings"])  # type: ignore[arg-type]
    expected = {"reordered": 0, "fewer": 1, "wrong-dims": texts, "nan": texts}
    assert again == expected.get(fault.split(":")[2], 1)


@pytest.mark.parametrize("stop", STOPPING)
async def test_what_cannot_pass_stops_at_once_and_the_next_run_pays_only_for_the_rest(
    place: HostedPlace, standin: Standin, clean: dict[str, object], stop: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    for interrupted_at in (0, 1, 5):
        switch_on(standin, f"{stop}:always:{interrupted_at}")
        if stop.startswith("jina") and interrupted_at > 0:
            standin.jina.faults.waiting.clear()
            continue
        with pytest.raises(ProviderRefusedError) as caught:
            await place.hosted_ingest("vue")
        assert secrets_in([str(caught.value), *caplog.messages]) == []
        assert await place.database.published() is None
        standin.jina.faults.waiting.clear()
        standin.gemini.faults.waiting.clear()
    assert content(await place.hosted_ingest("vue")) == clean["points"]
    assert sorted(standin.gemini.calls.paid_texts("generate")) == clean["generate"]
    assert sorted(standin.jina.calls.paid_texts("embeddings")) == clean["embeddings"]


async def test_vectors_that_came_before_a_failure_are_not_paid_for_again(
    place: HostedPlace, standin: Standin, clean: dict[str, object]
) -> None:
    switch_on(standin, "jina:embeddings:fewer:1", "jina:embeddings:no-credit:1")
    with pytest.raises(ProviderRefusedError, match="top it up"):
        await place.hosted_ingest("vue")
    assert content(await place.hosted_ingest("vue")) == clean["points"]
    again = len(standin.jina.calls.paid_texts("embeddings")) - len(clean["embeddings"])  # type: ignore[arg-type]
    assert again == 1, "the one that had been left out, and billed"


async def test_cancelled_at_any_moment_it_resumes(standin: Standin, tmp_path: Path, clean: dict[str, object]) -> None:
    place = placed(standin, tmp_path)
    standin.gemini.delay = standin.jina.delay = 0.02
    for _ in range(4):
        running_ingest = asyncio.create_task(place.hosted_ingest("vue"))
        before = len(standin.gemini.calls.seen) + len(standin.jina.calls.seen)
        while not running_ingest.done() and len(standin.gemini.calls.seen) + len(standin.jina.calls.seen) < before + 3:
            await asyncio.wait([running_ingest], timeout=0.005)
        running_ingest.cancel()
        await asyncio.wait([running_ingest])
    assert content(await place.hosted_ingest("vue")) == clean["points"]
    assert sorted(standin.gemini.calls.paid_texts("generate")) == clean["generate"]
    assert sorted(standin.jina.calls.paid_texts("embeddings")) == clean["embeddings"]


async def test_the_cost_limit_stops_and_a_higher_one_goes_on(standin: Standin, tmp_path: Path, clean: dict[str, object]) -> None:
    place = placed(standin, tmp_path, limit=0.001)
    with pytest.raises(BudgetError, match="run again with a higher --max-cost"):
        await place.hosted_ingest("vue")
    assert 0 < place.ledger.usd <= 0.001
    place.limit = 1.0
    await place.hosted_ingest("vue")
    assert sorted(standin.gemini.calls.paid_texts("generate")) == clean["generate"]
    billed = standin.gemini.calls.tokens("generate") + standin.jina.calls.tokens("embeddings")
    assert sum(entry.usage.input + entry.usage.output for entry in place.database.entries) == billed


class TestSearch:
    """Queries over the index that the ingest without faults made."""

    @pytest.fixture
    def place(self, clean: dict[str, object], standin: Standin) -> HostedPlace:
        return clean["place"]  # type: ignore[return-value]

    async def reader(self, place: HostedPlace, services: object, *overrides: str) -> Reader:
        from vuedocs.clients.engines import open_embedder

        config = hosted_config(*overrides)
        generation = await open_generation(await place.database.published(), config, place.database, place.builder)  # type: ignore[arg-type]
        embedder = open_embedder(config.embed, place.settings, services)  # type: ignore[arg-type]
        return Reader(config, place.database, place.builder, embedder, generation, services)  # type: ignore[arg-type]

    async def test_fifty_at_once_share_few_connections(self, place: HostedPlace, standin: Standin) -> None:
        async with place.services() as services:
            reader = await self.reader(place, services)
            fresh(standin)
            results = await asyncio.gather(*(reader.search(Search(f"deep watcher number {n}")) for n in range(50)))
            assert {result.state.degraded for result in results} == {()}
            assert {result.state.candidates[0].chunk.title for result in results if result.state.candidates[0].chunk} == {
                "Deep Watchers"
            }
            assert standin.jina.calls.connections() <= 2
            assert {entry.stage for entry in reader.paid} == {"detect", "rerank"}
            await reader.aclose()

    @pytest.mark.parametrize("fault", ["503", "no-credit", "bad-key", "fewer", "closed", "timeout"])
    async def test_without_a_reranker_the_fused_order_is_served_and_marked(
        self, place: HostedPlace, standin: Standin, fault: str
    ) -> None:
        async with place.services() as services:
            reader = await self.reader(place, services)
            switch_on(standin, f"jina:rerank:{fault}:always")
            state = (await reader.search(Search("nested mutations of the whole object"))).state
            assert state.degraded == ("rerank",)
            assert state.passages[0].title == "Deep Watchers"
            await reader.aclose()

    async def test_a_threshold_above_every_score_leaves_nothing(self, place: HostedPlace, standin: Standin) -> None:
        async with place.services() as services:
            reader = await self.reader(place, services, "rerank.min_score=0.9")
            state = (await reader.search(Search("nested mutations"))).state
            assert (state.passages, state.degraded) == ((), ())
            await reader.aclose()

    async def test_without_an_embedder_it_is_an_error_with_a_remedy(self, place: HostedPlace, standin: Standin) -> None:
        async with place.services() as services:
            reader = await self.reader(place, services)
            switch_on(standin, "jina:embeddings:no-credit:always")
            with pytest.raises(ProviderError, match="top it up"):
                await reader.search(Search("nested mutations"))
            await reader.aclose()


def test_the_hosted_config_is_whole(project: Path) -> None:
    from vuedocs.config import load

    config = load(project / "evals" / "configs" / "hosted.toml")
    assert (config.embed.embedder, config.embed.dims, config.rerank.method) == ("jina-embeddings-v4", 2048, "jina")
    assert {config.enrich.method, config.hype.method} == {"gemini"}
    assert fake_config(*HOSTED).rerank.depth <= 64
