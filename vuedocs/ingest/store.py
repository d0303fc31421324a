"""store: builds a complete new generation beside the one that is served, and publishes it by one commit.

All of it happens under the database's ingest lock. Until the commit readers see the old generation, whatever is killed when;
after it they move over. Sources that this run did not touch keep their content: the new generation is built from their
snapshots, which the database holds with their vectors.
"""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from vuedocs.clients import IndexBuilder, Progress, Snapshot
from vuedocs.config import Store, differences
from vuedocs.errors import MismatchError, SourceError, StorageError
from vuedocs.ingest.clients import IngestClients
from vuedocs.records import Ingest, Manifest, Point, SourceManifest
from vuedocs.sources import find

PROGRESS_EVERY = 500
"""Points between two signs of progress."""


async def store(state: Ingest, section: Store, clients: IngestClients) -> Ingest:
    """Publishes the state's sources as a new generation, unless nothing has changed; sets ``manifest``."""
    async with clients.database.lock_ingest():
        return await store_locked(state, section, clients)


async def store_locked(state: Ingest, section: Store, clients: IngestClients) -> Ingest:
    """What ``store`` does, for a caller that holds the ingest lock."""
    snapshots = [snapshot_of(state, source, (clients.fingerprint, clients.embedder.name)) for source in state.sources]
    published = await clients.database.published()
    check_fits(published, clients, state.sources)
    digests = dict(await clients.database.snapshot_digests())
    changed = [snapshot for snapshot in snapshots if digests.get(snapshot.manifest.source) != snapshot.digest]
    if published and not changed and await clients.builder.exists(published.generation):
        await clients.builder.published(published.generation)
        return replace(state, manifest=published).count(published=0)
    # What killed builds left must not fill the disk that this one needs; what fails here is said by the tidying at the end.
    await tidy(clients.builder, await clients.database.forget(section.keep))
    for number, snapshot in enumerate(changed):
        clients.progress("store: write", number, len(changed))
        await clients.database.write_snapshot(snapshot)
    clients.progress("store: write", len(changed), len(changed))
    digests.update({snapshot.manifest.source: snapshot.digest for snapshot in changed})
    kept = [] if published is None else [entry for entry in published.sources if entry.source not in state.sources]
    same = {entry.source: entry for entry in published.sources} if published else {}
    mine = [snapshot.manifest if snapshot in changed else same[snapshot.manifest.source] for snapshot in snapshots]
    manifest = manifest_of(await clients.database.next_generation(), [*kept, *mine], clients)
    points = counted(clients.database.snapshot_points(list(digests.values())), manifest.points, clients.progress)
    await clients.builder.build(manifest.generation, points, clients.embedder.dims, section.batch)
    base = published.generation if published else ""
    generations = await clients.database.publish(manifest, list(digests.values()), section.keep, base)
    left = await tidy(clients.builder, generations)
    return replace(state, manifest=manifest).report(*left).count(published=1)


async def tidy(builder: IndexBuilder, keep: Sequence[str]) -> tuple[str, ...]:
    """Removes all generations but ``keep``, the published first. What fails is reported, not raised: the publication stands."""
    try:
        for generation in keep[:1]:
            await builder.published(generation)
        await builder.remove(keep)
    except StorageError as error:
        return (str(error),)
    return ()


async def prune(section: Store, clients: IngestClients) -> tuple[str, ...]:
    """Removes generations beyond ``keep`` that nobody reads any more, and what killed builds left; what could not be removed."""
    async with clients.database.lock_ingest():
        return await tidy(clients.builder, await clients.database.forget(section.keep))


async def counted(points: AsyncIterator[Point], total: int, progress: Progress) -> AsyncIterator[Point]:
    """The points as they come, with progress."""
    done = 0
    async for point in points:
        if done % PROGRESS_EVERY == 0:
            progress("store: index", done, total)
        yield point
        done += 1
    progress("store: index", total, total)


def check_fits(published: Manifest | None, clients: IngestClients, sources: Iterable[str]) -> None:
    """Raises MismatchError when sources that stay in the index were ingested with other settings."""
    if published is None or (published.fingerprint, published.embedder) == (clients.fingerprint, clients.embedder.name):
        return
    others = sorted({entry.source for entry in published.sources} - set(sources))
    if others:
        names = " ".join([*sources, *others])
        models = f"embedded by {published.embedder} there and by {clients.embedder.name} here"
        differing = differences(published.details, clients.details) if published.fingerprint != clients.fingerprint else models
        raise MismatchError(
            f"the index holds {', '.join(others)}, ingested with other settings ({differing}); "
            f"one index has one set of ingest settings: run `vuedocs ingest {names}` with these, or go back to the old ones"
        )


def snapshot_of(state: Ingest, source: str, made_by: tuple[str, str]) -> Snapshot:
    """One source's records out of the state, with the digest that says whether they are new; SourceError where it has no text.

    ``made_by``: fingerprint and embedder. A model's weights may change while the config's name for it does not.
    """
    checkout = next(checkout for checkout in state.checkouts if checkout.source == source)
    pages = tuple(page for page in state.pages if page.source == source)
    chunks = tuple(chunk for chunk in state.chunks if chunk.source == source)
    entities = tuple(entity for entity in state.entities if entity.source == source)
    points = tuple(point for point in state.points if point.source == source)
    manifest = SourceManifest(
        source=source,
        commit=checkout.commit,
        version=checkout.version,
        date=checkout.date.isoformat() if checkout.date else "",
        indexed=datetime.now(UTC).isoformat(timespec="seconds"),
        origin=checkout.origin,
        pages=len(pages),
        chunks=len(chunks),
        entities=len(entities),
        points=len(points),
        licence=find(source).licence,
        left_out=sum(name == source for name, _ in state.left_out),
    )
    bm25 = next((model for model in state.bm25 if model.source == source), None)
    if bm25 is None:
        raise SourceError(f"the docs of {source} ({checkout.origin}) hold no text to index; give a folder with pages that do")
    content = [
        made_by,
        replace(manifest, indexed=""),
        *pages,
        *chunks,
        *entities,
        *((point.id, point.text, point.scopes) for point in points),
        bm25,
    ]
    return Snapshot(manifest, digest_of(content), pages, chunks, entities, points, bm25)


def digest_of(content: Iterable[object]) -> str:
    """sha256 over the reprs of frozen records, 64 hex digits: equal for equal content, in every process."""
    digest = hashlib.sha256()
    for record in content:
        digest.update(repr(record).encode("utf-8", "surrogatepass"))
        digest.update(b"\x00")
    return digest.hexdigest()


def manifest_of(generation: str, sources: Iterable[SourceManifest], clients: IngestClients) -> Manifest:
    """The manifest of a generation that holds ``sources``."""
    entries = tuple(sorted(sources, key=lambda entry: entry.source))
    return Manifest(
        generation=generation,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        fingerprint=clients.fingerprint,
        embedder=clients.embedder.name,
        dims=clients.embedder.dims,
        sources=entries,
        points=sum(entry.points for entry in entries),
        details=dict(clients.details),
        engines={
            "index": clients.builder.engine,
            "embedder": clients.embedder.name,
            **{stage: writer.name for stage, writer in clients.writers.items()},
        },
    )
