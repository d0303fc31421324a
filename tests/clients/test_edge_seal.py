"""The seal of a folder: over what its files hold, however the file system keeps it."""

from __future__ import annotations

from pathlib import Path

import pytest

from vuedocs.clients.edge_seal import BLOCK, STRETCH, digest


def sparse(path: Path, size: int, *places: int) -> None:
    """A file of holes with a byte at each place."""
    with open(path, "wb") as file:
        file.truncate(size)
        for place in places:
            file.seek(place)
            file.write(b"x")


@pytest.mark.parametrize("size", [3 * BLOCK + 7, STRETCH, 3 * STRETCH + 7])
def test_a_copy_that_fills_the_holes_has_the_same_digest(tmp_path: Path, size: int) -> None:
    sparse(tmp_path / "holes", size, BLOCK, size - 1)
    (tmp_path / "full").write_bytes((tmp_path / "holes").read_bytes())
    assert digest(tmp_path / "full") == digest(tmp_path / "holes")


@pytest.mark.parametrize("size", [3 * BLOCK + 7, 3 * STRETCH + 7])
def test_a_byte_elsewhere_or_another_length_is_another_digest(tmp_path: Path, size: int) -> None:
    for number, (length, *places) in enumerate([(size,), (size, 0), (size, BLOCK), (size, size - 1), (size + 1,)]):
        sparse(tmp_path / f"{number}", length, *places)
    assert len({digest(tmp_path / f"{number}") for number in range(5)}) == 5
