"""The parse stage: pages, chunks, ids, links and what they keep of the text."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass, field
from html import unescape
from pathlib import Path

import pytest

from vuedocs.config import Parse
from vuedocs.errors import SourceError
from vuedocs.ingest.fetch import fetch
from vuedocs.ingest.parse import parse
from vuedocs.records import Chunk, Ingest
from vuedocs.sources.front import normalise, split_front_matter

SECTION = Parse(code_chunks=True, code_min_lines=3)


@dataclass
class Clients:
    """What the stages use of the real ones."""

    home: Path = Path("unused")
    calls: list[tuple[str, int, int]] = field(default_factory=list)

    def progress(self, words: str, done: int, total: int) -> None:
        self.calls.append((words, done, total))


class Limits:
    timeout = 60.0


async def parsed(docs: Path, *sources: str, section: Parse = SECTION, clients: Clients | None = None) -> Ingest:
    clients = clients or Clients()
    state = await fetch(Ingest(sources, docs), Limits, clients)  # type: ignore[arg-type]
    return await parse(state, section, clients)  # type: ignore[arg-type]


def write(docs: Path, **pages: str) -> Path:
    for name, text in pages.items():
        file = docs / "vue" / (name.replace("__", "/") + ".md")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode())
    return docs


def by_id(state: Ingest) -> dict[str, Chunk]:
    return {chunk.id: chunk for chunk in state.chunks}


PAGE = """# Watchers {#watchers}

Before the sections. And more.

## Basic {#basic}

Watch a [ref](/api/reactivity#ref):

```js
watch(a, () => {
  run()
})
```

### Deep {#deep}

#### Deepest {#deepest}

See [basic](#basic), [deepest](#deepest), [gone](/gone) and [lost](/api/reactivity#lost).

## API \\*\\* {#api}
"""


async def test_what_badges_say_stands_below_the_heading(tmp_path: Path) -> None:
    page = "# A <Badge text='beta' />\n\nText.\n\n## B <Badge text='3.5+' />\n\nText.\n\n"
    page += "## C <Badge>new</Badge>\n\n### D\n\nText.\n"
    chunks = by_id(await parsed(write(tmp_path, guide__a=page), "vue"))
    assert [(chunk.title, chunk.since, chunk.text) for chunk in chunks.values()] == [
        ("A", "", "# A\n\n(beta)\n\nText."),
        ("B", "3.5", "## B\n\nText."),
        ("C", "", "## C (new)"),
        ("D", "", "### D\n\nText."),
    ]


async def test_chunks_of_a_page(tmp_path: Path) -> None:
    state = await parsed(write(tmp_path, guide__watchers=PAGE, api__reactivity="# R\n\n## ref() {#ref}\n\nText.\n"), "vue")
    chunks = by_id(state)
    assert [key for key in chunks if key.startswith("vue/guide")] == [
        "vue/guide/watchers",
        "vue/guide/watchers#basic",
        "vue/guide/watchers#basic~code-1",
        "vue/guide/watchers#deep",
        "vue/guide/watchers#api",
    ]
    page, basic, deep = (chunks[f"vue/guide/watchers{key}"] for key in ("", "#basic", "#deep"))
    assert (page.kind, basic.kind, deep.kind) == ("page", "section", "subsection")
    assert page.text == "# Watchers\n\nBefore the sections. And more."
    assert deep.heading_path == ("Watchers", "Basic", "Deep")
    assert deep.url == "https://vuejs.org/guide/watchers.html#deep"
    assert "#### Deepest" in deep.text
    assert chunks["vue/guide/watchers#api"].api_style == "composition"
    assert [chunk.position for chunk in state.chunks if chunk.path == "guide/watchers"] == [(1, place) for place in range(5)]


async def test_a_code_chunk_has_the_prose_before_it(tmp_path: Path) -> None:
    state = await parsed(write(tmp_path, guide__watchers=PAGE), "vue")
    code = by_id(state)["vue/guide/watchers#basic~code-1"]
    assert code.kind == "code"
    assert code.section == "guide/watchers#basic"
    assert code.text.startswith("Watch a")
    assert code.text.endswith("})\n```")


async def test_the_other_api_style_has_the_same_introduction(tmp_path: Path) -> None:
    fence = "```js\none\ntwo\nthree\n```"
    divs = "\n\n".join(f'<div class="{style}-api">\n\n{fence}\n\n</div>' for style in ("options", "composition"))
    text = f"# A\n\nA list of three, for both styles of the API:\n\n{divs}\n\n{fence}\n"
    chunks = by_id(await parsed(write(tmp_path, a=text), "vue"))
    assert [chunks[f"vue/a~code-{n}"].text.startswith("A list of three") for n in (1, 2, 3)] == [True, True, False]
    assert [chunks[f"vue/a~code-{n}"].api_style for n in (1, 2, 3)] == ["options", "composition", "both"]


async def test_code_chunks_can_be_switched_off_and_short_ones_are_none(tmp_path: Path) -> None:
    docs = write(tmp_path, guide__watchers=PAGE)
    for section in (Parse(code_chunks=False, code_min_lines=1), Parse(code_chunks=True, code_min_lines=4)):
        assert all(chunk.kind != "code" for chunk in (await parsed(docs, "vue", section=section)).chunks)


async def test_links_become_section_keys_and_dead_ones_are_reported(tmp_path: Path) -> None:
    state = await parsed(write(tmp_path, guide__watchers=PAGE, api__reactivity="# R\n\n## ref() {#ref}\n\nText.\n"), "vue")
    chunks = by_id(state)
    assert [(link.target, link.priority) for link in chunks["vue/guide/watchers#basic"].links] == [("api/reactivity#ref", "high")]
    assert [(link.target, link.priority) for link in chunks["vue/guide/watchers#deep"].links] == [
        ("guide/watchers#basic", "medium"),
        ("api/reactivity", "high"),
    ]
    dead = [report for report in state.reports if "links to" in report]
    assert dead == [
        "vue: guide/watchers.md links to /gone, which is no page here",
        "vue: guide/watchers.md links to /api/reactivity#lost, but api/reactivity has no such anchor",
    ]


async def test_the_page_record(tmp_path: Path) -> None:
    page = (await parsed(write(tmp_path, guide__watchers=PAGE), "vue")).pages[0]
    assert (page.path, page.route, page.title) == ("guide/watchers", "guide/watchers", "Watchers")
    assert page.description == "Before the sections."
    assert page.text.startswith("# Watchers\n\nBefore")
    assert page.text.count("### Deep\n") == 1


async def test_a_twin_with_bom_and_crlf_is_the_same(tmp_path: Path) -> None:
    for text in (PAGE, f"---\ntitle: T\n---\n\n{PAGE}"):
        plain = await parsed(write(tmp_path / "plain", guide__watchers=text), "vue")
        twin = await parsed(write(tmp_path / "twin", guide__watchers="\ufeff" + text.replace("\n", "\r\n")), "vue")
        assert plain.chunks == twin.chunks
        assert plain.pages == twin.pages


async def test_titles_without_a_heading(tmp_path: Path) -> None:
    docs = write(tmp_path, a="---\ntitle: From front\n---\nText.", b="Text.", some_page="Text.", api__index="<Component />")
    (docs / "vue" / "nav.json").write_text(json.dumps([{"path": "b.md", "title": "From navigation", "section": "S"}]))
    state = await parsed(docs, "vue")
    titles = {page.path: page.title for page in state.pages}
    assert titles == {"b": "From navigation", "a": "From front", "some_page": "Some Page", "api/index": "Api"}
    assert by_id(state)["vue/b"].text == "# From navigation\n\nText."
    assert by_id(state)["vue/api/index"].text == "# Api"
    assert state.pages[0].section == "S"


async def test_headings_of_symbols_and_a_page_that_begins_with_a_section(tmp_path: Path) -> None:
    state = await parsed(write(tmp_path, a="## `->`\n\nOne.\n\n## `=>`\n\nTwo.\n"), "vue")
    assert [chunk.id for chunk in state.chunks] == ["vue/a", "vue/a#heading-1", "vue/a#-1"]
    assert state.chunks[1].url == "https://vuejs.org/a.html"


async def test_bad_bytes_are_reported_and_left_out_and_empty_folders_are_refused(tmp_path: Path) -> None:
    docs = write(tmp_path, a="# A")
    (docs / "vue" / "b.md").write_bytes(b"\xff\xfe\xfa")
    state = await parsed(docs, "vue")
    assert [page.path for page in state.pages] == ["a"]
    assert "vue: b.md is left out: it is not UTF-8" in "\n".join(state.reports)
    (tmp_path / "other" / "vue" / "zh").mkdir(parents=True)
    (tmp_path / "other" / "vue" / "zh" / "a.md").write_text("# A")
    with pytest.raises(SourceError, match="holds no page of vue"):
        await parsed(tmp_path / "other", "vue")


async def test_progress_is_told(tmp_path: Path) -> None:
    clients = Clients()
    await parsed(write(tmp_path, a="# A", b="# B"), "vue", clients=clients)
    assert [call for call in clients.calls if call[0] == "parse vue"] == [("parse vue", n, 2) for n in range(3)]


# The whole of vuejs.org


async def test_vue_in_the_order_of_its_navigation(corpus: Path) -> None:
    state = await parsed(corpus, "vue")
    named = [item["path"].removesuffix(".md") for item in json.loads((corpus / "vue" / "nav.json").read_text(encoding="utf-8"))]
    paths = [page.path for page in state.pages]
    assert paths[: len(named)] == named
    assert paths[len(named) :] == sorted(paths[len(named) :])
    assert [page.position for page in state.pages] == list(range(len(paths)))
    assert len({chunk.id for chunk in state.chunks}) == len(state.chunks)


async def test_every_fence_of_vue_is_balanced(corpus: Path) -> None:
    for chunk in (await parsed(corpus, "vue")).chunks:
        assert without_fences(chunk.text)[1] == "", chunk.id


_FENCE = re.compile(r"[\s>]*(?:(?:[-*]|\d+\.)\s+)*(`{3,})(.*)")


def without_fences(text: str) -> tuple[str, str]:
    """The lines outside of fenced code, and the fence that is still open at the end."""
    lines: list[str] = []
    fence = ""
    for line in text.split("\n"):
        match = _FENCE.match(line)
        if fence and match and len(match.group(1)) >= len(fence) and not match.group(2).strip():
            fence = ""
        elif not fence and match:
            fence = match.group(1)
        elif not fence:
            lines.append(line)
    return "\n".join(lines), fence


_WORDS = re.compile(r"[^\W_]+")
_TARGET = re.compile(r"\]\(<?[^)\s]*(?:\([^)]*\))?[^)\s]*\)|\]\[[^\]]*\]|^\[[^\]]+\]: .*$", re.MULTILINE)
_MARKUP = re.compile(
    r"<!--.*?-->|<(script|style)\b[^<>]*>.*?</\1>|</?[A-Za-z][^<>]*>|^\s*:::[^\n]*$|\{\{[^{}\n]*\}\}|\{#[^}\n]*\}\s*$|"
    r"^\[\[TOC\]\]$",
    re.DOTALL | re.MULTILINE,
)
_PROMOTION = re.compile(
    r"<(ScrimbaLink|VueSchoolLink)\b[^<>]*[^/]>.*?</\1>|<div class=\"(?:lambdatest|vue-mastery-link)\">.*?^</div>",
    re.DOTALL | re.MULTILINE,
)
_LABELS = {"API", "Options", "Composition", "Tip", "Info", "Warning", "Danger", "Details", "Note"}
"""What the site shows by colours and switches stands in the text as a label."""


def words(text: str) -> Counter[str]:
    """The words outside of code blocks, markup and promotion."""
    prose = _MARKUP.sub(" ", _TARGET.sub("]", _PROMOTION.sub(" ", without_fences(text)[0])))
    return Counter(_WORDS.findall(unescape(prose)))


async def test_no_word_of_vue_is_lost_or_doubled(corpus: Path) -> None:
    """The own texts of a page, together, have its words, each as often as the file; code blocks are counted elsewhere."""
    state = await parsed(corpus, "vue")
    own: dict[str, Counter[str]] = {page.path: Counter() for page in state.pages}
    everything = {page.path: Counter[str]() for page in state.pages}
    for chunk in state.chunks:
        if chunk.kind != "code":
            own[chunk.path] += words(chunk.text)
            everything[chunk.path] += Counter(_WORDS.findall(_TARGET.sub("]", chunk.text)))
    for page in state.pages:
        text = split_front_matter(normalise((corpus / "vue" / f"{page.path}.md").read_text(encoding="utf-8")))[1]
        lost = words(text) - everything[page.path]
        assert not lost, (page.path, lost)
        title = Counter(_WORDS.findall(page.title))
        doubled = own[page.path] - Counter(_WORDS.findall(text)) - title
        assert not [word for word in doubled if word not in _LABELS], (page.path, doubled)
        assert sum(words(text).values()) > 3 or len(text) < 1500, page.path
