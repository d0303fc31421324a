"""Over the real Vue documentation: symbols, typos, budgets, and the gate of the first issue."""

from __future__ import annotations

import json
import statistics
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
import pytest_asyncio

from vuedocs import tokens
from vuedocs.bench import benchmark, default_path, load, select
from vuedocs.config import load as load_config
from vuedocs.query.reader import Reader
from vuedocs.records import Search
from vuedocs.settings import Settings

TOP = 3
DEFINED = {
    "v-if": "api/built-in-directives#v-if",
    "v-for": "api/built-in-directives#v-for",
    "v-on": "api/built-in-directives#v-on",
    "h": "api/render-function#h",
    "is": "api/built-in-special-attributes#is",
    "ref": "api/reactivity-core#ref",
    "$emit": "api/component-instance#emit",
    "KeepAlive": "api/built-in-components#keepalive",
    "keep-alive": "api/built-in-components#keepalive",
    "keep alive": "api/built-in-components#keepalive",
    '"keep alive"': "api/built-in-components#keepalive",
    "defineProps": "api/sfc-script-setup#defineprops-defineemits",
    "define props": "api/sfc-script-setup#defineprops-defineemits",
    "app.config.globalProperties": "api/application#app-config-globalproperties",
    "comuted": "api/reactivity-core#computed",
    "vmodel": "api/built-in-directives#v-model",
    "v-modal": "api/built-in-directives#v-model",
    "v-model.trim": "guide/essentials/forms#trim",
    "<script setup>": "api/sfc-script-setup#basic-syntax",
    "vite.config.ts": "api/compile-time-flags#vite",
    "2.7": "about/faq#is-vue-2-still-supported",
}
"""A symbol as a query, and the section of its own."""
WRITTEN = ("@click", ":class", "#default")
"""Symbols without a section of their own: a section that writes them is right."""


pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def reader(vue_home: Path) -> AsyncIterator[Reader]:
    reader = await Reader.open(load_config(), Settings(home=vue_home))
    yield reader
    await reader.aclose()


async def ask(reader: Reader, query: str, **request: int) -> Search:
    return (await reader.search(replace(Search(query, sources=("vue",)), **request))).state  # type: ignore[arg-type]


@pytest.mark.parametrize(("query", "section"), DEFINED.items())
async def test_a_symbol_finds_its_section(reader: Reader, query: str, section: str) -> None:
    best = [candidate.chunk_id for candidate in (await ask(reader, query)).candidates[:TOP]]
    assert f"vue/{section}" in best


@pytest.mark.parametrize("query", WRITTEN)
async def test_a_symbol_finds_a_section_that_writes_it(reader: Reader, query: str) -> None:
    best = [candidate.chunk for candidate in (await ask(reader, query)).candidates[:TOP]]
    assert any(chunk is not None and query in chunk.text for chunk in best)


async def test_what_no_document_says_lifts_nothing(reader: Reader) -> None:
    assert not (await ask(reader, "zzqx")).legs.get("sparse")
    assert (await ask(reader, "zzqx computed")).legs["sparse"] == (await ask(reader, "computed")).legs["sparse"]
    assert (await ask(reader, "响应式")).candidates


async def test_no_answer_is_longer_than_its_budget(reader: Reader) -> None:
    questions = select(load(default_path("vue")), "dev")
    for number, question in enumerate(questions[:60]):
        budget = (100, 150, 300, 700, 2000)[number % 5]
        state = await ask(reader, question.question, max_tokens=budget, max_results=20)
        assert state.passages
        assert tokens.estimate(state.text) <= budget
        assert all(passage.text.count("```") % 2 == 0 for passage in state.passages)


async def test_the_pipeline_passes_the_gate(reader: Reader, capsys: pytest.CaptureFixture[str]) -> None:
    result = await benchmark(reader, select(load(default_path("vue")), "dev"), "page", progress=False)
    ndcg = result.metrics["ndcg@10"]
    latency = statistics.median(answer.milliseconds for answer in result.answers)
    with capsys.disabled():
        print(f"\nvue, dev, pages: nDCG@10 {ndcg.mean:.3f} {ndcg.ci95} (n={ndcg.n}), warm query p50 {latency:.0f} ms")
    assert ndcg.mean > 0.77
    assert all(answer.tokens <= reader.config.reconstruct.max_tokens for answer in result.answers)


async def test_sections_whose_words_a_pack_fits_have_its_questions(reader: Reader, project: Path) -> None:
    rows = (project / "vuedocs" / "packs" / "vue.jsonl").read_text(encoding="utf-8").splitlines()
    row = next(row for row in map(json.loads, rows) if row["section"] == "guide/essentials/computed#computed-caching-vs-methods")
    state = await ask(reader, row["questions"][0])
    (candidate,) = [candidate for candidate in state.candidates if candidate.chunk_id == f"vue/{row['section']}"]
    assert candidate.scores["question"] > 0.99
    assert f"question: {row['questions'][0]}" in candidate.found_by
