"""How long a page takes that consists of one small thing, again and again:

    python tests/shapes.py                                  # every shape, 1 MB, by each engine; takes minutes
    python tests/shapes.py --characters 100000 --only list links

Seconds of processor time; the last column is what markdown-it-py alone takes, with CommonMark's rules, tables and strikethrough.
"""

from __future__ import annotations

import argparse
import gc
import tempfile
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from types import MappingProxyType

from markdown_it import MarkdownIt

from vuedocs.sources import find
from vuedocs.sources.readers import read

SHAPES: Mapping[str, str] = MappingProxyType(
    {
        "list items": "- abc\n",
        "loose list": "- abc\n\n",
        "numbered list": "1. abc\n",
        "nested lists": "- a\n  - b\n    - c\n",
        "emphasis in a list": "- *a*\n",
        "table rows": "| a | b |\n",
        "tables": "| a |\n| - |\n| b |\n\n",
        "headings": "## abc\n\n",
        "deep headings": "#### abc\n\n",
        "underlined headings": "abc\n---\n\n",
        "paragraphs": "abc\n\n",
        "lines": "abc\n",
        "quotes": "> abc\n\n",
        "quoted lines": "> abc\n",
        "fences": "```js\na\n```\n\n",
        "indented code": "    a\n\n",
        "links": "[a](/b) ",
        "links in paragraphs": "[a](/b)\n\n",
        "references": "[a][b] ",
        "brackets": "[a] ",
        "images": "![a](b) ",
        "autolinks": "<http://a.b> ",
        "code": "`a` ",
        "code with attributes": "`a`{.b} ",
        "emphasis": "*a* ",
        "crossed emphasis": "*a_ ",
        "escapes": "\\* ",
        "entities": "&lt; ",
        "hard breaks": "a\\\n",
        "boxes": "::: tip\nabc\n:::\n\n",
        "code groups": "::: code-group\n```js [a]\nb\n```\n:::\n\n",
        "MDC blocks": "::note\nabc\n::\n\n",
        "MDC inline": ":badge[v4] ",
        "HTML tags": "<b>a</b> ",
        "HTML blocks": "<div>a</div>\n\n",
        "Vue components": '<Badge type="tip" text="a" /> ',
        "comments": "<!-- a -->\n\n",
        "badges in a heading": "# <Badge>" + "`a` " * 100,
    }
)
ENGINES: Mapping[str, str] = MappingProxyType({"VitePress": "vitest", "vuejs.org": "vue", "MDC": "nuxt", "MDX": "vee-validate"})
"""A source of each engine."""


def page(shape: str, characters: int) -> str:
    """A page of about so many characters of one shape."""
    head = "# T\n\n| a | b |\n| - | - |\n" if shape == "table rows" else "# T\n\n"
    return head + SHAPES[shape] * (characters // len(SHAPES[shape]))


def seconds_of(work: Callable[[], object]) -> float:
    """Processor time of ``work``, without collection of garbage: a reader does without it too."""
    gc.disable()
    started = time.process_time()
    work()
    gc.enable()
    return time.process_time() - started


def seconds(shape: str, characters: int, source: str) -> float:
    """Processor time that the source's engine takes for such a page."""
    text = page(shape, characters)
    with tempfile.TemporaryDirectory() as folder:
        return seconds_of(lambda: read(text, "page.md", find(source), Path(folder), lambda href: href))


def main() -> None:
    """Prints the table."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--characters", type=int, default=1_000_000, help="of each page (default: %(default)s)")
    options.add_argument("--only", nargs="+", default=[""], metavar="WORD", help="shapes whose name holds one of these words")
    chosen = options.parse_args()
    alone = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    print(f"{'':22}", *(f"{engine:>10}" for engine in (*ENGINES, "alone")))
    for shape in (name for name in SHAPES if any(word in name for word in chosen.only)):
        times = [seconds(shape, chosen.characters, source) for source in ENGINES.values()]
        times.append(seconds_of(partial(alone.parse, page(shape, chosen.characters))))
        print(f"{shape:22}", *(f"{each:10.2f}" for each in times), flush=True)
        gc.collect()


if __name__ == "__main__":
    main()
