"""The long trials, for a moment: that they run, that nothing breaks so soon, and that they would notice if it did."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from chaos import Chaos
from soak import ALLOWED, Use, growth


def ran(project: Path, script: str, *arguments: str) -> str:
    """What a trial printed."""
    command = [sys.executable, str(Path(__file__).parent / script), *arguments]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, timeout=600, check=False)
    assert "Traceback" not in done.stderr, done.stderr[-3000:]
    return done.stdout


def test_chaos_for_some_seconds_breaks_no_promise(project: Path) -> None:
    lines = ran(project, "chaos.py", "--seconds", "3", "--seed", "7").splitlines()
    assert lines[0] == "seed 7"
    broken = [line for line in lines if line.startswith("BROKEN") and "there were no" not in line]
    assert (broken, "promise" in lines[-1]) == ([], True), "\n".join(lines)


def test_a_small_corpus_is_measured(project: Path) -> None:
    lines = ran(project, "sizes.py", "300").splitlines()
    measures = {line[:24].strip(): float(line[24:].replace(",", "")) for line in lines}
    assert measures["points"] >= 300
    assert 2 < measures["index KB/point"] < 40
    assert measures["query all CPU ms"] > 0


def test_chaos_notices_an_answer_of_two_editions_one_of_none_and_an_error_without_words(tmp_path: Path) -> None:
    chaos = Chaos(tmp_path, seed=1)
    chaos.edition = 3
    chaos.judge("words of edition 2, and again edition 2", failed=False)
    chaos.judge("the index is damaged", failed=True)
    assert chaos.broken == []
    for text, failed in (("edition 1 and edition 2", False), ("nothing", False), ("edition 4", False), ("", True)):
        chaos.judge(text, failed)
    assert len(chaos.broken) == 4
    chaos.prove()
    assert "there were no ingests" in chaos.broken[-1], "a trial without any proves nothing"


def test_the_soak_notices_what_grows_and_forgives_what_rises_once(tmp_path: Path) -> None:
    flat = [Use(100.0, 90.0, 20, 4, 50.0)] * 20
    assert all(abs(share) < 1e-9 for share in growth(flat).values())
    assert growth([Use(60.0, 90.0, 20, 4, 50.0), *flat])["memory"] < ALLOWED["memory"], "the first rounds fill caches"
    leaking = [Use(100.0, 90.0, 20 + number, 4, 50.0) for number in range(20)]
    assert growth(leaking)["handles"] > ALLOWED["handles"]
