"""vuedocs ingest."""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from typing import Any

from tqdm import tqdm

from vuedocs.commands import TERMINATED, configured, until_told
from vuedocs.ingest.estimate import estimate, spent
from vuedocs.ingest.session import ingest_paid
from vuedocs.records import Ingest
from vuedocs.stages import Result

STOPPED = "stopped; what was published serves on, and what was embedded is remembered: run it again to go on"


class Bars:
    """Progress on stderr: one bar for each piece of long work, named as its words say."""

    def __init__(self) -> None:
        self._bar: tqdm[Any] | None = None
        self._words = ""

    def __call__(self, words: str, done: int, total: int) -> None:
        bar = self._bar
        if bar is None or words != self._words:
            self.close()
            bar = tqdm(total=total, desc=words, file=sys.stderr, disable=None, mininterval=0.5)
            self._bar, self._words = bar, words
        bar.total = total
        bar.update(done - bar.n)

    def close(self) -> None:
        """Leaves the last bar as it stands."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None


def ingest(options: argparse.Namespace) -> int:
    """Reads, embeds and publishes sources; prints what was done and what a person should know. TERMINATED after SIGTERM."""
    config, settings = configured(options)
    bars = Bars()
    started = time.perf_counter()
    if options.dry_run:
        try:
            found = asyncio.run(estimate(options.sources, config, settings, bars))
        finally:
            bars.close()
        print(spent(found, "dry run, nothing was asked: this ingest would cost about"))
        return 0
    try:
        outcome = until_told(ingest_paid(options.sources, config, settings, progress=bars))
    finally:
        bars.close()
    if outcome is None:
        print(STOPPED, file=sys.stderr)
        return TERMINATED
    result, paid = outcome
    print(summary(result, time.perf_counter() - started))
    if paid:
        print(spent(paid, "paid services"))
    return 0


def summary(result: Result[Ingest], seconds: float) -> str:
    """What an ingest did, in lines."""
    state, counts = result.state, result.state.counts
    manifest = state.manifest
    assert manifest is not None, "store sets the manifest"
    lines = [f"{checkout.source}: {checkout.origin}, {checkout.version or checkout.commit[:12]}" for checkout in state.checkouts]
    lines.append(
        f"{len(state.pages):,} pages, {len(state.chunks):,} chunks, {len(state.entities):,} entities, "
        f"{len(state.questions):,} questions, {len(state.points):,} points"
    )
    if state.left_out:
        lines.append(f"LEFT OUT: {len(state.left_out):,} files that should be pages; `vuedocs sources --check` names all")
    lines.append(f"texts embedded: {counts['embedded']:,}; remembered: {counts['remembered']:,}")
    if state.reports:
        lines.append(f"{len(state.reports)} reports:")
        lines += [f"  {report}" for report in state.reports[:20]]
        if len(state.reports) > 20:
            lines.append(f"  ... and {len(state.reports) - 20} more; notebook 01_parse shows all")
    lines.append("by stage: " + ", ".join(f"{stage} {ms / 1000:.1f} s" for stage, ms in result.milliseconds.items()))
    published = (
        f"published {manifest.generation}"
        if counts["published"]
        else f"nothing has changed: {manifest.generation} stays published"
    )
    lines.append(f"{published} ({manifest.points:,} points, {', '.join(manifest.source_names)}) in {seconds:.1f} s")
    return "\n".join(lines)
