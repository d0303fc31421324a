"""Settings: keys, URLs and folders, from the environment. They never affect ranking and are never part of a config.

They are read when a command starts, never at import, so that a test or an embedding program can pass its own.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import platformdirs

from vuedocs.errors import ConfigError, VuedocsError
from vuedocs.variables import Network, decimal, names, networks, number, secret_in, switch, tokens


def is_secret(variable: str) -> bool:
    """Whether an environment variable of ours holds what no other program is given and no output may hold."""
    return variable in ("DATABASE_URL", "VUEDOCS_TOKENS") or variable.endswith("_API_KEY")


def check_key(key: str, variable: str, error: type[VuedocsError]) -> None:
    """Raises ``error``, without the key, where it cannot stand in a header: its words would hold the key."""
    if not re.fullmatch(r"[!-~]*", key):
        raise error(f"{variable} holds spaces or letters that no key has; give the key alone, without quotes")


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """Whom the MCP server answers, how often, and what it keeps of it."""

    allowed_hosts: tuple[str, ...] = ()
    """Host names, besides this machine's own, under which the HTTP server answers: ``docs.example.org``."""
    allowed_origins: tuple[str, ...] = ()
    """Origins of web pages that may call the HTTP server: ``https://app.example.org``."""
    trusted_proxies: tuple[Network, ...] = ()
    """Where proxies stand whose word (X-Forwarded-For) on a client's address is believed."""
    tokens: tuple[str, ...] = field(default=(), repr=False)
    """Bearer tokens, one of which a client must send; empty: none is asked for."""
    calls_per_minute: int = 60
    """HTTP requests of one client within any 60 seconds; 0: no limit."""
    calls_at_once: int = 10
    """HTTP requests of one client that run at a time; 0: no limit."""
    max_body: int = 1024 * 1024
    """Bytes of a request's body."""
    log_queries: bool = False
    """Whether the server's log may hold what callers ask."""
    query_log_days: int = 0
    """Days for which questions are kept in the database, for research; 0: none is kept."""

    @classmethod
    def from_variables(cls, variables: Mapping[str, str]) -> ServerSettings:
        """The settings that ``variables`` hold; an empty one counts as unset. ConfigError names one that cannot be read."""
        standard = cls()
        return cls(
            allowed_hosts=names(variables, "VUEDOCS_ALLOWED_HOSTS"),
            allowed_origins=names(variables, "VUEDOCS_ALLOWED_ORIGINS"),
            trusted_proxies=networks(variables, "VUEDOCS_TRUSTED_PROXIES"),
            tokens=tokens(variables, "VUEDOCS_TOKENS"),
            calls_per_minute=number(variables, "VUEDOCS_CALLS_PER_MINUTE", standard.calls_per_minute),
            calls_at_once=number(variables, "VUEDOCS_CALLS_AT_ONCE", standard.calls_at_once),
            max_body=number(variables, "VUEDOCS_MAX_BODY", standard.max_body, least=1024),
            log_queries=switch(variables, "VUEDOCS_LOG_QUERIES"),
            query_log_days=query_log_days(variables),
        )


@dataclass(frozen=True, slots=True)
class Service:
    """How to reach a hosted service, and what it grants: by default what the lowest row of its table says."""

    name: str
    """How its variables begin: ``JINA``."""
    base_url: str
    """``""`` is the service's own, as its client knows it."""
    key: str = field(default="", repr=False)
    requests: int = 100
    """Requests a window; 0 is no limit."""
    tokens: int = 100_000
    """Tokens a window; 0 is no limit."""
    concurrency: int = 2
    """Calls at the same time."""
    window: float = 60.0
    """Seconds over which the service counts."""
    timeout: float = 30.0
    """Seconds that one call may take."""

    def from_environment(self, variables: Mapping[str, str]) -> Service:
        """With what the variables say: ``JINA_API_KEY``, ``JINA_BASE_URL``, ``JINA_REQUESTS``, ..."""

        return replace(
            self,
            key=variables.get(f"{self.name}_API_KEY", "").strip(),
            base_url=variables.get(f"{self.name}_BASE_URL", "").rstrip("/") or self.base_url,
            requests=number(variables, f"{self.name}_REQUESTS", self.requests),
            tokens=number(variables, f"{self.name}_TOKENS", self.tokens),
            concurrency=number(variables, f"{self.name}_CONCURRENCY", self.concurrency, least=1),
            window=decimal(variables, f"{self.name}_WINDOW", least=0.001) or self.window,
            timeout=decimal(variables, f"{self.name}_TIMEOUT", least=0.001) or self.timeout,
        )


@dataclass(frozen=True, slots=True)
class Deadlines:
    """Seconds that a search for somebody who waits may take, as a whole and in the stages that ask a model."""

    detect: float = 5.0
    """For the query's vector."""
    rerank: float = 8.0
    total: float = 15.0

    def from_environment(self, variables: Mapping[str, str]) -> Deadlines:
        """With what VUEDOCS_DETECT_SECONDS, VUEDOCS_RERANK_SECONDS and VUEDOCS_SEARCH_SECONDS say."""
        return Deadlines(
            decimal(variables, "VUEDOCS_DETECT_SECONDS", least=0.01) or self.detect,
            decimal(variables, "VUEDOCS_RERANK_SECONDS", least=0.01) or self.rerank,
            decimal(variables, "VUEDOCS_SEARCH_SECONDS", least=0.01) or self.total,
        )


PATIENT = Deadlines(math.inf, math.inf, math.inf)
"""For measuring: a rate limit is waited for, however long."""


@dataclass(frozen=True, slots=True)
class QdrantSettings:
    """A Qdrant server as vector index, and how it keeps collections; without a URL the embedded engine is used."""

    url: str = ""
    """``http://host:6333``, or ``https://...`` for Qdrant Cloud."""
    api_key: str = field(default="", repr=False)
    collection: str = "vuedocs"
    """What the names of all collections begin with; see vuedocs.clients.qdrant."""
    shards: int = 1
    """Of a collection. BM25 weighs words by the documents of one shard, so that more than one changes its scores a little."""
    replicas: int = 1
    """Copies of each shard, on as many nodes of a cluster."""
    write_consistency: int = 1
    """Copies that must have taken a write before it counts."""
    on_disk: bool = False
    """Whether vectors are read from disk instead of kept in memory."""

    @classmethod
    def from_variables(cls, variables: Mapping[str, str]) -> QdrantSettings:
        """The settings that ``variables`` hold; an empty one counts as unset. ConfigError names one that cannot be read."""
        settings = cls(
            url=variables.get("QDRANT_URL", ""),
            api_key=variables.get("QDRANT_API_KEY", ""),
            collection=variables.get("QDRANT_COLLECTION", "") or cls().collection,
            shards=number(variables, "QDRANT_SHARDS", 1, least=1),
            replicas=number(variables, "QDRANT_REPLICAS", 1, least=1),
            write_consistency=number(variables, "QDRANT_WRITE_CONSISTENCY", 1, least=1),
            on_disk=switch(variables, "QDRANT_ON_DISK"),
        )
        if not re.fullmatch(r"[A-Za-z0-9_-]{1,100}", settings.collection):
            raise ConfigError(f"QDRANT_COLLECTION is {settings.collection[:40]!r}; give up to 100 letters, digits, _ and -")
        if settings.write_consistency > settings.replicas:
            raise ConfigError(
                f"QDRANT_WRITE_CONSISTENCY is {settings.write_consistency}, QDRANT_REPLICAS {settings.replicas}; "
                "no more copies can take a write than there are"
            )
        return settings


@dataclass(frozen=True, slots=True)
class Settings:
    """Where things are and how to reach them. Secrets are left out of the repr."""

    home: Path
    """Data folder: index generations, embedded database, checkouts."""
    docs: Path | None = None
    """A folder of checkouts or exports named by source; None means clone."""
    config: Path | None = None
    """A config file laid over the base."""
    step_summary: Path | None = None
    """A Markdown file that the gate adds its verdict to: GitHub's CI names one."""
    pg_bin: Path | None = None
    """Folder of PostgreSQL's server binaries, to use instead of those that are found."""
    model: Path | None = None
    """Folder with ``model.onnx`` and ``tokenizer.json`` of the local model, to use instead of the packages'."""
    database_url: str = field(default="", repr=False)
    database_password: str = field(default="", repr=False)
    """In place of one in the URL."""
    qdrant: QdrantSettings = QdrantSettings()
    jina: Service = field(default_factory=lambda: Service("JINA", "https://api.jina.ai/v1"))
    gemini: Service = field(default_factory=lambda: Service("GEMINI", "", requests=10, tokens=250_000, timeout=60.0))
    gemini_batch: bool = False
    """Whether a language model is asked by batches, at half the price, within a day."""
    max_cost: float | None = None
    """US dollars that one run may spend on hosted services; None is no limit."""
    deadlines: Deadlines = Deadlines()
    server: ServerSettings = ServerSettings()

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] | None = None) -> Settings:
        """The settings that ``environment`` (the process's, by default) holds; an empty variable counts as unset."""
        variables = os.environ if environment is None else environment

        def folder(name: str) -> Path | None:
            value = variables.get(name, "")
            return Path(value).expanduser().absolute() if value else None

        defaults = cls(home=Path())
        return cls(
            home=folder("VUEDOCS_HOME") or Path(platformdirs.user_data_path("vuedocs", appauthor=False)),
            docs=folder("VUEDOCS_DOCS"),
            config=folder("VUEDOCS_CONFIG"),
            step_summary=folder("GITHUB_STEP_SUMMARY"),
            pg_bin=folder("VUEDOCS_PG_BIN"),
            model=folder("VUEDOCS_MODEL"),
            database_url=variables.get("DATABASE_URL", ""),
            database_password=secret_in(folder("DATABASE_PASSWORD_FILE"), "DATABASE_PASSWORD_FILE"),
            qdrant=QdrantSettings.from_variables(variables),
            jina=defaults.jina.from_environment(variables),
            gemini=defaults.gemini.from_environment(variables),
            gemini_batch=switch(variables, "GEMINI_BATCH"),
            max_cost=decimal(variables, "VUEDOCS_MAX_COST"),
            deadlines=defaults.deadlines.from_environment(variables),
            server=ServerSettings.from_variables(variables),
        )


def query_log_days(variables: Mapping[str, str]) -> int:
    """Days for which questions are kept: none unless VUEDOCS_QUERY_LOG is on, then 30 unless VUEDOCS_QUERY_LOG_DAYS says more."""
    days = number(variables, "VUEDOCS_QUERY_LOG_DAYS", 30, least=1)
    return days if switch(variables, "VUEDOCS_QUERY_LOG") else 0
