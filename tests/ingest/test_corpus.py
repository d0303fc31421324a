"""Properties of whole sources of real documentation: nothing lost, nothing doubled, nothing breaks, nothing changes unseen."""

from __future__ import annotations

import gc
import itertools
import json
import random
import re
import time
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from prose_words import all_words, every_word, prose_words, without_fences
from readings import Reading, read_source
from shapes import ENGINES as SHAPED_BY
from shapes import SHAPES, seconds
from snapshots import FILE, snapshot

from vuedocs.sources import find, registry
from vuedocs.sources.document import Document
from vuedocs.sources.front import normalise
from vuedocs.sources.includes import Includes
from vuedocs.sources.readers import read

SOURCES = tuple(name for name, source in registry().items() if not source.bundled)
BOUNDED = settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))

LABELS = {
    *("api", "options", "composition", "tip", "info", "warning", "danger", "details", "note", "important", "caution", "example"),
    *("read", "more", "in", "live", "see", "a", "video", "framework", "home", "core", "all"),
    *("props", "emits", "slots"),
}
"""What a site shows by colours, icons and switches stands in the text as a label."""
MISREAD = {"tfrom"}
"""Words that the crude reading makes of an escape in code."""


def reading_of(source: str, corpus: Path) -> Reading:
    if not (corpus / source).is_dir():
        pytest.skip(f"{corpus} holds no {source}")
    return read_source(source, corpus)


def written(source: str, corpus: Path, reading: Reading) -> dict[str, str]:
    """Each page's file as its author meant it: with what it includes, without front matter."""
    texts = {}
    for page in reading.pages:
        body = re.sub(r"\A---\n.*?^---[ \t]*$", "", page.file.text, count=1, flags=re.DOTALL | re.MULTILINE)
        texts[page.file.path] = Includes(corpus / source, page.file.name, find(source).below).expand(body, page.file.name)
    return texts


def own_texts(reading: Reading) -> dict[str, list[str]]:
    """The own texts of each page in order; a badge's version stands beside its heading."""
    texts: dict[str, list[str]] = {page.file.path: [] for page in reading.pages}
    for chunk in reading.chunks:
        if chunk.kind != "code":
            texts[chunk.path].append(re.sub(r"\n|\Z", f" {chunk.since}\n", chunk.text, count=1))
    return texts


@pytest.mark.parametrize("source", SOURCES)
def test_no_word_is_lost(source: str, corpus: Path) -> None:
    """Every word that an author wrote outside of markup is in the own texts of its page, at least as often."""
    reading = reading_of(source, corpus)
    own, lost = own_texts(reading), {}
    for path, text in written(source, corpus, reading).items():
        missing = Counter(prose_words(text, find(source).engine)) - Counter(all_words("\n\n".join(own[path])))
        if missing:
            lost[path] = dict(missing)
    assert not lost


@pytest.mark.parametrize("source", SOURCES)
def test_no_word_is_doubled(source: str, corpus: Path) -> None:
    """A word of prose stands in own texts no more often than anywhere in the file, labels apart."""
    reading = reading_of(source, corpus)
    own, files = own_texts(reading), written(source, corpus, reading)
    doubled = {}
    for page in reading.pages:
        path, front = page.file.path, page.file.text.partition("\n---")[0] if page.file.text.startswith("---") else ""
        known = f"{files[path]} {front} {page.title}"
        more = folded(prose_words("\n\n".join(own[path]))) - folded(every_word(known))
        if words := {word: count for word, count in more.items() if word not in LABELS | MISREAD and not word.isdigit()}:
            doubled[path] = words
    assert not doubled


def folded(words: list[str]) -> Counter[str]:
    return Counter(word.lower() for word in words)


@pytest.mark.parametrize("source", SOURCES)
def test_words_keep_their_order(source: str, corpus: Path) -> None:
    """Words that stand once in a file and once in the own texts of its page come in the same order in both."""
    reading = reading_of(source, corpus)
    if find(source).engine != "vitepress":
        pytest.skip("components take their words from attributes, whose order is theirs")
    own, files = own_texts(reading), written(source, corpus, reading)
    for page in reading.pages:
        path, titles = page.file.path, set(all_words(page.title))
        before, after = prose_words(files[path]), all_words("\n\n".join(own[path]))
        counts, found = Counter(before), Counter(after)
        once = {word for word in counts if not word.isdigit() and counts[word] == found[word] == 1} - titles
        assert [word for word in after if word in once] == [word for word in before if word in once], path


@pytest.mark.parametrize("source", SOURCES)
def test_fences_are_balanced_and_ids_are_unique(source: str, corpus: Path) -> None:
    chunks = reading_of(source, corpus).chunks
    assert [chunk.id for chunk in chunks if without_fences(chunk.text)[1]] == []
    assert len({chunk.id for chunk in chunks}) == len(chunks)
    assert [chunk.position for chunk in chunks] == sorted(chunk.position for chunk in chunks)


@pytest.mark.parametrize("source", SOURCES)
def test_chunks_are_as_they_were(source: str, corpus: Path) -> None:
    """Look at what changed in the chunks; if it is meant, run ``python tests/snapshots.py`` and commit the file."""
    reading_of(source, corpus)
    expected = json.loads(FILE.read_text(encoding="utf-8"))
    assert snapshot(source, corpus) == expected[source]


# Any text at all

FRAGMENTS = (
    *("# Title", "## A", "## A {#a}", "### B <Badge type='tip' />", "#### C", "####### no", "", "", "Text."),
    *("- item", "  - inner", "1. one", "> quoted", "> ## quoted", "    indented", "\tindented", "---", "***"),
    *("| a | b |", "| - | - |", "<!--", "-->", "<div>", "</div>", "```", "```js [a.js]", "````md", "````", "~~~"),
    *("::: tip X", ":::tip", ":::", "::::", ":::: details", "::: code-group", "::: tabs", "== Tab", "::note", "::"),
    *(":::card{title='x'}", "#default", "---\nicon: x\n---", ":badge[v4]{color='info'}", "`code", "``", "**bold"),
    *("[link](/a", "[link]: /b", "![alt](x.png)", "{{ 'x' }}", "<script setup>", "</script>"),
    *("<Comp :a=\"{b: 'c'}\">", "</Comp>", "<Comp />", "<<< @/gone.js#x{1}", "<!--@include: ./gone.md-->"),
    *("import A from 'a'", "export const a = {", "}", "<CodeTitle level='4'>", "`a()`", "\ufeff", "\r\n", "&lt;"),
    *("&#0;", "\\*\\*", "{#x .y}", "%{#z}%", "ﬁ é 响应式", "</CodeTitle>", "<A", '<div class="options-api">'),
)
ENGINES = ("vue", "vitest", "pinia", "nuxt", "vee-validate")


def read_text(text: str, source: str, root: Path) -> Document:
    return read(normalise(text), "page.md", find(source), root, lambda href: href)


def assert_whole(document: Document) -> None:
    """Fences are closed within each part and each example."""
    for part in document.parts:
        assert without_fences(part.body)[1] == "", part.body
        for example in part.examples:
            assert without_fences(example.text)[1] == "", example.text


@pytest.mark.parametrize("source", ENGINES)
def test_any_text_is_read(source: str, tmp_path: Path) -> None:
    @BOUNDED
    @given(st.lists(st.sampled_from(FRAGMENTS), max_size=25), st.sampled_from(("\n", "\n\n", " ")))
    def holds(fragments: list[str], between: str) -> None:
        assert_whole(read_text(between.join(fragments), source, tmp_path))

    holds()


@pytest.mark.parametrize("source", ENGINES)
def test_any_part_of_a_page_is_read(source: str, corpus: Path) -> None:
    """Pages cut off anywhere, and with lines missing."""
    texts = [page.file.text for page in reading_of(source, corpus).pages if len(page.file.text) < 12_000]

    @BOUNDED
    @given(st.sampled_from(texts), st.floats(0.05, 1), st.integers(0, 2**32))
    def holds(text: str, share: float, seed: int) -> None:
        chance = random.Random(seed)
        lines = [line for line in text[: int(len(text) * share)].split("\n") if chance.random() > 0.1]
        assert_whole(read_text("\n".join(lines), source, corpus / source))

    holds()


PAGE = """## Section {n} {{#s-{n}}}

A paragraph of prose with `code`, a [link](./other#s-{n}) and **emphasis**, long enough to be one of a real page. Then another
line of it, and one more sentence that ends here. It goes on for a while, as authors do when they explain what a value is for
and why it is computed late, what happens when it changes, and which of the two ways of writing it reads better in the end.

Another paragraph follows, of the same kind, without any markup at all but with enough words in it to be worth the reading of
a person who wants to know more than the first one said, and with a second sentence, because one is seldom enough for that.

::: tip
A box with a list:

- one
- two
:::

```ts [file-{n}.ts]
export function value(n: number): number {{
  return n + {n}
}}
```

| Option | Type |
| --- | --- |
| `a` | `string \\| number` |

"""


@pytest.mark.parametrize("source", ["vue", "nuxt", "vee-validate"])
def test_a_long_page_takes_time_in_proportion(source: str, tmp_path: Path) -> None:
    """1 MB in under 2 s of processor time on an idle core; twice that is allowed here, for machines that others use too."""
    gc.collect()
    gc.freeze()  # what other tests hold in memory is not this page's
    sections = [PAGE.format(n=n) for n in range(2_200)]
    seconds = {}
    for size in (300_000, 1_000_000):
        text = "# Long\n\n" + "".join(sections)[:size]
        started = time.process_time()
        read_text(text, source, tmp_path)
        seconds[size] = time.process_time() - started
    assert seconds[1_000_000] < 4
    assert seconds[1_000_000] < 8 * seconds[300_000]


@pytest.mark.parametrize(("shape", "source"), tuple(zip(SHAPES, itertools.cycle(SHAPED_BY.values()), strict=False)))
def test_a_page_of_one_small_thing_takes_time_in_proportion(shape: str, source: str) -> None:
    """A page four times as long takes four times as long; a quadratic reader takes sixteen. ``tests/shapes.py`` reads 1 MB."""
    assert seconds(shape, 12_000, source) < 10 * max(seconds(shape, 3_000, source), 0.003)
