"""Passages of the real documentation that a naive parser gets wrong, by what they must become."""

from __future__ import annotations

from pathlib import Path

import pytest

from vuedocs.sources import registry
from vuedocs.sources.document import Document
from vuedocs.sources.front import normalise
from vuedocs.sources.readers import read


def page(corpus: Path, source: str, name: str) -> Document:
    root = corpus / source
    return read(normalise((root / name).read_text(encoding="utf-8")), name, registry()[source], root, lambda href: href)


def section(document: Document, anchor: str) -> str:
    return next(part.body for part in document.parts if part.anchor == anchor)


def text(document: Document) -> str:
    return "\n".join(part.body for part in document.parts)


def test_titles_of_code_with_escaped_brackets(corpus: Path) -> None:
    assert "**app/pages/[postId]-[postSlug].vue**\n" in text(page(corpus, "nuxt", "4.api/3.utils/define-page-meta.md"))


def test_cards_and_steps(corpus: Path) -> None:
    found = page(corpus, "nuxt", "1.getting-started/02.installation.md")
    levels = {part.anchor: part.level for part in found.parts}
    assert (levels["prerequisites"], levels["development-server"], levels["next-steps"]) == (3, 3, 2)
    assert "::" not in text(found).replace("](", "")
    assert "**[Open on StackBlitz](https://stackblitz.com/" in section(found, "play-online")


def test_a_note_in_a_list(corpus: Path) -> None:
    assert "\n   **Note:** `" in text(page(corpus, "nuxt", "1.getting-started/17.testing.md"))


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("4.api/4.commands/upgrade.md", "| `-ch, --channel=<stable\\|nightly\\|v3\\|v4\\|v4-nightly\\|v3-nightly>` | `stable` |"),
        ("4.api/4.commands/dev.md", "| `--profile` (v4.4) |  |"),
        ("4.api/5.kit/8.layout.md", "| `getContents` | `(data) => string \\| Promise<string>` | `false` |"),
    ],
)
def test_cells_of_tables(name: str, line: str, corpus: Path) -> None:
    assert line in text(page(corpus, "nuxt", name))


def test_a_comment_that_holds_headings_and_fences(corpus: Path) -> None:
    found = page(corpus, "shadcn-vue", "docs/dark-mode/nuxt.md")
    assert [part.anchor for part in found.parts if part.level] == ["dark-mode", "add-a-mode-toggle"]
    assert len(found.fences) == 2


def test_a_heading_at_the_margin_of_an_indented_tab(corpus: Path) -> None:
    found = page(corpus, "shadcn-vue", "docs/installation/vite.md")
    assert (4, "postcss-config-js-1") in [(heading.level, heading.anchor) for heading in found.headings] or (
        4,
        "postcss-config-js",
    ) in [(heading.level, heading.anchor) for heading in found.headings]
    assert "**postcss.config.js**" in section(found, "add-tailwind-and-its-configuration")


def test_code_titles_are_headings_and_imports_go(corpus: Path) -> None:
    found = page(corpus, "vee-validate", "api/use-form.mdx")
    assert "\n#### initialValues?: Record<string, any>\n" in section(found, "arguments")
    assert "CodeTitle" not in text(found)
    assert "import DocTip" not in text(found)


def test_a_file_with_windows_line_ends(corpus: Path) -> None:
    found = page(corpus, "vee-validate", "api/configuration.mdx")
    assert found.front["title"]
    assert "\r" not in text(found)


def test_examples_of_components(corpus: Path) -> None:
    found = page(corpus, "nuxt-ui", "3.components/accordion.md")
    assert '<UAccordion type="multiple" :items="items" />' in section(found, "multiple")
    assert "**Nuxt:**" in section(found, "trailing-icon")
    assert "- `label?: string`\n" in section(found, "items")


def test_the_anchor_before_a_badge(corpus: Path) -> None:
    found = page(corpus, "vue-router", "guide/essentials/nested-routes.md")
    assert "Omitting-parent-components-" in [part.anchor for part in found.parts]
