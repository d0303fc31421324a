"""Settings are read from variables; one that cannot be read is named, and a token never repeated."""

from __future__ import annotations

from ipaddress import ip_network
from pathlib import Path

import pytest

from vuedocs.errors import ConfigError
from vuedocs.settings import ServerSettings, Settings

TOKEN = "0123456789abcdef"


def test_nothing_is_set() -> None:
    assert Settings.from_environment({}).server == ServerSettings()
    assert ServerSettings().calls_per_minute == 60
    assert ServerSettings().calls_at_once == 10
    assert ServerSettings().query_log_days == 0


def test_the_servers_settings() -> None:
    settings = Settings.from_environment(
        {
            "VUEDOCS_ALLOWED_HOSTS": "docs.example.org, docs.example.com",
            "VUEDOCS_TRUSTED_PROXIES": "10.0.0.7,192.168.0.0/16",
            "VUEDOCS_TOKENS": f"{TOKEN},{TOKEN}2",
            "VUEDOCS_CALLS_PER_MINUTE": "600",
            "VUEDOCS_CALLS_AT_ONCE": "0",
            "VUEDOCS_LOG_QUERIES": "yes",
            "VUEDOCS_QUERY_LOG": "1",
        }
    )
    assert settings.server.allowed_hosts == ("docs.example.org", "docs.example.com")
    assert settings.server.trusted_proxies == (ip_network("10.0.0.7"), ip_network("192.168.0.0/16"))
    assert settings.server.tokens == (TOKEN, TOKEN + "2")
    assert (settings.server.calls_per_minute, settings.server.calls_at_once) == (600, 0)
    assert settings.server.log_queries
    assert settings.server.query_log_days == 30
    assert TOKEN not in repr(settings)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("VUEDOCS_TRUSTED_PROXIES", "proxy.example.org"),
        ("VUEDOCS_TRUSTED_PROXIES", "10.0.0.7/8"),
        ("VUEDOCS_CALLS_PER_MINUTE", "-1"),
        ("VUEDOCS_CALLS_AT_ONCE", "ten"),
        ("VUEDOCS_MAX_BODY", "0"),
        ("VUEDOCS_LOG_QUERIES", "perhaps"),
        ("VUEDOCS_QUERY_LOG_DAYS", "0"),
        ("VUEDOCS_TOKENS", ","),
        ("VUEDOCS_TOKENS", f"{TOKEN},short"),
        ("VUEDOCS_TOKENS", f"{TOKEN} {TOKEN}"),
        ("VUEDOCS_TOKENS", "тайна" * 10),
    ],
)
def test_what_cannot_be_read_is_refused_by_name(name: str, value: str) -> None:
    with pytest.raises(ConfigError, match=name) as caught:
        Settings.from_environment({name: value})
    assert name != "VUEDOCS_TOKENS" or TOKEN not in str(caught.value)


def test_a_password_is_read_from_a_file_and_one_that_cannot_be_read_is_refused_by_name(tmp_path: Path) -> None:
    file = tmp_path / "password"
    variables = {"DATABASE_URL": "postgresql://vuedocs@postgres/vuedocs", "DATABASE_PASSWORD_FILE": str(file)}
    with pytest.raises(ConfigError, match=r"DATABASE_PASSWORD_FILE: .*No such file or directory; let this user read it"):
        Settings.from_environment(variables)
    for content, reason in ((b"\n", "is empty"), (b"\xff" + TOKEN.encode(), "it is no text")):
        file.write_bytes(content)
        with pytest.raises(ConfigError, match=f"DATABASE_PASSWORD_FILE: .*{reason}") as caught:
            Settings.from_environment(variables)
        assert TOKEN not in str(caught.value)
    file.write_text(f"{TOKEN}\n")
    settings = Settings.from_environment(variables)
    assert settings.database_password == TOKEN
    assert TOKEN not in repr(settings)
