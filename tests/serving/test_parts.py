"""A long text comes in parts that lose nothing."""

from __future__ import annotations

from vuedocs.serving.parts import parts


def test_a_long_page_comes_in_parts_that_lose_nothing_and_keep_fences_balanced() -> None:
    code = "```ts\n" + "\n".join(f"const a{n} = {n}" for n in range(300)) + "\n```"
    pieces = parts(["# Title", code, "The end."], limit=1000)
    assert all(len(piece) <= 1000 for piece in pieces)
    assert all(piece.count("```") % 2 == 0 for piece in pieces)
    lines = [line for piece in pieces for line in piece.split("\n") if line.startswith("const")]
    assert lines == [f"const a{n} = {n}" for n in range(300)]
    assert pieces[-1].endswith("The end.")


def test_a_line_longer_than_a_part_is_broken() -> None:
    pieces = parts(["x" * 5000], limit=1000)
    assert all(len(piece) <= 1000 for piece in pieces)
    assert "".join(pieces).replace("\n", "") == "x" * 5000
