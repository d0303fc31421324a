"""vuedocs run."""

from __future__ import annotations

import argparse

from vuedocs.notebooks import published, run_notebooks


def run(options: argparse.Namespace) -> int:
    """Executes notebooks in order, each output kept, also of one that failed; then prints what they published."""
    tables = []
    for output in run_notebooks(options.notebooks, options.parameters):
        print(output, flush=True)
        tables += [f"\n{result['title']}\n\n{result['table']}" for result in published(output)]
    for table in tables:
        print(table)
    return 0
