"""Who a caller is, which tokens are accepted, and how much one client may ask."""

from __future__ import annotations

from ipaddress import ip_network

import pytest

from vuedocs.serving.access import Limits, Refusal, Tokens, client_address, client_of

PROXIES = (ip_network("127.0.0.1"), ip_network("10.0.0.0/8"))


@pytest.mark.parametrize(
    ("peer", "forwarded", "address"),
    [
        ("203.0.113.9", [], "203.0.113.9"),
        ("203.0.113.9", ["198.51.100.1"], "203.0.113.9"),  # no proxy of ours: its word is not believed
        ("127.0.0.1", ["198.51.100.1"], "198.51.100.1"),
        ("127.0.0.1", ["1.1.1.1, 198.51.100.1"], "198.51.100.1"),  # what the caller wrote itself stands left
        ("127.0.0.1", ["1.1.1.1", "198.51.100.1, 10.1.2.3"], "198.51.100.1"),  # two proxies, two headers
        ("127.0.0.1", [], "127.0.0.1"),
        ("127.0.0.1", ["198.51.100.1, nonsense"], "127.0.0.1"),
        ("127.0.0.1", ["10.9.9.9"], "10.9.9.9"),
        ("::ffff:127.0.0.1", ["2001:DB8::1"], "2001:db8::1"),
        ("", ["198.51.100.1"], ""),  # a Unix socket has no address
    ],
)
def test_an_address_is_that_of_the_caller_where_a_named_proxy_says_so(peer: str, forwarded: list[str], address: str) -> None:
    assert client_address(peer, forwarded, PROXIES) == address


def test_an_ipv6_client_is_its_network() -> None:
    assert client_of("2001:db8:1:2:3:4:5:6") == client_of("2001:db8:1:2::1") == "2001:db8:1:2::/64"
    assert client_of("198.51.100.1") == "198.51.100.1"


@pytest.mark.parametrize(
    ("header", "accepted"),
    [
        ("Bearer first-token-of-two", True),
        ("bearer second-token-of-two", True),
        ("Bearer first-token-of-tw", False),
        ("Bearer first-token-of-two,second-token-of-two", False),
        ("Basic first-token-of-two", False),
        ("first-token-of-two", False),
        ("Bearer ", False),
        ("Bearer t\udcffken", False),
        ("", False),
    ],
)
def test_any_of_the_tokens_is_accepted_and_nothing_else(header: str, accepted: bool) -> None:
    assert Tokens(["first-token-of-two", "second-token-of-two"]).accepts(header) is accepted


def test_without_tokens_everybody_is_let_in() -> None:
    assert Tokens([]).accepts("")
    assert Tokens([]).accepts("Bearer whatever")


class Clock:
    """Stands until it is moved."""

    now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_sixty_a_minute_and_the_wait_that_is_left() -> None:
    clock = Clock()
    limits = Limits(60, 0, clock)
    for _ in range(60):
        assert limits.enter("a") is None
        clock.now += 0.5
    assert limits.enter("a") == Refusal("calls_per_minute", 30)
    assert limits.enter("b") is None, "another client has its own count"
    clock.now += 30
    assert limits.enter("a") is None
    assert limits.enter("a") == Refusal("calls_per_minute", 1), "in no 60 seconds more than 60"


def test_ten_at_once() -> None:
    limits = Limits(0, 10, Clock())
    assert [limits.enter("a") for _ in range(10)] == [None] * 10
    assert limits.enter("a") == Refusal("calls_at_once", 1)
    limits.leave("a")
    assert limits.enter("a") is None


def test_zero_is_no_limit() -> None:
    limits = Limits(0, 0, Clock())
    assert {limits.enter("a") for _ in range(5000)} == {None}


def test_memory_is_bounded_and_a_client_that_is_served_is_not_forgotten() -> None:
    limits = Limits(1, 10, Clock(), most_clients=3)
    limits.enter("first")
    for number in range(50):
        limits.enter(f"client {number}")
        limits.leave(f"client {number}")
    assert len(limits) == 3
    assert limits.enter("first") == Refusal("calls_per_minute", 60)
