"""Records: keys and ids, and reprs that stay short."""

from __future__ import annotations

import asyncio

from vuedocs.records import Chunk, Ingest, Search


def chunk(id: str, anchor: str) -> Chunk:
    return Chunk(id, "vue", "guide/list", "guide/list", "section", anchor, "", "", ("",), (0, 0), "text", "")


def test_section_keys_name_page_and_anchor() -> None:
    assert chunk("vue/guide/list#keys", "keys").section == "guide/list#keys"
    assert chunk("vue/guide/list", "").section == "guide/list"


def test_an_example_stands_for_the_section_around_it() -> None:
    assert chunk("vue/guide/list#keys~code-2", "keys").section_id == "vue/guide/list#keys"


def test_a_state_has_a_short_repr_whatever_it_holds() -> None:
    """asyncio.run writes out the result of its task when it installs its signal handler: a whole site took minutes."""
    chunks = tuple(chunk(f"vue/guide/list#{n}", str(n)) for n in range(1000))
    assert len(repr(Ingest(("vue",), chunks=chunks))) < 200
    assert "1,000" in repr(Ingest(("vue",), chunks=chunks))
    assert len(repr(Search("q" * 10, notes=("n",) * 1000))) < 200

    async def state() -> Ingest:
        return Ingest(("vue",), chunks=chunks)

    assert asyncio.run(state()).chunks == chunks
