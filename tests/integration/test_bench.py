"""The bench on the sample docs: the real pipeline under real questions."""

from __future__ import annotations

from pathlib import Path

import pytest

from vuedocs.bench import benchmark, default_path, load, select
from vuedocs.bench.baselines import judge
from vuedocs.bench.ledger import record
from vuedocs.bench.sweep import Sweep
from vuedocs.config import load as load_config
from vuedocs.query.reader import Reader
from vuedocs.settings import Settings

QUESTIONS = select(load(default_path("sample")), "dev")[:8]


@pytest.mark.parametrize(
    ("overrides", "stage"),
    [
        (("search.leg_depth=1", "search.name_weight=0"), "not in any leg"),
        (("resolve.limit=1",), "fused out"),
        (("reconstruct.max_tokens=60", "reconstruct.floor=0"), "budget"),
        (("reconstruct.floor=1",), "cut"),
        (("reconstruct.max_results=1",), "cut"),
    ],
)
async def test_a_config_that_loses_sections_is_blamed_at_its_stage(sample: Path, overrides: tuple[str, ...], stage: str) -> None:
    reader = await Reader.open(load_config(), Settings(home=sample))
    try:
        before = await benchmark(reader, QUESTIONS, progress=False)
        after = await benchmark(reader, QUESTIONS, config=reader.config.override(*overrides), progress=False)
    finally:
        await reader.aclose()
    was = {(id, one.section): one.stage for id, losses in before.lost.items() for one in losses}
    new = [one.stage for id, losses in after.lost.items() for one in losses if was.get((id, one.section)) != one.stage]
    assert new
    assert set(new) == {stage}


async def test_a_planted_regression_fails_the_gate_and_twenty_harmless_changes_pass(sample: Path, tmp_path: Path) -> None:
    questions = select(load(default_path("sample")), "test")
    reader = await Reader.open(load_config(), Settings(home=sample))
    try:
        sweep = Sweep(reader, questions)
        name, config = "as it is", reader.config
        record(tmp_path, {name: await sweep.run(config)}, {name: config}, reader.manifest, [Path("sample.jsonl")])
        harmless = [await sweep.run(config.override(f"search.leg_depth={depth}")) for depth in range(81, 101)]
        planted = await sweep.run(config.override("resolve.limit=1"))
        manifest = reader.manifest
    finally:
        await reader.aclose()
    fallen = [[words for words in judge(result, tmp_path, manifest).worse if "fell" in words] for result in harmless]
    assert fallen == [[]] * 20  # times are a busy machine's own
    assert any("ndcg@10 fell" in words for words in judge(planted, tmp_path, manifest).worse)
