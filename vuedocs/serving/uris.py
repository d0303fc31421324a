"""Addresses of resources: ``vuedocs://vue/pages/guide/introduction``, ``vuedocs://vue/api/v-model``."""

from __future__ import annotations

from urllib.parse import quote, unquote

from mcp.types import ResourceLink

SCHEME = "vuedocs://"
MARKDOWN = "text/markdown"


def page_uri(source: str, path: str) -> str:
    """The address of a page; ``path`` is its file in the docs folder."""
    return f"{SCHEME}{source}/pages/{quote(path)}"


def api_uri(source: str, name: str) -> str:
    """The address of an API."""
    return f"{SCHEME}{source}/api/{quote(name)}"


def page_link(source: str, path: str) -> ResourceLink:
    """A link to a page, for a tool's answer."""
    return ResourceLink(uri=page_uri(source, path), name=f"{source}/{path}", mime_type=MARKDOWN)


def api_link(source: str, name: str) -> ResourceLink:
    """A link to an API, for a tool's answer."""
    return ResourceLink(uri=api_uri(source, name), name=f"{source} {name}", mime_type=MARKDOWN)


def asked_page(asked: str) -> str:
    """What a caller calls a page, where it is a resource's address as that of a page behind its source; else as it is."""
    source, marker, path = asked.strip().removeprefix(SCHEME).partition("/pages/")
    return f"{source}/{unquote(path)}" if marker and asked.strip().startswith(SCHEME) else asked
