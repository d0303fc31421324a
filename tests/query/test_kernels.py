"""The pure parts of the query stages, with the arithmetic shown."""

from __future__ import annotations

import math
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from vuedocs import tokens
from vuedocs.config import load
from vuedocs.query.detect import correct, mentions_in
from vuedocs.query.expand import expand, targets
from vuedocs.query.library import by_name
from vuedocs.query.reconstruct import above_floor, blocks, choose, cut_at_block, document, reconstruct
from vuedocs.query.rerank import reranked
from vuedocs.query.resolve import blend
from vuedocs.query.search import engine_fused, minmax, with_text
from vuedocs.records import Candidate, Chunk, Entity, Hit, Link, Manifest, Mention, Passage, PointKind, Search, SourceManifest

DETECT = load().detect
RESOLVE = load().override("resolve.page_weight=0").resolve
MANIFEST = Manifest(
    "g000001", "", "", "", 0, (SourceManifest("vue", "abc", "3.5", "", "2026-01-01T00:00:00+00:00", "", 1, 1, 1, 1),), 1
)


def hit(chunk: str, score: float, kind: PointKind = "window", text: str = "") -> Hit:
    return Hit(chunk, kind, 0, score, text)


def chunk(key: str, text: str = "## T\n\nBody.", position: int = 0, links: tuple[Link, ...] = ()) -> Chunk:
    path, _, anchor = key.partition("#")
    heading_path = ("Page", anchor) if anchor else ("Page",)
    url = f"https://vuejs.org/{key}"
    return Chunk(
        f"vue/{key}",
        "vue",
        path,
        path,
        "section",
        anchor,
        url,
        heading_path[-1],
        heading_path,
        (0, position),
        text,
        "",
        links=links,
    )


def candidate(key: str, fused: float, **values: object) -> Candidate:
    return Candidate(f"vue/{key}", {"fused": fused}, ("meaning",), chunk(key, **values))  # type: ignore[arg-type]


class OnePage:
    """A library of one page."""

    def __init__(self, *chunks: Chunk) -> None:
        self.chunks = chunks

    async def page_chunks(self, source: str, path: str) -> tuple[Chunk, ...]:
        return self.chunks


async def test_what_a_heading_alone_names_is_the_first_section_below_it_that_says_something() -> None:
    page, empty, says = chunk("api/form", "# Form"), chunk("api/form#a", "## A"), chunk("api/form#b")
    library: Any = OnePage(page, empty, says)
    assert await with_text(page, library) == says
    assert await with_text(says, library) == says, "what says something stands for itself"
    assert await with_text(empty, library) == empty, "nothing stands below it"


class TestMinmax:
    def test_scales_to_the_weight(self) -> None:
        assert [round(h.share, 3) for h in minmax([hit("a", 9), hit("b", 6), hit("c", 3)], 0.5)] == [0.5, 0.25, 0.0]

    def test_hits_that_all_tie_share_the_whole_weight(self) -> None:
        assert [h.share for h in minmax([hit("a", 2), hit("b", 2)], 0.5)] == [0.5, 0.5]

    def test_nothing_stays_nothing(self) -> None:
        assert minmax([], 0.5) == ()


class TestBlend:
    def test_adds_the_best_share_of_each_leg(self) -> None:
        legs = {
            "dense": (hit("a", 0.9)._replace(share=0.5), hit("a", 0.8)._replace(share=0.4), hit("b", 0.7)._replace(share=0.3)),
            "question": (hit("b", 0.95, "question", "how?")._replace(share=0.5),),
            "sparse": (hit("a", 12.0)._replace(share=0.5),),
        }
        first, second = blend(legs, RESOLVE.model_copy(update={"question_weight": 0.4}))
        assert (first.chunk_id, second.chunk_id) == ("a", "b")
        assert first.scores["fused"] == pytest.approx(0.6 * 0.5 + 0.5)
        assert second.scores["fused"] == pytest.approx(0.6 * 0.3 + 0.4 * 0.5)
        assert first.scores["dense"] == 0.9, "raw scores stay beside it, the best of each leg"
        assert second.found_by == ("meaning", "question: how?")

    def test_ties_are_ordered_by_id(self) -> None:
        legs = {"dense": (hit("b", 1)._replace(share=0.5), hit("a", 1)._replace(share=0.5))}
        assert [c.chunk_id for c in blend(legs, RESOLVE)] == ["a", "b"]

    def test_of_several_sources_the_one_with_the_best_chunks_is_favoured(self) -> None:
        shares = {"nuxt/a": 1.0, "vue/b": 0.95, "vue/c": 0.9, "vue/d": 0.9, "nuxt/z": 0.1}
        legs = {"sparse": tuple(hit(id, share)._replace(share=share) for id, share in shares.items())}
        settings = RESOLVE.model_copy(update={"source_weight": 0.3, "source_top": 3, "source_temperature": 0.2})
        assert [c.chunk_id for c in blend(legs, settings)][:3] == ["nuxt/a", "vue/b", "vue/c"]
        favoured = blend(legs, settings, several=True)
        assert [c.chunk_id for c in favoured] == ["vue/b", "vue/c", "vue/d", "nuxt/a", "nuxt/z"]
        assert favoured[0].scores["fused"] == 0.95, "the favoured source keeps its scores"
        lack = (0.95 + 2.75 / 3) / 2 - (1.0 + 1.1 / 3) / 2
        likelihood = math.exp(-lack / 0.2)
        assert favoured[3].scores["fused"] == pytest.approx(1.0 - 0.3 * (1 - likelihood)), "a preference, no restriction"

    def test_a_source_that_is_as_likely_loses_nothing(self) -> None:
        legs = {"sparse": tuple(hit(id, 0.8)._replace(share=0.8) for id in ("nuxt/a", "vue/a"))}
        settings = RESOLVE.model_copy(update={"source_weight": 1.0})
        assert [c.scores["fused"] for c in blend(legs, settings, several=True)] == [0.8, 0.8]

    def test_a_section_gains_from_what_else_its_page_has(self) -> None:
        shares = {"vue/a": 1.0, "vue/b#1": 0.9, "vue/b#2": 0.8, "vue/b": 0.7, "vue/b#3": 0.6}
        legs = {"sparse": tuple(hit(id, share)._replace(share=share) for id, share in shares.items())}
        settings = RESOLVE.model_copy(update={"page_weight": 0.3, "page_top": 3})
        candidates = {c.chunk_id: c.order for c in blend(legs, settings)}
        assert list(candidates) == ["vue/b#1", "vue/a", "vue/b#2", "vue/b", "vue/b#3"]
        assert candidates["vue/a"] == pytest.approx(1.0 + 0.3 * 1.0 / 3), "of three sections it has one"
        assert candidates["vue/b#3"] == pytest.approx(0.6 + 0.3 * (0.9 + 0.8 + 0.7) / 3), "the three best of its page"

    def test_what_a_page_adds_lifts_no_section_over_the_floor(self) -> None:
        weak = replace(candidate("b", 0.35), scores={"fused": 0.35, "page": 0.2})
        assert above_floor([candidate("a", 1.0), weak], 0.4) == [candidate("a", 1.0)]

    def test_only_sections_that_are_candidates_support_their_page(self) -> None:
        shares = {"vue/a": 1.0, "vue/b#1": 0.9, "vue/b#2": 0.8}
        legs = {"sparse": tuple(hit(id, share)._replace(share=share) for id, share in shares.items())}
        settings = RESOLVE.model_copy(update={"page_weight": 0.3, "page_top": 3, "limit": 2})
        assert [c.chunk_id for c in blend(legs, settings)] == ["vue/a", "vue/b#1"]


NAMES = by_name(
    [
        Entity("computed", "reactivity API", "vue", "vue/api/reactivity-core#computed", ("usememo", "computed property")),
        Entity("watchEffect", "reactivity API", "vue", "vue/api/reactivity-core#watcheffect", ("watch-effect",)),
        Entity("KeepAlive", "component", "vue", "vue/api/built-in-components#keepalive", ("keep-alive",)),
        Entity("v-model", "directive", "vue", "vue/api/built-in-directives#v-model", ("vmodel",)),
        Entity("watch", "reactivity API", "vue", "vue/api/reactivity-core#watch"),
        Entity("watch", "option", "vite", "vite/config/build#watch"),
    ]
)


class TestMentions:
    @pytest.mark.parametrize(
        ("query", "name", "how"),
        [
            ("how do I write computed() with a setter", "computed", "exact"),
            ("watchEffect cleanup", "watchEffect", "exact"),
            ("the watch effect runs twice", "watchEffect", "bigram"),
            ("keep-alive include", "KeepAlive", "synonym"),
            ("keep alive include", "KeepAlive", "bigram"),
            ("useMemo in vue", "computed", "synonym"),
            ("what is a computed property", "computed", "bigram"),
            ("comuted setter", "computed", "typo"),
            ("v-modal on an input", "v-model", "typo"),
            ("watch", "watch", "exact"),
        ],
    )
    def test_names_are_recognised(self, query: str, name: str, how: str) -> None:
        found = mentions_in(query, NAMES, frozenset({"include", "clean", "setter", "input"}), ("vue",), DETECT)
        assert (name, how) in [(m.entity.name, m.how) for m in found]

    def test_an_english_word_in_prose_names_nothing(self) -> None:
        assert mentions_in("I want to watch what happens here", NAMES, frozenset({"happen"}), ("vue",), DETECT) == ()

    def test_only_the_sources_asked_for(self) -> None:
        found = mentions_in("`watch`", NAMES, frozenset(), ("vite",), DETECT)
        assert [m.entity.source for m in found] == ["vite"]

    def test_a_word_that_documents_know_is_not_corrected(self) -> None:
        assert mentions_in("computer science", NAMES, frozenset({"computer", "scienc"}), (), DETECT) == ()

    def test_the_query_is_corrected(self) -> None:
        mentions = mentions_in("comuted setter", NAMES, frozenset({"setter"}), (), DETECT)
        assert correct("comuted setter", mentions) == "computed setter"

    def test_only_whole_words_are_corrected_and_once(self) -> None:
        entities = [Entity("onMounted", "lifecycle hook", source, f"{source}/api") for source in ("vue", "nuxt")]
        typos = [Mention(each, "typo", "onMount") for each in entities]
        assert correct("is onMount() onMounted?", typos) == "is onMounted() onMounted?"


class TestExpand:
    LINKS = (Link("api/x#a", "a", "high"), Link("guide/b", "b", "medium"), Link("other/c", "c", "low"))

    def test_high_links_from_all_the_others_from_the_best_only(self) -> None:
        section = load().override("expand.medium_top=1", "expand.low_top=0").expand
        first, second = candidate("p#1", 1.0, links=self.LINKS), candidate("p#2", 0.5, links=self.LINKS)
        assert list(targets([first, second], section)) == [("1", "vue/api/x#a"), ("2", "vue/api/x#a"), ("1", "vue/guide/b")]

    async def test_targets_follow_without_a_bonus(self) -> None:
        class Clients:
            class library:
                @staticmethod
                async def chunks(ids: list[str]) -> dict[str, Chunk]:
                    return {"vue/api/x#a": chunk("api/x#a")}

        state = Search("q", candidates=(candidate("p#1", 1.0, links=self.LINKS),))
        after = await expand(state, load().expand, Clients())  # type: ignore[arg-type]
        assert [(c.chunk_id, c.scores["fused"]) for c in after.candidates] == [("vue/p#1", 1.0), ("vue/api/x#a", 0.0)]
        assert after.candidates[1].found_by == ("link from 1",)

    async def test_a_folders_own_page_is_in_the_scope(self) -> None:
        class Clients:
            class library:
                @staticmethod
                async def chunks(ids: list[str]) -> dict[str, Chunk]:
                    return {"vue/api/index": replace(chunk("api/index"), route="api"), "vue/guide/b": chunk("guide/b")}

        links = (Link("api/index", "API", "high"), Link("guide/b", "b", "high"))
        state = Search("q", scope="api", candidates=(candidate("p#1", 1.0, links=links),))
        after = await expand(state, load().expand, Clients())  # type: ignore[arg-type]
        assert [c.chunk_id for c in after.candidates[1:]] == ["vue/api/index"]


def test_reranked_keeps_links_behind_and_the_fused_score_beside() -> None:
    linked = Candidate("vue/z", {"fused": 0.0}, ("link from x",), chunk("z"))
    order = reranked([candidate("a", 0.9), candidate("b", 0.8), linked], [0.1, 0.2, 0.9])
    assert [c.chunk_id for c in order] == ["vue/b", "vue/a", "vue/z"]
    assert order[0].scores == {"fused": 0.8, "rerank": 0.2}


class TestReconstruct:
    def test_the_floor_is_a_share_of_the_best(self) -> None:
        assert len(above_floor([candidate("a", 1.0), candidate("b", 0.4), candidate("c", 0.39)], 0.4)) == 2

    async def test_what_is_below_the_floor_is_named_in_whatever_order(self) -> None:
        order = reranked([candidate("a", 1.0), candidate("b", 0.1)], [0.2, 0.9])
        clients = SimpleNamespace(library=SimpleNamespace(manifest=MANIFEST))
        after = await reconstruct(Search("q", candidates=order), load().reconstruct, clients)  # type: ignore[arg-type]
        assert [passage.chunk_id for passage in after.passages] == ["vue/a"]
        assert [(entry.chunk_id, entry.reason) for entry in after.omitted] == [("vue/b", "below the floor")]

    def test_a_fence_is_one_block(self) -> None:
        text = "Intro.\n\n```js\na\n\nb\n```\n\nEnd."
        assert list(blocks(text)) == ["Intro.", "```js\na\n\nb\n```", "End."]

    def test_a_longer_fence_holds_shorter_ones(self) -> None:
        assert list(blocks("````md\n```js\n\n```\n````\n\nEnd.")) == ["````md\n```js\n\n```\n````", "End."]

    def test_cut_ends_at_a_block(self) -> None:
        assert cut_at_block("One.\n\nTwo is longer.\n\nThree.", 15) == "One."

    def test_a_first_block_that_is_too_long_is_cut_at_a_line_with_its_fence_closed(self) -> None:
        cut = cut_at_block("```js\nconst a = 1\nconst b = 2\n```", 21)
        assert cut == "```js\nconst a = 1\n```"
        assert cut_at_block("```js\nconst a = 1\nconst b = 2\n```", 20) == "", "a fence with nothing in it says nothing"

    def test_a_fence_inside_a_list_is_closed_where_it_is_cut_through(self) -> None:
        block = "- Do this:\n  ```js\n  const a = 1\n  const b = 2\n  ```"
        assert cut_at_block(block, 40) == "- Do this:\n  ```js\n  const a = 1\n```"

    def test_the_budget_ends_the_choice_and_the_first_always_fits(self) -> None:
        section = load().override("reconstruct.max_tokens=30").reconstruct
        long = "## T\n\n" + "word " * 16
        candidates = [candidate("a", 1.0, text=long), candidate("b", 0.9, text=long), candidate("c", 0.8)]
        assert [p.chunk_id for p in choose(candidates, Search("q"), section, MANIFEST)] == ["vue/a"]
        first = choose(candidates, Search("q", max_tokens=5), section, MANIFEST)
        assert [p.cut for p in first] == [True]

    def test_an_answer_reads_as_one_document(self) -> None:
        def passage(anchor: str, text: str, *path: str) -> Passage:
            url = f"https://vuejs.org/p#{anchor}"
            return Passage(f"vue/p#{anchor}", "vue", path[-1], path, url, "3.5", "", text, tokens.estimate(text), {}, ())

        text = document(
            [
                passage("a", "About a.", "Page", "A"),
                passage("a1", "More.", "Page", "A", "Detail"),
                passage("b1", "Else.", "Page", "B", "Deep"),
            ]
        )
        assert text == (
            "# Page (vue)\n\n## [A](https://vuejs.org/p#a)\n\nAbout a.\n\n### [Detail](https://vuejs.org/p#a1)\n\nMore.\n\n"
            "### [B › Deep](https://vuejs.org/p#b1)\n\nElse.\n"
        )


def test_what_the_engine_fused_counts_once_however_many_legs_found_it() -> None:
    legs = {"dense": (hit("a", 0.9), hit("b", 0.8)), "sparse": (hit("a", 0.9),)}
    fused = (hit("a", 0.7), hit("b", 0.5))
    first, second = blend({**legs, "fused": engine_fused(fused)}, RESOLVE)
    assert (first.chunk_id, first.scores["fused"]) == ("a", pytest.approx(0.7))
    assert (second.chunk_id, second.scores["fused"]) == ("b", pytest.approx(0.5))
    assert first.found_by == ("meaning", "words")
