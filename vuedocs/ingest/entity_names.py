"""From a heading to the API names in it, their other spellings and their signature: pure functions over text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from textwrap import dedent

from vuedocs.records import Chunk
from vuedocs.sources.names import EntityRule

PLAIN = re.compile(r"^[a-z][a-z]*$")
"""A name that prose may use as a word: it counts as a mention only inside code."""

_NAME = re.compile(r"^(?:v-|--|[$@:#.])?[A-Za-z_$][\w$]*(?:[.:-][\w$]+)*$")
_COMMAND = re.compile(r"^[a-z][\w-]*(?: [a-z][\w-]*)?$")
_ARGUMENTS = re.compile(r"\([^()]*\)")
_DEEPER = re.compile(r"^(?=#{4,6} )", re.MULTILINE)
_ENTRY = re.compile(r"^(?=\*\*[^*\n]+\*\* \([\w ]+\)$)", re.MULTILINE)
_ENTRY_LINE = re.compile(r"\*\*([^*\n]+)\*\* \(([\w ]+)\)\n*")
"""What stands for an entry of an API reference: its name and its kind."""
_TITLE_SIGNATURE = re.compile(r"#{4,6} +`?([\w$]+\??(?:<[^\n]*>)?(?:\(|:)[^\n`]*)`?$", re.MULTILINE)
_ROW = re.compile(r"^\| (?:`([^`\n]+)`|([a-z]\w*)) +\|(?:.*(?<!\\)\|)? *((?:[^|\n]|(?<=\\)\|)*?) *\|$", re.MULTILINE)
"""A row of a table that begins with code or a name, and its last cell."""
_ROW_NAME = re.compile(r"--[\w.-]+|(?<![\w-])(?:[A-Za-z$][\w$]*)(?:[.:-][\w$]+)*")
_TYPE_LABEL = r"^[ \t>#-]*\**(?:Type(?: Signature)?|Signature)\b:?\**:?"
_DECLARATION = "(?:export |declare )*(?:function|interface|type|class|const)"
_SIGNATURES = (
    re.compile(_TYPE_LABEL + r"[ \t]*`([^`\n]+)`", re.MULTILINE),
    re.compile(_TYPE_LABEL + r"[ \t]*\n+(?:\*\*[^\n]*\*\*\n+)? *`{3,}[^\n]*\n(.*?)^ *`{3,}", re.MULTILINE | re.DOTALL),
    re.compile(r"\A#[^\n]*\n+`{3,}tsx?[^\n]*\n(" + _DECLARATION + r" .*?)^`{3,}", re.MULTILINE | re.DOTALL),
)


def fits(rule: EntityRule, chunk: Chunk) -> bool:
    """Whether a rule speaks of this chunk's heading."""
    above = chunk.heading_path[-2] if len(chunk.heading_path) > 1 else ""
    return (
        chunk.kind in rule.kinds
        and fnmatchcase(chunk.path, rule.pages)
        and not (rule.heading and not re.search(rule.heading, chunk.title))
        and not (rule.under and not re.search(rule.under, above))
    )


def names_in(chunk: Chunk, rule: EntityRule) -> Iterator[tuple[str, str]]:
    """The API names that a chunk defines by this rule, as they are written in code, each with the text that speaks of it."""
    above = chunk.heading_path[-2] if len(chunk.heading_path) > 1 else ""
    prefix = rule.prefix.replace("{above}", above)
    if rule.file:
        words = re.split(r"[-_]", re.sub(r"^\d+\.", "", chunk.path.split("/")[-1]))
        yield prefix + "".join(word[:1].upper() + word[1:] for word in words), chunk.text
    elif rule.rows:
        for code, plain, says in _ROW.findall(chunk.text):
            names = _ROW_NAME.findall(code or plain)
            if names:
                yield prefix + next((name for name in names if name.startswith("--")), names[0]), says.replace("\\|", "|")
    elif rule.entries:
        for text in _ENTRY.split(chunk.text)[1:]:
            entry = _ENTRY_LINE.match(text)
            title = entry.group(1).replace("\\", "") if entry else ""
            yield from ((prefix + name, text) for name in heading_names(title, rule))
    elif rule.deeper:
        for text in _DEEPER.split(chunk.text)[1:]:
            title = text.partition("\n")[0].lstrip("# ").strip().strip("*`")
            yield from ((prefix + name, text) for name in heading_names(title, rule))
    else:
        yield from ((prefix + name, chunk.text) for name in heading_names(chunk.title, rule))


def kind_of(text: str, rule: EntityRule) -> str:
    """What a rule calls the name that ``text`` speaks of: its type, or where it is an entry the kind that the entry says."""
    entry = _ENTRY_LINE.match(text) if rule.entries else None
    return entry.group(2) if entry else rule.type


def heading_names(title: str, rule: EntityRule) -> list[str]:
    """The API names in a heading: ``defineProps() & defineEmits()`` has two, ``Basic Usage`` has none."""
    if rule.type == "command":
        return [title] if _COMMAND.match(title) else []
    plain = _ARGUMENTS.sub("()", title.replace(" />", ">"))
    if rule.deeper:
        plain = plain.split(":")[0]
    names = []
    for part in re.split(r"\s*(?:&|,|/|\band\b)\s*", plain):
        bare = re.sub(r"\(\)$|<[^<>]*>$", "", part.strip().strip("`"))
        name = bare or part.strip("`<>/ ")
        looks_like_code = bare != part or "<" in title or not name[:1].isupper() or rule.capitals
        if name and looks_like_code and _NAME.match(name):
            names.append(name)
    return names


def spellings(name: str, curated: Sequence[str], rule: EntityRule | None = None) -> tuple[str, ...]:
    """Other ways to write a name: ``keep-alive`` for ``KeepAlive``, ``vModel`` for ``v-model``, ``Form`` for Nuxt UI's ``UForm``,
    whose page is called so, and the curated synonyms."""
    kebab = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", name).lower()
    camel = re.sub(r"(?<=\w)-(\w)", lambda match: match.group(1).upper(), name)
    owned = [rule.owner + name] if rule and rule.owner else []
    short = name.split(".")[-1] if rule and rule.prefix.endswith(".") else name
    unowned = [short] if not PLAIN.match(short) else []
    unprefixed = [name.removeprefix(rule.prefix)] if rule and rule.file else []
    return tuple(alias for alias in dict.fromkeys((kebab, camel, *owned, *unowned, *unprefixed, *curated)) if alias != name)


def signature(text: str) -> str:
    """What stands under a **Type** or **Signature** label, or a declaration right below the heading; ``""`` without one.

    A deep heading may be a signature itself: ``#### setErrors: (fields: object) => void``.
    """
    matches = [match for pattern in _SIGNATURES if (match := pattern.search(text))]
    if matches:
        return dedent(min(matches, key=lambda match: match.start()).group(1)).strip()
    titled = _TITLE_SIGNATURE.match(text)
    return titled.group(1).strip() if titled else ""
