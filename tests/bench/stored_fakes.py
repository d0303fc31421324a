"""Results and their folders, for tests of what is stored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from fake_reader import FakeReader, golden

from vuedocs.bench import benchmark
from vuedocs.bench.ledger import record
from vuedocs.bench.questions import GoldenQuestion
from vuedocs.bench.result import BenchResult
from vuedocs.records import Manifest, SourceManifest

COUNT = 12
QUESTIONS = tuple(golden(f"q{i:02}", {f"p{i}#a": 3}, split="test") for i in range(COUNT))
GOOD = {f"q{i:02}": [(f"vue/p{i}#a", 0.9), ("vue/x", 0.8)] for i in range(COUNT)}
SECOND = {f"q{i:02}": [("vue/x", 0.9), (f"vue/p{i}#a", 0.8)] for i in range(COUNT)}
LOST = {f"q{i:02}": [("vue/x", 0.9)] for i in range(COUNT)}
EXTRA = [f"vue/p{i}#{anchor}" for i in range(COUNT) for anchor in "ab"]

Found = Mapping[str, Sequence[tuple[str, float]]]


def manifest(commit: str = "c0ffee", points: int = 100) -> Manifest:
    source = SourceManifest("vue", commit, "", "", "2026-11-30", "", 1, 1, 1, points)
    return Manifest("g000007", "2026-11-30", "f", "fake", 384, (source,), points)


async def result_of(
    found: Found, questions: Sequence[GoldenQuestion] = QUESTIONS, overrides: Sequence[str] = (), level: str = "section"
) -> BenchResult:
    reader = FakeReader(found, extra=EXTRA)
    config = reader.config.override(*overrides)
    return await benchmark(reader, questions, level, config=config, progress=False)  # type: ignore[arg-type]


async def kept(
    folder: Path,
    found: Found,
    questions: Sequence[GoldenQuestion] = QUESTIONS,
    overrides: Sequence[str] = (),
    index: Manifest | None = None,
) -> Path:
    """A run's folder."""
    result = await result_of(found, questions, overrides)
    configs = {"whole": FakeReader({}).config.override(*overrides)}
    record(folder, {"whole": result}, configs, index or manifest(), [Path("made-up.jsonl")])
    return folder
