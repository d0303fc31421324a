"""What goes with an API: along links, by headings and by mentions, the most telling first."""

from __future__ import annotations

from collections.abc import Sequence

from fakes import MemoryDatabase

from vuedocs.clients import Snapshot
from vuedocs.query.library import Library
from vuedocs.query.related import related, related_text
from vuedocs.query.relations import relations_of
from vuedocs.records import Bm25Model, Chunk, Entity, Link, LinkPriority, Manifest, SourceManifest

Links = Sequence[tuple[str, LinkPriority]]


def chunk(key: str, title: str, entities: tuple[str, ...] = (), links: Links = (), **more: str) -> Chunk:
    path, _, anchor = key.partition("#")
    return Chunk(
        f"vue/{key}{more.get('suffix', '')}", "vue", path, path, more.get("kind", "section"), anchor,  # type: ignore[arg-type]
        f"https://vuejs.org/{key}", title, (path, title) if anchor else (path,), (0, 0), f"## {title}", "0" * 64,
        entities=entities, links=tuple(Link(target, "", priority) for target, priority in links),
    )  # fmt: skip


FROM_COMPUTED: Links = [("guide/far", "low"), ("guide/computed", "high"), ("gone", "high")]
CHUNKS = (
    chunk("api#computed", "computed()", ("computed", "ref"), FROM_COMPUTED),
    chunk("api#computed", "computed()", ("computed",), kind="code", suffix="~code-0"),
    chunk("api#ref", "ref()", ("ref", "computed"), [("api#computed", "medium")]),
    chunk("guide/computed", "Computed Properties", ("computed",)),
    chunk("guide/computed#caching", "Caching", ("computed", "ref"), [("api#computed", "high")]),
    chunk("guide/computed#more", "More", ("computed", "watch")),
    chunk("options#computed", "computed", ("data", "computed")),
    chunk("guide/far", "Far", ("data",)),
    chunk("guide/data", "Data", ("data",)),
)
NAMES = ("computed", "ref", "data", "watch")
ENTITIES = tuple(Entity(name, "API", "vue", f"vue/api#{name}", description=f"It is {name}.") for name in NAMES)
MANIFEST = SourceManifest("vue", "abc", "3.5", "", "2026-11-30", "", 1, 1, 1, 1)


def library() -> Library:
    database = MemoryDatabase()
    database.snapshots["d"] = Snapshot(MANIFEST, "d", (), CHUNKS, ENTITIES, (), Bm25Model("vue", 0, 0.0))
    manifest = Manifest("g000001", "", "", "", 0, (MANIFEST,), 1)
    database.generations["g000001"] = (manifest, ("d",))
    return Library(database, manifest, ENTITIES, ())  # type: ignore[arg-type]


async def test_sections_come_by_strong_links_headings_weak_links_and_mentions() -> None:
    found = await related(library(), ENTITIES[0])
    assert [(section.chunk.section, section.why) for section in found.sections] == [
        ("guide/computed", "linked from its reference"),
        ("guide/computed#caching", "links to it"),
        ("options#computed", "speaks of it"),
        ("api#ref", "links to it"),
        ("guide/far", "linked from its reference"),
        ("guide/computed#more", "speaks of it"),
    ]


async def test_apis_that_few_other_sections_speak_of_come_first() -> None:
    found = await related(library(), ENTITIES[0])
    assert [api.name for api in found.apis] == ["ref", "watch", "data"]


async def test_both_are_limited() -> None:
    found = await related(library(), ENTITIES[0], limit=1)
    assert (len(found.apis), len(found.sections)) == (1, 1)


async def test_an_api_without_a_section_has_nothing() -> None:
    found = await related(library(), ENTITIES[2])
    assert (found.apis, found.sections) == ((), ())
    assert "none that its documentation" in related_text(found)


async def test_it_reads_as_a_list_with_links_and_reasons() -> None:
    text = related_text(await related(library(), ENTITIES[0]))
    assert text.startswith("# computed (vue: API)\n\nAPIs:\n- `ref` (API): It is ref.\n")
    assert "- [guide/computed › Caching](https://vuejs.org/guide/computed#caching) (links to it)" in text


def test_examples_count_for_nothing() -> None:
    assert len(relations_of(CHUNKS).speaking["computed"]) == 6


async def test_sections_that_speak_more_of_another_api_come_last() -> None:
    found = await related(library(), ENTITIES[NAMES.index("ref")])
    assert [(section.chunk.section, section.why) for section in found.sections] == [
        ("api#computed", "linked from its reference"),
        ("guide/computed#caching", "speaks of it"),
    ]


async def test_a_page_that_was_read_is_not_asked_for_again() -> None:
    read = library()
    first = await read.page_chunks("vue", "api")
    del read._database.snapshots["d"]  # type: ignore[attr-defined]  # nothing is left to be asked
    assert await read.page_chunks("vue", "api") == first != ()
