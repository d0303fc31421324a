"""Where the block components of a Markdown Components file begin and end: ``::note``, ``::card{title="A"}``, ``#slot``, ``::``.

Read over all lines once, because components nest by their colons and indentation, and close in the middle of lists.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from vuedocs.sources.plain_yaml import plain_yaml

_PREFIX = re.compile(r"[ \t>]*(?:(?:[-*+]|\d+[.)])[ \t]+)*")
_OPENING = re.compile(r"(:{2,})([A-Za-z][\w-]*)(\[[^\]]*\])?(\{.*\})?[ \t]*$")
_BARE = re.compile(r"(:{2,})[ \t]*$")
_FENCE = re.compile(r"(`{3,}|~{3,})(.*)$")
_SLOT = re.compile(r"#([A-Za-z][\w-]*)[ \t]*(?:\{.*\})?[ \t]*$")
_ATTRIBUTE = re.compile(r"""([.#:@]?[\w-][\w:.@-]*)(?:=(?:"([^"]*)"|'([^']*)'|([^\s"'}]+)))?""")
_CAPITAL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
DEEPEST = 12
"""Components inside each other that are read; deeper ones are text."""


@dataclass(slots=True)
class Component:
    """One block component: its lines are numbered from 0; ``end`` is the line that closes it, or the end of the file."""

    name: str
    """In kebab case, as the site's renderer names it: ``FrameworkOnly`` is ``framework-only``."""
    props: dict[str, Any]
    start: int
    colons: int
    end: int
    depth: int
    body: int
    """The first line of its content, after the YAML."""
    slots: list[tuple[int, str]] = field(default_factory=list)
    """Lines that begin a named slot, with its name."""


@dataclass(frozen=True, slots=True)
class Components:
    """All components of a file by the line that opens them, and the lines that close something."""

    at: Mapping[int, Component]
    bare: frozenset[int]


def find_components(text: str) -> Components:
    """The components of a file, those in lists and quotes too; code blocks hold none."""
    lines = text.split("\n")
    found: dict[int, Component] = {}
    bare: set[int] = set()
    stack: list[Component] = []
    fence = ""
    number = 0
    while number < len(lines):
        line = lines[number][_prefix(lines[number]) :]
        mark = _FENCE.match(line) if line[:1] in ("`", "~") else None
        if fence:
            fence = "" if mark and mark.group(1).startswith(fence) and not mark.group(2).strip() else fence
        elif mark:
            fence = mark.group(1)
        elif line.startswith("::") and (opening := _OPENING.match(line)) and len(stack) < DEEPEST:
            component = _opened(opening, lines, number, len(stack))
            found[number] = component
            stack.append(component)
            number = component.body - 1
        elif line.startswith("::") and (closing := _BARE.match(line)):
            bare.add(number)
            _close(stack, len(closing.group(1)), number)
        elif stack and line.startswith("#") and (slot := _SLOT.match(line)):
            stack[-1].slots.append((number, slot.group(1)))
        number += 1
    return Components(found, frozenset(bare))


def _prefix(line: str) -> int:
    """How much of a line stands before a component: indentation, marks of quotes, and marks of list items before colons."""
    match = _PREFIX.match(line)
    end = match.end() if match else 0
    return end if line.startswith("::", end) else len(line) - len(line.lstrip(" \t>"))


def _close(stack: list[Component], colons: int, number: int) -> None:
    """Closes the innermost component that has as many colons, and what was left open in it."""
    for place in range(len(stack) - 1, -1, -1):
        if stack[place].colons == colons:
            for component in stack[place:]:
                component.end = number
            del stack[place:]
            return


def _opened(opening: re.Match[str], lines: list[str], number: int, depth: int) -> Component:
    colons, name, label, attributes = opening.groups()
    props: dict[str, Any] = attributes_of(attributes or "")
    if label:
        props.setdefault("label", label[1:-1])
    body = number + 1
    if body < len(lines) and lines[body].strip(" \t>") == "---":
        closing = next((line for line in range(body + 1, len(lines)) if lines[line].strip(" \t>") == "---"), None)
        if closing is not None:
            props |= _yaml(lines[body + 1 : closing])
            body = closing + 1
    return Component(kebab(name), props, number, len(colons), len(lines), depth, body)


def _yaml(lines: list[str]) -> dict[str, Any]:
    """The props in YAML; none where it is no mapping: the site ignores it too."""
    margin = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    try:
        data = plain_yaml("\n".join(line[margin:] for line in lines))
    except ValueError:
        return {}
    return {str(key): value for key, value in data.items()} if isinstance(data, dict) else {}


def attributes_of(text: str) -> dict[str, Any]:
    """Attributes in braces: ``{title="A" to=/b disabled .wide}``; one without a value is True."""
    props: dict[str, Any] = {}
    for name, double, single, plain in _ATTRIBUTE.findall(text.strip()[1:-1]):
        if name[0] not in ".#":
            props[name.lstrip(":")] = unescaped(double or single or plain) or True
    return props


def unescaped(text: str) -> str:
    """An attribute's value as it is meant; a formatter writes ``\\_blank`` where a person wrote ``_blank``."""
    return re.sub(r"\\([_*\[\]])", r"\1", text)


def kebab(name: str) -> str:
    """``FrameworkOnly`` as ``framework-only``."""
    return _CAPITAL.sub("-", name).lower()
