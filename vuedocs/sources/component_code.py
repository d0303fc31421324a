"""The code that a live example of a component stands for: ``::component-code`` with its props and slots in YAML."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from vuedocs.sources.code import fenced
from vuedocs.sources.mdc_lines import kebab


def component_code(props: Mapping[str, Any], page: str) -> str:
    """The example as the site shows it, as a fence: script for what stands outside of the template, then the element.

    ``page`` names the component where the YAML does not.
    """
    given = _mapping(props.get("props"))
    external = [name for name in _names(props.get("external")) if name in given]
    hidden = set(_names(props.get("hide")))
    name = str(props.get("slug") or page)
    tag = "U" + "".join(word[:1].upper() + word[1:] for word in name.split("-"))
    attributes = "".join(_attribute(key, value, key in external) for key, value in given.items() if key not in hidden)
    template = _element(tag, attributes, _mapping(props.get("slots")))
    indented = "\n".join(f"  {line}" if line else line for line in template.split("\n"))
    script = "".join(f"const {_variable(key)} = ref({_literal(given[key])})\n" for key in external)
    head = f'<script setup lang="ts">\n{script}</script>\n\n' if script else ""
    return fenced(f"{head}<template>\n{indented}\n</template>", "vue")


def _variable(key: str) -> str:
    return "value" if key == "modelValue" else key


def _attribute(key: str, value: Any, external: bool) -> str:
    name = kebab(key)
    if key == "modelValue":
        return f' v-model="{"value" if external else _inside(value)}"'
    if external:
        return f' :{name}="{key}"'
    if value is None or value == "":
        return ""
    if value is True:
        return f" {name}"
    return f' {name}="{value}"' if isinstance(value, str) else f' :{name}="{_inside(value)}"'


def _element(tag: str, attributes: str, slots: Mapping[str, Any]) -> str:
    if not slots:
        return f"<{tag}{attributes} />"
    inner = [_slot(str(name), str(text or "").strip()) for name, text in slots.items()]
    if len(inner) == 1 and "\n" not in inner[0]:
        return f"<{tag}{attributes}>{inner[0]}</{tag}>"
    body = "\n".join(f"  {line}" if line else line for text in inner for line in text.split("\n"))
    return f"<{tag}{attributes}>\n{body}\n</{tag}>"


def _slot(name: str, text: str) -> str:
    return text if name == "default" else f"<template #{name}>{text}</template>"


def _literal(value: Any) -> str:
    """A value as a script writes it: names without quotes, single quotes round texts."""
    text = json.dumps(value, ensure_ascii=False, indent=2, default=str)
    text = re.sub(r'^(\s*)"([A-Za-z_$][\w$]*)":', r"\1\2:", text, flags=re.MULTILINE)
    return re.sub(r'"((?:[^"\\\']|\\.)*)"', lambda match: "'" + match.group(1).replace('\\"', '"') + "'", text)


def _inside(value: Any) -> str:
    """A value as an attribute holds it, on one line."""
    return re.sub(r"\s*\n\s*", " ", _literal(value)).replace('"', "'")


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _names(value: Any) -> list[str]:
    return [str(name) for name in value] if isinstance(value, list) else []
