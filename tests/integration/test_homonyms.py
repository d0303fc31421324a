"""Names that several real sites use, asked of all sources at once, over the pages that define and most often write them."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path

import pytest
import pytest_asyncio
from homes import ingested

from vuedocs.config import load as load_config
from vuedocs.query.reader import Reader
from vuedocs.records import Search
from vuedocs.settings import Settings

PAGES = 3
"""That write a name most often, of each site, beside those that define it: not all of them, so that the index takes seconds."""
WRITTEN: Mapping[str, Sequence[str]] = {
    "nuxt": ("useFetch", "watch"),
    "nuxt-ui": ("<UForm",),
    "shadcn-vue": ("<Form",),
    "vee-validate": ("<Form",),
    "vite": ("defineConfig",),
    "vitepress": ("defineConfig",),
    "vitest": ("defineConfig", "watch"),
    "vue": ("watch(",),
    "vueuse": ("useFetch", "watch"),
}
"""How each site writes the names."""
DEFINED: Mapping[str, Mapping[str, str]] = {
    "useFetch": {"nuxt": "4.api/2.composables/use-fetch", "vueuse": "core/useFetch/index"},
    "useFecth": {"nuxt": "4.api/2.composables/use-fetch", "vueuse": "core/useFetch/index"},
    "defineConfig": {"vite": "config/index#config-intellisense", "vitepress": "reference/site-config#config-intellisense"},
    "watch": {"vue": "api/reactivity-core#watch", "vitest": "config/watch"},
    "Form": {"nuxt-ui": "3.components/form", "shadcn-vue": "docs/components/form", "vee-validate": "api/form"},
}
"""A name as a query, and the page or section of each source that says what it is there."""
SPOKEN_OF = {"defineConfig": "vitest/config/index"}
"""A page that says what a name does, without a section of its own for it."""
TOP = 5

pytestmark = pytest.mark.asyncio(loop_scope="module")


def most_often(folder: Path, names: Sequence[str]) -> list[Path]:
    """The pages that write each of the names most often, at most PAGES of each."""
    texts = {path: path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*.md*"))}
    found = {}
    for name in names:
        writing = sorted((path for path in texts if name in texts[path]), key=lambda path: -texts[path].count(name))
        found.update(dict.fromkeys(writing[:PAGES]))
    return list(found)


def defining(folder: Path) -> list[Path]:
    """The pages of a source that the tests look for."""
    places = [place for sections in DEFINED.values() for source, place in sections.items() if source == folder.name]
    pages = [f"{folder.name}/{place.partition('#')[0]}" for place in places] + list(SPOKEN_OF.values())
    return [path for path in folder.rglob("*.md*") if str(path.relative_to(folder.parent).with_suffix("")) in pages]


@pytest.fixture(scope="module")
def several_home(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with those pages; skipped where a site's real docs are not there."""
    docs, home = tmp_path_factory.mktemp("several-docs"), tmp_path_factory.mktemp("several-home")
    missing = [source for source in WRITTEN if not (corpus / source).is_dir()]
    if missing:
        pytest.skip(f"no real docs of {', '.join(missing)} in {corpus}")
    for source, names in WRITTEN.items():
        for page in (*defining(corpus / source), *most_often(corpus / source, names), corpus / source / "SOURCE.json"):
            copy = docs / page.relative_to(corpus)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(page, copy)
    return ingested(list(WRITTEN), home, docs)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def reader(several_home: Path) -> AsyncIterator[Reader]:
    reader = await Reader.open(load_config(), Settings(home=several_home))
    yield reader
    await reader.aclose()


async def ask(reader: Reader, query: str) -> Search:
    return (await reader.search(Search(query))).state


@pytest.mark.parametrize("query", DEFINED)
async def test_each_source_that_has_the_name_is_among_the_best(reader: Reader, query: str) -> None:
    best = [candidate.chunk_id for candidate in (await ask(reader, query)).candidates[:TOP]]
    places = {f"{source}/{place}" for source, place in DEFINED[query].items()}
    assert places <= {part for chunk_id in best for part in (chunk_id, chunk_id.partition("#")[0])}, best


@pytest.mark.parametrize(("query", "page"), SPOKEN_OF.items())
async def test_a_source_that_only_speaks_of_the_name_is_on_the_first_page(reader: Reader, query: str, page: str) -> None:
    best = [candidate.chunk_id for candidate in (await ask(reader, query)).candidates[: 2 * TOP]]
    assert page in {chunk_id.partition("#")[0] for chunk_id in best}, best


@pytest.mark.parametrize("query", DEFINED)
async def test_the_answer_quotes_each_source_that_has_the_name(reader: Reader, query: str) -> None:
    assert {passage.source for passage in (await ask(reader, query)).passages} >= set(DEFINED[query])
