"""``python -m tests.standins``: the stand-ins on a port of this machine, for a person to point the whole product at."""

from __future__ import annotations

import argparse
import time

from .faults import parse
from .server import running


def main() -> None:
    """Serves until it is interrupted."""
    parser = argparse.ArgumentParser(prog="python -m tests.standins", description="Jina, Gemini and Qdrant, by their contracts.")
    parser.add_argument("--port", type=int, default=9900)
    parser.add_argument("--fault", action="append", default=[], metavar="PROVIDER:ENDPOINT:KIND[:TIMES[:SKIP]]")
    parser.add_argument("--requests", type=int, default=100, help="Jina's requests a window (0: no limit)")
    parser.add_argument("--tokens", type=int, default=100_000, help="Jina's tokens a window (0: no limit)")
    parser.add_argument("--concurrency", type=int, default=2, help="Jina's calls at the same time (0: no limit)")
    parser.add_argument("--window", type=float, default=60.0, help="seconds of a window; 0.6 is a clock a hundred times as fast")
    options = parser.parse_args()
    with running(options.port) as standin:
        limits = standin.jina.limits
        limits.requests, limits.tokens = options.requests, options.tokens
        limits.concurrency, limits.window = options.concurrency, options.window
        for text in options.fault:
            provider, _, fault = text.partition(":")
            standin.providers()[provider].faults.waiting.append(parse(fault))
        print(f"export JINA_BASE_URL={standin.jina_url} JINA_API_KEY=jina_standin JINA_WINDOW={options.window}")
        print(f"export GEMINI_BASE_URL={standin.gemini_url} GEMINI_API_KEY=standin")
        print(f"export QDRANT_URL={standin.qdrant_url}")
        print(f"counts: {standin.url}/admin/counts   faults: POST {standin.url}/admin/faults", flush=True)
        try:
            while True:
                time.sleep(3600)
        except KeyboardInterrupt:
            print("stopped")


if __name__ == "__main__":
    main()
