"""A seventeenth site is one entry and no code: one made-up site of each engine, read by its entry alone."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

import pytest

from vuedocs.config import Parse
from vuedocs.ingest.chunking import Chunker, page_of
from vuedocs.ingest.fetch import describe
from vuedocs.ingest.parse import page_files, read_pages
from vuedocs.records import Chunk, Page
from vuedocs.sources import Source

SITES = Path(__file__).parent.parent / "fixtures" / "sites"


class Clients:
    def progress(self, words: str, done: int, total: int) -> None: ...


@dataclass(frozen=True)
class Site:
    pages: list[Page]
    chunks: list[Chunk]
    dead: list[str]


async def site(name: str) -> Site:
    source = Source(name=name, **tomllib.loads((SITES / name / "source.toml").read_text(encoding="utf-8")))
    checkout = describe(source, SITES / name / source.docs_folder, SITES / name, "fixture")
    files, _, _ = page_files(source, checkout)
    pages, _ = await read_pages(source, checkout.folder, files, Clients())  # type: ignore[arg-type]
    chunker = Chunker(source, pages, Parse(code_chunks=True, code_min_lines=3))
    return Site([page_of(source, page) for page in pages], list(chunker.chunks()), chunker.dead)


@pytest.mark.parametrize(
    ("name", "paths", "routes", "urls"),
    [
        (
            "vitepress",
            ["guide/water", "index"],
            ["guide/water", ""],
            ["https://tulip.example/guide/water", "https://tulip.example/"],
        ),
        (
            "mdc",
            ["1.garden/1.index", "1.garden/2.beds", "2.shed/10.tools", "2.shed/2.$old"],
            ["garden", "garden/beds", "shed/tools", "shed/dollarold"],
            [f"https://rose.example/docs/{route}" for route in ("garden", "garden/beds", "shed/tools", "shed/dollarold")],
        ),
        (
            "mdx",
            ["start", "beds/light", "beds/shade"],
            ["start", "beds/light", "beds/shade"],
            [f"https://fern.example/v2/{route}/" for route in ("start", "beds/light", "beds/shade")],
        ),
    ],
)
async def test_pages_in_reading_order(name: str, paths: list[str], routes: list[str], urls: list[str]) -> None:
    found = await site(name)
    assert [page.path for page in found.pages] == paths
    assert [page.route for page in found.pages] == routes
    assert [page.url for page in found.pages] == urls
    assert found.dead == []


async def test_a_site_of_vitepress() -> None:
    found = await site("vitepress")
    assert [(chunk.id, chunk.url) for chunk in found.chunks] == [
        ("vitepress/guide/water", "https://tulip.example/guide/water"),
        ("vitepress/guide/water#amount", "https://tulip.example/guide/water#amount"),
        ("vitepress/index", "https://tulip.example/"),
    ]
    assert [link.target for link in found.chunks[1].links] == ["index"]


async def test_a_site_of_nuxt_content() -> None:
    found = await site("mdc")
    chunks = {chunk.id: chunk for chunk in found.chunks}
    assert list(chunks) == [
        "mdc/1.garden/1.index",
        "mdc/1.garden/2.beds",
        "mdc/1.garden/2.beds#dig-plant",
        "mdc/2.shed/10.tools",
        "mdc/2.shed/10.tools#spade",
        "mdc/2.shed/2.$old",
    ]
    assert chunks["mdc/1.garden/2.beds"].text == "# Beds\n\nWhere roses grow."
    section = chunks["mdc/1.garden/2.beds#dig-plant"]
    assert section.url == "https://rose.example/docs/garden/beds#dig-plant"
    assert section.text.endswith(
        "**[Tip](https://rose.example/docs/shed/tools):** Deep.\n\nOr [buy one](https://rose.example/shop)."
    )
    assert [link.target for link in section.links] == ["2.shed/10.tools"]
    assert [link.target for link in chunks["mdc/1.garden/1.index"].links] == ["1.garden/2.beds"]
    assert [page.section for page in found.pages] == ["The Garden", "The Garden", "Shed", ""]
    assert [page.title for page in found.pages] == ["Garden", "Beds", "Tools", "$old"]


async def test_a_site_of_astro() -> None:
    found = await site("mdx")
    assert [chunk.id for chunk in found.chunks] == ["mdx/start", "mdx/beds/light", "mdx/beds/shade", "mdx/beds/shade#deep--dark"]
    assert [link.target for link in found.chunks[0].links] == ["beds/shade#deep--dark", "beds/light"]
