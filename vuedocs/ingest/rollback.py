"""Going back to the generation before the published one, by one commit."""

from __future__ import annotations

from dataclasses import dataclass

from vuedocs.clients.engines import open_builder, open_database
from vuedocs.errors import NotIndexedError
from vuedocs.settings import Settings


@dataclass(frozen=True, slots=True)
class Rollback:
    """What a rollback changed."""

    left: str
    """The generation that was published before."""
    serving: str
    """The one that is published now."""
    sources: tuple[str, ...]
    """Whose content differs between the two; the watcher leaves them alone until somebody accepts."""


async def roll_back(settings: Settings) -> Rollback:
    """Publishes the previous generation again; a second call goes back to where the first began.

    Raises NotIndexedError where there is no previous one, IndexDamagedError, and changes nothing, where its index cannot be read.
    """
    database = await open_database(settings)
    try:
        async with database.lock_ingest():
            kept = await database.generations()
            if len(kept) < 2:
                raise NotIndexedError(
                    f"there is no generation before {kept[0] if kept else 'the first'} to go back to; the last two are kept "
                    "(store.keep), and the next one is made by `vuedocs ingest`"
                )
            builder = await open_builder(settings, database)
            try:
                await (await builder.open(kept[1])).aclose()
                sources = await database.roll_back(kept[0], kept[1])
                await builder.published(kept[1])
            finally:
                await builder.aclose()
    finally:
        await database.aclose()
    return Rollback(kept[0], kept[1], tuple(sources))
