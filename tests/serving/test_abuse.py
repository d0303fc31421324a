"""What the open internet sends: each gets the right status and no word of the program's insides, and the service goes on."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
from serving_fakes import FAKE_SERVER

JSON = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
MODERN = {**JSON, "MCP-Protocol-Version": "2026-07-28"}
INSIDES = ("Traceback", "pydantic", "site-packages", ".py", "vuedocs.serving", "asyncio")
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


def message(method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


def search(query: Any) -> dict[str, Any]:
    return message("tools/call", name="docs_search", arguments={"query": query})


@pytest.fixture(scope="module")
def url(start_http: Callable[..., str]) -> str:
    return start_http(FAKE_SERVER, VUEDOCS_CALLS_PER_MINUTE="0", VUEDOCS_CALLS_AT_ONCE="0", VUEDOCS_LOG_QUERIES="0")


@pytest.fixture(scope="module")
def http(url: str) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=url, timeout=20) as client:
        yield client


@pytest.fixture(autouse=True)
def goes_on(http: httpx.Client) -> Iterator[None]:
    """After each test an honest caller is answered."""
    yield
    assert http.get("/health").status_code == 200
    assert '"isError":false' in http.post("/mcp", json=search("what is a ref"), headers=JSON).text


def expect(answer: httpx.Response, status: int, words: str = "") -> None:
    assert answer.status_code == status, answer.text[:300]
    assert words in answer.text
    assert not [inside for inside in INSIDES if inside in answer.text]


def chunked(megabytes: int) -> Iterator[bytes]:
    for _ in range(megabytes):
        yield b" " * 1_000_000


@pytest.mark.parametrize("body", [b" " * 2_000_000, chunked(3)], ids=["declared", "chunked"])
def test_a_body_that_is_too_large(http: httpx.Client, body: Any) -> None:
    expect(http.post("/mcp", content=body, headers=JSON), 413, "larger than 1048576 bytes")


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"null", b"[]", b"[" * 200_000, b'{"a": ' + b"9" * 9000 + b"}", b"\xff\xfe", b'{"jsonrpc": "2.0", "id": 1}'],
)
@pytest.mark.parametrize("headers", [JSON, MODERN], ids=["2025", "2026"])
def test_a_body_that_is_no_message(http: httpx.Client, body: bytes, headers: dict[str, str]) -> None:
    expect(http.post("/mcp", content=body, headers=headers), 400, '"error"')


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({**JSON, "Content-Type": "text/plain"}, 400),
        ({"Content-Type": "application/json", "Accept": "text/html"}, 406),
        ({**JSON, "MCP-Protocol-Version": "1999-01-01"}, 400),
        ({**MODERN, "Mcp-Method": "tools/list"}, 400),
        ({**MODERN, "Mcp-Method": "tools/call", "Mcp-Name": "read_page"}, 400),
    ],
)
def test_headers_that_do_not_fit(http: httpx.Client, headers: dict[str, str], status: int) -> None:
    called = search("x")
    called["params"]["_meta"] = META
    expect(http.post("/mcp", json=called, headers=headers), status)


def test_methods_and_tools_that_do_not_exist(http: httpx.Client) -> None:
    expect(http.post("/mcp", json=message("system/shutdown"), headers=JSON), 200, "-32601")
    unknown = {**MODERN, "Mcp-Method": "system/shutdown"}
    modern = http.post("/mcp", json=message("system/shutdown", _meta=META), headers=unknown)
    expect(modern, 404, "-32601")
    expect(http.post("/mcp", json=message("tools/call", name="rm -rf"), headers=JSON), 200, "There is no tool")


@pytest.mark.parametrize("path", ["/mcp/..%2F..%2Fetc%2Fpasswd", "/..%2fetc", "/mcp%00", "/MCP", "/.env", "/mcp/x", "/%ff"])
def test_paths_that_lead_nowhere(http: httpx.Client, path: str) -> None:
    expect(http.post(path, json=search("x"), headers=JSON), 404)


@pytest.mark.parametrize(
    "uri", ["vuedocs://vue/pages/..%2F..%2Fetc%2Fpasswd", "vuedocs://../../etc", "file:///etc/passwd", "", "\u0000"]
)
def test_addresses_of_resources_that_lead_nowhere(http: httpx.Client, uri: str) -> None:
    answer = http.post("/mcp", json=message("resources/read", uri=uri), headers=JSON)
    expect(answer, 200, '"error"')
    assert "root:" not in answer.text


@pytest.mark.parametrize(
    "query", ["x" * 1_000_000, "\u0000\u0007\u001b[31m\u202e", 7, None, ["a"], {"$ne": 1}, "'; DROP TABLE page; --"]
)
def test_queries_of_all_kinds(http: httpx.Client, query: Any) -> None:
    expect(http.post("/mcp", json=search(query), headers=JSON), 200, '"content"')


def test_many_connections_that_ask_nothing(url: str, http: httpx.Client) -> None:
    host, port = url.removeprefix("http://").split(":")
    for step in (50, 200, 500):
        opened = [socket.create_connection((host, int(port))) for _ in range(step)]
        assert http.get("/health", timeout=5).status_code == 200
        for each in opened:
            each.close()


def test_what_is_no_http_at_all(url: str) -> None:
    host, port = url.removeprefix("http://").split(":")
    for junk in (b"\x16\x03\x01\x02\x00\x01" * 50, b"GET /mcp HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", b"A" * 200_000):
        with socket.create_connection((host, int(port)), timeout=5) as raw:
            raw.sendall(junk)
            assert b" 400 " in raw.recv(1000).split(b"\r\n")[0]
