"""Run as a script, ``ten_at_once.py DOCS SOURCE...``: ten ingests that begin in the same moment, each in a process of its own.

They are forks of one process, so that ten cost little more than one, and embed by words; all else is the command's own. Prints
each one's exit code.
"""

from __future__ import annotations

import os
import sys

from fakes import WordEmbedder

from vuedocs.cli import main
from vuedocs.commands.ingest import ingest
from vuedocs.ingest import session

assert ingest, "imported before the forks"
session.open_embedder = lambda *_: WordEmbedder()  # type: ignore[assignment]
docs, *sources = sys.argv[1:]
ready, go = os.pipe()
children = []
for number in range(10):
    child = os.fork()
    if child == 0:
        os.close(go)
        os.read(ready, 1)  # returns when the other end is closed
        os._exit(main(["ingest", sources[number % len(sources)], "--docs", docs, "--set", "embed.dims=64"]))
    children.append(child)
os.close(go)
print([os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children])
