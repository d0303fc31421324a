"""The gate of a running server: limits, tokens, ids, metrics; each test comes from an address of its own, through a proxy."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from serving_fakes import FAKE_SERVER, SLOW

from vuedocs.errors import DatabaseError
from vuedocs.serving.http import Looking, watched

TOKEN = "a-token-that-nobody-guesses"
OTHER = "and-one-more-for-a-colleague"
Ask = Callable[..., httpx.Response]


def call(query: str = "what is a ref") -> dict[str, Any]:
    return {
        "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "docs_search", "arguments": {"query": query}},
    }  # fmt: skip


def headers(client: str, token: str = TOKEN, **more: str) -> dict[str, str]:
    return {
        "Accept": "application/json, text/event-stream", "Authorization": f"Bearer {token}", "X-Forwarded-For": client, **more,
    }  # fmt: skip


@pytest.fixture(scope="module")
def url(start_http: Callable[..., str]) -> str:
    """A server that wants a token, stands behind a proxy on this machine and serves 5 calls a minute, 2 at once."""
    return start_http(
        FAKE_SERVER, VUEDOCS_TOKENS=f"{TOKEN},{OTHER}", VUEDOCS_TRUSTED_PROXIES="127.0.0.1",
        VUEDOCS_CALLS_PER_MINUTE="5", VUEDOCS_CALLS_AT_ONCE="2", VUEDOCS_ALLOWED_ORIGINS="https://app.example.org",
    )  # fmt: skip


@pytest.fixture
def ask(url: str) -> Ask:
    def post(client: str, message: Any = None, **more: str) -> httpx.Response:
        return httpx.post(f"{url}/mcp", json=message or call(), headers=headers(client, **more), timeout=10)

    return post


def test_a_client_over_its_minute_is_told_when_to_come_back_and_others_are_served(ask: Ask, url: str) -> None:
    assert [ask("192.0.2.1").status_code for _ in range(5)] == [200] * 5
    refused = ask("192.0.2.1")
    assert refused.status_code == 429
    assert 50 <= int(refused.headers["Retry-After"]) <= 60
    assert refused.json()["error"]["message"].startswith("Too many requests: at most 5 in a minute")
    assert ask("192.0.2.2").status_code == 200
    forwarded = {"X-Forwarded-For": "192.0.2.1"}
    assert {httpx.get(f"{url}/health", headers=forwarded).status_code for _ in range(20)} == {200}


async def test_a_client_that_asks_too_much_at_once(url: str) -> None:
    async with httpx.AsyncClient(timeout=10) as client:
        asked = [client.post(f"{url}/mcp", json=call(SLOW), headers=headers("192.0.2.3")) for _ in range(4)]
        answers = await asyncio.gather(*asked)
    assert sorted(answer.status_code for answer in answers) == [200, 200, 429, 429]
    assert {answer.headers["Retry-After"] for answer in answers if answer.status_code == 429} == {"1"}


@pytest.mark.parametrize("token", [TOKEN, OTHER])
def test_each_token_opens(ask: Ask, token: str) -> None:
    assert ask(f"192.0.2.{len(token)}", token=token).status_code == 200


def test_without_a_token_there_is_health_and_nothing_else(url: str, ask: Ask) -> None:
    refused = ask("192.0.2.5", token="a-guess-that-is-wrong")
    assert refused.status_code == 401
    assert refused.headers["WWW-Authenticate"] == "Bearer"
    assert TOKEN not in refused.text
    assert httpx.get(f"{url}/metrics").status_code == 401
    aside = httpx.post(f"{url}/mcp%0A", json=call(), headers=headers("192.0.2.66", token="a-guess-that-is-wrong"))
    assert aside.status_code == 401
    assert httpx.get(f"{url}/health").status_code == 200


def test_guessing_tokens_is_limited_too(ask: Ask) -> None:
    assert [ask("192.0.2.6", token=f"guess {n}").status_code for n in range(6)] == [401] * 5 + [429]


@pytest.mark.parametrize(("given", "taken"), [("trace-1234.a:b", True), ("x" * 65, False), ('"}', False), ("a b", False)])
def test_an_answer_carries_the_id_of_its_request(ask: Ask, given: str, taken: bool) -> None:
    answered = ask("192.0.2.7", token="wrong", **{"X-Request-Id": given}).headers["X-Request-Id"]
    assert (answered == given) is taken
    assert re.fullmatch(r"[\w.:-]{1,64}", answered)


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT"])
def test_only_post_is_served_for_there_are_no_sessions(url: str, method: str) -> None:
    answer = httpx.request(method, f"{url}/mcp", headers=headers("192.0.2.8"), timeout=3)
    assert (answer.status_code, answer.headers["Allow"]) == (405, "POST")


def test_a_page_of_an_allowed_origin_may_ask_before_it_calls(url: str) -> None:
    ask = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "content-type,mcp-method,authorization"}
    allowed = httpx.options(f"{url}/mcp", headers={"Origin": "https://app.example.org", **ask})
    assert allowed.status_code == 200
    assert allowed.headers["Access-Control-Allow-Origin"] == "https://app.example.org"
    assert httpx.options(f"{url}/mcp", headers={"Origin": "https://evil.example", **ask}).status_code == 403


def test_asking_before_a_call_is_not_counted(url: str, ask: Ask) -> None:
    page = {"Origin": "https://app.example.org", "Access-Control-Request-Method": "POST", "X-Forwarded-For": "192.0.2.10"}
    assert {httpx.options(f"{url}/mcp", headers=page).status_code for _ in range(8)} == {200}
    assert ask("192.0.2.10").status_code == 200


@pytest.mark.parametrize("origin", ["https://app.example.org", "http://localhost:6274"])
def test_a_page_of_an_allowed_origin_can_read_why_it_is_refused(url: str, ask: Ask, origin: str) -> None:
    client = f"192.0.2.{100 + len(origin)}"
    too_large = httpx.post(f"{url}/mcp", content=b" " * 2_000_000, headers=headers(client, Origin=origin))
    refused = [
        httpx.get(f"{url}/mcp", headers=headers(client, Origin=origin)),
        ask(client, token="wrong", Origin=origin),
        too_large,
        *[ask(client, {"no": "message"}, Origin=origin) for _ in range(4)],
    ]
    assert [answer.status_code for answer in refused] == [405, 401, 413, 400, 400, 400, 429]
    assert {answer.headers["Access-Control-Allow-Origin"] for answer in refused} == {origin}
    assert all("Retry-After" in answer.headers["Access-Control-Expose-Headers"] for answer in refused)


def test_a_page_of_a_foreign_origin_can_read_nothing(url: str, ask: Ask) -> None:
    foreign = ask("192.0.2.11", Origin="https://evil.example")
    assert foreign.status_code == 403
    aside = httpx.get(f"{url}/health", headers={"Origin": "https://evil.example"})
    assert "Access-Control-Allow-Origin" not in {*foreign.headers, *aside.headers}


async def test_metrics_do_without_the_watcher_where_the_database_is_down() -> None:
    class Down:
        class database:
            @staticmethod
            async def watched() -> None:
                raise DatabaseError("down")

    assert await watched(Down()) == (None, ())  # type: ignore[arg-type]
    assert await watched(None) == (None, ())


async def test_metrics_ask_the_database_once_a_second_however_often_they_are_asked() -> None:
    asked = []

    class Counting:
        class database:
            @staticmethod
            async def watched() -> tuple[None, tuple[()]]:
                asked.append("once")
                return None, ()

    looking = Looking()
    await asyncio.gather(*(looking.now(Counting()) for _ in range(20)))  # type: ignore[arg-type]
    assert asked == ["once"]


def test_metrics_say_what_was_done(url: str, ask: Ask) -> None:
    ask("192.0.2.9")
    ask("192.0.2.9", {**call(), "params": {"name": "docs_search", "arguments": {"query": "x", "source": "nowhere"}}})
    ask("192.0.2.9", {**call(), "params": {"name": "no such tool", "arguments": {}}})
    answer = httpx.get(f"{url}/metrics", headers=headers("192.0.2.9"))
    assert answer.headers["Content-Type"].startswith("text/plain; version=0.0.4")
    numbers = dict(line.rsplit(" ", 1) for line in answer.text.splitlines() if not line.startswith("#"))
    assert float(numbers['vuedocs_calls_total{tool="docs_search"}']) >= 2
    assert float(numbers['vuedocs_call_errors_total{error="SourceError",tool="docs_search"}']) >= 1
    assert float(numbers['vuedocs_call_seconds_bucket{le="+Inf",tool="docs_search"}']) >= 2
    assert float(numbers['vuedocs_stage_seconds_count{stage="search"}']) >= 1
    assert float(numbers['vuedocs_http_requests_total{status="200"}']) >= 2
    assert numbers["vuedocs_calls_in_flight"] == "0.0"
    assert numbers['vuedocs_index_points{generation="g000001"}'] == "20.0"
    assert numbers["vuedocs_index_reloads_total"] == "0.0"
    assert 'vuedocs_rate_limited_total{limit="calls_at_once"}' in numbers
    assert float(numbers["vuedocs_watch_seen"]) == float(numbers['vuedocs_watch_success{source="vue"}']) == 1795917600
    assert numbers['vuedocs_watch_failures{source="vue"}'] == "2.0"
    assert [numbers[f'vuedocs_watch_held{{source="{source}"}}'] for source in ("vue", "pinia")] == ["0.0", "1.0"]
    assert 'vuedocs_watch_success{source="pinia"}' not in numbers, "it never succeeded"
    assert "no such tool" not in answer.text
    assert "192.0.2.9" not in answer.text
