"""Settings: keys, URLs and folders, from the environment. They never affect ranking and are never part of a config.

They are read when a command starts, never at import, so that a test or an embedding program can pass its own.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import platformdirs


@dataclass(frozen=True, slots=True)
class Settings:
    """Where things are and how to reach them. Secrets are left out of the repr."""

    home: Path
    """Data folder: index generations, embedded database, checkouts."""
    docs: Path | None = None
    """A folder of checkouts or exports named by source; None means clone."""
    config: Path | None = None
    """A config file laid over the base."""
    pg_bin: Path | None = None
    """Folder of PostgreSQL's server binaries, to use instead of those that are found."""
    model: Path | None = None
    """Folder with ``model.onnx`` and ``tokenizer.json`` of the local model, to use instead of the packages'."""
    database_url: str = field(default="", repr=False)
    qdrant_url: str = ""
    qdrant_api_key: str = field(default="", repr=False)
    jina_api_key: str = field(default="", repr=False)
    gemini_api_key: str = field(default="", repr=False)
    allowed_hosts: tuple[str, ...] = ()
    """Host names, besides this machine's own, under which the HTTP server answers: ``docs.example.org``."""
    allowed_origins: tuple[str, ...] = ()
    """Origins of web pages that may call the HTTP server: ``https://app.example.org``."""
    log_queries: bool = False
    """Whether the server's log may hold what callers ask."""

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] | None = None) -> Settings:
        """The settings that ``environment`` (the process's, by default) holds; an empty variable counts as unset."""
        variables = os.environ if environment is None else environment

        def folder(name: str) -> Path | None:
            value = variables.get(name, "")
            return Path(value).expanduser().absolute() if value else None

        def names(name: str) -> tuple[str, ...]:
            return tuple(part.strip() for part in variables.get(name, "").split(",") if part.strip())

        return cls(
            home=folder("VUEDOCS_HOME") or Path(platformdirs.user_data_path("vuedocs", appauthor=False)),
            docs=folder("VUEDOCS_DOCS"),
            config=folder("VUEDOCS_CONFIG"),
            pg_bin=folder("VUEDOCS_PG_BIN"),
            model=folder("VUEDOCS_MODEL"),
            database_url=variables.get("DATABASE_URL", ""),
            qdrant_url=variables.get("QDRANT_URL", ""),
            qdrant_api_key=variables.get("QDRANT_API_KEY", ""),
            jina_api_key=variables.get("JINA_API_KEY", ""),
            gemini_api_key=variables.get("GEMINI_API_KEY", ""),
            allowed_hosts=names("VUEDOCS_ALLOWED_HOSTS"),
            allowed_origins=names("VUEDOCS_ALLOWED_ORIGINS"),
            log_queries=variables.get("VUEDOCS_LOG_QUERIES", "").lower() in ("1", "true", "yes", "on"),
        )
