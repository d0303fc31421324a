"""Checks of question sets: each planted fault is found, and the project's own sets have none."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from fake_reader import chunk_of, golden
from readings import read_source

from vuedocs.bench.checks import Finding, check_files, content_words
from vuedocs.bench.questions import GoldenQuestion, load, questions_folder
from vuedocs.commands.questions import listing


def section(key: str, title: str, text: str) -> object:
    return replace(chunk_of(f"vue/{key}", f"## {title}\n\n{text}"), title=title, heading_path=("Page", title))


DOCS = {
    "vue": [
        section("guide/a#lists", "Rendering Lists with Components", "use `v-for` on it"),
        section("guide/a#keys", "Keys", "give a `key`"),
        section("guide/b#ref", "ref()", "`ref` holds a value"),
    ]
}
SOUND = golden("vue-1", {"guide/a#lists": 3}, question="show ten cards, one for each item", apis=("v-for",))


def found(*questions: GoldenQuestion, **more: tuple[GoldenQuestion, ...]) -> list[tuple[str, tuple[str, ...]]]:
    findings = check_files({"a.jsonl": questions, **more}, DOCS)  # type: ignore[arg-type]
    return [(finding.rule, finding.ids) for finding in findings if finding.fault]


def test_a_sound_question_passes() -> None:
    assert found(SOUND) == []


@pytest.mark.parametrize(
    ("rule", "changes"),
    [
        ("key", {"relevant": {"guide/a#lists": 3, "guide/a#gone": 1}}),
        ("heading", {"question": "components: how are lists rendered?"}),
        ("api", {"apis": ("v-for", "v-if")}),
        ("unanswered", {"relevant": {"guide/a#lists": 2}}),
    ],
)
def test_a_planted_fault_of_one_question_is_found(rule: str, changes: dict[str, object]) -> None:
    assert found(replace(SOUND, **changes)) == [(rule, ("vue-1",))]  # type: ignore[arg-type]


def test_a_heading_is_compared_word_by_word_whatever_their_order() -> None:
    assert content_words("How are lists rendered, with components?") == content_words("Rendering Lists with Components") != set()
    (finding,) = check_files({"a": [replace(SOUND, question="components rendering lists of cards")]}, DOCS)  # type: ignore[arg-type]
    # Three words are shared of the four that question and heading have together.
    assert "shares 75% of its content words with the heading 'Rendering Lists with Components' (limit 75%)" in str(finding)
    assert found(replace(SOUND, question="rendering components of cards in a list of lists on a wall")) == []


def test_an_api_name_alone_is_no_copied_heading() -> None:
    assert found(golden("vue-2", {"guide/b#ref": 3}, question="ref()", apis=("ref",))) == []


def test_a_key_that_does_not_exist_names_the_nearest() -> None:
    (finding,) = check_files({"a": [golden("vue-2", {"guide/b#reff": 3})]}, DOCS)  # type: ignore[arg-type]
    assert "'guide/b#reff' does not exist; the nearest are guide/b#ref" in str(finding)


def test_a_page_in_both_splits_is_found_by_its_first_best_section() -> None:
    other = golden("vue-2", {"guide/b#ref": 2, "guide/a#keys": 3}, question="duplicate key warning", split="test")
    assert found(SOUND, other) == [("split", ("vue-1", "vue-2"))]
    assert found(SOUND, replace(other, split="dev")) == []
    # Written from b, and a answers as well: not a fault, but said.
    apart = replace(other, relevant={"guide/b#ref": 3, "guide/a#keys": 3})
    assert found(SOUND, apart) == []
    (remark,) = check_files({"a": [SOUND, apart]}, DOCS)  # type: ignore[arg-type]
    assert (remark.rule, remark.fault, remark.ids) == ("page", False, ("vue-1", "vue-2"))


def test_twins_are_found_within_a_file_and_across_files() -> None:
    twin = replace(SOUND, id="vue-2", question="Show ten cards: one for each item")
    assert found(SOUND, twin) == [("twin", ("vue-1", "vue-2"))]
    assert found(SOUND, other=(twin,)) == [("twin", ("vue-1", "vue-2"))]
    (finding,) = check_files({"a": [SOUND], "b": [replace(twin, split="test", source="nuxt")]}, DOCS)  # type: ignore[arg-type]
    assert "one dev and one test" in str(finding)


def test_an_id_in_two_files_is_found() -> None:
    again = replace(SOUND, question="something else entirely")
    assert found(SOUND, other=(again,)) == [("id", ("vue-1",))]


def test_a_question_that_a_pack_holds_is_remarked() -> None:
    (remark,) = check_files({"a": [SOUND]}, DOCS, {"vue": ["x", "show ten cards, one for each item?"]})  # type: ignore[arg-type]
    assert (remark.rule, remark.fault) == ("pack", False)
    assert check_files({"a": [SOUND]}, DOCS, {"nuxt": [SOUND.question], "vue": []}) == ()  # type: ignore[arg-type]


def test_a_listing_groups_by_rule_and_says_what_was_not_checked() -> None:
    findings = [Finding("key", ("q1",), "gone"), *(Finding("pack", (f"q{n}",), "near", fault=False) for n in range(25))]
    lines = listing(findings, {"a": (SOUND,)}, ["nuxt"])
    assert lines[:3] == ["FAULT key: 1", "  q1: gone", "remark pack: 25"]
    assert lines[-3] == "  ... and 5 more"
    assert lines[-2].startswith("NOT CHECKED against docs: nuxt")
    assert lines[-1] == "1 questions in 1 files: 1 faults, 25 remarks"


def own_files() -> dict[str, tuple[GoldenQuestion, ...]]:
    return {path.stem: load(path) for path in sorted(questions_folder().glob("*.jsonl"))}


def test_the_projects_own_sets_have_no_fault_among_themselves() -> None:
    assert [str(finding) for finding in check_files(own_files(), {}) if finding.fault] == []


@pytest.mark.parametrize("source", sorted(own_files()))
def test_the_projects_own_sets_have_no_fault_against_the_docs(source: str, request: pytest.FixtureRequest, project: Path) -> None:
    docs = project / "vuedocs" if source == "sample" else request.getfixturevalue("corpus")
    findings = check_files({source: own_files()[source]}, {source: read_source(source, docs).chunks})
    assert [str(finding) for finding in findings if finding.fault] == []
