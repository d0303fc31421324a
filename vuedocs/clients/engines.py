"""Which engine stands behind each client: chosen here, once, from config and settings, and never silently another."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vuedocs.clients import Embedder, IndexBuilder, Reranker, Writer
from vuedocs.clients.edge import EdgeBuilder
from vuedocs.clients.hosted_models import JINA_MODELS
from vuedocs.clients.local_model import MODELS, LocalModel, find_files
from vuedocs.clients.services import Services
from vuedocs.config import Config, Embed, Rerank
from vuedocs.config.prompts import prompt
from vuedocs.config.sections import Written
from vuedocs.errors import ConfigError
from vuedocs.settings import Settings

if TYPE_CHECKING:
    from vuedocs.clients.database import PostgresDatabase


async def open_database(settings: Settings) -> PostgresDatabase:
    """The database at DATABASE_URL, or else the embedded one in the data folder, started if need be."""
    from vuedocs.clients.database import PostgresDatabase

    return await PostgresDatabase.open(settings)


def open_embedder(section: Embed, settings: Settings, services: Services) -> Embedder:
    """The embedder that the config names; ConfigError when its dimensions, or the length it reads, are not the config's."""
    if section.embedder in JINA_MODELS:
        longest = JINA_MODELS[section.embedder].dims
        if section.dims > longest:
            raise ConfigError(f"embed.dims is {section.dims}; {section.embedder} gives {longest} at most: set that")
        from vuedocs.clients.jina_models import JinaEmbedder

        return JinaEmbedder(services.jina(), section.embedder, section.dims)
    model = LocalModel(find_files(section.embedder, settings.model))
    if section.dims != model.dims:
        raise ConfigError(f"embed.dims is {section.dims}, but {model.name} gives {model.dims}; set embed.dims={model.dims}")
    if section.window_tokens > model.max_tokens:
        raise ConfigError(f"embed.window_tokens is {section.window_tokens}; {model.name} reads {model.max_tokens} at most")
    return model


def open_reranker(section: Rerank, services: Services | None) -> Reranker | None:
    """The reranker that the config names; None for those that need no service."""
    if section.method != "jina":
        return None
    if services is None:
        raise ConfigError(f"rerank.method is {section.method}, but no hosted service is at hand here; set rerank.method=rocchio")
    from vuedocs.clients.jina_models import JinaReranker

    return JinaReranker(services.jina(), section.model)


def open_writers(config: Config, settings: Settings, services: Services) -> dict[str, Writer]:
    """By stage, the language models that the config names."""
    sections: dict[str, Written] = {"enrich": config.enrich, "hype": config.hype}
    chosen = {stage: section for stage, section in sections.items() if section.method == "gemini"}
    if not chosen:
        return {}
    from vuedocs.clients.gemini_writer import GeminiWriter

    client, batch = services.gemini(), settings.gemini_batch
    return {
        stage: GeminiWriter(client, section.model, section.thinking, prompt("system"), stage, batch=batch)
        for stage, section in chosen.items()
    }


async def open_builder(settings: Settings, database: PostgresDatabase, quantisation: str = "none") -> IndexBuilder:
    """The vector index: at QDRANT_URL, or else Qdrant Edge in the data folder.

    ``quantisation`` is for what will be built. ConfigError for a URL that cannot be used, or a quantisation that Edge lacks.
    """
    if not settings.qdrant.url:
        if quantisation == "int8":
            raise ConfigError("store.quantisation is int8, which only a Qdrant server knows; set it to turbo8 or none")
        return EdgeBuilder(settings.home / "index", quantisation)
    from vuedocs.clients.qdrant import QdrantBuilder
    from vuedocs.clients.qdrant_server import QdrantServer

    return QdrantBuilder(QdrantServer(settings.qdrant), await database.identity(), quantisation)


def index_in_words(settings: Settings) -> str:
    """Which vector index is in use and where; no secrets."""
    if not settings.qdrant.url:
        return f"Qdrant Edge in {settings.home / 'index'}"
    from vuedocs.clients.qdrant_server import address_of

    address, _ = address_of(settings.qdrant.url)
    unsafe = settings.qdrant.api_key and address.startswith("http://")
    return f"Qdrant server at {address}" + (" (the key goes there unencrypted: no https)" if unsafe else "")


def describe(config: Config, settings: Settings) -> str:
    """In words, which engines are in use and where their data is; no secrets."""
    section, rerank = config.embed, config.rerank
    local = section.embedder not in JINA_MODELS
    embedder = f"{MODELS[section.embedder].name} (local" if local else f"{section.embedder} (at {settings.jina.base_url}"
    database = "PostgreSQL at DATABASE_URL" if settings.database_url else "embedded PostgreSQL"
    return "\n".join(
        [
            f"data folder: {settings.home}",
            f"database: {database}",
            f"vector index: {index_in_words(settings)}",
            f"embedder: {embedder}, {section.dims} dimensions)",
            "reranker: " + (f"{rerank.model} (at {settings.jina.base_url})" if rerank.method == "jina" else rerank.method),
        ]
    )
