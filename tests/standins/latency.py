"""``python -m tests.standins.latency``: what Jina's client adds to the stand-in's own answer time, in milliseconds."""

from __future__ import annotations

import asyncio
import json
import statistics
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

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
    """Prints what a call takes beyond the time that the stand-in took for it, beside two that make nothing of the answer.

    The bare socket is what a machine and the stand-in's own web server take in any case. All are called in turn, since a machine
    that does other work is not always as slow; processor time still holds then.
    """
    command = [sys.executable, "-m", "tests.standins", "--port", str(PORT), "--requests", "0", "--tokens", "0"]
    with subprocess.Popen([*command, "--concurrency", "0"], stdout=subprocess.PIPE) as server:
        assert server.stdout
        server.stdout.readline()
        try:
            asyncio.run(measured(f"http://127.0.0.1:{PORT}"))
        finally:
            server.terminate()


@dataclass
class Added:
    """Milliseconds beyond the stand-in's own, and processor milliseconds of this process, by call."""

    waited: list[float] = field(default_factory=list)
    busy: list[float] = field(default_factory=list)

    def beside(self, socket: Added) -> str:
        """In words, with what it is more than the bare socket's in the same turn."""
        cuts = statistics.quantiles(self.waited, n=20)
        more = statistics.median(mine - least for mine, least in zip(self.waited, socket.waited, strict=True))
        said = f"added p50 {cuts[9]:.2f} ms, p95 {cuts[18]:.2f} ms; beyond the bare socket p50 {more:.2f} ms"
        return f"{said}; processor time {statistics.mean(self.busy):.2f} ms a call"


Call = Callable[[], Awaitable[object]]


async def measured(url: str) -> None:
    """Measures and prints."""
    service = replace(Service("JINA", f"{url}/jina/v1"), key="jina_latency", requests=0, tokens=0)
    client = JinaClient(service, Ledger("latency"))
    embedder = JinaEmbedder(client, "jina-embeddings-v4", 2048)
    query = "how do I watch a ref"
    body = {"model": embedder.name, "task": "retrieval.query", "dimensions": 2048, "embedding_type": "float", "input": [query]}
    async with httpx.AsyncClient(headers={"Authorization": "Bearer jina_latency"}) as http, bare_socket(body) as exchanged:
        calls: dict[str, Call] = {
            "bare socket": exchanged,
            "bare httpx": lambda: http.post(f"{url}/jina/v1/embeddings", json=body),
            "query vector": lambda: embedder.embed_query(query),
        }
        found = await added(calls, http, url)
        for name, one in found.items():
            print(f"{name + ':':<14}{one.beside(found['bare socket'])}")
        await http.post(f"{url}/admin/reset")
        await asyncio.gather(*(embedder.embed_query(f"{query} {number}") for number in range(AT_ONCE)))
        counts = (await http.get(f"{url}/admin/counts")).json()["jina"]
    await client.aclose()
    print(f"{AT_ONCE} at once went over {counts['all']['connections']} connections, {counts['embeddings']['calls']} calls")


async def added(calls: Mapping[str, Call], http: httpx.AsyncClient, url: str) -> dict[str, Added]:
    """What QUERIES of each call take, by name, one after another and in turn, on warm connections."""
    found = {name: Added() for name in calls}
    for turn in range(WARM + QUERIES):
        if turn == WARM:
            found = {name: Added() for name in calls}
            await http.post(f"{url}/admin/reset")
        for name, call in calls.items():
            busy, started = time.process_time(), time.perf_counter()
            await call()
            found[name].waited.append((time.perf_counter() - started) * 1000)
            found[name].busy.append((time.process_time() - busy) * 1000)
    own = (await http.get(f"{url}/admin/calls")).json()["jina"]
    for place, one in enumerate(found.values()):
        one.waited = [whole - part for whole, part in zip(one.waited, own[place :: len(calls)], strict=True)]
    return found


@asynccontextmanager
async def bare_socket(body: Mapping[str, object]) -> AsyncIterator[Call]:
    """A call without any client: bytes out, bytes in."""
    reader, writer = await asyncio.open_connection("127.0.0.1", PORT)
    content = json.dumps(body).encode()
    lines = ("POST /jina/v1/embeddings HTTP/1.1", "Host: x", "Authorization: Bearer jina_x", f"Content-Length: {len(content)}")
    request = "\r\n".join((*lines, "", "")).encode() + content

    async def exchanged() -> None:
        writer.write(request)
        answer = (await reader.readuntil(b"\r\n\r\n")).lower()
        await reader.readexactly(int(answer.partition(b"content-length: ")[2].split()[0]))

    try:
        yield exchanged
    finally:
        writer.close()


if __name__ == "__main__":
    main()
