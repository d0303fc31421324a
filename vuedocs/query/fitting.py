"""Whether what is published fits what asks of it: the config, the embedder, the sources."""

from __future__ import annotations

from collections.abc import Sequence

from vuedocs.clients import Embedder
from vuedocs.config import Config, differences
from vuedocs.errors import MismatchError, NotIndexedError
from vuedocs.records import Manifest


def fitting(manifest: Manifest | None, config: Config) -> Manifest:
    """The manifest of what is published. NotIndexedError when nothing is, MismatchError when the config does not fit it."""
    if manifest is None:
        raise NotIndexedError(
            "nothing is indexed yet; run `vuedocs ingest vue` (or `vuedocs ingest sample`, which needs no network)"
        )
    check_fits(manifest, config)
    return manifest


def check_embedder(manifest: Manifest, embedder: Embedder) -> None:
    """Raises MismatchError, naming both sides, when another model, or other weights, embedded the index than embed queries."""
    if manifest.embedder != embedder.name:
        raise MismatchError(
            f"index {manifest.generation} holds vectors of {manifest.embedder}, and queries are embedded by {embedder.name}; "
            f"run `vuedocs ingest {' '.join(manifest.source_names)}` with this model"
        )


def check_fits(manifest: Manifest, config: Config) -> None:
    """Raises MismatchError, naming both sides, when the index was made with other ingest settings than the config's."""
    if manifest.fingerprint != config.shape():
        raise MismatchError(
            f"index {manifest.generation} was made with other ingest settings than the config asks for: "
            f"{differences(manifest.details, config.shaping())}; "
            "use the settings of the index, or ingest its sources again with these"
        )


def check_sources(manifest: Manifest, sources: Sequence[str]) -> None:
    """Raises NotIndexedError for the first source that the index does not hold."""
    indexed = manifest.source_names
    for source in sources:
        if source not in indexed:
            raise NotIndexedError(
                f"source {source!r} is not indexed here; indexed: {', '.join(indexed)}; add it with `vuedocs ingest {source}`"
            )
