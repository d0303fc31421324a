"""Front matter: the YAML between two lines of three hyphens at a file's top."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import yaml

_FRONT = re.compile(r"\A---[ \t]*\n(.*?)^---[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)


def normalise(text: str) -> str:
    """A file's text without a byte order mark and with plain line ends."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def split_front_matter(text: str) -> tuple[Mapping[str, Any], str]:
    """The front matter as a mapping (empty where there is none, or no mapping) and the rest of the text."""
    match = _FRONT.match(text)
    if not match:
        return {}, text
    try:
        data = yaml.safe_load(match.group(1))
    except yaml.YAMLError:
        data = None
    return (data if isinstance(data, dict) else {}), text[match.end() :]
