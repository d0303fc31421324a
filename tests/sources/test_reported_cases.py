"""Reported troubles of parsers: what opens a section and what does not, which API style text speaks of, and very short pages."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from markup_fixtures import document, outline
from readings import Reading, read_source

from vuedocs.records import Chunk
from vuedocs.sources.front import normalise

DIV = re.compile(r'^<div class="(options|composition)-api">\s*$', re.MULTILINE)


@pytest.mark.parametrize(
    "text",
    ["> ## quoted\n", "- ## in a list\n", "1. a\n\n   ## in a list\n", "<script setup>\n## x\n</script>\n", "<!--\n## x\n-->\n"],
)
@pytest.mark.parametrize("source", ["vue", "nuxt"])
def test_what_looks_like_a_heading_opens_no_section(text: str, source: str) -> None:
    assert [part.title for part in document(f"# Page\n\n{text}\nText.\n\n## Real\n", source).parts] == ["Page", "Real"]


def test_the_sections_of_both_api_styles() -> None:
    divs = [f'<div class="{style}-api">\n\n## {style} {{#{style}}}\n\nText.\n\n</div>' for style in ("options", "composition")]
    parts = document("\n\n".join(("# Page", *divs, "## Both\n\nText.\n"))).parts
    assert [part.style for part in parts] == ["both", "options", "composition", "both"]


def test_every_style_of_the_real_site_is_kept(corpus: Path) -> None:
    """What each div begins with, where that is prose, stands in a chunk of its style, or below a label of its style."""
    reading = read_source("vue", corpus)
    divs = [(page.file.path, div.group(1), text) for page in reading.pages for div, text in _divs(page.file.text)]
    prose = [(path, style, text) for path, style, text in divs if text]
    assert len(divs) > 222
    assert len(prose) > 50
    assert [div for div in prose if not _kept(reading, *div)] == []


def _divs(text: str) -> list[tuple[re.Match[str], str]]:
    """Each div that sets a style, with the first words of prose in it; ``""`` where it begins with something else."""
    found = []
    for div in DIV.finditer(text):
        inside = text[div.end() :].partition("</div>")[0].strip().split("\n")[0]
        found.append((div, inside if re.match(r"[A-Z][A-Za-z' ,]{9,}", inside) else ""))
    return found


def _kept(reading: Reading, path: str, style: str, text: str) -> bool:
    words = re.match(r"[A-Za-z' ,]+", text)
    assert words
    chunks = [chunk for chunk in reading.chunks if chunk.path == path and chunk.kind != "code" and words.group() in chunk.text]
    return any(_speaks_of(chunk, style, words.group()) for chunk in chunks)


def _speaks_of(chunk: Chunk, style: str, words: str) -> bool:
    if chunk.api_style == style:
        return True
    label = f"**{style.capitalize()} API**"
    return any(label in chunk.text[: place.start()] for place in re.finditer(re.escape(words), chunk.text))


def test_short_pages_and_pages_of_a_component_are_pages() -> None:
    assert outline(document("# Stub\n\nMoved to [here](/a).\n")) == "[h1 | Stub | #stub]\nMoved to [here](/a)."
    assert outline(document("Only words, no heading.\n")) == "[h0]\nOnly words, no heading."
    assert outline(document("---\ntitle: T\n---\n\n<FunctionsList />\n")) == "[h0]"


def test_text_between_the_title_and_the_first_section_is_the_pages_own() -> None:
    parts = document("Above.\n\n# Page\n\nOne.\n\n- two\n\n## A\n\nThree.\n").parts
    assert [(part.title, part.body) for part in parts] == [("Page", "Above.\n\nOne.\n\n- two"), ("A", "Three.")]


def test_every_file_of_a_real_site_is_a_page_however_short(corpus: Path) -> None:
    reading = read_source("vue", corpus)
    own = {chunk.path: chunk.text for chunk in reading.chunks if chunk.kind == "page"}
    short = [page for page in reading.pages if 8 <= len(normalise(page.file.text).split()) <= 70]
    assert len(short) > 5
    assert {page.file.path for page in reading.pages} == set(own)
    assert all(own[page.file.path].startswith("# ") for page in short)
