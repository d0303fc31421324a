"""Addresses of resources: ``vuedocs://vue/pages/guide/introduction``, ``vuedocs://vue/api/v-model``."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

if TYPE_CHECKING:
    from vuedocs.records import Chunk, Page

SCHEME = "vuedocs://"
SOURCES = f"{SCHEME}sources"
MARKDOWN = "text/markdown"


def address(page: Page | Chunk) -> str:
    """What a page is called within its source: its route, or its file where it has none."""
    return page.route or page.path


def page_uri(source: str, name: str) -> str:
    """The address of a page by its route or path."""
    return f"{SCHEME}{source}/pages/{quote(name)}"


def api_uri(source: str, name: str) -> str:
    """The address of an API by its name."""
    return f"{SCHEME}{source}/api/{quote(name)}"


def topic_uri(source: str, topic: str) -> str:
    """The address of a group of pages."""
    return f"{SCHEME}{source}/topics/{quote(topic)}"


def asked_page(asked: str) -> str:
    """What a caller calls a page, where it is a resource's address as that of a page behind its source; else as it is."""
    source, marker, path = asked.strip().removeprefix(SCHEME).partition("/pages/")
    return f"{source}/{unquote(path)}" if marker and asked.strip().startswith(SCHEME) else asked
