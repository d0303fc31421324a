"""``python -m tests.standins.latency``: what Jina's client adds to the stand-in's own answer time, in milliseconds."""

from __future__ import annotations

import asyncio
import statistics
import subprocess
import sys
import time
from dataclasses import replace

import httpx

from vuedocs.clients.jina import JinaClient
from vuedocs.clients.jina_models import JinaEmbedder
from vuedocs.clients.ledger import Ledger
from vuedocs.settings import Service

PORT = 9931
QUERIES = 300


def main() -> None:
    """Prints p50 and p95 of a call as the caller sees it, minus the time that the stand-in took for it; and our processor time.

    On a machine that does other work the first number says how long both processes waited for it, the second still holds.
    """
    command = [sys.executable, "-m", "tests.standins", "--port", str(PORT), "--requests", "0", "--tokens", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as server:
        assert server.stdout
        server.stdout.readline()
        try:
            seen, busy, connections = asyncio.run(measured(f"http://127.0.0.1:{PORT}"))
        finally:
            server.terminate()
    cuts = statistics.quantiles(seen, n=20)
    print(f"{QUERIES} query vectors over {connections} connections: added p50 {cuts[9]:.2f} ms, p95 {cuts[18]:.2f} ms")
    print(f"processor time of the client: {busy:.2f} ms a call")


async def measured(url: str) -> tuple[list[float], float, int]:
    """Milliseconds added to each call, processor milliseconds a call, and the connections that were used."""
    service = replace(Service("JINA", f"{url}/jina/v1"), key="jina_latency", requests=0, tokens=0)
    client = JinaClient(service, Ledger("latency"))
    embedder = JinaEmbedder(client, "jina-embeddings-v4", 2048)
    taken = []
    began = time.process_time()
    for number in range(QUERIES + 20):
        started = time.perf_counter()
        await embedder.embed_query(f"how do I watch a ref {number % 5}")
        taken.append((time.perf_counter() - started) * 1000)
    busy = (time.process_time() - began) * 1000 / len(taken)
    async with httpx.AsyncClient() as http:
        calls = (await http.get(f"{url}/admin/calls")).json()["jina"]
        counts = (await http.get(f"{url}/admin/counts")).json()["jina"]
    await client.aclose()
    added = [whole - own for whole, own in zip(taken, calls, strict=True)]
    return added[20:], busy, counts["all"]["connections"]


if __name__ == "__main__":
    main()
