"""The ingest pipeline from a folder of docs to a published generation, over fakes; and the pure parts of its stages."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from fakes import WordEmbedder
from small_docs import PINIA, VUE, Workplace, fake_config

from vuedocs import lexical
from vuedocs.clients.local_model import LocalModel, find_files
from vuedocs.config import load
from vuedocs.errors import MismatchError, SourceError, StorageError, UsageError
from vuedocs.ingest.embed import lexical_document, plain, scopes_of, windows, with_bm25
from vuedocs.ingest.entities import mentioned
from vuedocs.ingest.hype import chunk_questions, rule_questions
from vuedocs.ingest.memory import memory_key
from vuedocs.ingest.packs import Pack, fingerprint, pack_for
from vuedocs.ingest.packs import load as load_packs
from vuedocs.ingest.session import begin
from vuedocs.ingest.store import digest_of
from vuedocs.records import Chunk, Entity, Point, Question

EMBED = load().embed


@pytest.fixture
def workplace(tmp_path: Path) -> Workplace:
    place = Workplace(tmp_path)
    place.write("vue", VUE)
    return place


def chunk(key: str, text: str, *heading_path: str, kind: str = "section") -> Chunk:
    path, _, anchor = key.partition("#")
    titles = heading_path or ("Page", "Title")
    return Chunk(f"vue/{key}", "vue", path, path, kind, anchor, "", titles[-1], titles, (0, 0), text, "")  # type: ignore[arg-type]


class TestPipeline:
    async def test_everything_is_published_at_once(self, workplace: Workplace) -> None:
        state = await workplace.ingest("vue")
        assert state.counts["pages"] == 4
        assert state.counts["embedded"] == len({point.text for point in state.points}) == len(workplace.embedder.embedded)
        assert state.manifest is not None
        assert state.manifest.generation == "g000001"
        index = await workplace.builder.open("g000001")
        assert await index.count() == state.manifest.points == len(state.points)
        await index.aclose()

    async def test_unchanged_docs_publish_nothing(self, workplace: Workplace) -> None:
        first = await workplace.ingest("vue")
        again = await workplace.ingest("vue")
        assert (again.counts["embedded"], again.counts["published"]) == (0, 0)
        assert again.counts["remembered"] == first.counts["embedded"]
        assert again.manifest == first.manifest

    async def test_only_an_edited_pages_texts_are_embedded_again(self, workplace: Workplace) -> None:
        await workplace.ingest("vue")
        workplace.embedder.embedded.clear()
        workplace.write("vue", {"guide/watchers": VUE["guide/watchers"].replace("walks through", "visits")})
        state = await workplace.ingest("vue")
        (text,) = workplace.embedder.embedded
        assert "visits the whole object" in text
        assert (state.counts["embedded"], state.counts["published"]) == (1, 1)

    async def test_a_new_page_costs_its_own_texts_only(self, workplace: Workplace) -> None:
        await workplace.ingest("vue")
        workplace.embedder.embedded.clear()
        workplace.write("vue", {"guide/teleport": "# Teleport\n\nRenders content elsewhere in the document.\n"})
        state = await workplace.ingest("vue")
        new = {point.text for point in state.points if point.chunk_id == "vue/guide/teleport"}
        assert set(workplace.embedder.embedded) == new

    async def test_a_second_source_leaves_the_first_ones_content(self, workplace: Workplace) -> None:
        await workplace.ingest("vue")
        workplace.write("pinia", PINIA)
        workplace.embedder.embedded.clear()
        state = await workplace.ingest("pinia")
        assert state.manifest is not None
        assert [entry.source for entry in state.manifest.sources] == ["pinia", "vue"]
        assert not [text for text in workplace.embedder.embedded if "Watchers" in text]
        generation = state.manifest.generation
        assert len(await workplace.database.pages(generation, "vue")) == 4
        index = await workplace.builder.open(generation)
        assert await index.count() == state.manifest.points == sum(entry.points for entry in state.manifest.sources)
        await index.aclose()

    async def test_docs_without_text_are_refused_and_nothing_is_published(self, workplace: Workplace) -> None:
        workplace.write("vue", {"guide/empty": ""})
        for page in VUE:
            (workplace.docs / "vue" / f"{page}.md").unlink(missing_ok=True)
        with pytest.raises(SourceError, match=r"the docs of vue .* hold no text"):
            await workplace.ingest("vue")
        assert await workplace.database.published() is None

    async def test_a_source_that_shrinks_leaves_nothing_behind(self, workplace: Workplace) -> None:
        await workplace.ingest("vue")
        (workplace.docs / "vue" / "guide" / "watchers.md").unlink()
        state = await workplace.ingest("vue")
        assert state.manifest is not None
        chunks = await workplace.database.all_chunks(state.manifest.generation)
        assert not [chunk.id for chunk in chunks if "watchers" in chunk.id]

    async def test_other_settings_are_refused_while_other_sources_stay(self, workplace: Workplace) -> None:
        await workplace.ingest("vue")
        workplace.write("pinia", PINIA)
        other = fake_config("embed.k1=2.0")
        with pytest.raises(MismatchError, match=r"holds vue.*embed\.k1 is 1\.2 there and 2\.0 here.*vuedocs ingest pinia vue"):
            await workplace.ingest("pinia", config=other)
        assert list(workplace.database.generations) == ["g000001"]

    async def test_other_settings_are_taken_when_they_cover_every_source(self, workplace: Workplace) -> None:
        await workplace.ingest("vue")
        other = fake_config("embed.k1=2.0")
        state = await workplace.ingest("vue", config=other)
        assert state.manifest is not None
        assert state.manifest.fingerprint == other.shape()
        assert (state.counts["embedded"], state.counts["published"]) == (0, 1), "BM25 changed, no vector did"

    async def test_other_weights_under_the_same_name_embed_everything_anew(self, workplace: Workplace) -> None:
        first = await workplace.ingest("vue")
        workplace.embedder.name = "words-2"
        workplace.write("pinia", PINIA)
        with pytest.raises(MismatchError, match=r"by words there and by words-2 here.*vuedocs ingest pinia vue"):
            await workplace.ingest("pinia")
        again = await workplace.ingest("vue")
        assert (again.counts["embedded"], again.counts["published"]) == (first.counts["embedded"], 1)

    async def test_an_index_that_was_lost_is_built_again_from_what_is_remembered(self, workplace: Workplace) -> None:
        await workplace.ingest("vue")
        await workplace.builder.remove([])
        state = await workplace.ingest("vue")
        assert (state.counts["embedded"], state.counts["published"]) == (0, 1)
        assert state.manifest is not None
        assert await workplace.builder.exists(state.manifest.generation)

    async def test_what_failed_builds_left_is_gone_before_the_next_is_built(
        self, workplace: Workplace, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        await workplace.ingest("vue")
        index = workplace.docs.parent / "index"
        (index / "g000099").mkdir()
        there: list[str] = []

        async def full(*_: object) -> None:
            there.extend(sorted(path.name for path in index.iterdir() if path.is_dir()))
            raise StorageError("the disk is full")

        monkeypatch.setattr(workplace.builder, "build", full)
        workplace.write("pinia", PINIA)
        with pytest.raises(StorageError, match="full"):
            await workplace.ingest("pinia")
        assert there == ["g000001"]

    async def test_every_long_stage_says_how_far_it_is(self, workplace: Workplace) -> None:
        seen: dict[str, tuple[int, int]] = {}
        await workplace.ingest("vue", progress=lambda words, done, total: seen.__setitem__(words, (done, total)))
        assert {"parse vue", "embed", "store: write", "store: index"} <= seen.keys()
        assert all(done == total for words, (done, total) in seen.items() if words != "fetch vue")

    async def test_a_section_whose_words_no_pack_was_written_for_gets_no_written_questions(self, workplace: Workplace) -> None:
        pack = next(iter(load_packs("vue").values()))
        assert pack_for(chunk(pack.section, "other words")) is None
        state = await workplace.ingest("vue")
        assert state.counts["written_questions"] == 0, "no pack was written for these words"


class TestBegin:
    def test_names_are_resolved_and_said_once(self) -> None:
        assert begin(["Vue", "vue.js", "pinia"], None).sources == ("vue", "pinia")

    def test_no_source_is_refused(self) -> None:
        with pytest.raises(UsageError, match="vuedocs ingest vue"):
            begin([], None)

    def test_docs_that_are_not_there_are_refused_before_anything_starts(self, tmp_path: Path) -> None:
        with pytest.raises(SourceError, match="holds no docs of vue"):
            begin(["sample", "vue"], tmp_path)

    def test_a_bundled_source_needs_no_docs(self, tmp_path: Path) -> None:
        assert begin(["sample"], tmp_path).sources == ("sample",)


class TestWindows:
    SECTION = EMBED.model_copy(update={"window_tokens": 34, "window_overlap": 8})

    def test_windows_cover_the_text_and_share_the_overlap(self) -> None:
        words = [f"w{number}" for number in range(100)]
        pieces = windows("", " ".join(words), self.SECTION, WordEmbedder())
        assert [len(piece.split()) for piece in pieces[:-1]] == [32] * (len(pieces) - 1)
        assert pieces[0].split()[-8:] == pieces[1].split()[:8]
        assert {word for piece in pieces for word in piece.split()} == set(words)

    def test_context_leads_every_window_and_counts(self) -> None:
        pieces = windows("Guide Slots", " ".join(f"w{number}" for number in range(60)), self.SECTION, WordEmbedder())
        assert all(piece.startswith("Guide Slots\n") and len(piece.split()) <= 32 for piece in pieces)

    def test_a_long_context_is_cut_to_a_third(self) -> None:
        (piece,) = windows("c " * 50, "the text", self.SECTION, WordEmbedder())
        assert piece.split().count("c") == 10
        assert piece.endswith("the text")

    def test_a_chunk_without_text_is_its_context(self) -> None:
        assert windows("Guide", "", self.SECTION, WordEmbedder()) == ["Guide\n"]

    def test_a_text_as_long_as_a_window_is_one(self) -> None:
        assert len(windows("", "w " * 32, self.SECTION, WordEmbedder())) == 1
        assert len(windows("", "w " * 33, self.SECTION, WordEmbedder())) == 2

    def test_with_the_real_tokenizer_no_window_is_longer_than_the_model_reads(self) -> None:
        model = LocalModel(find_files())
        text = "\n\n".join(f"```js\nconst übergröße{n} = useWhateverYouLike({n}) // 响应式 v-model.trim\n```" for n in range(60))
        pieces = windows("Guide > Reactivity in Depth. What it is for.", text, EMBED, model)
        assert len(pieces) > 3
        assert all(len(model.offsets(piece)) + 2 <= 256 for piece in pieces)
        assert all(f"übergröße{n} =" in " ".join(pieces) for n in range(60))


class TestEmbedParts:
    @pytest.mark.parametrize(
        ("route", "path", "scopes"),
        [
            ("guide/components/slots", "guide/components/slots", ("guide", "guide/components")),
            ("guide", "guide/index", ("guide",)),
            ("", "index", ()),
            ("about", "about", ()),
            ("getting-started/styling", "1.getting-started/06.styling", ("getting-started",)),
        ],
    )
    def test_scopes_are_the_folders_of_the_route(self, route: str, path: str, scopes: tuple[str, ...]) -> None:
        assert scopes_of(route, path) == scopes

    def test_plain_drops_addresses_and_keeps_words(self) -> None:
        text = "See [the [API](x)](https://a/b_(c)) and [`ref()`](/api#ref), not arr[0](call) `f(x)`."
        assert plain("See [`ref()`](/api#ref).") == "See `ref()`."
        assert "https" not in plain(text)
        assert plain("a [b] (c)") == "a [b] (c)"

    def test_memory_keys_differ_by_all_that_changes_a_vector(self) -> None:
        key = memory_key("m", "passage", {"dims": 4}, "text")
        assert key == memory_key("m", "passage", {"dims": 4}, "text")
        others = [("n", "passage", 4, "text"), ("m", "query", 4, "text"), ("m", "passage", 8, "text"), ("m", "passage", 4, "t")]
        assert len({key} | {memory_key(m, task, {"dims": dims}, text) for m, task, dims, text in others}) == 5
        assert memory_key("m", "passage", {}, "a lone surrogate \ud800")

    def test_the_first_window_alone_carries_the_bm25_weights(self) -> None:
        section = chunk("p#a", "## A\n\nreactive reactive state", "Page", "A")
        points = [Point(str(n), section.id, "vue", "window", n, "", ()) for n in range(2)]
        (first, second), (model,) = with_bm25(points, [section], {}, EMBED)
        assert second.sparse is None
        assert first.sparse is not None
        assert lexical.term_id(lexical.stem("reactive")) in first.sparse.indices
        assert (model.documents, model.vocabulary) == (1, tuple(sorted(set(model.vocabulary))))
        assert model.frequencies == (1,) * len(model.vocabulary), "documents, not occurrences"

    def test_a_lexical_document_repeats_the_breadcrumb_and_the_questions_as_often_as_configured(self) -> None:
        section = chunk("p#a", "## A\n\nBody", "Page", "A")
        asked = [Question(section.id, "why so?", "pack")]

        def document(**settings: int) -> str:
            return lexical_document(section, asked, EMBED.model_copy(update=settings))

        assert document(breadcrumb_repeats=2).count("Page A") == 2
        assert document(question_repeats=3).count("why so?") == 3
        assert "why so?" not in document(question_repeats=0)
        assert "](" not in lexical_document(chunk("p#b", "See [x](https://a)."), [], EMBED)


class TestMentioned:
    NAMES = ("computed", "v-model", "KeepAlive", "app.use", "use", "watchEffect")

    def test_plain_words_count_in_code_only(self) -> None:
        assert mentioned("you compute with computed, or use it", self.NAMES, 9) == ()
        assert mentioned("`computed` twice `computed` and `KeepAlive`", self.NAMES, 9) == ("computed", "KeepAlive")
        assert mentioned("watchEffect in prose", self.NAMES, 9) == ("watchEffect",)

    def test_a_dotted_name_is_not_its_last_part(self) -> None:
        assert mentioned("```js\napp.use(x)\n```", self.NAMES, 9) == ("app.use",)

    def test_the_most_frequent_first_and_no_more_than_the_limit(self) -> None:
        assert mentioned("`KeepAlive` `v-model` `v-model` `computed`", self.NAMES, 2) == ("v-model", "KeepAlive")


class TestHype:
    API = Entity("computed", "reactivity API", "vue", "vue/api/r#computed", description="Takes a getter.")

    def test_an_api_is_asked_for_by_name_and_by_what_it_does(self) -> None:
        section = chunk("api/r#computed", "", "Reactivity API", "computed()")
        assert list(rule_questions(section, [self.API])) == [
            "What does computed do and how do I use it?",
            "reactivity API computed: Takes a getter.",
        ]

    def test_a_section_is_asked_for_with_its_page(self) -> None:
        section = chunk("g#caching", "", "Computed", "Caching")
        assert list(rule_questions(section, [])) == ["Caching in Computed", "How do I handle Caching with Computed?"]

    def test_written_questions_come_first_no_wording_twice_and_not_too_many(self) -> None:
        section = chunk("g#caching", "## Caching\n\nBody", "Computed", "Caching")
        pack = Pack("g#caching", fingerprint(section.text), "", ("CACHING in computed", "when is it stored?"))
        settings = load().hype.model_copy(update={"rules": "always", "max_per_chunk": 3})
        asked = [(question.text, question.origin) for question in chunk_questions(section, [], pack, settings)]
        assert asked == [
            ("CACHING in computed", "pack"),
            ("when is it stored?", "pack"),
            ("How do I handle Caching with Computed?", "rule"),
        ]

    def test_a_pack_fits_while_the_words_are_the_same_however_they_are_set(self) -> None:
        assert fingerprint("A *derived*\nvalue.") == fingerprint("A derived value")
        assert fingerprint("A derived value") != fingerprint("A stored value")


def test_equal_records_have_equal_digests_and_any_change_another() -> None:
    section = chunk("g#a", "text")
    assert digest_of([section]) == digest_of([replace(section)])
    assert digest_of([section]) != digest_of([replace(section, text="texts")])
    assert digest_of(["ab", "c"]) != digest_of(["a", "bc"])
