"""The server as a process over HTTP: who is answered, what health says, both protocol generations."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import httpx
import pytest
from mcp import Client
from serving_fakes import FAKE_SERVER

from vuedocs.serving.http import transport_security
from vuedocs.settings import ServerSettings

Start = Callable[..., str]
INITIALIZE: dict[str, Any] = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}
ACCEPT = {"Accept": "application/json, text/event-stream"}


def post(url: str, **headers: str) -> int:
    return httpx.post(f"{url}/mcp", json=INITIALIZE, headers={**ACCEPT, **headers}, timeout=10).status_code


@pytest.fixture(scope="module")
def url(start_http: Start) -> str:
    """A server on all interfaces, behind a public name."""
    return start_http(
        FAKE_SERVER, "--host", "0.0.0.0",
        VUEDOCS_ALLOWED_HOSTS="docs.example.org", VUEDOCS_ALLOWED_ORIGINS="https://app.example.org",
        VUEDOCS_CALLS_PER_MINUTE="0",
    )  # fmt: skip


def ask(url: str, method: str, **params: Any) -> httpx.Response:
    message = {"jsonrpc": "2.0", "id": "one", "method": method, "params": params}
    return httpx.post(f"{url}/mcp", json=message, headers={**ACCEPT, "MCP-Protocol-Version": "2025-11-25"}, timeout=10)


def test_who_asks_for_no_progress_gets_one_object_and_who_does_gets_a_stream(url: str) -> None:
    search = {"name": "docs_search", "arguments": {"query": "what is a ref"}}
    plain = ask(url, "tools/call", **search)
    assert plain.headers["Content-Type"] == "application/json"
    assert plain.json()["id"] == "one"
    stream = ask(url, "tools/call", **search, _meta={"progressToken": 7})
    assert stream.headers["Content-Type"].startswith("text/event-stream")
    told = [json.loads(line.removeprefix("data: ")) for line in stream.text.splitlines() if line.startswith("data: ")]
    assert [message.get("method", "answer") for message in told] == [*["notifications/progress"] * 3, "answer"]
    assert {message["params"]["progressToken"] for message in told[:-1]} == {7}
    assert told[-1] == plain.json()


@pytest.mark.parametrize(
    ("method", "params", "code"),
    [
        ("no/such/method", {}, -32601),
        ("tools/call", {"arguments": {}}, -32602),
        ("resources/read", {"uri": "vuedocs://nowhere"}, -32602),
        ("prompts/get", {"name": "none"}, -32602),
    ],
)
def test_what_is_wrong_with_a_request_is_said_in_the_protocols_form(url: str, method: str, params: Any, code: int) -> None:
    answer = ask(url, method, **params)
    assert (answer.status_code, answer.json()["error"]["code"]) == (200, code)
    assert "pydantic" not in answer.text


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_both_protocol_generations_are_served(url: str, mode: Literal["auto", "legacy"]) -> None:
    async with Client(f"{url}/mcp", mode=mode) as client:
        result = await client.call_tool("docs_search", {"query": "what is a ref"})
    assert not result.is_error


def test_health_is_good_in_the_exact_form(url: str) -> None:
    health = httpx.get(f"{url}/health")
    assert health.status_code == 200
    assert health.json()["status"] == "ok"
    assert list(health.json()) == [
        "status", "version", "uptime_seconds", "checks", "sources", "pages", "points", "data_updated",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Host": "evil.example"}, 421),
        ({"Host": "docs.example.org"}, 200),
        ({"Host": "docs.example.org:8443"}, 200),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "https://app.example.org"}, 200),
        ({"Origin": "http://localhost:6274"}, 200),
    ],
)
def test_foreign_hosts_and_origins_are_refused_though_bound_to_all_interfaces(
    url: str, headers: dict[str, str], status: int
) -> None:
    assert post(url, **headers) == status
    assert httpx.get(f"{url}/health", headers=headers).json()["status"] == "ok"


@pytest.mark.parametrize(
    ("host", "foreign"), [("127.0.0.1", "evil.example"), ("192.0.2.7", "192.0.2.8"), ("::1", "[::2]"), ("0.0.0.0", "0.0.0.0")]
)
def test_the_names_that_are_answered(host: str, foreign: str) -> None:
    security = transport_security(ServerSettings(allowed_hosts=("docs.example.org",)), host)
    assert security.enable_dns_rebinding_protection
    assert {"localhost:*", "docs.example.org", "docs.example.org:*"} <= set(security.allowed_hosts)
    assert foreign not in security.allowed_hosts


def test_without_an_index_health_says_so(start_http: Start, project: Path) -> None:
    url = start_http(project / "server.py")
    for _ in range(100):
        health = httpx.get(f"{url}/health", timeout=10)
        if health.json()["checks"]["data"] != "NotReadyError":
            break
        time.sleep(0.2)
    assert health.status_code == 503
    body = health.json()
    assert body["status"] == "degraded"
    assert body["checks"]["data"] == "NotIndexedError"
    assert (body["sources"], body["pages"], body["points"], body["data_updated"]) == (0, 0, 0, None)


def test_bad_requests_get_the_right_status_and_the_service_goes_on(url: str) -> None:
    json_type = {**ACCEPT, "Content-Type": "application/json"}
    assert httpx.post(f"{url}/mcp", content=b"{", headers=json_type).status_code == 400
    assert httpx.post(f"{url}/mcp", content=b" " * 2_000_000, headers=json_type).status_code == 413
    assert httpx.post(f"{url}/health").status_code == 405
    assert httpx.get(f"{url}/..%2F..%2Fetc%2Fpasswd").status_code == 404
    assert post(url) == 200
