"""Jina's client over real HTTP, against a stand-in that answers and fails as the service does."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import numpy as np
import pytest
from hosted import WINDOW
from standins.faults import parse
from standins.limits import Limits
from standins.server import Standin
from standins.throughput import loaded, share_of

from vuedocs.clients.gemini import GeminiClient
from vuedocs.clients.jina import JinaClient, count_tokens, retry_after, texts_in_blocks, token_spans
from vuedocs.clients.jina_models import JinaEmbedder, JinaReranker, usable
from vuedocs.clients.ledger import Ledger, Usage, price_list, price_of, totals
from vuedocs.clients.pacing import Allowance, Limiter, pause, within
from vuedocs.errors import BudgetError, ConfigError, IncompleteError, ProviderError, ProviderRefusedError
from vuedocs.ingest.estimate import spent
from vuedocs.settings import Service, Settings

KEY = "jina_0123456789abcdef"


class SkippingLoop(asyncio.SelectorEventLoop):
    """An event loop whose clock jumps to the next timer as soon as nothing else is to be done."""

    skipped = 0.0

    def time(self) -> float:
        return super().time() + self.skipped

    def _run_once(self) -> None:
        if not self._ready and self._scheduled:  # type: ignore[attr-defined]
            self.skipped += max(0.0, self._scheduled[0].when() - self.time())  # type: ignore[attr-defined]
        super()._run_once()  # type: ignore[misc]


def service(standin: Standin, **settings: object) -> Service:
    quick = {"key": KEY, "base_url": standin.jina_url, "window": WINDOW, "timeout": 5.0, "requests": 0, "tokens": 0}
    return replace(Service("JINA", ""), **{**quick, **settings})  # type: ignore[arg-type]


@asynccontextmanager
async def client(standin: Standin, ledger: Ledger | None = None, **settings: object) -> AsyncIterator[JinaClient]:
    opened = JinaClient(service(standin, **settings), ledger or Ledger("test"))
    try:
        yield opened
    finally:
        await opened.aclose()


def fail(standin: Standin, *faults: str) -> None:
    standin.jina.faults.waiting[:] = [parse(fault) for fault in faults]


class TestEmbedding:
    async def test_vectors_have_unit_length_and_meaning(self, standin: Standin) -> None:
        async with client(standin) as jina:
            embedder = JinaEmbedder(jina, "jina-embeddings-v4", 256)
            passages = await embedder.embed(["watch a ref for changes", "keep a component alive", "route guards"])
            query = await embedder.embed_query("how do I watch a ref")
        assert passages.shape == (3, 256)
        assert np.linalg.norm(passages, axis=1) == pytest.approx([1, 1, 1], abs=1e-6)
        assert int(np.argmax(passages @ query)) == 0

    async def test_a_query_is_read_from_base64_or_else_from_digits(
        self, standin: Standin, caplog: pytest.LogCaptureFixture
    ) -> None:
        async with client(standin) as jina:
            embedder = JinaEmbedder(jina, "jina-embeddings-v4", 256)
            packed = await embedder.embed_query("watch a ref")
            (digits,) = await embedder.embed(["watch a ref"])
            assert len(standin.jina.calls.seen) == 2
            fail(standin, "embeddings:big-endian:always")
            for _ in range(2):
                assert np.array_equal(await embedder.embed_query("watch a ref"), digits)
        assert np.array_equal(packed, digits)
        assert len(standin.jina.calls.seen) == 2 + 2 + 1
        assert caplog.text.count("no vector can be read from base64") == 1

    async def test_tokens_are_entered_in_the_ledger_as_they_are_billed(self, standin: Standin) -> None:
        ledger = Ledger("test")
        async with client(standin, ledger) as jina:
            embedder = JinaEmbedder(jina, "jina-embeddings-v4", 128)
            await embedder.embed(["one two three"])
            await embedder.embed_query("four")
        assert [(entry.model, entry.stage, entry.usage.input) for entry in ledger.entries] == [
            ("jina-embeddings-v4", "embed", 3),
            ("jina-embeddings-v4", "detect", 1),
        ]
        assert ledger.usd == pytest.approx(4 * 0.05 / 1e6)

    @pytest.mark.parametrize(
        ("fault", "statuses"),
        [
            ("429", [429, 429, 200]),
            ("429-tokens", [429, 429, 200]),
            ("500", [500, 500, 200]),
            ("503", [503, 503, 200]),
            ("504", [504, 504, 200]),
            ("html", [502, 502, 200]),
            ("closed", [200, 200, 200]),
            ("no-json", [200, 200, 200]),
        ],
    )
    async def test_what_may_pass_is_tried_again(self, standin: Standin, fault: str, statuses: list[int]) -> None:
        fail(standin, f"embeddings:{fault}:2")
        async with client(standin) as jina:
            matrix = await JinaEmbedder(jina, "jina-embeddings-v4", 64).embed(["a text"])
            assert jina.retries == 2
        assert matrix.shape == (1, 64)
        assert standin.jina.calls.statuses("embeddings") == statuses
        assert standin.jina.calls.paid_texts("embeddings") == ["a text"]

    async def test_a_silent_service_is_tried_again_after_the_timeout(self, standin: Standin) -> None:
        fail(standin, "embeddings:timeout")
        async with client(standin, timeout=0.2) as jina:
            await JinaEmbedder(jina, "jina-embeddings-v4", 64).embed(["a text"])
            assert jina.retries == 1

    async def test_retry_after_is_honoured_and_a_token_window_waited_for(self, standin: Standin) -> None:
        async with client(standin) as jina:
            embedder = JinaEmbedder(jina, "jina-embeddings-v4", 64)
            for fault, least in (("429-after", 1.0), ("429-tokens", WINDOW), ("429", 0.0)):
                fail(standin, f"embeddings:{fault}")
                started = time.monotonic()
                await embedder.embed(["a text"])
                assert least <= time.monotonic() - started < least * 1.1 + 1.0, fault

    @pytest.mark.parametrize(
        ("fault", "words"),
        [("no-credit", "top it up"), ("bad-key", "JINA_API_KEY"), ("too-long", "embed.window_tokens")],
    )
    async def test_what_cannot_pass_stops_at_once_and_says_what_to_do(self, standin: Standin, fault: str, words: str) -> None:
        fail(standin, f"embeddings:{fault}:always")
        async with client(standin) as jina:
            with pytest.raises(ProviderRefusedError, match=words) as caught:
                await JinaEmbedder(jina, "jina-embeddings-v4", 64).embed(["a text"])
        assert KEY not in str(caught.value)
        assert len(standin.jina.calls.of("embeddings")) == 1

    @pytest.mark.parametrize("made", [JinaClient, GeminiClient])
    def test_a_key_that_is_none_is_refused_and_not_said(self, made: type[JinaClient | GeminiClient]) -> None:
        for key in ("planted\nkey", "planted kéy", "“planted”"):
            with pytest.raises(ProviderRefusedError, match="_API_KEY holds spaces or letters") as caught:
                made(replace(Service("X", ""), key=key), Ledger("test"))
            assert "planted" not in str(caught.value)

    @pytest.mark.parametrize("made", [JinaClient, GeminiClient])
    def test_an_address_that_is_none_is_refused_before_any_call(self, made: type[JinaClient | GeminiClient]) -> None:
        for address in ("localhost:9900", "ftp://host/v1", "http://host:port/v1", "http://", "http://[::1/v1"):
            with pytest.raises(ConfigError, match=r"X_BASE_URL is .* no address"):
                made(replace(Service("X", address), key=KEY), Ledger("test"))

    async def test_a_planned_block_is_one_call_however_long_its_texts_are(self, standin: Standin) -> None:
        async with client(standin) as jina:
            await JinaEmbedder(jina, "jina-embeddings-v4", 64).embed(["word " * 7000] * 6)
        assert len(standin.jina.calls.of("embeddings")) == 1

    async def test_no_key_is_said_before_any_call(self) -> None:
        with pytest.raises(ProviderRefusedError, match="JINA_API_KEY is not set"):
            JinaClient(Settings.from_environment({}).jina, Ledger("test"))

    async def test_a_service_that_stays_down_is_given_up(self, standin: Standin) -> None:
        fail(standin, "embeddings:503:always")
        async with client(standin, window=0.01) as jina:
            with pytest.raises(ProviderError, match="failed 6 times, the last time with: 503 SERVICE_UNAVAILABLE"):
                await JinaEmbedder(jina, "jina-embeddings-v4", 64).embed(["a text"])

    async def test_nobody_there(self, standin: Standin) -> None:
        async with client(standin, base_url="http://127.0.0.1:9/v1", window=0.01) as jina:
            with pytest.raises(ProviderError, match="ConnectError"):
                await JinaEmbedder(jina, "jina-embeddings-v4", 64).embed_query("a text")

    async def test_reordered_vectors_find_their_texts(self, standin: Standin) -> None:
        async with client(standin) as jina:
            embedder = JinaEmbedder(jina, "jina-embeddings-v4", 64)
            right = await embedder.embed(["red", "green", "blue"])
            fail(standin, "embeddings:reordered")
            assert np.array_equal(await embedder.embed(["red", "green", "blue"]), right)

    async def test_of_fewer_vectors_only_the_missing_are_asked_for_again(self, standin: Standin) -> None:
        fail(standin, "embeddings:fewer")
        async with client(standin) as jina:
            matrix = await JinaEmbedder(jina, "jina-embeddings-v4", 64).embed(["red", "green", "blue"])
        assert np.linalg.norm(matrix, axis=1) == pytest.approx([1, 1, 1], abs=1e-6)
        assert [call.texts for call in standin.jina.calls.seen] == [("red", "green", "blue"), ("blue",)]

    async def test_where_the_rest_fails_what_came_is_handed_over(self, standin: Standin) -> None:
        fail(standin, "embeddings:fewer", "embeddings:no-credit")
        async with client(standin) as jina:
            with pytest.raises(IncompleteError, match="top it up") as caught:
                await JinaEmbedder(jina, "jina-embeddings-v4", 64).embed(["red", "green", "blue"])
        assert sorted(caught.value.arrived) == [0, 1]
        assert isinstance(caught.value.cause, ProviderRefusedError)

    @pytest.mark.parametrize(("fault", "words"), [("wrong-dims", "32 dimensions in place of 64"), ("nan", "length nan")])
    async def test_vectors_of_no_use(self, standin: Standin, fault: str, words: str) -> None:
        async with client(standin) as jina:
            embedder = JinaEmbedder(jina, "jina-embeddings-v4", 64)
            fail(standin, f"embeddings:{fault}")
            assert (await embedder.embed(["red"])).shape == (1, 64)
            fail(standin, f"embeddings:{fault}:always")
            with pytest.raises(ProviderError, match=words):
                await embedder.embed(["red"])

    async def test_blocks_keep_the_limits_of_a_call(self, standin: Standin) -> None:
        async with client(standin) as jina:
            embedder = JinaEmbedder(jina, "jina-embeddings-v4", 8)
            texts = [f"word{number}" for number in range(600)]
            blocks = list(embedder.plan(texts))
            assert [len(block) for block in blocks] == [512, 88]
            assert (await embedder.embed(texts)).shape == (600, 8)
        assert set(standin.jina.calls.statuses("embeddings")) == {200}


class TestReranking:
    DOCUMENTS = ("routes and guards", "a watcher runs when a ref changes", "slots pass content")

    async def test_scores_come_in_the_order_of_the_documents(self, standin: Standin) -> None:
        async with client(standin) as jina:
            scores = await JinaReranker(jina, "jina-reranker-v3").rerank("watch a ref", self.DOCUMENTS)
            fail(standin, "rerank:reordered")
            assert await JinaReranker(jina, "jina-reranker-v3").rerank("watch a ref", self.DOCUMENTS) == scores
        assert scores[1] == max(scores) > 0.1
        assert min(scores) < 0

    @pytest.mark.parametrize("fault", ["fewer", "nan"])
    async def test_missing_scores_are_an_error(self, standin: Standin, fault: str) -> None:
        fail(standin, f"rerank:{fault}")
        async with client(standin) as jina:
            with pytest.raises(ProviderError, match="scored 2 of 3"):
                await JinaReranker(jina, "jina-reranker-v3").rerank("watch a ref", self.DOCUMENTS)

    async def test_no_more_documents_than_the_model_sees_together(self, standin: Standin) -> None:
        async with client(standin) as jina:
            reranker = JinaReranker(jina, "jina-reranker-v3")
            assert len(await reranker.rerank("x", ["y"] * 64)) == 64
            with pytest.raises(ValueError, match="65 documents"):
                await reranker.rerank("x", ["y"] * 65)


class TestMoney:
    async def test_the_limit_stops_before_the_call_that_passes_it(self, standin: Standin) -> None:
        ledger = Ledger("test", limit=100 * 0.05 / 1e6)
        async with client(standin, ledger) as jina:
            embedder = JinaEmbedder(jina, "jina-embeddings-v4", 8)
            await embedder.embed(["word " * 60])
            with pytest.raises(BudgetError, match="what was paid for is kept"):
                await embedder.embed(["word " * 60])
        assert standin.jina.calls.tokens("embeddings") == 60

    async def test_no_limit_is_kept_with_a_model_of_unknown_price(
        self, standin: Standin, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        monkeypatch.delitem(price_list()[1], "jina-embeddings-v4")  # type: ignore[arg-type]
        async with client(standin, Ledger("test", limit=1.0)) as jina:
            with pytest.raises(ConfigError, match=r"jina-embeddings-v4 has no price .* no cost limit can be kept"):
                JinaEmbedder(jina, "jina-embeddings-v4", 8)
        ledger = Ledger("test")
        async with client(standin, ledger) as jina:
            await JinaEmbedder(jina, "jina-embeddings-v4", 8).embed(["word"])
        assert "what they cost is not" in caplog.text
        words = spent(totals(ledger.entries), "paid")
        assert "paid: $0.0000 and what jina-embeddings-v4 costs, which has no price" in words
        assert "price not known" in words

    def test_a_model_that_answers_for_another_and_has_no_price_ends_a_limited_run(self) -> None:
        ledger = Ledger("test", limit=1.0)
        ledger.enter("gemini", "gemini-9", "enrich", Usage(10))
        with pytest.raises(ConfigError, match="gemini-9 has no price"), ledger.reserve("gemini-3.1-flash-lite", Usage(10)):
            pass

    def test_a_numbered_revision_has_the_price_of_its_model(self) -> None:
        assert price_of("gemini-3.1-flash-lite-001") == price_of("gemini-3.1-flash-lite") != price_of("gemini-3.5-flash-lite")
        assert price_of("gemini-9-001") is None


class TestPacing:
    async def test_a_full_load_is_never_refused(self, standin: Standin) -> None:
        """100 requests and 100,000 tokens a minute, forty times as fast; ``python -m tests.standins.throughput`` has time."""
        calls = await loaded(standin, minutes=2, window=1.5)
        assert {call.status for call in calls} == {200}
        assert share_of(calls, minutes=2, window=1.5) > 0.5, "a busy machine answers too slowly for more"

    async def test_calls_at_the_same_time_are_bounded(self, standin: Standin) -> None:
        standin.jina.limits.concurrency, standin.jina.delay = 2, 0.02
        async with client(standin, concurrency=2) as jina:
            embedder = JinaEmbedder(jina, "jina-embeddings-v4", 8)
            await asyncio.gather(*(embedder.embed_query(f"query {number}") for number in range(50)))
        assert set(standin.jina.calls.statuses("embeddings")) == {200}
        assert standin.jina.calls.connections() <= 2

    async def test_a_deadline_ends_a_call_and_refuses_a_wait(self, standin: Standin) -> None:
        fail(standin, "embeddings:timeout")
        async with client(standin) as jina:
            with pytest.raises(ProviderError, match="asking took longer"):
                async with within(0.1, "asking"):
                    await JinaEmbedder(jina, "jina-embeddings-v4", 8).embed_query("x")
        limiter = Limiter(Allowance(1, 0, 2, window=30.0))
        async with within(5.0, "asking"), limiter.turn(1):
            pass
        started = time.monotonic()
        with pytest.raises(ProviderError, match="rate limit"):
            async with within(5.0, "asking"), limiter.turn(1):
                pass
        assert time.monotonic() - started < 1

    def test_a_full_load_uses_the_allowance(self) -> None:
        """Ten minutes at a service that takes .2 to .6 s, and counts from some moment within that; the clock needs no time."""
        loop = SkippingLoop()
        server = Limits(100, 100_000, 2, 60.0, loop.time)
        limiter = Limiter(Allowance(100, 100_000, 2, 60.0))
        refused: list[str] = []
        sizes = random.Random(5)

        async def work() -> None:
            while loop.time() < ends:
                tokens = sizes.randint(2200, 2500)
                async with limiter.turn(round(tokens * 1.03)) as turn:
                    server.running += 1
                    await asyncio.sleep(sizes.uniform(0.1, 0.3))
                    refused.append(server.refusal(tokens))
                    spent.append(tokens)
                    await asyncio.sleep(sizes.uniform(0.1, 0.3))
                    server.running -= 1
                    turn.cost(tokens)

        async def both() -> None:
            await asyncio.gather(work(), work())

        spent: list[int] = []
        began = loop.time()
        ends = began + 600
        loop.run_until_complete(both())
        minutes = (loop.time() - began) / 60
        loop.close()
        assert set(refused) == {""}
        assert 0.95 <= sum(spent) / 100_000 / minutes <= 1 + 1 / minutes

    def test_pauses_grow_and_are_never_longer_than_a_window(self) -> None:
        assert 0.25 <= pause(1, 60.0) <= 0.5
        assert 4.0 <= pause(5, 60.0) <= 8.0
        assert pause(30, 60.0) <= 60.0
        assert 60.0 <= pause(1, 60.0, full_window=True) <= 63.0
        assert 7.0 <= pause(1, 60.0, told=7.0) <= 7.7


@pytest.mark.parametrize(
    "values", ["AAAAAA", "abc", "é", "", ["a"], [None], [[1.0], [1.0, 2.0]], [10**400, 1], [1e300, 1], {}, None, [0.0, 0.0]]
)
def test_what_is_no_vector_is_not_used(values: object) -> None:
    found, problem = usable([{"index": 0, "embedding": values}], 1, 2)
    assert not found
    assert problem


def test_texts_fill_blocks_in_order() -> None:
    texts = ["aaaaa bbbbb", "c", "ddddd " * 10, "e"]
    assert list(texts_in_blocks(texts, 512, lambda: 4)) == [["aaaaa bbbbb", "c"], ["ddddd " * 10], ["e"]]
    assert list(texts_in_blocks(texts, 1, lambda: 100)) == [[text] for text in texts]
    assert list(texts_in_blocks([], 512, lambda: 4)) == []


def test_tokens_are_rather_overcounted() -> None:
    assert count_tokens("defineProps<{ id: 12 }>()") == 13
    assert [text for start, end in token_spans("响应 ok") for text in ["响应 ok"[start:end]]] == ["响", "应", "ok"]


@pytest.mark.parametrize(("value", "seconds"), [("2", 2.0), ("", None), ("Wed, 21 Oct 2026 07:28:00 GMT", None), ("-1", None)])
def test_retry_after(value: str, seconds: float | None) -> None:
    assert retry_after({"retry-after": value}) == seconds
