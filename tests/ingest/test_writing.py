"""What a language model writes for sections, over HTTP against a stand-in of Gemini: good answers, bad ones, and none."""

from __future__ import annotations

from pathlib import Path

import pytest
from hosted import HostedPlace, hosted_config, secrets_in, settings_for, switch_on
from small_docs import VUE, fake_config
from standins.server import Standin

from vuedocs.clients import Prompt
from vuedocs.clients.gemini_writer import GeminiWriter, cache_pays, grouped
from vuedocs.clients.ledger import Ledger, Price, price_list
from vuedocs.clients.services import Services
from vuedocs.config import load
from vuedocs.config.prompts import prompt, prompt_version
from vuedocs.errors import AnswerError, ConfigError, ProviderError, ProviderRefusedError
from vuedocs.ingest.enrich import sentence_problem
from vuedocs.ingest.hype import questions_problem, texts_of

SECTIONS = 11
"""Of the small docs, with text."""
GEMINI = ("enrich.method=gemini", "hype.method=gemini")
SCHEMA = {"type": "object", "properties": {"context": {"type": "string"}}}


@pytest.fixture
def place(standin: Standin, tmp_path: Path) -> HostedPlace:
    workplace = HostedPlace(tmp_path, settings_for(standin, tmp_path, GEMINI_CONCURRENCY=1))
    workplace.write("vue", VUE)
    return workplace


class TestStages:
    async def test_what_is_written_fills_the_three_places_of_packs(self, place: HostedPlace, standin: Standin) -> None:
        state = await place.hosted_ingest("vue")
        deep = next(chunk for chunk in state.chunks if chunk.title == "Deep Watchers")
        assert deep.context.startswith("Watchers > Deep Watchers. This section of the documentation is about")
        questions = [question for question in state.questions if question.chunk_id == deep.id]
        assert [question.origin for question in questions] == ["gemini-3.1-flash-lite"] * 5
        assert {point.text for point in state.points if point.kind == "question"} >= {question.text for question in questions}
        sparse = next(point.sparse for point in state.points if point.chunk_id == deep.id and point.kind == "window")
        without = await HostedPlace.ingest(place, "vue", config=fake_config())
        plain = next(point.sparse for point in without.points if point.chunk_id == deep.id and point.kind == "window")
        assert sparse is not None
        assert plain is not None
        assert len(sparse.indices) > len(plain.indices)
        assert len(standin.gemini.calls.of("generate")) == 2 * SECTIONS

    async def test_nothing_is_paid_twice_and_an_edit_pays_for_its_page_alone(self, place: HostedPlace, standin: Standin) -> None:
        first = await place.hosted_ingest("vue")
        asked = len(standin.gemini.calls.of("generate"))
        again = await place.hosted_ingest("vue")
        assert len(standin.gemini.calls.of("generate")) == asked
        assert (again.counts["contexts_asked"], again.counts["published"]) == (0, 0)
        assert again.manifest == first.manifest
        place.write("vue", {"guide/watchers": VUE["guide/watchers"].replace("whole object", "entire object")})
        edited = await place.hosted_ingest("vue")
        assert edited.counts["contexts_asked"] == edited.counts["questions_asked"] == 3

    @pytest.mark.parametrize(
        ("fault", "reason"),
        [
            ("blocked", "blocked: PROHIBITED_CONTENT"),
            ("cut", "cut: MAX_TOKENS"),
            ("max-tokens", "cut: MAX_TOKENS"),
            ("empty", "empty"),
        ],
    )
    async def test_an_answer_of_no_use_is_asked_for_once_more(
        self, place: HostedPlace, standin: Standin, fault: str, reason: str
    ) -> None:
        switch_on(standin, f"gemini:generate:{fault}:1")
        state = await place.hosted_ingest("vue", config=hosted_config("hype.method=local"))
        assert (state.counts["contexts_asked"], state.counts["contexts_failed"]) == (SECTIONS, 0)
        assert len(standin.gemini.calls.of("generate")) == SECTIONS + 1

        place.database.memory.clear()
        switch_on(standin, f"gemini:generate:{fault}:2")
        state = await place.hosted_ingest("vue", config=hosted_config("hype.method=local", "enrich.max_failed=0.1"))
        assert state.counts["contexts_failed"] == 1
        assert any("left to the rules: vue/" in report and reason in report for report in state.reports)
        assert len(standin.gemini.calls.of("generate")) == 2 * SECTIONS + 1 + 1
        await place.hosted_ingest("vue", config=hosted_config("hype.method=local", "enrich.max_failed=0.1"))
        assert len(standin.gemini.calls.of("generate")) == 2 * SECTIONS + 1 + 1, "a refusal is remembered as well"

    async def test_three_questions_of_five_are_kept_and_rules_add_theirs(self, place: HostedPlace, standin: Standin) -> None:
        switch_on(standin, "gemini:generate:few:2")
        state = await place.hosted_ingest("vue", config=hosted_config("enrich.method=local", "hype.max_failed=0.1"))
        assert state.counts["questions_failed"] == 1
        (report,) = [report for report in state.reports if report.startswith("hype")]
        short = report.split("rules: ")[1].split(" (")[0]
        origins = [question.origin for question in state.questions if question.chunk_id == short]
        assert origins.count("gemini-3.1-flash-lite") == 3
        assert "rule" in origins

    async def test_too_many_failures_stop_the_ingest_and_keep_what_was_answered(
        self, place: HostedPlace, standin: Standin
    ) -> None:
        switch_on(standin, "gemini:generate:empty:always:3")
        with pytest.raises(ProviderError, match=r"of 11 sections have no usable answer .*empty.* enrich\.max_failed=0\.05"):
            await place.hosted_ingest("vue")
        assert await place.database.published() is None
        asked = len(standin.gemini.calls.of("generate"))
        assert asked < 2 * SECTIONS, "it stops early"
        standin.gemini.faults.waiting.clear()
        state = await place.hosted_ingest("vue", config=hosted_config("hype.method=local"))
        assert (state.counts["contexts_asked"], state.counts["contexts_failed"]) == (SECTIONS - 3, 0)


class TestWriter:
    @pytest.mark.parametrize(
        ("fault", "calls"), [("429", 2), ("500", 2), ("503", 2), ("504", 2), ("html", 2), ("closed", 2), ("no-json", 2)]
    )
    async def test_what_may_pass_is_tried_again(self, standin: Standin, tmp_path: Path, fault: str, calls: int) -> None:
        switch_on(standin, f"gemini:generate:{fault}:1")
        assert "context" in await self.write(standin, tmp_path)
        assert len(standin.gemini.calls.of("generate")) == calls

    async def test_the_delay_in_the_body_is_honoured(self, standin: Standin, tmp_path: Path) -> None:
        switch_on(standin, "gemini:generate:429:1")
        await self.write(standin, tmp_path)
        first, second = standin.gemini.calls.of("generate")
        assert 0.25 <= second.started - first.ended < 1.0

    @pytest.mark.parametrize(
        ("fault", "words"),
        [("bad-key", "GEMINI_API_KEY"), ("no-permission", "GEMINI_API_KEY"), ("429-day", "quota of the day")],
    )
    async def test_what_cannot_pass_stops_at_once(self, standin: Standin, tmp_path: Path, fault: str, words: str) -> None:
        switch_on(standin, f"gemini:generate:{fault}:always")
        with pytest.raises(ProviderRefusedError, match=words) as caught:
            await self.write(standin, tmp_path)
        assert secrets_in([str(caught.value)]) == []
        assert len(standin.gemini.calls.of("generate")) == 1

    async def test_a_silent_service_is_tried_again_after_the_timeout(self, standin: Standin, tmp_path: Path) -> None:
        switch_on(standin, "gemini:generate:timeout:1")
        assert "context" in await self.write(standin, tmp_path, GEMINI_TIMEOUT=0.3)

    async def test_a_model_that_is_not_there(self, standin: Standin, tmp_path: Path) -> None:
        with pytest.raises(ProviderRefusedError, match=r"set enrich\.model"):
            await self.write(standin, tmp_path, model="gemini-0-none")

    async def test_thinking_that_does_not_fit_is_refused(self, standin: Standin, tmp_path: Path) -> None:
        with pytest.raises(ProviderRefusedError, match="its thinking in the config"):
            await self.write(standin, tmp_path, model="gemini-2.5-flash-lite")

    async def test_a_long_page_is_cached_for_all_its_sections_and_forgotten(self, standin: Standin, tmp_path: Path) -> None:
        ledger = Ledger("run")
        services = Services(settings_for(standin, tmp_path), ledger)
        writer = GeminiWriter(services.gemini(), "gemini-3.1-flash-lite", "minimal", prompt("system"), "enrich")
        prompts = [Prompt(str(number), "word " * 3000, f"# Section {number}", SCHEMA) for number in range(4)]
        async with writer.page(prompts) as cache:
            for one in prompts:
                await writer.write(one, cache)
        await services.aclose()
        assert standin.kept.deleted == [cache]
        assert standin.kept.caches == {}
        creation, *answers = ledger.entries
        assert creation.usage.input > 3000
        assert [entry.usage.cached for entry in answers] == [creation.usage.input] * 4
        plain = price_list()[1]["gemini-3.1-flash-lite"].input * 4 * creation.usage.input / 1e6
        assert ledger.usd < plain

    async def test_a_cache_that_has_ended_costs_one_more_call_and_not_the_ingest(self, standin: Standin, tmp_path: Path) -> None:
        services = Services(settings_for(standin, tmp_path), Ledger("run"))
        writer = GeminiWriter(services.gemini(), "gemini-3.1-flash-lite", "minimal", prompt("system"), "enrich")
        assert await writer.write(Prompt("1", "word " * 3000, "# Section", SCHEMA), "cachedContents/ended")
        await services.aclose()
        calls = [call for call in standin.gemini.calls.of("generate") if not call.fault]  # an earlier test's may still time out
        assert len(calls) == 2
        assert calls[-1].status == 200

    async def test_another_model_that_answers_is_billed_as_itself(self, standin: Standin, tmp_path: Path) -> None:
        switch_on(standin, "gemini:generate:other-model:1")
        ledger = Ledger("run")
        await self.write(standin, tmp_path, ledger=ledger)
        assert ledger.entries[0].model == "gemini-3.8-flash"

    async def write(
        self, standin: Standin, home: Path, model: str = "gemini-3.1-flash-lite", ledger: Ledger | None = None, **changes: object
    ) -> object:
        services = Services(settings_for(standin, home, **changes), ledger or Ledger("run"))
        try:
            writer = GeminiWriter(services.gemini(), model, "minimal", prompt("system"), "enrich")
            return await writer.write(Prompt("a", "a page", "# Refs\nA ref holds a value.", SCHEMA))
        finally:
            await services.aclose()


class TestKernels:
    def test_a_cache_pays_from_the_second_section_on(self) -> None:
        price = Price(input=0.25, output=1.5, cached=0.025, storage=1.0)
        assert [cache_pays(price, 5000, calls) for calls in (1, 2, 3)] == [False, True, True]
        assert not cache_pays(Price(input=0.25), 5000, 50)

    def test_batches_are_cut_by_size(self) -> None:
        prompts = [Prompt(str(number), "p" * 3000, "ask", SCHEMA) for number in range(5)]
        assert [len(group) for group in grouped(prompts, 11_000)] == [2, 2, 1]

    @pytest.mark.parametrize(
        ("answer", "problem"),
        [({"context": "It is."}, ""), ({"context": " "}, "empty"), ({}, "empty"), ({"context": "x" * 601}, "too long")],
    )
    def test_sentences(self, answer: dict[str, object], problem: str) -> None:
        assert sentence_problem(answer) == problem

    def test_questions(self) -> None:
        assert texts_of({"questions": ["a", " a ", "b\nc", "", 3]}) == ["a", "b c"]
        assert questions_problem(3, {"questions": ["a", "b", "b"]}) == "2 questions of 3"
        assert questions_problem(3, {"questions": "abc"}) == "0 questions of 3"

    def test_model_and_thinking_are_one_choice(self) -> None:
        assert load(None, ["enrich.model=gemini-2.5-flash-lite", "enrich.thinking=0"]).enrich.thinking == 0
        with pytest.raises(ConfigError, match="takes a number of tokens"):
            load(None, ["enrich.model=gemini-2.5-flash-lite"])
        with pytest.raises(ConfigError, match="takes a level"):
            load(None, ["hype.thinking=0"])

    def test_prompts_shape_an_index_only_where_they_are_asked(self) -> None:
        local = load(None, ["enrich.model=gemini-3.5-flash-lite", "enrich.max_failed=0.5"])
        assert local.shape() == load().shape()
        hosted = load(None, [*GEMINI])
        assert hosted.shaping()["enrich"]["prompt"] == prompt_version("system", "context")
        assert hosted.shaping()["hype"]["prompt"] != hosted.shaping()["enrich"]["prompt"]
        assert hosted.override("hype.max_failed=0.5").shape() == hosted.shape()
        assert hosted.override("hype.written=4").shape() != hosted.shape()

    def test_an_answer_error_is_a_provider_error(self) -> None:
        assert issubclass(AnswerError, ProviderError)
