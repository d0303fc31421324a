"""The whole way with a Qdrant server: ingest and search over HTTP give what the embedded index gives."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_docs import PINIA, VUE, Workplace, fake_config
from standins.faults import parse
from standins.server import running

from vuedocs.clients.qdrant import QdrantBuilder
from vuedocs.clients.qdrant_server import QdrantServer
from vuedocs.errors import IndexDamagedError
from vuedocs.records import Search
from vuedocs.settings import QdrantSettings

QUESTIONS = ("derived value", "computed getter setter", "deep watcher", "named slots header", "global state store", "watchEffect")


async def orders(workplace: Workplace) -> list[list[str]]:
    """For each question, the candidates, best first; scores that differ only by the engines' rounding are one."""
    reader = await workplace.reader(fake_config("search.fusion=minmax"))
    found = []
    for question in QUESTIONS:
        for search in (Search(question), Search(question, sources=("vue",), scope="guide")):
            candidates = (await reader.search(search)).state.candidates
            ranked = sorted(candidates, key=lambda one: (-round(one.order, 4), one.chunk_id))
            found.append([one.chunk_id for one in ranked])
    await reader.aclose()
    return found


async def test_ingest_and_search_give_what_the_embedded_index_gives(tmp_path: Path) -> None:
    with running() as standin:
        settings = QdrantSettings(standin.qdrant_url)
        embedded, served = Workplace(tmp_path / "embedded"), Workplace(tmp_path / "served")
        for place in (embedded, served):
            place.write("vue", VUE)
            place.write("pinia", PINIA)
        served.builder = QdrantBuilder(QdrantServer(settings), "0123abcd")  # type: ignore[assignment]
        standin.qdrant.faults.waiting.extend(map(parse, ("create:503:2", "upsert:429:1", "upsert:closed:1:1")))
        for place in (embedded, served):
            assert (await place.ingest("vue", "pinia")).counts["published"] == 1
        assert (await served.ingest("vue")).counts["published"] == 0

        mine, yours = await orders(embedded), await orders(served)
        assert mine == yours
        assert all(mine)

        standin.index.made.clear()
        builder = QdrantBuilder(QdrantServer(settings), "0123abcd")
        served.builder = builder  # type: ignore[assignment]
        await builder.remove([])
        with pytest.raises(IndexDamagedError, match="is not there; run `vuedocs ingest` again"):
            await served.reader()
        assert (await served.ingest("vue", "pinia")).counts["published"] == 1
        await builder.aclose()
