"""Block Markdown, from the token tree back to text that reads well without the site: boxes as labels, tabs with their names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token

from vuedocs.records import ApiStyle
from vuedocs.sources import code
from vuedocs.sources.document import Example
from vuedocs.sources.html import Reading, read_html
from vuedocs.sources.inlines import InlineText, Title
from vuedocs.sources.nodes import Node, tree

LABELS = {"options": "**Options API**", "composition": "**Composition API**"}
_SILENT_BOXES = frozenset({"v-pre", "raw", "code-group"})
_ALERT = re.compile(r"\[!(TIP|NOTE|INFO|IMPORTANT|WARNING|CAUTION|DANGER)\][ \t]*([^\n]*)\n?", re.IGNORECASE)
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_BLOCK_START = re.compile(r"^(\s*)(#{1,6} |```|~~~|>)")
_STARTS = ("#", "`", "~", ">")
_FENCE_LINE = re.compile(r"^[ \t>]*(?:(?:[-*+]|\d+[.)])[ \t]+)*(`{3,}|~{3,})([^\n]*)$", re.MULTILINE)
_SHORT = 40
"""Characters up to which a paragraph is a mere label, such as **Example**."""


class Block(NamedTuple):
    """A piece of text between two blank lines, and the API style of the element it stands in."""

    text: str
    style: ApiStyle


def labelled(blocks: Iterable[Block], around: ApiStyle) -> list[str]:
    """The texts of ``blocks``, with a label wherever one API style begins that is not the style of everything around."""
    texts: list[str] = []
    before: ApiStyle = around
    for block in blocks:
        if block.style not in ("both", around, before):
            texts.append(LABELS[block.style])
        texts.append(block.text)
        before = block.style
    return texts


class BlockText:
    """Writes the blocks of one page; ``reading`` knows what is open and gathers links and examples."""

    def __init__(self, markdown: MarkdownIt, reading: Reading) -> None:
        self._markdown = markdown
        self._reading = reading

    def write(self, nodes: Sequence[Node]) -> list[Block]:
        """The blocks of these nodes; what is no documentation gives none."""
        return [block for node in nodes for block in self.block(node)]

    def block(self, node: Node) -> list[Block]:
        """The blocks of one node."""
        if node.type == "html_block":
            return self._html(node)
        if self._reading.dropped:
            return []
        if node.type == "box":
            return self._box(node)
        if node.type == "blockquote":
            return self._quote(node)
        text = self._text(node)
        return [Block(text, self._reading.style)] if text else []

    def _text(self, node: Node) -> str:
        match node.type:
            case "paragraph":
                return self._paragraph(node)
            case "heading":
                return self._heading(node)
            case "bullet_list" | "ordered_list":
                return self._list(node)
            case "fence" | "code_block":
                return self._example([node])
            case "table":
                return self._table(node)
            case _:
                return ""

    def _nested(self, nodes: Sequence[Node]) -> list[str]:
        around = self._reading.style
        return labelled(self.write(nodes), around)

    def _inline(self, nodes: Sequence[Node]) -> str:
        if len(nodes) == 1 and nodes[0].type == "inline":
            tokens: Sequence[Token] = nodes[0].token.children or ()
        else:
            tokens = [token for node in nodes if node.type == "inline" for token in node.token.children or ()]
        if len(tokens) == 1 and tokens[0].type == "text":
            return "" if self._reading.dropped else tokens[0].content.strip()
        return InlineText(self._reading).write(tokens)

    def _paragraph(self, node: Node) -> str:
        text = self._inline(node.children)
        if "\n" in text or text.startswith(_STARTS):
            text = "\n".join(_BLOCK_START.sub(r"\1\\\2", line) for line in text.split("\n") if line.strip())
        if text:
            self._reading.prose.append(text)
            self._reading.first = self._reading.first or text
        return text

    def _heading(self, node: Node) -> str:
        """A heading that opens no section: a deeper one stays a heading, one in a list or box becomes a label."""
        inline = node.children[0].token
        heading = Title(inline.children or [])
        title = f"{heading.text} ({', '.join(heading.badges)})" if heading.text and heading.badges else heading.text
        anchor = str(node.attrs.get("id", ""))
        if anchor:
            self._reading.anchors.append(anchor)
        if not title:
            return ""
        return f"**{title}**" if node.level else f"{'#' * int(node.tag[1])} {title}"

    def _html(self, node: Node) -> list[Block]:
        content = _COMMENT.sub("", node.content)
        texts = [_without_open_fence(text) for text in read_html(content, self._reading)]
        self._reading.prose += texts
        return [Block(text, self._reading.style) for text in texts]

    def _box(self, node: Node) -> list[Block]:
        name = str(node.meta["name"])
        if name == "code-group":
            tabs = [child for child in node.children if child.type in ("fence", "code_block")]
            text = self._example(tabs)
            others = self.write([child for child in node.children if child not in tabs])
            return [Block(text, self._reading.style), *others] if text else others
        if name in _SILENT_BOXES:
            return self.write(node.children)
        title = re.sub(r"\s*\{[^{}]*\}\s*$", "", node.info)
        return self._label(self._markdown_title(title) or name.capitalize(), node.children)

    def _markdown_title(self, title: str) -> str:
        tokens = self._markdown.parseInline(title)
        return InlineText(self._reading).write(tokens[0].children or []) if title and tokens else ""

    def _label(self, label: str, nodes: Sequence[Node]) -> list[Block]:
        """A box: its title in bold, before its first paragraph or on a line of its own."""
        style = self._reading.style
        texts = self._nested(nodes)
        bold = f"**{label}**" if label.endswith((":", "!", "?", ".")) or "**" in label else f"**{label}:**"
        if texts and nodes[0].type == "paragraph":
            return [Block(f"{bold} {texts[0]}", style), *(Block(text, style) for text in texts[1:])]
        return [Block(text, style) for text in (bold, *texts)]

    def _quote(self, node: Node) -> list[Block]:
        first = node.children[0] if node.children else None
        alert = _ALERT.match(first.children[0].content) if first and first.type == "paragraph" else None
        if alert and first:
            kind, title = alert.group(1).capitalize(), alert.group(2).strip()
            rest = self._markdown.parse(first.children[0].content[alert.end() :])
            return self._label(title or kind, [*tree(rest), *node.children[1:]])
        text = "\n\n".join(self._nested(node.children))
        quoted = "\n".join(f"> {line}".rstrip() for line in text.split("\n"))
        return [Block(quoted, self._reading.style)] if text else []

    def _list(self, node: Node) -> str:
        number, ordered = int(str(node.attrs.get("start", 1))), node.type == "ordered_list"
        tight = all(child.token.hidden for item in node.children for child in item.children if child.type == "paragraph")
        between = "\n" if tight else "\n\n"
        items: list[str] = []
        for item in node.children:
            marker = f"{number}." if ordered else "-"
            number += 1
            body = between.join(self._nested(item.children))
            if "\n" in body:
                indent = " " * (len(marker) + 1)
                body = "\n".join(indent + line if line else "" for line in body.split("\n"))
            if body:
                items.append(f"{marker} {body.strip()}")
        return between.join(items)

    def _table(self, node: Node) -> str:
        rows = [row for section in node.children for row in section.children]
        lines: list[str] = []
        for row in rows:
            cells = [self._inline(cell.children).replace("|", "\\|").replace("\n", " ") for cell in row.children]
            lines.append(f"| {' | '.join(cells)} |")
            if len(lines) == 1:
                lines.append("|" + " --- |" * len(cells))
        return "\n".join(lines)

    def _example(self, nodes: Sequence[Node]) -> str:
        """One code block, or the tabs of a group, each under its label."""
        blocks: list[str] = []
        lines = 0
        for node in nodes:
            content = code.shown(node.content, node.info)
            label = code.label(node.info)
            if label:
                blocks.append(code.inline(label) if "*" in label else f"**{label}**")
            blocks.append(code.fenced(content, code.language(node.info)))
            lines = max(lines, content.count("\n") + 1)
        text = "\n\n".join(blocks)
        if text:
            introduction = self._introduction()
            example = f"{introduction}\n\n{text}" if introduction else text
            self._reading.examples.append(Example(example, lines, self._reading.style))
        return text

    def _introduction(self) -> str:
        """The prose before an example: the last paragraph, with the one before where the last is a mere label.

        The same example in the other API style directly after it has the same introduction.
        """
        reading = self._reading
        prose, reading.prose = reading.prose, []
        take = 2 if prose and len(prose[-1]) < _SHORT else 1
        styles = {reading.style, reading.examples[-1].style if reading.examples else "both"}
        if prose or styles != {"options", "composition"}:
            reading.introduction = "\n\n".join(prose[-take:])
        return reading.introduction


def _without_open_fence(text: str) -> str:
    """Text of HTML as it is, but with backslashes before fences where one would stay open: they are text there."""
    if "```" not in text and "~~~" not in text:
        return text
    fence = ""
    for line in text.split("\n"):
        mark = _FENCE_LINE.match(line)
        if mark and not fence:
            fence = mark.group(1)
        elif mark and mark.group(1).startswith(fence) and not mark.group(2).strip():
            fence = ""
    return _FENCE_LINE.sub(lambda mark: mark.group().replace(mark.group(1), "\\" + mark.group(1), 1), text) if fence else text
