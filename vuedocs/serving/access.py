"""Who may call, and how often: addresses behind proxies, bearer tokens, limits a client. No input or output here."""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import math
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import islice

from vuedocs.variables import Network

WINDOW_SECONDS = 60.0
MOST_CLIENTS = 10_000
"""Clients that are remembered; beyond, those that have been idle longest are forgotten."""
V6_PREFIX = 64
"""Bits of an IPv6 address that name a client: it chooses the rest itself, anew for every connection if it likes."""


def client_address(peer: str, forwarded: Sequence[str], trusted: Sequence[Network]) -> str:
    """The caller's address. ``peer`` is whom the connection is from, ``forwarded`` the values of X-Forwarded-For.

    Only what trusted proxies say is believed: the last address in the header's order that is no such proxy. Anybody may write
    the header, so that what stands left of it is hearsay.
    """
    address = parse_address(peer)
    if address is None:
        return peer
    hops = [hop for value in forwarded for hop in value.split(",")]
    while hops and any(address in network for network in trusted):
        nearer = parse_address(hops.pop().strip())
        if nearer is None:
            break
        address = nearer
    return str(address)


def parse_address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """An address in its shortest form, IPv4 also where it is written as IPv6; None for anything else."""
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


def client_of(address: str) -> str:
    """Whom limits are counted for: the address, or the network of an IPv6 one."""
    parsed = parse_address(address)
    if isinstance(parsed, ipaddress.IPv6Address):
        return str(ipaddress.ip_network((parsed, V6_PREFIX), strict=False))
    return address


class Tokens:
    """The bearer tokens that are accepted, kept as digests. Without any, everybody is let in."""

    def __init__(self, tokens: Sequence[str]) -> None:
        self._digests = [digest(token) for token in tokens]

    def accepts(self, authorization: str) -> bool:
        """Whether an Authorization header holds one of them; as slow for a near miss as for any other."""
        if not self._digests:
            return True
        scheme, _, given = authorization.partition(" ")
        matches = [hmac.compare_digest(digest(given.strip()), known) for known in self._digests]
        return scheme.lower() == "bearer" and any(matches)


def digest(token: str) -> bytes:
    """Of one length for all tokens, so that a comparison does not tell how long they are."""
    return hashlib.sha256(token.encode("utf-8", "surrogateescape")).digest()


@dataclass(slots=True)
class Usage:
    """What one client does."""

    calls: deque[float] = field(default_factory=deque)
    """When those of the last minute began."""
    running: int = 0


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a call is not let in, and the whole seconds after which one may be."""

    limit: str
    """``calls_per_minute`` or ``calls_at_once``."""
    retry_after: int


class Limits:
    """Calls of each client: at most ``per_minute`` in any 60 seconds, ``at_once`` at a time; 0 stands for no limit.

    A refused call does not count.
    """

    def __init__(
        self, per_minute: int, at_once: int, clock: Callable[[], float] = time.monotonic, most_clients: int = MOST_CLIENTS
    ) -> None:
        self._per_minute = per_minute
        self._at_once = at_once
        self._clock = clock
        self._most_clients = most_clients
        self._clients: OrderedDict[str, Usage] = OrderedDict()

    def __len__(self) -> int:
        """Clients that are remembered."""
        return len(self._clients)

    def enter(self, client: str) -> Refusal | None:
        """Counts a call that begins, or says why it must not."""
        now = self._clock()
        usage = self._clients.setdefault(client, Usage())
        self._clients.move_to_end(client)
        self._forget()
        while usage.calls and usage.calls[0] <= now - WINDOW_SECONDS:
            usage.calls.popleft()
        if self._at_once and usage.running >= self._at_once:
            return Refusal("calls_at_once", 1)
        if self._per_minute and len(usage.calls) >= self._per_minute:
            return Refusal("calls_per_minute", max(1, math.ceil(usage.calls[0] + WINDOW_SECONDS - now)))
        if self._per_minute:
            usage.calls.append(now)
        usage.running += 1
        return None

    def leave(self, client: str) -> None:
        """A call that was let in has ended."""
        if client in self._clients:
            self._clients[client].running -= 1

    def _forget(self) -> None:
        excess = len(self._clients) - self._most_clients
        if excess <= 0:
            return
        idle = [client for client in islice(self._clients, excess + 100) if not self._clients[client].running]
        for client in idle[:excess]:
            del self._clients[client]
