"""Promotion: what holds on test becomes the default, stamped; what does not is refused; both ways back."""

from __future__ import annotations

import argparse
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest
from stored_fakes import GOOD, LOST, QUESTIONS, SECOND, kept, manifest

from vuedocs.bench.promotion import promote, promotion, undo
from vuedocs.bench.stored import StoredRun, read_stored
from vuedocs.commands.promote import baseline
from vuedocs.config import base_path, config, in_use, load, read
from vuedocs.errors import StorageError, UsageError

BASE = read(base_path())
RRF = ("search.fusion=rrf", "fetch.timeout=7")


async def run(folder: Path, found: object, *overrides: str, **options: object) -> StoredRun:
    return read_stored(await kept(folder, found, overrides=overrides, **options))  # type: ignore[arg-type]


async def test_a_gain_is_written_with_its_evidence_and_loaded_by_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before, better = await run(tmp_path / "before", SECOND), await run(tmp_path / "better", GOOD, *RRF)
    new = promotion(better, before, BASE)
    assert new.values == {"search": {"fusion": "rrf"}}
    tuned = tmp_path / "tuned.toml"
    monkeypatch.setattr(config, "tuned_path", lambda: tuned)
    assert load().search.fusion == "minmax"
    promote(new, tuned)
    assert load() == load(overrides=["search.fusion=rrf"])
    stamp = tomllib.loads(tuned.read_text())["promoted"]
    assert promotion(replace(better, name="/home/me/better"), before, BASE).stamp["run"] == "better"
    assert stamp.keys() >= {"run", "against", "questions", "delta", "ci95", "n", "split"}
    assert (stamp["run"], stamp["n"], stamp["delta"]) == ("better", 12, pytest.approx(1 - 0.6309, abs=1e-4))
    assert f"{tuned} (run better, nDCG@10 +0.369 [" in in_use()
    assert undo(tuned).endswith("base.toml alone is the default again")
    assert load().search.fusion == "minmax"


async def test_how_vectors_were_kept_goes_with_what_was_measured_on_them(tmp_path: Path) -> None:
    kept_whole = ("store.quantisation=none", "store.batch=7")
    before = await run(tmp_path / "before", SECOND, *kept_whole)
    better = await run(tmp_path / "better", GOOD, *kept_whole, "search.fusion=rrf")
    # Without the first key the server would serve what nobody has measured.
    expected = {"store": {"quantisation": "none"}, "search": {"fusion": "rrf"}}
    assert promotion(better, before, BASE).values == expected


async def test_an_undo_brings_back_what_was_promoted_before(tmp_path: Path) -> None:
    before, better = await run(tmp_path / "before", SECOND), await run(tmp_path / "better", GOOD, *RRF)
    tuned = tmp_path / "tuned.toml"
    new = promotion(better, before, BASE)
    promote(new, tuned)
    promote(replace(new, values={"search": {"leg_depth": 50}}), tuned)
    assert tomllib.loads(tuned.read_text())["search"] == {"leg_depth": 50}
    undo(tuned)
    assert tomllib.loads(tuned.read_text())["search"] == {"fusion": "rrf"}
    undo(tuned)
    with pytest.raises(UsageError, match="nothing is promoted"):
        undo(tuned)


async def test_a_promotion_that_cannot_be_written_leaves_the_last_one(tmp_path: Path) -> None:
    before, better = await run(tmp_path / "before", SECOND), await run(tmp_path / "better", GOOD, *RRF)
    tuned = tmp_path / "tuned.toml"
    new = promotion(better, before, BASE)
    promote(new, tuned)
    (tmp_path / "tuned.toml.part").mkdir()  # in the way
    with pytest.raises(StorageError, match="make its folder writable"):
        promote(replace(new, values={"search": {"leg_depth": 50}}), tuned)
    assert tomllib.loads(tuned.read_text())["search"] == {"fusion": "rrf"}


async def test_what_does_not_hold_on_test_is_refused(tmp_path: Path) -> None:
    before = await run(tmp_path / "before", SECOND)
    # One question of twelve is better, one as much worse: nothing. Then five better by luck, four worse: the interval spans 0.
    same = await run(tmp_path / "same", SECOND, *RRF)
    mixed = {**SECOND, **{f"q{i:02}": (GOOD if i < 5 else LOST)[f"q{i:02}"] for i in range(7)}}
    for other in (same, await run(tmp_path / "mixed", mixed, *RRF), await run(tmp_path / "worse", LOST, *RRF)):
        with pytest.raises(UsageError, match=r"nothing was promoted: nDCG@10 .* does not hold"):
            promotion(other, before, BASE)


async def test_a_gain_that_chance_explains_is_refused_whatever_its_interval(tmp_path: Path) -> None:
    before = await run(tmp_path / "before", SECOND)
    # Five of twelve better, none worse: the interval is above 0, but of 2^5 tosses two are as far from 0: p = .0625.
    five = {**SECOND, **{f"q{i:02}": GOOD[f"q{i:02}"] for i in range(5)}}
    with pytest.raises(UsageError, match=r"nDCG@10 \+0\.154 \[\+0\..*p=0\.06\d\d .* does not hold"):
        promotion(await run(tmp_path / "five", five, *RRF), before, BASE)


async def test_a_run_that_is_no_evidence_is_refused(tmp_path: Path) -> None:
    before, better = await run(tmp_path / "before", SECOND), await run(tmp_path / "better", GOOD, *RRF)
    dev = await run(tmp_path / "dev", GOOD, *RRF, questions=[replace(question, split="dev") for question in QUESTIONS])
    refused = {
        "is of split 'dev'; tune on dev, then run it with --split test": dev,
        "CHANGED INDEX": await run(tmp_path / "other", GOOD, *RRF, index=manifest("decade")),
        "has the config of before": await run(tmp_path / "unchanged", GOOD),
        "when the config had other keys": replace(better, config={"search": {}}),
        "has the values of base.toml: there is nothing to write": await run(tmp_path / "base", GOOD, "store.keep=5"),
        "leaves out rerank": replace(better, summary={**better.summary, "skip": ["rerank"]}),
    }
    for words, wrong in refused.items():
        with pytest.raises(UsageError, match=words):
            promotion(wrong, replace(before, summary={**before.summary, "skip": wrong.summary["skip"]}), BASE)


async def test_a_gain_that_costs_recall_is_refused(tmp_path: Path) -> None:
    before, better = await run(tmp_path / "before", SECOND), await run(tmp_path / "better", GOOD, *RRF)
    rows = {id: {**row, "metrics": {**row["metrics"], "recall@5": 0.0}} for id, row in better.rows.items()}
    with pytest.raises(UsageError, match=r"but recall@5 loses -1\.000"):
        promotion(replace(better, rows=rows), before, BASE)


async def test_a_baseline_is_the_run_without_its_machine(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    await kept(tmp_path / "one", SECOND)
    await kept(tmp_path / "two", GOOD)
    to = tmp_path / "baseline"
    for name in ("one", "two"):
        assert baseline(argparse.Namespace(run=str(tmp_path / name), to=to)) == 0
    said = capsys.readouterr().out
    assert "+0.369" in said  # what the second changed against the first
    now = read_stored(to)
    assert now.summary == read_stored(tmp_path / "two").summary
    assert now.facts["index"]["sources"]
    assert "machine" not in now.facts
    assert not any("origin" in source for source in now.facts["index"]["sources"])
