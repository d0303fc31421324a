"""The same question from several people at the same moment, with hosted engines: counted by the stand-in that they ask."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from hosted import HostedPlace, fresh, settings_for, switch_on
from small_docs import VUE, fake_config
from standins.server import Standin

from vuedocs.clients.engines import open_embedder
from vuedocs.errors import ProviderRefusedError
from vuedocs.query.reader import Reader, open_generation
from vuedocs.query.recent import Interactive, Recent
from vuedocs.records import Search
from vuedocs.settings import Deadlines

CONFIG = fake_config("embed.embedder=jina-embeddings-v4", "rerank.method=jina")
QUESTION = Search("how does a deep watcher work")


@asynccontextmanager
async def opened(standin: Standin, folder: Path) -> AsyncIterator[Reader]:
    """A reader of an ingested site, whose hosted models have seen nothing yet and take a while."""
    place = HostedPlace(folder, settings_for(standin, folder))
    place.write("vue", VUE)
    await place.hosted_ingest("vue", config=CONFIG)
    async with place.services() as services:
        generation = await open_generation(await place.database.published(), CONFIG, place.database, place.builder)  # type: ignore[arg-type]
        embedder = open_embedder(CONFIG.embed, place.settings, services)
        manner = Interactive(Deadlines(), Recent())
        reader = Reader(CONFIG, place.database, place.builder, embedder, generation, services, manner)  # type: ignore[arg-type]
        fresh(standin)
        standin.jina.delay = 0.1
        yield reader
        await reader.aclose()


def calls(standin: Standin) -> tuple[int, int]:
    """Of embeddings, and of the reranker."""
    return len(standin.jina.calls.of("embeddings")), len(standin.jina.calls.of("rerank"))


async def test_is_searched_and_paid_once(standin: Standin, tmp_path: Path) -> None:
    async with opened(standin, tmp_path) as reader:
        results = await asyncio.gather(*(reader.search(QUESTION) for _ in range(5)), reader.search(Search("named slots")))
        assert calls(standin) == (2, 2)
    assert [result.state is results[0].state for result in results] == [True] * 5 + [False]
    assert results[0].state.passages
    assert [all(step.reused for step in result.steps) for result in results] == [False, True, True, True, True, False]


async def test_who_gives_up_takes_nothing_from_the_others(standin: Standin, tmp_path: Path) -> None:
    async with opened(standin, tmp_path) as reader:
        first, second, third = (asyncio.create_task(reader.search(QUESTION)) for _ in range(3))
        await asyncio.sleep(0.05)
        first.cancel()
        third.cancel()
        assert (await second).state.passages
        assert first.cancelled()
        assert third.cancelled()
        assert calls(standin) == (1, 1)


async def test_what_nobody_waits_for_any_more_ends(standin: Standin, tmp_path: Path) -> None:
    async with opened(standin, tmp_path) as reader:
        both = [asyncio.create_task(reader.search(QUESTION)) for _ in range(2)]
        await asyncio.sleep(0.05)
        for task in both:
            task.cancel()
        await asyncio.wait(both)
        assert [task.get_name() for task in asyncio.all_tasks() if task.get_name() == "vuedocs-search"] == []
        assert calls(standin)[1] == 0
        assert (await reader.search(QUESTION)).state.passages


async def test_an_error_is_everybodys_and_is_not_kept(standin: Standin, tmp_path: Path) -> None:
    async with opened(standin, tmp_path) as reader:
        switch_on(standin, "jina:embeddings:no-credit:always")
        results = await asyncio.gather(*(reader.search(QUESTION) for _ in range(3)), return_exceptions=True)
        assert {type(result) for result in results} == {ProviderRefusedError}
        assert calls(standin) == (1, 0)
        fresh(standin)
        assert (await reader.search(QUESTION)).state.passages
