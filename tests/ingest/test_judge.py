"""What looks wrong about new docs: half of anything is gone."""

from __future__ import annotations

from dataclasses import replace

import pytest

from vuedocs.ingest.judge import Content, suspicions

OLD = Content(
    pages=10,
    sections=frozenset(f"guide/{number}#a" for number in range(20)),
    entities=frozenset(f"api{number}" for number in range(8)),
    characters=10_000,
)


def some(names: frozenset[str], share: float) -> frozenset[str]:
    return frozenset(sorted(names)[: int(len(names) * share)])


@pytest.mark.parametrize(
    ("new", "words"),
    [
        (replace(OLD, pages=4), "pages fell from 10 to 4"),
        (replace(OLD, sections=some(OLD.sections, 0.4)), "12 of 20 sections are gone"),
        (replace(OLD, entities=some(OLD.entities, 0.25)), "6 of 8 API names are gone"),
        (replace(OLD, characters=3_000), "the text fell from 10,000 to 3,000 characters"),
    ],
)
def test_more_than_half_of_anything_gone_is_suspicious(new: Content, words: str) -> None:
    assert suspicions(OLD, new) == (words,)


def test_half_is_not_yet() -> None:
    assert suspicions(OLD, Content(5, some(OLD.sections, 0.5), some(OLD.entities, 0.5), 5_000)) == ()


def test_anchors_renamed_in_place_are_noticed_though_there_are_as_many() -> None:
    renamed = frozenset(key.replace("#a", "#b") for key in OLD.sections)
    assert suspicions(OLD, replace(OLD, sections=renamed)) == ("20 of 20 sections are gone",)


def test_docs_that_grow_and_the_few_names_of_a_small_source_are_not() -> None:
    grown = Content(30, OLD.sections | {"more#x"}, OLD.entities | {"more"}, 90_000)
    assert suspicions(OLD, grown) == ()
    small = replace(OLD, entities=frozenset({"one", "two"}))
    assert suspicions(small, replace(small, entities=frozenset())) == ()
