"""What parsing makes of each source, in short: counts and one digest over all chunk ids and content hashes.

A change of parsing shows itself as a changed line of ``tests/fixtures/corpus-chunks.json``. After looking at what changed:

    python tests/snapshots.py            # reads ../shared/corpus or VUEDOCS_DOCS, writes the file
"""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from pathlib import Path

from readings import read_source

from vuedocs.sources import registry

FILE = Path(__file__).parent / "fixtures" / "corpus-chunks.json"


def snapshot(source: str, docs: Path) -> dict[str, object]:
    """Pages, chunks by kind, and the digest of a source."""
    reading = read_source(source, docs)
    digest = hashlib.sha256()
    for chunk in reading.chunks:
        digest.update(f"{chunk.id} {chunk.content_hash}\n".encode())
    kinds = Counter(chunk.kind for chunk in reading.chunks)
    return {"pages": len(reading.pages), **dict(sorted(kinds.items())), "sha256": digest.hexdigest()}


def main() -> None:
    """Writes the file anew from the docs that are there, and prints the sources that changed."""
    docs = Path(os.environ.get("VUEDOCS_DOCS") or FILE.parents[3] / "shared" / "corpus").resolve()
    before = json.loads(FILE.read_text(encoding="utf-8")) if FILE.is_file() else {}
    after = {name: snapshot(name, docs) for name in registry() if (docs / name).is_dir()}
    FILE.write_text(json.dumps(after, indent=1) + "\n", encoding="utf-8")
    print("changed:", ", ".join(name for name in after if after[name] != before.get(name)) or "nothing")


if __name__ == "__main__":
    main()
