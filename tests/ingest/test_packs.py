"""Question packs: used only while they fit, reported when they do not, taken in with clear errors."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from vuedocs.errors import SourceError, StorageError
from vuedocs.ingest.packs import Pack, coverage, dump, fingerprint, load, read_packs, written
from vuedocs.records import Chunk
from vuedocs.sources import registry


def chunk(section: str, text: str) -> Chunk:
    path, _, anchor = section.partition("#")
    return Chunk(f"vue/{section}", "vue", path, path, "section", anchor, "", "T", ("T",), (0, 0), text, "")


CHUNKS = [chunk("p#a", "## A\n\nOne two."), chunk("p#b", "## B\n\nThree."), chunk("p#c", "## C\n\nFour."), chunk("p#d", "## D")]


def pack(section: str, text: str) -> Pack:
    return Pack(section, fingerprint(text), "What for.", ("how?", "why?"))


@pytest.mark.parametrize(
    "line", ['{"section": "p#b", "fi', '{"section": "p#b"}', "[]", '{"section": [], "fits": "", "context": "", "questions": []}']
)
def test_a_damaged_pack_file_is_named_with_its_line(tmp_path: Path, line: str) -> None:
    file = tmp_path / "vue.jsonl"
    file.write_text(dump({"p#a": pack("p#a", "One.")}) + line)
    with pytest.raises(StorageError, match=r"question pack .*vue\.jsonl:2 is damaged: .*; restore it from the repository"):
        read_packs(file)
    file.write_bytes(b"\xff")
    with pytest.raises(StorageError, match=r"vue\.jsonl is damaged"):
        read_packs(file)


def test_words_count_and_how_they_are_set_does_not() -> None:
    assert fingerprint("## A\n\nOne **two**.") == fingerprint("## A\nOne two.")
    assert fingerprint("## A\n\nOne two.") != fingerprint("## A\n\nOne three.")


def test_coverage_tells_fitting_stale_missing_and_gone_apart() -> None:
    packs = {one.section: one for one in (pack("p#a", "## A\n\nOne two."), pack("p#b", "## B\n\nChanged."), pack("p#z", "gone"))}
    found = coverage(packs, CHUNKS)
    assert (found.fitting, found.stale, found.missing, found.gone) == (("p#a",), ("p#b",), ("p#c",), ("p#z",))
    assert found.questions == 2, "of fitting packs only; a heading alone needs none"


def test_what_an_author_wrote_is_stamped_with_the_present_words(tmp_path: Path) -> None:
    file = tmp_path / "packs.jsonl"
    file.write_text(json.dumps({"section": "p#a", "context": "What for.", "questions": ["how?", "why?"]}) + "\n\n")
    packs = written(file, CHUNKS, {})
    assert packs == {"p#a": pack("p#a", "## A\n\nOne two.")}
    assert json.loads(dump(packs))["fits"] == fingerprint("## A\n\nOne two.")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('{"section": "p#nowhere", "context": "", "questions": []}', "is no section of these docs"),
        ('{"section": "p#a", "questions": []}', "no fitting pack to add questions to"),
        ('{"section": "p#a", "context": ""}', "no pack"),
        ('{"section": "p#a", "context": 1, "questions": []}', "are texts"),
        ('{"section": "p#a", "context": "", "questions": "how?"}', "a list of texts"),
        ("not json", "no pack"),
    ],
)
def test_a_line_that_is_no_pack_is_named(tmp_path: Path, line: str, words: str) -> None:
    file = tmp_path / "packs.jsonl"
    file.write_text(line + "\n")
    with pytest.raises(SourceError, match=rf"packs\.jsonl:1.*{words}"):
        written(file, CHUNKS, {})


def test_a_line_without_context_adds_to_the_questions_of_a_fitting_pack(tmp_path: Path) -> None:
    file = tmp_path / "packs.jsonl"
    file.write_text(json.dumps({"section": "p#a", "questions": ["when?", "HOW?"]}))
    fitting, stale = pack("p#a", "## A\n\nOne two."), pack("p#a", "## A\n\nChanged.")
    assert written(file, CHUNKS, {"p#a": fitting})["p#a"].questions == ("how?", "why?", "when?"), "no wording twice"
    with pytest.raises(SourceError, match="give its context too"):
        written(file, CHUNKS, {"p#a": stale})


def test_a_section_comes_once(tmp_path: Path) -> None:
    file = tmp_path / "packs.jsonl"
    file.write_text('{"section": "p#a", "context": "", "questions": []}\n' * 2)
    with pytest.raises(SourceError, match=r":2: 'p#a' comes twice"):
        written(file, CHUNKS, {})


def test_the_packs_that_come_with_the_project_hold_together() -> None:
    for source in registry():
        for key, one in load(source).items():
            assert key == one.section
            assert len(one.fits) == 16
            assert all(question.strip() for question in one.questions), f"{source}/{key}"
