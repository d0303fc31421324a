"""``python -m tests.standins.throughput``: how much of Jina's rate limit a bulk embedding uses, and whether it is ever refused.

100 requests and 100,000 tokens a minute, enforced by the stand-in in a sliding window, on a clock ten times as fast.
"""

from __future__ import annotations

import argparse
import asyncio
import math
import random
from dataclasses import replace
from functools import partial

from vuedocs.clients.jina import JinaClient
from vuedocs.clients.jina_models import JinaEmbedder
from vuedocs.clients.ledger import Ledger
from vuedocs.clients.parallel import in_parallel
from vuedocs.settings import Service

from .calls import Call
from .server import Standin, running

REQUESTS, TOKENS, CONCURRENCY = 100, 100_000, 2
WORDS = "a ref is watched when its value changes computed setup template provide inject v-model defineProps() onMounted".split()  # noqa: SIM905


def main() -> None:
    """Prints the share of what was allowed in the first windows; ends with 1 below 95%, or where a call was refused."""
    parser = argparse.ArgumentParser(prog="python -m tests.standins.throughput", description=__doc__)
    parser.add_argument("--minutes", type=int, default=4, help="of the service, over which is measured")
    parser.add_argument("--window", type=float, default=6.0, help="real seconds of a minute of the service")
    options = parser.parse_args()
    with running() as standin:
        calls = asyncio.run(loaded(standin, options.minutes, options.window))
    share, refused = share_of(calls, options.minutes, options.window), sum(call.status == 429 for call in calls)
    print(f"{len(calls)} calls in {options.minutes} minutes of the service: {share:.1%} of the tokens allowed, {refused} refused")
    raise SystemExit(refused > 0 or share < 0.95)


async def loaded(standin: Standin, minutes: int, window: float) -> list[Call]:
    """The calls of an embedding that takes a little longer than so many minutes of the service."""
    limits = standin.jina.limits
    limits.requests, limits.tokens, limits.concurrency, limits.window = REQUESTS, TOKENS, CONCURRENCY, window
    standin.jina.delay = window / 200  # 0.3 s of a minute
    granted = {"requests": REQUESTS, "tokens": TOKENS, "concurrency": CONCURRENCY, "window": window}
    service = replace(Service("JINA", standin.jina_url), key="jina_throughput", timeout=30.0, **granted)  # type: ignore[arg-type]
    client = JinaClient(service, Ledger("throughput"))
    embedder = JinaEmbedder(client, "jina-embeddings-v4", 16)

    async def embed(block: list[str]) -> None:
        await embedder.embed(block)

    try:
        texts = sections(TOKENS * minutes * 1.05)
        await in_parallel((partial(embed, block) for block in embedder.plan(texts)), embedder.parallel)
    finally:
        await client.aclose()
    return standin.jina.calls.of("embeddings")


def sections(tokens: float) -> list[str]:
    """Texts as long as sections are, in all about so many tokens."""
    chance = random.Random(7)
    texts: list[str] = []
    while tokens > 0:
        words = chance.choices(WORDS, k=int(math.exp(chance.gauss(5.0, 0.7))))
        texts.append(" ".join(words))
        tokens -= len(words) * 1.6
    return texts


def share_of(calls: list[Call], minutes: int, window: float) -> float:
    """Tokens that were billed within the first so many windows, as a share of what they allow."""
    ends = min(call.started for call in calls) + minutes * window
    return sum(call.tokens for call in calls if call.started < ends) / TOKENS / minutes


if __name__ == "__main__":
    main()
