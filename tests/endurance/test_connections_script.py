"""The script that opens many connections runs, in small."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def test_the_script_tries_each_step_and_finds_the_files_given_back() -> None:
    command = [sys.executable, str(Path(__file__).parent / "connections.py"), "--steps", "10", "30"]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=240)
    assert ended.returncode == 0, ended.stdout + ended.stderr[-1000:]
    assert [line.split(":")[1].split(" in ")[0].strip() for line in ended.stdout.splitlines()[:3]] == ["200 200"] * 3
    assert ended.stdout.endswith("all as it should be\n")
