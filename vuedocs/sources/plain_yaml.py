"""YAML as documentation writes it: plain data, without what makes a small text large or slow."""

from __future__ import annotations

import re
from typing import Any

import yaml

LONGEST = 50_000
"""Characters; PyYAML reads about 100,000 a second, and the longest front matter known has 4,000."""

UNSEEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""Control characters, which a terminal would obey, those that make text be seen in another order than it is written, and halves
of characters, which no file can hold. YAML's escapes write all of them in plain letters."""


class _Loader(yaml.SafeLoader):
    """No tags but YAML's own, and no aliases: merged into each other they grow without end."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("aliases are not read")
        return super().compose_node(parent, index)

    def construct_scalar(self, node: yaml.ScalarNode | yaml.MappingNode) -> Any:
        value = super().construct_scalar(node)
        return UNSEEN.sub("", value) if isinstance(value, str) else value


def plain_yaml(text: str) -> Any:
    """What ``text`` means. ValueError where it is no YAML, has aliases or foreign tags, or is too long or too deep."""
    if len(text) > LONGEST:
        raise ValueError(f"it has {len(text):,} characters, {LONGEST:,} are read")
    try:
        return yaml.load(text, Loader=_Loader)
    except yaml.YAMLError as error:
        raise ValueError(str(error).split("\n")[0]) from error
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
