"""The words that authors wrote, outside of code blocks, markup and promotion: a second, cruder reading to compare ours with."""

from __future__ import annotations

import re
from html import unescape

_FENCE = re.compile(r"[\s>]*(?:(?:[-*+]|\d+[.)])\s+)*(`{3,}|~{3,})(.*)")
_WORD = re.compile(r"[^\W_]+")
_NUMBER = re.compile(r"^([ \t>]*)\d+[.)](?=[ \t])", re.MULTILINE)
_TARGET = re.compile(
    r"\]\(<[^>\n]*>[^)\n]*\)|\]\(<?[^)\s]*(?:\([^)]*\))?[^)]*\)|"
    r"\]\[[^\]]*\]|^\[[^\]]+\]: .*$|<https?:[^>\s]*>",
    re.MULTILINE,
)
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_BLOCKS = re.compile(r"^<(script|style)\b[^<>]*>.*?^</\1>", re.DOTALL | re.MULTILINE)
_PROMOTION = re.compile(
    r"<(ScrimbaLink|VueSchoolLink|SponsorLink|RouteSponsor)\b(?:[^<>\"]|\"[^\"]*\")*(?<!/)>.*?</\1>|"
    r"<div class=\"(?:lambdatest|vue-mastery-link)\">.*?^</div>|<a [^<>]*(?:vueschool|scrimba|vuemastery|sponsor)[^<>]*>.*?</a>|"
    r"<title>[^<>]*</title>",
    re.DOTALL | re.MULTILINE | re.IGNORECASE,
)
_TAG = re.compile(r"</?[A-Za-z](?:[^<>\"'{}]|\"[^\"]*\"|'[^']*'|\{(?:[^{}]|\{[^{}]*\})*\})*>")
_COMPONENT = re.compile(
    r"^[ \t]*:{2,}[ \t]*(?:[A-Za-z][^\n]*)?$(?:\n[ \t]*---[ \t]*\n.*?^[ \t]*---[ \t]*$)?|"
    r"^[ \t]*#\w[\w-]*(?:\{[^{}\n]*\})?[ \t]*$|(?<![\w`:]):[A-Za-z][\w-]*(?=[\[{\s])",
    re.DOTALL | re.MULTILINE,
)
_SINCE = re.compile(r"^(#{1,3} [^\n]*:badge\[)v(?=\d)", re.MULTILINE)
"""The letter of a version beside the heading of a section: the chunk is "since" the number."""
_IMPORT = re.compile(r"^(?:import|export)\b[^\n]*(?:from[^\n]*|;)$", re.MULTILINE)
_DIRECTIVES = re.compile(
    r"^[ \t]*:::[^\n]*$|\{\{[^{}\n]*\}\}|%?\{[^{}\n]*\}%?|"
    r"^[ \t]*<<<[^\n]*$|^\[\[toc\]\]$|\[!(?:TIP|NOTE|IMPORTANT|WARNING|CAUTION)\]",
    re.MULTILINE | re.IGNORECASE,
)


def without_fences(text: str) -> tuple[str, str]:
    """The lines outside of fenced code, and the fence that is still open at the end."""
    lines: list[str] = []
    fence = ""
    for line in text.split("\n"):
        match = _FENCE.match(line)
        mark = match.group(1) if match else ""
        if fence and match and mark[0] == fence[0] and len(mark) >= len(fence) and not match.group(2).strip():
            fence = ""
        elif not fence and match and not (mark[0] == "`" and "`" in match.group(2)):
            fence = mark
        elif not fence:
            lines.append(line)
    return "\n".join(lines), fence


def prose_words(text: str, engine: str = "vitepress") -> list[str]:
    """The words of Markdown in order, without what is plainly no prose."""
    prose = _SINCE.sub(r"\1", _NUMBER.sub(r"\1", without_fences(text)[0]))
    own = {"vitepress": (), "mdc": (_COMPONENT,), "mdx": (_IMPORT,)}[engine]
    for markup in (_COMMENT, _BLOCKS, _PROMOTION, *own, _TARGET, _TAG, _DIRECTIVES):
        prose = markup.sub(" ", prose)
    return _words(prose)


def all_words(text: str) -> list[str]:
    """Every word, code included, without targets of links."""
    return _words(_TARGET.sub("]", text))


def every_word(text: str) -> list[str]:
    """Every word, targets and attributes included."""
    return _words(text)


def _words(text: str) -> list[str]:
    """Without the escapes in strings, which are no letters of the words beside them."""
    return _WORD.findall(re.sub(r"\\[nt]", " ", unescape(text)))
