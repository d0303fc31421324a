"""The query pipeline over a small index: a reader on fakes and a real Edge folder, from the question to the answer."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from fakes import MemoryDatabase, MemoryLease, WordEmbedder
from small_docs import PINIA, VUE, Workplace, fake_config

from vuedocs import tokens
from vuedocs.clients.edge import EdgeBuilder, EdgeIndex
from vuedocs.clients.edge_seal import SEAL
from vuedocs.errors import DatabaseError, IndexDamagedError, MismatchError, NotIndexedError, QueryError
from vuedocs.query.explain import as_json, explain
from vuedocs.query.reader import Reader, open_generation
from vuedocs.query.reconstruct import CUT
from vuedocs.query.search import named
from vuedocs.records import Entity, Mention, Search

MORE = "// more\n" * 6
LONG = {
    "guide/long": "# Long Page\n\nMany sections on long things.\n\n"
    + "".join(
        f"## Long Section {number} {{#s{number}}}\n\nA long thing number {number}. {'It goes on and on. ' * 12}\n\n"
        f"```js\nconst long{number} = 1\n{MORE}```\n\n"
        for number in range(14)
    )
}
ODD = ('how do I "watch', "what's (a [deep", "`", "'", "\\", "%s {} $1", "\x00computed", "响应式", "?!")
TYPOS = (("comuted", "computed"), ("watchEfect", "watchEffect"), ("how does comupted work", "computed"))


async def indexed(folder: Path) -> Workplace:
    place = Workplace(folder)
    place.write("vue", {**VUE, **LONG})
    place.write("pinia", PINIA)
    await place.ingest("vue", "pinia")
    return place


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Workplace:
    """For tests that only read."""
    return asyncio.run(indexed(tmp_path_factory.mktemp("pipeline")))


@pytest.fixture(scope="module")
def reader(shared: Workplace) -> Iterator[Reader]:
    reader = asyncio.run(shared.reader())
    yield reader
    asyncio.run(reader.aclose())


class Remembering(EdgeBuilder):
    """Knows what it opened."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.opened: list[EdgeIndex] = []

    async def open(self, generation: str, dims: int | None = None) -> EdgeIndex:
        self.opened.append(await super().open(generation, dims))
        return self.opened[-1]


class Forgetting(MemoryDatabase):
    """Forgets a generation just before it is held."""

    async def hold(self, generation: str) -> MemoryLease:
        raise DatabaseError(f"generation {generation} is gone")


async def ask(reader: Reader, query: str, *overrides: str, **request: object) -> Search:
    search = Search(query, **{"sources": ("vue",), **request})  # type: ignore[arg-type]
    return (await reader.search(search, config=fake_config(*overrides))).state


def best(state: Search) -> str:
    return state.candidates[0].chunk_id


class TestAnswers:
    async def test_a_question_finds_its_section_with_title_and_address(self, reader: Reader) -> None:
        state = await ask(reader, "what makes a deep watcher trigger on nested mutations")
        assert best(state) == "vue/guide/watchers#deep"
        assert "# Watchers (vue)\n\n## [Deep Watchers](https://vuejs.org/guide/watchers.html#deep)\n\nNested" in state.text

    async def test_sources_are_kept_apart(self, reader: Reader) -> None:
        for sources, found in ((("vue",), {"vue"}), ((), {"vue", "pinia"})):
            state = await ask(reader, "computed value", sources=sources)
            assert {candidate.chunk_id.split("/")[0] for candidate in state.candidates} == found

    async def test_a_scope_keeps_to_its_folder(self, reader: Reader) -> None:
        state = await ask(reader, "computed", scope="guide")
        assert state.candidates
        assert all(candidate.chunk_id.startswith("vue/guide/") for candidate in state.candidates)
        assert (state.scope, state.notes) == ("guide", ())

    async def test_a_scope_that_finds_nothing_is_widened_and_says_so(self, reader: Reader) -> None:
        state = await ask(reader, "computed", scope="cookbook")
        assert state.candidates
        assert state.scope == "all"
        assert state.notes == ("nothing was found in scope 'cookbook'; all scopes were searched instead",)

    async def test_passages_say_where_they_are_from(self, reader: Reader) -> None:
        state = await ask(reader, "computed getter")
        manifest = reader.manifest.source("vue")
        assert manifest is not None
        for passage in state.passages:
            assert (passage.source, passage.version, passage.indexed) == ("vue", manifest.version, manifest.indexed)
            assert passage.url.startswith("https://vuejs.org/")
            assert passage.found_by

    async def test_links_lead_on_without_a_place_in_the_ranking(self, reader: Reader) -> None:
        state = await ask(reader, "stored until a dependency", "resolve.limit=1")
        linked = [candidate for candidate in state.candidates if candidate.found_by[0].startswith("link from")]
        assert "vue/api/reactivity-core#computed" in [candidate.chunk_id for candidate in linked]
        assert [omitted.chunk_id for omitted in state.omitted if omitted.reason == "see also"] == [c.chunk_id for c in linked]


class TestBadRequests:
    async def test_a_source_that_is_not_indexed_is_refused_with_the_indexed_ones(self, reader: Reader) -> None:
        with pytest.raises(NotIndexedError, match=r"'vite' is not indexed here; indexed: pinia, vue; .*vuedocs ingest vite"):
            await ask(reader, "x", sources=("vue", "vite"))

    @pytest.mark.parametrize("query", ["", "   ", "\n\t"])
    async def test_a_blank_query_is_refused(self, reader: Reader, query: str) -> None:
        with pytest.raises(QueryError, match="blank"):
            await ask(reader, query)

    async def test_2000_characters_are_a_query_and_2001_are_not(self, reader: Reader) -> None:
        assert (await ask(reader, "w" * 2000)).text is not None
        with pytest.raises(QueryError, match="2,001 characters and may have 2,000"):
            await ask(reader, "w" * 2001)

    @pytest.mark.parametrize("limits", [{"max_results": 0}, {"max_results": -1}, {"max_tokens": 0}])
    async def test_limits_below_one_are_refused(self, reader: Reader, limits: dict[str, int]) -> None:
        with pytest.raises(QueryError, match="it must be 1 or more"):
            await ask(reader, "computed", **limits)

    async def test_a_config_that_does_not_fit_is_refused_with_both_sides(self, shared: Workplace, reader: Reader) -> None:
        with pytest.raises(MismatchError, match=r"embed\.b is 0\.75 there and 0\.5 here"):
            await shared.reader(fake_config("embed.b=0.5"))
        with pytest.raises(MismatchError):
            await ask(reader, "computed", "parse.code_min_lines=9")


class TestOddQueries:
    @pytest.mark.parametrize("query", ODD)
    async def test_signs_are_no_syntax(self, reader: Reader, query: str) -> None:
        assert (await ask(reader, query)).query == query

    async def test_an_unbalanced_quote_changes_nothing(self, reader: Reader) -> None:
        quoted, bare = await ask(reader, '"deep watcher nested'), await ask(reader, "deep watcher nested")
        assert best(quoted) == best(bare)
        assert quoted.legs["sparse"] == bare.legs["sparse"]

    async def test_bytes_that_are_no_text_are_searched_around(self, reader: Reader) -> None:
        state = await ask(reader, "deep watcher nested \udcff\ud800")
        assert best(state) == "vue/guide/watchers#deep"
        assert state.query.encode("utf-8")

    async def test_a_word_that_no_document_has_finds_nothing_by_words(self, reader: Reader) -> None:
        assert not (await ask(reader, "zzqx")).legs.get("sparse")

    async def test_a_word_that_no_document_has_lifts_nothing_by_words(self, reader: Reader) -> None:
        plain, noisy = await ask(reader, "computed"), await ask(reader, "zzqx computed")
        assert noisy.legs["sparse"] == plain.legs["sparse"]

    async def test_stop_words_alone_ask_by_meaning_only(self, reader: Reader) -> None:
        state = await ask(reader, "how do I")
        assert not state.legs.get("sparse")
        assert state.candidates

    @pytest.mark.parametrize(("query", "read"), TYPOS)
    async def test_a_typo_is_read_as_the_name_and_said(self, reader: Reader, query: str, read: str) -> None:
        state = await ask(reader, query)
        assert [mention.entity.name for mention in state.mentions] == [read]
        assert any(f"was read as `{read}`" in note for note in state.notes)
        assert f"vue/api/reactivity-core#{read.lower()}" in [candidate.chunk_id for candidate in state.candidates[:5]]

    @pytest.mark.parametrize("query", ["watchEffect", "watch effect", '"watch effect"', "`watch-effect()`", "<watchEffect>"])
    async def test_a_bare_name_finds_the_section_that_defines_it(self, reader: Reader, query: str) -> None:
        state = await ask(reader, query)
        assert best(state) == "vue/api/reactivity-core#watcheffect"
        assert "name" in state.candidates[0].found_by

    async def test_a_bare_name_keeps_to_the_scope(self, reader: Reader) -> None:
        state = await ask(reader, "computed", scope="guide")
        assert "name" not in state.legs

    def test_a_name_within_a_question_is_not_the_question(self) -> None:
        entity = Entity("computed", "api", "vue", "vue/x")
        assert named("computed()", [Mention(entity, "exact", "computed")]) == [entity]
        assert named("computed setter", [Mention(entity, "exact", "computed")]) == []

    async def test_fusions_agree_on_the_obvious(self, reader: Reader) -> None:
        for fusion in ("minmax", "rrf", "dbsf"):
            state = await ask(reader, "deep watcher nested mutations", f"search.fusion={fusion}")
            assert best(state) == "vue/guide/watchers#deep", fusion


class TestBudget:
    @pytest.mark.parametrize("budget", [100, 120, 173, 250, 400, 701, 1000, 2000])
    async def test_the_answer_with_its_headings_keeps_to_the_budget(self, reader: Reader, budget: int) -> None:
        for query in ("long thing", "long section 3 goes on and on", "computed getter", "named slots header"):
            state = await ask(reader, query, "reconstruct.floor=0", max_tokens=budget, max_results=50)
            assert state.passages
            assert 0 < tokens.estimate(state.text) <= budget

    async def test_the_budget_is_used(self, reader: Reader) -> None:
        state = await ask(reader, "long thing", "reconstruct.floor=0", max_tokens=600, max_results=50)
        assert tokens.estimate(state.text) > 400
        assert "budget" in [omitted.reason for omitted in state.omitted]

    async def test_a_first_section_that_does_not_fit_is_cut_and_says_so(self, reader: Reader) -> None:
        state = await ask(reader, "long section 3 number 3", max_tokens=100, max_results=3)
        (passage,) = state.passages
        assert passage.cut
        assert passage.text.endswith(CUT)
        assert passage.text.count("```") % 2 == 0

    async def test_a_section_has_no_more_than_its_share(self, reader: Reader) -> None:
        state = await ask(reader, "long section 3 number 3", "reconstruct.section_tokens=60")
        assert all(passage.tokens <= 60 for passage in state.passages)

    async def test_max_results(self, reader: Reader) -> None:
        state = await ask(reader, "long thing", "reconstruct.floor=0", max_results=2)
        assert len(state.passages) == 2
        assert {omitted.reason for omitted in state.omitted} == {"max_results"}
        assert state.cursor == "2"

    @pytest.mark.parametrize("request_", [{"max_results": 3}, {"max_tokens": 400, "max_results": 50}, {"max_tokens": 100}])
    async def test_pages_of_an_answer_do_not_overlap_and_give_all(self, reader: Reader, request_: dict[str, int]) -> None:
        whole = await ask(reader, "long thing", "reconstruct.floor=0", max_results=50, max_tokens=100_000)
        shown: list[str] = []
        cursor = "0"
        while cursor:
            page = await ask(reader, "long thing", "reconstruct.floor=0", skip=int(cursor), **request_)
            shown += [passage.chunk_id for passage in page.passages]
            cursor = page.cursor
        assert len(shown) == len(set(shown))
        assert set(shown) == {passage.chunk_id for passage in whole.passages}

    async def test_beyond_the_end_there_is_nothing(self, reader: Reader) -> None:
        state = await ask(reader, "long thing", skip=500)
        assert (state.passages, state.text, state.cursor) == ((), "", "")

    async def test_passages_are_in_reading_order(self, reader: Reader) -> None:
        state = await ask(reader, "long thing", "reconstruct.floor=0")
        chunks = await reader.library.chunks([passage.chunk_id for passage in state.passages])
        positions = [chunks[passage.chunk_id].position for passage in state.passages]
        assert positions == sorted(positions)
        assert state.text.count("# Long Page (vue)") == 1


class TestGenerations:
    async def test_a_reader_moves_to_a_newer_generation_when_it_is_told(self, tmp_path: Path) -> None:
        workplace = await indexed(tmp_path)
        reader = await workplace.reader()
        assert not await reader.refresh()
        workplace.write("vue", {"guide/teleport": "# Teleport\n\nRenders its slot elsewhere, at the end of body.\n"})
        await workplace.ingest("vue")
        assert best(await ask(reader, "teleport elsewhere end of body")) != "vue/guide/teleport"
        assert await reader.refresh()
        assert best(await ask(reader, "teleport elsewhere end of body")) == "vue/guide/teleport"
        await reader.aclose()

    async def test_a_reader_may_wait_for_a_newer_generation(self, tmp_path: Path) -> None:
        workplace = await indexed(tmp_path)
        reader = await workplace.reader()
        assert not await reader.refresh(0.03)
        moving = asyncio.create_task(reader.refresh(20))
        await asyncio.sleep(0.03)
        workplace.write("vue", {"guide/teleport": "# Teleport\n\nRenders its slot elsewhere, at the end of body.\n"})
        newer = (await workplace.ingest("vue")).manifest
        assert await moving
        assert reader.manifest == newer
        await reader.aclose()

    async def test_who_waits_for_a_newer_generation_holds_the_old_one_first(self, tmp_path: Path) -> None:
        workplace = await indexed(tmp_path)
        reader = await workplace.reader()
        workplace.database.renewed.clear()
        moving = asyncio.create_task(reader.refresh(20))
        await asyncio.sleep(0.05)
        assert workplace.database.renewed == [reader.manifest.generation], "a hold is lost with its connection"
        moving.cancel()
        await reader.aclose()

    async def test_what_began_on_a_generation_ends_on_it(self, tmp_path: Path) -> None:
        workplace = await indexed(tmp_path)
        reader = await workplace.reader()
        async with reader.steady() as begun:
            old = begun.manifest.generation
            workplace.write("vue", {"guide/teleport": "# Teleport\n\nRenders its slot elsewhere, at the end of body.\n"})
            await workplace.ingest("vue")
            assert await reader.refresh()
            assert reader.manifest.generation != begun.manifest.generation == old
            assert {page.path for page in await begun.pages()} < {page.path for page in await reader.pages()}
            assert best(await ask(begun, "teleport elsewhere end of body")) != "vue/guide/teleport"
            assert best(await ask(reader, "teleport elsewhere end of body")) == "vue/guide/teleport"
        await reader.aclose()

    async def test_a_generation_is_held_while_a_newer_one_cannot_be_opened(self, tmp_path: Path) -> None:
        workplace = await indexed(tmp_path)
        reader = await workplace.reader()
        old = reader.manifest.generation
        workplace.write("vue", {"guide/teleport": "# Teleport\n\nRenders its slot elsewhere.\n"})
        newer = (await workplace.ingest("vue")).manifest
        assert newer is not None
        shutil.rmtree(workplace.builder.folder / newer.generation)
        renewed = len(workplace.database.renewed)
        for _ in range(2):
            with pytest.raises(IndexDamagedError):
                await reader.refresh()
        assert workplace.database.renewed[renewed:] == [old, old]
        assert reader.manifest.generation == old
        assert await ask(reader, "computed getter")
        await reader.aclose()

    async def test_a_generation_of_another_model_is_not_taken_up(self, tmp_path: Path) -> None:
        workplace = await indexed(tmp_path)
        reader = await workplace.reader()
        workplace.embedder = WordEmbedder()
        workplace.embedder.name = "words-2"
        await workplace.ingest("vue", "pinia")
        with pytest.raises(MismatchError, match="of words-2, and queries are embedded by words; run `vuedocs ingest pinia vue`"):
            await reader.refresh()
        assert (await ask(reader, "computed")).candidates
        await reader.aclose()

    async def test_an_index_is_closed_again_where_its_generation_cannot_be_held(self, tmp_path: Path) -> None:
        workplace = await indexed(tmp_path)
        builder = Remembering(workplace.builder.folder)
        with pytest.raises(DatabaseError, match="gone"):
            await open_generation(
                await workplace.database.published(),
                fake_config(),
                Forgetting(**vars(workplace.database)),  # type: ignore[arg-type]
                builder,
            )
        (index,) = builder.opened
        with pytest.raises(IndexDamagedError):
            await index.count()

    async def test_nothing_published_says_how_to_publish(self, tmp_path: Path) -> None:
        with pytest.raises(NotIndexedError, match="vuedocs ingest vue"):
            await Workplace(tmp_path / "empty").reader()

    async def test_checks(self, reader: Reader) -> None:
        assert await reader.check() == {"data": "ok", "database": "ok", "qdrant": "ok"}

    async def test_checks_see_an_index_folder_that_was_damaged_or_removed(self, tmp_path: Path) -> None:
        workplace = await indexed(tmp_path)
        reader = await workplace.reader()
        folder = workplace.builder.folder / reader.manifest.generation
        (next(path for path in sorted(folder.rglob("*")) if path.is_file() and path.name != SEAL)).unlink()
        assert await reader.check() == {"data": "ok", "database": "ok", "qdrant": "IndexDamagedError"}
        shutil.rmtree(folder)
        assert await reader.check() == {"data": "ok", "database": "ok", "qdrant": "IndexDamagedError"}
        await reader.aclose()


async def test_explain_says_what_every_stage_did(reader: Reader) -> None:
    result = await reader.search(Search("comuted", sources=("vue",)))
    text = explain(result)
    stages = ["detect", "search", "resolve", "expand", "rerank", "reconstruct"]
    assert [line.split()[0] for line in text.splitlines() if not line.startswith(" ")] == [*stages, "total"]
    named_so = "'comuted' is vue:computed (reactivity API, by typo)"
    for words in (named_so, "name: 1 points", "not shown:", "note: 'comuted' was read as `computed`"):
        assert words in text
    assert '"milliseconds"' in as_json(result, True)
    assert '"milliseconds"' not in as_json(result, False)


async def test_the_same_question_gets_the_same_answer(reader: Reader) -> None:
    first, second = await ask(reader, "long computed thing"), await ask(reader, "long computed thing")
    assert replace(first, dense=None) == replace(second, dense=None)
