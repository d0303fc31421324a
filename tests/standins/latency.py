"""``python -m tests.standins.latency``: what Jina's client adds to the stand-in's own answer time, in milliseconds."""

from __future__ import annotations

import asyncio
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

import httpx

from vuedocs.clients.jina import JinaClient
from vuedocs.clients.jina_models import JinaEmbedder
from vuedocs.clients.ledger import Ledger
from vuedocs.settings import Service

PORT = 9931
QUERIES = 300
WARM = 20
AT_ONCE = 50


def main() -> None:
    """Prints what a call takes beyond the time that the stand-in took for it, beside a bare httpx call that parses nothing.

    On a machine that does other work these say how long both processes waited for it; processor time still holds.
    """
    command = [sys.executable, "-m", "tests.standins", "--port", str(PORT), "--requests", "0", "--tokens", "0"]
    with subprocess.Popen([*command, "--concurrency", "0"], stdout=subprocess.PIPE) as server:
        assert server.stdout
        server.stdout.readline()
        try:
            asyncio.run(measured(f"http://127.0.0.1:{PORT}"))
        finally:
            server.terminate()


@dataclass(frozen=True)
class Added:
    """Milliseconds beyond the stand-in's own, and processor milliseconds of this process, by call."""

    waited: list[float]
    busy: float

    def __str__(self) -> str:
        cuts = statistics.quantiles(self.waited, n=20)
        return f"added p50 {cuts[9]:.2f} ms, p95 {cuts[18]:.2f} ms; processor time {self.busy:.2f} ms a call"


async def measured(url: str) -> None:
    """Measures and prints."""
    service = replace(Service("JINA", f"{url}/jina/v1"), key="jina_latency", requests=0, tokens=0)
    client = JinaClient(service, Ledger("latency"))
    embedder = JinaEmbedder(client, "jina-embeddings-v4", 2048)
    query = "how do I watch a ref"
    body = {"model": embedder.name, "task": "retrieval.query", "dimensions": 2048, "embedding_type": "float", "input": [query]}
    async with httpx.AsyncClient(headers={"Authorization": "Bearer jina_latency"}) as http:
        bare = await added(lambda: http.post(f"{url}/jina/v1/embeddings", json=body), http, url)
        ours = await added(lambda: embedder.embed_query(query), http, url)
        await http.post(f"{url}/admin/reset")
        await asyncio.gather(*(embedder.embed_query(f"{query} {number}") for number in range(AT_ONCE)))
        counts = (await http.get(f"{url}/admin/counts")).json()["jina"]
    await client.aclose()
    print(f"bare httpx call: {bare}")
    print(f"query vector:    {ours}")
    print(f"{AT_ONCE} at once went over {counts['all']['connections']} connections, {counts['embeddings']['calls']} calls")


async def added(call: Callable[[], Awaitable[object]], http: httpx.AsyncClient, url: str) -> Added:
    """What QUERIES calls take, one after another, on a warm connection."""
    for _ in range(WARM):
        await call()
    await http.post(f"{url}/admin/reset")
    taken, began = [], time.process_time()
    for _ in range(QUERIES):
        started = time.perf_counter()
        await call()
        taken.append((time.perf_counter() - started) * 1000)
    busy = (time.process_time() - began) * 1000 / QUERIES
    own = (await http.get(f"{url}/admin/calls")).json()["jina"]
    return Added([whole - one for whole, one in zip(taken, own, strict=True)], busy)


if __name__ == "__main__":
    main()
