"""Models beside each other: the table, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch", reason="the extra 'training' is not installed")

from vuedocs.errors import ProviderError
from vuedocs.training.compare import named, table


def test_a_table_has_the_first_model_and_the_gains_of_the_others_by_source() -> None:
    plain = {"v1": 0.5, "v2": 0.5, "p1": 1.0}
    tuned = {"v1": 0.75, "v2": 0.75, "p1": 1.0}
    lines = table({"plain": plain, "tuned": tuned}, {"all": {*plain}, "vue": {"v1", "v2"}, "pinia": {"p1"}}).splitlines()
    rows = {cells[1].strip(): [cell.strip() for cell in cells[2:-1]] for cells in (line.split("|") for line in lines[2:5])}
    assert rows["vue"][:2] == ["2", "0.500"]
    assert rows["vue"][2].startswith("+0.250 [+0.250, +0.250]")
    assert rows["pinia"][2].startswith("+0.000")
    assert lines[-1].endswith("differences to plain; Holm over 2")


@pytest.mark.parametrize("text", ["plain", "plain=/nowhere/model"])
def test_a_folder_without_a_model_is_refused(text: str) -> None:
    with pytest.raises(ProviderError, match=f"{text}: .* is not there; give NAME=FOLDER"):
        named(text)


def test_the_shipped_model_is_read() -> None:
    folder = Path(__file__).parents[2] / "vuedocs" / "models" / "vuedocs-minilm"
    name, model = named(f"ours={folder}")
    assert (name, model.name, model.dims) == ("ours", "ours", 384)
