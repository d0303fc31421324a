"""Front matter: the YAML between two lines of three hyphens at a file's top."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from vuedocs.sources.plain_yaml import plain_yaml

_FRONT = re.compile(r"\A---[ \t]*\n(.*?)^---[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)


_UNSEEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u202a-\u202e\u2066-\u2069]")
"""Control characters, which a terminal would obey, and those that make text be seen in another order than it is written."""


def normalise(text: str) -> str:
    """A file's text with plain line ends, without a byte order mark and without characters that nobody sees."""
    return _UNSEEN.sub("", text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n"))


def split_front_matter(text: str) -> tuple[Mapping[str, Any], str]:
    """The front matter as a mapping (empty where there is none, or no mapping) and the rest of the text."""
    match = _FRONT.match(text)
    if not match:
        return {}, text
    try:
        data = plain_yaml(match.group(1))
    except ValueError:
        data = None
    return (data if isinstance(data, dict) else {}), text[match.end() :]
