"""Code blocks as they are shown: language and label of the info string, directives of highlighters and type checkers removed."""

from __future__ import annotations

import re

_LANGUAGE = re.compile(r"[^\s{\[:=`]+")
_LABEL = re.compile(r"\[(.+)\]")
_TITLE = re.compile(r"""\btitle=(?:"([^"]+)"|'([^']+)')""")
_NOTATION = r"\[!code(?:\s+[-+\w]+)?(?::[\w.$-]+)*\]"
_MARKER = re.compile(rf"\s*(?:(?://|#|--|;|%%?)\s*)?{_NOTATION}[ \t]*$")
_MARKER_INSIDE = re.compile(rf"(?:\{{?/\*|<!--)\s*{_NOTATION}\s*(?:\*/\}}?|-->)")
_CUT = re.compile(r"^\s*//\s*---cut(?:-(?P<kind>before|after|start|end))?---\s*$")
_DIRECTIVE = re.compile(
    r"^\s*//\s*(?:@(?:include|filename|errors|noErrors|log|warn|error|annotate|target|module|strict\w*|jsx\w*|lib|types|"
    r"noImplicit\w*|esModuleInterop|moduleResolution|showEmit\w*|suppressErrors)\b(?::.*)?\s*$|\s*\^[?|])"
)


_INTERPOLATED = re.compile(r"\s*\w+-vue\b")
_LITERAL = re.compile(r"\{\{\s*(?:'([^'{}]*)'|\"([^\"{}]*)\")\s*\}\}")


def language(info: str) -> str:
    """The language of an info string: ``js{4} [vite.config.js]`` gives ``js``, ``[.env]`` gives ``""``."""
    match = _LANGUAGE.match(info.strip())
    return match.group().removesuffix("-vue") if match else ""


def label(info: str) -> str:
    """The title of an info string: ``js{4} [vite.config.js]`` and ``js title="vite.config.js"`` give ``vite.config.js``."""
    match = _TITLE.search(info)
    if match:
        return (match.group(1) or match.group(2)).strip()
    match = _LABEL.search(info)
    return re.sub(r"\\+([\[\]])", r"\1", match.group(1)).strip() if match else ""


def shown(content: str, info: str = "") -> str:
    """The code that a reader sees: without markers such as ``// [!code ++]``, directive lines, and what a cut hides."""
    if _INTERPOLATED.match(info):
        content = _LITERAL.sub(lambda match: match.group(1) or match.group(2), content)
    lines: list[str] = []
    hidden = after = False
    for line in content.rstrip("\n").split("\n"):
        cut = _CUT.match(line) if "---cut" in line else None
        if cut:
            kind = cut.group("kind") or "before"
            lines = [] if kind == "before" else lines
            hidden = kind in ("start", "after")
            after = after or kind == "after"
        elif not (hidden or after or ("//" in line and _DIRECTIVE.match(line))):
            lines.append(_without_markers(line))
    return "\n".join(lines).strip("\n")


def _without_markers(line: str) -> str:
    if "[!!code" in line:
        return line.replace("[!!code", "[!code")
    if "[!code" in line:
        return _MARKER.sub("", _MARKER_INSIDE.sub("", line)).rstrip()
    return line


def fenced(content: str, language: str = "") -> str:
    """A code block whose fence is longer than any in ``content``; ticks in a language would end the fence's line."""
    language = language.replace("`", "")
    longest = max((len(run) for run in re.findall(r"`{3,}", content)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{content}\n{fence}" if content else f"{fence}{language}\n{fence}"


def inline(content: str) -> str:
    """Inline code whose ticks are more than any run in ``content``."""
    if "`" not in content:
        return f"`{content}`"
    longest = max(len(run) for run in re.findall(r"`+", content))
    ticks = "`" * (longest + 1)
    pad = " " if content.startswith("`") or content.endswith("`") else ""
    return f"{ticks}{pad}{content}{pad}{ticks}"
