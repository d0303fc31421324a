"""The readers of markup by engine: each turns one file into a :class:`Document`."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType

from vuedocs.sources import Source, mdc, mdx, vitepress
from vuedocs.sources.document import Document
from vuedocs.sources.parts import with_description

Read = Callable[[str, str, Source, Path, Callable[[str], str]], Document]

READERS: Mapping[str, Read] = MappingProxyType({"vitepress": vitepress.read, "mdc": mdc.read, "mdx": mdx.read})


def read(text: str, file: str, source: Source, root: Path, site: Callable[[str], str]) -> Document:
    """``text`` (normalised) of ``file``, relative to the docs folder ``root``, read by the source's engine.

    ``site`` makes URLs of links.
    """
    with _without_collection():
        document = READERS[source.engine](text, file, source, root, site)
    return with_description(document) if source.description else document


@contextmanager
def _without_collection() -> Iterator[None]:
    """No cyclic garbage collection meanwhile.

    A page becomes hundreds of thousands of tokens that all live until it is read; walking them again and again, while nothing
    can be freed, would take a third of the time.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
