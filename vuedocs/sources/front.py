"""Front matter: the YAML between two lines of three hyphens at a file's top."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from vuedocs.sources.plain_yaml import UNSEEN, plain_yaml

_FRONT = re.compile(r"\A---[ \t]*\n(.*?)^---[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)


def normalise(text: str) -> str:
    """A file's text with plain line ends, without a byte order mark and without characters that nobody sees."""
    return UNSEEN.sub("", text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n"))


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
