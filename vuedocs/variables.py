"""Environment variables as values: each reader names the variable that it cannot read, and never repeats a secret."""

from __future__ import annotations

import ipaddress
import math
from collections.abc import Mapping
from pathlib import Path

from vuedocs.errors import ConfigError

Network = ipaddress.IPv4Network | ipaddress.IPv6Network

TOKEN_CHARACTERS = 16
"""Of a bearer token at least: one that can be guessed is none."""
YES, NO = ("1", "true", "yes", "on"), ("", "0", "false", "no", "off")


def names(variables: Mapping[str, str], name: str) -> tuple[str, ...]:
    """The parts of a comma separated variable."""
    return tuple(part.strip() for part in variables.get(name, "").split(",") if part.strip())


def networks(variables: Mapping[str, str], name: str) -> tuple[Network, ...]:
    """Addresses and networks: ``10.0.0.7,192.168.0.0/16``."""
    try:
        return tuple(ipaddress.ip_network(part) for part in names(variables, name))
    except ValueError as error:
        raise ConfigError(f"{name}: {error}; give addresses or networks, such as 10.0.0.7,192.168.0.0/16") from None


def tokens(variables: Mapping[str, str], name: str) -> tuple[str, ...]:
    """Bearer tokens; never repeated in an error. A variable that is set and holds none would leave the door open: refused."""
    given = names(variables, name)
    usable = all(len(token) >= TOKEN_CHARACTERS and token.isascii() and not any(map(str.isspace, token)) for token in given)
    if not usable or (variables.get(name) and not given):
        raise ConfigError(
            f"{name} holds no usable token; give one or several between commas, each of {TOKEN_CHARACTERS} ASCII characters "
            "or more without spaces, such as `openssl rand -hex 32` prints"
        )
    return given


def secret_in(file: Path | None, name: str) -> str:
    """The word in a file that a container is given; ``""`` for no file. Never repeated in an error."""
    if file is None:
        return ""
    try:
        secret = file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no text"
        raise ConfigError(f"{name}: {file} cannot be read: {reason}; let this user read it") from None
    if not secret:
        raise ConfigError(f"{name}: {file} is empty; write the password into it")
    return secret


def number(variables: Mapping[str, str], name: str, default: int, least: int = 0) -> int:
    """A whole number of ``least`` or more."""
    value = variables.get(name, "").strip()
    if not value:
        return default
    if not (value.isascii() and value.isdigit()) or int(value) < least:
        raise ConfigError(f"{name} is {value[:40]!r}; give a whole number of {least} or more")
    return int(value)


def decimal(variables: Mapping[str, str], name: str, least: float = 0.0) -> float | None:
    """A number of ``least`` or more; None where the variable is not set."""
    value = variables.get(name, "").strip()
    if not value:
        return None
    try:
        found = float(value)
    except ValueError:
        found = math.nan
    if not least <= found < math.inf:
        raise ConfigError(f"{name} is {value[:40]!r}; give a number of {least:g} or more")
    return found


def switch(variables: Mapping[str, str], name: str) -> bool:
    """On or off."""
    value = variables.get(name, "").strip().lower()
    if value not in (*YES, *NO):
        raise ConfigError(f"{name} is {value[:40]!r}; give 1 or 0")
    return value in YES
