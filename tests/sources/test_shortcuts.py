"""The quick parser says what the plain one says; a tree of blocks."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.parser_block import ParserBlock
from markdown_it.parser_inline import ParserInline

from vuedocs.sources import markdown, mdc_rules, mdx
from vuedocs.sources.nodes import tree

PIECES = (
    *(
        "# A",
        "A\n===",
        "A\n---",
        "Text",
        "plain text, no marks",
        "- a",
        "  - b",
        "1. a",
        "10) b",
        "> q",
        ">",
        "***",
        "---",
        "",
        "",
    ),
    *(
        "```js",
        "```",
        "~~~",
        "    code",
        "\tcode",
        "| a | b |",
        "| - | - |",
        "a | b",
        "[a]: /b",
        "[a]",
        "<div>",
        "</div>",
        "<A />",
    ),
    *("::: tip", ":::", "::: tabs", "== A", "::note", "::", ":badge[a]", "<<< @/a.js", "{/* a", "*/}", "import a from 'b'", "<A"),
    *("-", "+", "=", "é", "\\", "* * *", "<!-- a", "-->", "&lt;", "`a`", "*a*", "i", "e", "#", "_ _ _", "+ a"),
)
PARSERS = {"vitepress": markdown.parser(), "mdc": mdc_rules.parser(), "mdx": mdx.parser()}


def plain(quick: MarkdownIt) -> MarkdownIt:
    """A parser of the same rules that tries each of them on every line."""
    slow = MarkdownIt("commonmark", {"html": True})
    slow.core.ruler.disable("text_join")
    slow.block, slow.inline = ParserBlock(), ParserInline()
    slow.block.ruler.__rules__ = quick.block.ruler.__rules__
    slow.inline.ruler.__rules__, slow.inline.ruler2 = quick.inline.ruler.__rules__, quick.inline.ruler2
    return slow


@pytest.mark.parametrize("engine", PARSERS)
def test_quick_and_plain_agree(engine: str) -> None:
    quick = PARSERS[engine]
    slow = plain(quick)

    @settings(max_examples=150, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
    @given(st.lists(st.sampled_from(PIECES), max_size=14), st.sampled_from(("\n", "\n\n", "\n  ", " ")))
    def holds(pieces: list[str], between: str) -> None:
        text = between.join(pieces)
        assert [token.as_dict() for token in quick.parse(text, {})] == [token.as_dict() for token in slow.parse(text, {})]

    holds()


def test_a_tree_holds_what_stands_inside() -> None:
    outline = [
        (node.type, [child.type for child in node.children]) for node in tree(MarkdownIt().parse("- a\n- b\n\n> c\n\n---\n"))
    ]
    assert outline == [("bullet_list", ["list_item", "list_item"]), ("blockquote", ["paragraph"]), ("hr", [])]
