"""Names of points beside the engine: a file there and back, and hits in order."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from engines import POINTS, point, unit

from vuedocs.clients.edge_names import Names, read_names, write_names
from vuedocs.records import Hit


class Scored(NamedTuple):
    """As the engine gives it."""

    id: int
    score: float


def test_points_are_numbered_as_they_come_and_only_questions_keep_their_words() -> None:
    names = Names()
    assert [*names.add(POINTS[:2]), *names.add(POINTS[2:])] == [0, 1, 2, 3]
    assert names.of(1) == ("vue/guide/computed", "question", 0, "what is guide/computed")
    assert names.of(3) == ("pinia/guide/stores", "window", 0, "")


def test_the_file_gives_back_what_was_written_and_holds_each_chunk_once(tmp_path: Path) -> None:
    names = Names()
    names.add([*POINTS, replace(POINTS[1], number=1, text='über "uns"\n\u2028 <slot #x>')])
    write_names(names, tmp_path / "names")
    found = read_names(tmp_path / "names")
    assert found == names
    assert found.chunks[0] is found.chunks[4]
    assert (tmp_path / "names").read_text().count("vue/guide/computed") == 1


def test_hits_come_best_first_and_ties_by_chunk_kind_and_number() -> None:
    names = Names()
    question = point("a", "question", unit(1))
    names.add([point("b", "window", unit(1)), point("a", "window", unit(1)), replace(question, number=10), question])
    names.add([point("z", "code", unit(1))])
    hits = names.hits([Scored(number, 0.5) for number in range(4)] + [Scored(4, 0.75)])
    assert hits == (
        Hit("vue/z", "code", 0, 0.75),
        Hit("vue/a", "question", 0, 0.5, "what is a"),
        Hit("vue/a", "question", 10, 0.5, "what is a"),
        Hit("vue/a", "window", 0, 0.5),
        Hit("vue/b", "window", 0, 0.5),
    )
