"""A dry run counts what the real run is then billed for, within what an estimate can know."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest
from hosted import HostedPlace, fresh, hosted_config, settings_for
from small_docs import VUE, fake_config
from standins.server import running

from vuedocs.clients import Database, IndexBuilder
from vuedocs.clients.ledger import Ledger, Total, Usage, totals
from vuedocs.config import Config
from vuedocs.ingest import INGEST_STAGES
from vuedocs.ingest.clients import IngestClients
from vuedocs.ingest.estimate import CountingWriter, ForgettingDatabase, counting_embedder, spent
from vuedocs.ingest.session import begin, silent
from vuedocs.stages import run


async def counted(place: HostedPlace, config: Config) -> list[Total]:
    ledger = Ledger("dry run")
    writers = {stage: CountingWriter("gemini-3.1-flash-lite", stage, False, ledger) for stage in ("enrich", "hype")}
    clients = IngestClients(
        counting_embedder(config, place.settings, ledger),
        cast(Database, ForgettingDatabase(cast(Database, place.database))),
        cast(IndexBuilder, None),
        place.docs.parent,
        "",
        {},
        silent,
        writers,  # type: ignore[arg-type]
    )
    await run(INGEST_STAGES, begin(["vue"], place.docs), config, clients, skip=("store",))
    return totals(ledger.entries)


async def test_it_counts_what_is_then_billed_and_nothing_of_what_is_remembered(tmp_path: Path) -> None:
    with running() as standin:
        place = HostedPlace(tmp_path, settings_for(fresh(standin), tmp_path))
        place.write("vue", VUE)
        expected = {total.stage: total for total in await counted(place, hosted_config())}
        assert (standin.gemini.calls.seen, standin.jina.calls.seen, place.database.memory) == ([], [], {})
        await place.hosted_ingest("vue")
        billed = {total.stage: total for total in totals(place.ledger.entries)}
        assert expected.keys() == billed.keys() == {"enrich", "hype", "embed"}
        assert expected["enrich"].calls == billed["enrich"].calls == 11
        for stage, total in billed.items():
            assert expected[stage].usage.input == pytest.approx(total.usage.input, rel=0.3), stage
        again = await counted(place, hosted_config())
        assert sum(total.usd for total in again) == 0


async def test_a_local_config_costs_nothing(tmp_path: Path) -> None:
    with running() as standin:
        place = HostedPlace(tmp_path, settings_for(fresh(standin), tmp_path))
        place.write("vue", VUE)
        found = await counted(place, fake_config("embed.dims=384"))
    assert found == []
    assert "nothing is asked of a paid service" in spent(found, "dry run")


def test_totals_in_words() -> None:
    words = spent([Total("jina", "jina-reranker-v3", "rerank", 3, 1, Usage(24_000), 0.0012)], "paid services")
    assert words.startswith("paid services: $0.0012 (prices of 2026-11-30)\n  rerank: jina-reranker-v3, 3 calls")
    assert "(1 more failed), 24,000 tokens in" in words
