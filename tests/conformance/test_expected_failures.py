"""What is expected to fail is listed once, with a reason, for each revision; the suite itself is run by run.py."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

FILES = sorted(Path(__file__).parent.glob("expected-failures-*.yml"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_each_entry_stands_once_and_under_a_reason(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    entries = yaml.safe_load(text)["server"]
    assert len(set(entries)) == len(entries)
    first = next(line for line in text.splitlines()[2:])
    assert first.startswith("  # ")


def test_both_revisions_have_a_list() -> None:
    assert [file.stem[-10:] for file in FILES] == ["2025-11-25", "2026-07-28"]
