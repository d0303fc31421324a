"""Batches over HTTP against a stand-in of Gemini: handed in once and paid for once, whatever happens on the way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from fakes import MemoryDatabase
from hosted import HostedPlace, hosted_config, settings_for, switch_on
from small_docs import VUE
from standins.server import Standin

from vuedocs.clients.gemini_writer import MOST_OUTPUT
from vuedocs.clients.ledger import price_list
from vuedocs.errors import BatchLostError, BudgetError, DatabaseError, ProviderError
from vuedocs.records import Ingest

CONFIG = hosted_config("hype.method=local", "embed.embedder=jina-embeddings-v4")
PAGES = ("guide/watchers", "guide/components/slots")
SECTIONS = 5


class FailingDatabase(MemoryDatabase):
    """Loses its connection when the n-th value about batches is to be remembered."""

    def __init__(self, fails: int) -> None:
        super().__init__()
        self.left = fails

    async def remember(self, values: Mapping[bytes, bytes], kind: str) -> None:
        self.left -= kind == "batch"
        if self.left == 0 and kind == "batch":
            raise DatabaseError("the connection is gone")
        await super().remember(values, kind)


@pytest.fixture
def place(standin: Standin, tmp_path: Path) -> HostedPlace:
    workplace = HostedPlace(tmp_path, replace(settings_for(standin, tmp_path), gemini_batch=True))
    workplace.write("vue", {path: VUE[path] for path in PAGES})
    return workplace


async def ingested(place: HostedPlace) -> Ingest:
    return await place.hosted_ingest("vue", config=CONFIG)


def handed_in(standin: Standin) -> list[int]:
    """Prompts of each batch."""
    return [len(batch["requests"]) for batch in standin.kept.batches.values()]


def paid(place: HostedPlace) -> int:
    return sum(entry.usage.input + entry.usage.output for entry in place.database.entries if entry.provider == "gemini")


async def test_a_batch_costs_half(place: HostedPlace, standin: Standin) -> None:
    state = await ingested(place)
    assert (state.counts["contexts_asked"], state.counts["contexts_failed"]) == (SECTIONS, 0)
    assert handed_in(standin) == [SECTIONS]
    price = price_list()[1]["gemini-3.1-flash-lite"]
    entries = [entry for entry in place.database.entries if entry.provider == "gemini"]
    assert len(entries) == SECTIONS
    for entry in entries:
        assert entry.usage.batch
        assert entry.usd == pytest.approx((entry.usage.input * price.input + entry.usage.output * price.output) / 2e6)
    await ingested(place)
    assert handed_in(standin) == [SECTIONS], "what was answered is remembered"


async def test_an_outage_is_waited_for(place: HostedPlace, standin: Standin) -> None:
    switch_on(standin, "gemini:batches:503:8:1")
    assert (await ingested(place)).counts["contexts_failed"] == 0
    assert handed_in(standin) == [SECTIONS]


async def test_a_run_that_gave_up_is_followed_by_one_that_takes_its_batch_up(
    place: HostedPlace, standin: Standin, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vuedocs.ingest.batches.OUTAGES", 1)
    switch_on(standin, "gemini:batches:503:always:1")
    with pytest.raises(ProviderError, match="the next ingest takes it up and pays nothing again"):
        await ingested(place)
    standin.gemini.faults.waiting.clear()
    path = "guide/components/slots"
    place.write("vue", {path: VUE[path].replace("header outlet", "footer outlet")})
    assert (await ingested(place)).counts["contexts_failed"] == 0
    assert handed_in(standin) == [SECTIONS, 2], "the page that was edited meanwhile is asked for anew, and it alone"


@pytest.mark.parametrize("fails", [1, 2, 3])
async def test_a_run_that_broke_off_anywhere_pays_once(standin: Standin, place: HostedPlace, fails: int) -> None:
    """Before the batch is handed in; before its name is kept; when its answers are in the ledger, before that is noted."""
    place.database = FailingDatabase(fails)
    with pytest.raises(DatabaseError):
        await ingested(place)
    assert (await ingested(place)).counts["contexts_failed"] == 0
    assert handed_in(standin) == [SECTIONS]
    assert paid(place) == standin.gemini.calls.tokens("batches")


async def test_one_that_arrived_though_its_answer_was_lost_is_found_by_its_label(place: HostedPlace, standin: Standin) -> None:
    switch_on(standin, "gemini:generate:answer-lost:1")
    assert (await ingested(place)).counts["contexts_failed"] == 0
    assert handed_in(standin) == [SECTIONS]


async def test_one_that_ends_without_answers_is_handed_in_anew_once(place: HostedPlace, standin: Standin) -> None:
    switch_on(standin, "gemini:batches:batch-failed:1")
    assert (await ingested(place)).counts["contexts_failed"] == 0
    assert handed_in(standin) == [SECTIONS, SECTIONS]


async def test_where_that_fails_too_no_section_is_given_up_for_good(place: HostedPlace, standin: Standin) -> None:
    switch_on(standin, "gemini:batches:batch-failed:2")
    with pytest.raises(BatchLostError, match="JOB_STATE_FAILED and without answers; run the ingest again"):
        await ingested(place)
    assert (await ingested(place)).counts["contexts_failed"] == 0


async def test_one_that_the_service_no_longer_knows_is_handed_in_anew(
    place: HostedPlace, standin: Standin, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vuedocs.ingest.batches.OUTAGES", 1)
    switch_on(standin, "gemini:batches:503:always")
    with pytest.raises(ProviderError):
        await ingested(place)
    standin.gemini.faults.waiting.clear()
    standin.kept.batches.clear()
    assert (await ingested(place)).counts["contexts_failed"] == 0


async def test_an_entry_that_failed_is_asked_for_again_and_it_alone(place: HostedPlace, standin: Standin) -> None:
    switch_on(standin, "gemini:batches:entry-error:1:1")
    assert (await ingested(place)).counts["contexts_failed"] == 0
    assert handed_in(standin) == [SECTIONS, 1]


async def test_the_cost_limit_holds_for_what_is_under_way(
    place: HostedPlace, standin: Standin, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vuedocs.clients.gemini_writer.BATCH_BYTES", 6000)  # two sections
    place.limit = 1.5 * 2 * MOST_OUTPUT * price_list()[1]["gemini-3.1-flash-lite"].output / 2e6
    with pytest.raises(BudgetError, match="are set aside for what is under way"):
        await ingested(place)
    first = handed_in(standin)
    assert len(first) == 1
    place.limit = 1.0
    await ingested(place)
    assert handed_in(standin)[0] == first[0]
    assert sum(handed_in(standin)) == SECTIONS
    assert paid(place) == standin.gemini.calls.tokens("batches")
