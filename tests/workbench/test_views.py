"""What notebooks show of each stage, on a handful of records."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from vuedocs import lexical
from vuedocs.config import load
from vuedocs.errors import ConfigError
from vuedocs.records import Bm25Model, Chunk, Entity, Ingest, Link, Page, Point, Question
from vuedocs.settings import Settings
from vuedocs.workbench import configure, embed, enrich, entities, hype, parse, up_to


def chunk(section: str, text: str, place: int = 0, **more: Any) -> Chunk:
    path, _, anchor = section.partition("#")
    title = text.partition("\n")[0].lstrip("# ")
    digest = hashlib.sha256(text.encode()).hexdigest()
    heading = ("Page", title) if anchor else ("Page",)
    made = Chunk(f"vue/{section}", "vue", path, path, "section" if anchor else "page", anchor, f"https://example.org/{section}",
                 title, heading, (0, place), text, digest)  # fmt: skip
    return replace(made, **more)


def state(*chunks: Chunk, **more: Any) -> Ingest:
    page = Page("vue", "guide/a", "guide/a", "https://example.org/guide/a", "Page", "", 0, "", "text", "0" * 64)
    return Ingest(sources=("vue",), pages=(page,), chunks=chunks, **more)


def column(table: Any, place: int) -> list[str]:
    return [str(row[place]) for row in table.rows]


def test_strange_chunks_come_with_their_reason() -> None:
    found = parse.strange(
        state(
            chunk("guide/a#ok", "## Ok\n\nText with `:::` and\n\n```md\n::: tip\n```"),
            chunk("guide/a#left", "## Left\n\n::: tip\nText", 1),
            chunk("guide/a#open", "## Open\n\n```js\nx", 2),
            chunk("guide/a#bare", "## Bare", 3),
            chunk("guide/a#bare-1", "## Bare", 4),
        ),
        top=10,
    )
    reasons = list(zip(column(found, 0), column(found, 1), strict=True))
    assert reasons == [
        ("markup left over", "vue/guide/a#left"),
        ("a code fence is open", "vue/guide/a#open"),
        ("nothing below the heading", "vue/guide/a#bare"),
        ("nothing below the heading", "vue/guide/a#bare-1"),
        ("the same text as another", "vue/guide/a#bare-1"),
    ]


def test_a_heading_with_subsections_is_not_strange() -> None:
    above = chunk("guide/a#rules", "## Rules")
    below = chunk("guide/a#first", "### First\n\nText", 1, kind="subsection", heading_path=("Page", "Rules", "First"))
    assert parse.strange(state(above, below), top=10).rows == []


def test_anchors_that_do_not_spell_their_heading() -> None:
    table = parse.anchors(
        state(
            chunk("guide/a#two-words", "## Two Words"),
            chunk("guide/a#two-words-1", "## Two Words", 1),
            chunk("guide/a#by-hand", "## Something", 2),
            chunk("guide/a#v-model", "## `v-model`", 3),
        ),
        top=10,
    )
    assert column(table, 0) == ["numbered: the heading comes again", "set by hand"]


def test_an_unknown_page_is_named() -> None:
    known = state(chunk("guide/a", "# Page\n\nText"))
    assert parse.page(known, "guide/a").cards[0].text == "# Page\n\nText"
    with pytest.raises(ValueError, match="there is no page 'guide/b'"):
        parse.page(known, "guide/b")


def test_findings_are_computed() -> None:
    links = (Link("guide/b", "b", "high"),)
    found = parse.findings(state(chunk("guide/a", "# Page\n\nText", links=links), chunk("guide/a#x", "## X\n\nText", 1)))
    assert "Links inside the docs by priority: high 1." in found.sentences
    assert "0 section keys come more than once." in found.sentences


def test_names_that_only_their_own_section_speaks_of() -> None:
    home = chunk("api/a#ref", "## ref()", entities=("ref", "watch"))
    names = [Entity("ref", "reactivity API", "vue", home.id), Entity("watch", "reactivity API", "vue", "vue/api/a#watch")]
    assert column(entities.never_mentioned(state(home, entities=tuple(names))), 0) == ["ref"]


def test_where_context_comes_from() -> None:
    page = chunk("guide/a", "# Page", context="Page")
    section = chunk("guide/a#x", "## X", 1, context="Page > X. The page's sentence.")
    assert enrich.origin(page) == enrich.BREADCRUMB
    assert enrich.origin(section) == enrich.SENTENCE


def test_wordings_that_several_chunks_answer() -> None:
    x, y, z = (chunk(f"guide/a#{name}", f"## {name}", place) for place, name in enumerate("xyz"))
    asked = (Question(x.id, "Why?", "rule"), Question(y.id, "Why?", "rule"), Question(y.id, "How?", "pack"))
    known = state(x, y, z, questions=asked)
    assert [list(row[:2]) for row in hype.ambiguous(known, 10).rows] == [["Why?", 2]]
    assert column(hype.without(known, 10), 0) == ["vue/guide/a#z"]


def points(*rows: tuple[str, str, list[float], str]) -> tuple[Point, ...]:
    made = []
    for number, (id, scope, dense, words) in enumerate(rows):
        sparse = lexical.bm25_weights(lexical.tokenise(words), 2, 1.2, 0.75)
        vector = np.array(dense, np.float32) / np.float32(np.linalg.norm(dense))
        made.append(Point(str(number), f"vue/{id}", "vue", "window", 0, words, (scope,), vector, sparse))
    return tuple(made)


def test_the_map_keeps_what_spreads_most_and_is_the_same_for_turned_vectors() -> None:
    random = np.random.default_rng(1)
    vectors = random.normal(size=(60, 5)) * np.array([5, 3, 0.1, 0.1, 0.1])
    places, shares = embed.principal(vectors)
    assert places.shape == (60, 2)
    assert shares.sum() > 0.99
    assert shares[0] > shares[1]
    turned, _ = embed.principal(vectors * np.array([-1, 1, 1, 1, 1]))
    assert np.allclose(places, turned)
    mirrored, _ = embed.principal(-vectors)
    for turn in (places, mirrored):
        assert (turn[np.abs(turn).argmax(axis=0), [0, 1]] > 0).all()


def test_twins_are_of_different_pages() -> None:
    known = state(points=points(("a#1", "g", [1, 0], "x"), ("a#2", "g", [1, 0.01], "y"), ("b#1", "g", [1, 0.2], "z")))
    best = embed.twins(known, 1).rows[0]
    assert best[1:] == ("vue/a#2", "vue/b#1")


def test_telling_terms_are_those_of_the_folder() -> None:
    rows = points(("a", "guide", [1, 0], "slot page"), ("b", "guide", [1, 0], "slot page"), ("c", "api", [1, 0], "hook page"))
    model = Bm25Model("vue", 3, 2.0, tuple(sorted({token for row in rows for token in lexical.tokenise(row.text)})))
    table = embed.telling_terms(state(points=rows, bm25=(model,)), top=1)
    assert [list(row) for row in table.rows] == [["guide", 2, ["slot"]], ["api", 1, ["hook"]]]


def test_plots_are_drawn_and_forgotten() -> None:
    from matplotlib import pyplot

    known = state(chunk("guide/a", "# Page\n\nText", context="Page"), chunk("guide/a#x", "## X", 1, context="Page > X"),
                  points=points(("a#1", "g", [1, 0], "x"), ("a#2", "g", [0, 1], "y"), ("b#1", "g", [1, 1], "z")),
                  questions=(Question("vue/guide/a#x", "Why?", "rule"),))  # fmt: skip
    figures = [parse.sizes(known), enrich.origins(known), hype.per_chunk(known)]
    figures += [embed.embedding_map(known), embed.neighbours(known)]
    assert all(axes.get_xlabel() for figure in figures for axes in figure.axes[-1:])
    assert pyplot.get_fignums() == []


def test_overrides_are_divided_by_semicolons_and_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VUEDOCS_CONFIG", raising=False)
    config, _ = configure("search.fusion=rrf; hype.rules=never")
    assert (config.search.fusion, config.hype.rules) == ("rrf", "never")
    with pytest.raises(ConfigError, match="no key 'fusoin'"):
        configure("search.fusoin=rrf")


async def test_a_notebook_goes_up_to_a_stage_that_publishes_nothing(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="there is no stage 'store' to go up to; there are fetch, parse"):
        await up_to("store", "sample", load(), Settings(home=tmp_path), None)  # type: ignore[arg-type]
