"""The script that measures speed: that it measures, not how fast anything is."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path


def test_it_prints_every_stage_beside_the_forward_pass_then_memory_and_cold_start(project: Path, sample_home: Path) -> None:
    options = ["--source", "sample", "--questions", "2", "--rounds", "1", "--starts", "1"]
    environment = {**os.environ, "VUEDOCS_HOME": str(sample_home), "PYTHONPATH": str(project)}
    command = [sys.executable, "tests/speed.py", *options]
    done = subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    rows = dict(re.findall(r"^ *(\S.*?)  +(\d+) +[\d.]+ +[\d.]+$", done.stdout, re.MULTILINE))
    stages = ("detect", "search", "resolve", "expand", "rerank", "reconstruct")
    assert {f"{stage}, {where}" for stage in stages for where in ("sample", "all sources")} < set(rows)
    assert rows["the model's forward pass alone"] == rows["a query to sample"] == "2"
    assert re.search(r"memory of this process: \d+ MB imported, \d+ with the index open, \d+ after all that", done.stdout)
    assert re.search(r"tools listed after [\d.]+ s, a question answered after [\d.]+ s, \d+ MB then", done.stdout)
