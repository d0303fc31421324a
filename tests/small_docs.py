"""Two tiny sites, and an ingest of them over the fakes of this folder: seconds of real work in milliseconds."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from fakes import MemoryDatabase, WordEmbedder

from vuedocs.clients import Progress
from vuedocs.clients.edge import EdgeBuilder
from vuedocs.config import Config, load
from vuedocs.ingest import INGEST_STAGES
from vuedocs.ingest.clients import IngestClients
from vuedocs.ingest.session import begin, silent
from vuedocs.ingest.store import check_fits
from vuedocs.query.reader import Reader, open_generation
from vuedocs.records import Ingest
from vuedocs.stages import run

VUE = {
    "guide/computed": """# Computed Properties

A computed property is a derived value.

## Caching {#caching}

The result is stored until a dependency changes. See [computed()](/api/reactivity-core#computed).

## Writable {#writable}

Give a getter and a setter:

```js
const name = computed({
  get: () => first.value,
  set: (value) => { first.value = value }
})
```
""",
    "guide/watchers": """# Watchers

A watcher runs a side effect when state changes.

## Deep Watchers {#deep}

Nested mutations trigger a deep watcher, which walks through the whole object.

### Stopping {#stopping}

Call the handle that was returned.
""",
    "guide/components/slots": """# Slots

A slot lets the parent pass template content, such as `#default`.

## Named Slots {#named}

Use `v-slot:header` for the header outlet.
""",
    "api/reactivity-core": """# Reactivity API

Functions that make state.

## computed() {#computed}

Takes a getter and returns a ref.

- **Type**

  ```ts
  function computed<T>(getter: () => T): Ref<T>
  ```

## watchEffect() {#watcheffect}

Runs a function and tracks what it reads. See [Watchers](/guide/watchers).
""",
}
PINIA = {
    "guide/stores": """# Stores

A store holds global state.

## Defining {#defining}

Call `defineStore()` with a unique id. A store's getter is a computed value.
""",
}


def write_docs(folder: Path, source: str, pages: Mapping[str, str]) -> Path:
    """Writes pages where ``--docs folder`` looks for them; the folder."""
    for path, text in pages.items():
        file = folder / source / f"{path}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return folder


def fake_config(*overrides: str) -> Config:
    """The base config for the fakes' 64 dimensions."""
    return load(None, ["embed.dims=64", *overrides])


class Workplace:
    """One data folder with its clients, and what a command would do there."""

    def __init__(self, folder: Path) -> None:
        self.docs = folder / "docs"
        self.database = MemoryDatabase()
        self.builder = EdgeBuilder(folder / "index")
        self.embedder = WordEmbedder()

    def write(self, source: str, pages: Mapping[str, str]) -> None:
        write_docs(self.docs, source, pages)

    async def ingest(self, *sources: str, config: Config | None = None, progress: Progress = silent) -> Ingest:
        """The state after the last stage."""
        config = config or fake_config()
        clients = IngestClients(
            self.embedder,
            self.database,
            self.builder,
            self.docs.parent,
            config.shape(),
            config.shaping(),
            progress,  # type: ignore[arg-type]
        )
        start = begin(sources, self.docs)
        check_fits(await self.database.published(), clients, start.sources)
        return (await run(INGEST_STAGES, start, config, clients)).state

    async def reader(self, config: Config | None = None) -> Reader:
        """A reader of what is published."""
        config = config or fake_config()
        generation = await open_generation(await self.database.published(), config, self.database, self.builder)  # type: ignore[arg-type]
        return Reader(config, self.database, self.builder, self.embedder, generation)  # type: ignore[arg-type]
