"""Tables whose rows are data: props, slots and events of components, as Markdown."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_ACRONYMS = {"Ui": "UI", "Api": "API", "Css": "CSS", "Cli": "CLI", "Seo": "SEO"}


def words(path: str) -> str:
    """A name in a path, in words: ``use-fetch`` is ``Use Fetch``."""
    named = [word[:1].upper() + word[1:] for word in re.split(r"[-_\s]+", path) if word]
    return " ".join(_ACRONYMS.get(word, word) for word in named)


def table(data: Any) -> str:
    """Rows of props, as YAML or an attribute gives them, as a Markdown table: a column for each key, as they come."""
    rows = [row for row in data if isinstance(row, Mapping)] if isinstance(data, list) else []
    columns = list(dict.fromkeys(key for row in rows for key in row))
    if not columns:
        return ""
    lines = [[words(str(column)) for column in columns], ["---"] * len(columns)]
    lines += [[_cell(row.get(column)) for column in columns] for row in rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _cell(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return "" if value is None else str(value).lower()
    text = re.sub(r"</?code>", "`", str(value))
    return " ".join(re.sub(r"</?(?:p|br|em|strong|a)\b[^<>]*>", "", text).split()).replace("|", "\\|")
