"""What the index holds, as lists to choose from: topics, scopes and APIs of a source, and all resources."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from mcp.types import Resource

from vuedocs.errors import QueryError
from vuedocs.serving.uris import MARKDOWN, SCHEME, SOURCES, address, page_uri, topic_uri
from vuedocs.spelling import joined

if TYPE_CHECKING:
    from vuedocs.records import Entity, Manifest, Page

DESCRIPTION_CHARACTERS = 160


def topics(pages: Iterable[Page]) -> dict[str, list[Page]]:
    """The pages by the group of the site's navigation that names them, else by their folder, in reading order."""
    groups: dict[str, list[Page]] = {}
    for page in pages:
        groups.setdefault(page.section or page.route.rpartition("/")[0] or page.title, []).append(page)
    return groups


def topic_pages(pages: Sequence[Page], topic: str) -> list[Page]:
    """The pages of a group of the navigation, or of a folder. Raises QueryError, with the topics, when there is neither."""
    groups = topics(pages)
    named = [page for group, members in groups.items() if joined(group) == joined(topic) for page in members]
    folder = topic.strip("/ ").lower()
    found = named or [page for page in pages if page.route.lower() == folder or page.route.lower().startswith(f"{folder}/")]
    if not folder or not found:
        raise QueryError(f"there is no topic {topic[:100]!r}; the topics are {', '.join(groups)[:1500]}")
    return found


def topics_text(source: str, pages: Sequence[Page]) -> str:
    """All topics of a source with the titles of their pages."""
    lines = [f"# Topics of {source}"]
    for topic, members in topics(pages).items():
        lines += ["", f"## {topic} ({topic_uri(source, topic)})", ""]
        lines += [f"- [{page.title}]({page.url})" for page in members]
    return "\n".join(lines)


def topic_text(source: str, topic: str, pages: Sequence[Page]) -> str:
    """The pages of a topic with what each is about and its resource."""
    lines = [f"# {topic} ({source})", ""]
    for page in pages:
        about = f": {brief(page.description)}" if page.description else ""
        lines.append(f"- [{page.title}]({page.url}){about} ({page_uri(source, address(page))})")
    return "\n".join(lines)


def brief(text: str) -> str:
    """A description on one line, shortened at a word."""
    line = " ".join(text.split())
    return line if len(line) <= DESCRIPTION_CHARACTERS else line[:DESCRIPTION_CHARACTERS].rpartition(" ")[0] + " …"


def scopes(pages: Iterable[Page]) -> dict[str, int]:
    """All folders of a source's site and how many pages are in each, sorted."""
    from vuedocs.records import scopes_of

    return dict(sorted(Counter(scope for page in pages for scope in scopes_of(page.route, page.path)).items()))


def scopes_text(source: str, pages: Sequence[Page]) -> str:
    """The scopes of a source with their sizes."""
    lines = [f"- {scope} ({count} page{'s' if count > 1 else ''})" for scope, count in scopes(pages).items()]
    return "\n".join([f"# Scopes of {source}", "", f"- all ({len(pages)} pages)", *lines])


def apis(entities: Iterable[Entity], source: str) -> list[Entity]:
    """The APIs of a source, each once, by type and name."""
    own = {entity.name: entity for entity in entities if entity.source == source}
    return sorted(own.values(), key=lambda entity: (entity.type, entity.name.lower(), entity.name))


def apis_text(source: str, entities: Sequence[Entity]) -> str:
    """The names of a source's APIs by type; one is read at the address that is given."""
    by_type: dict[str, list[str]] = {}
    for entity in entities:
        by_type.setdefault(entity.type, []).append(f"`{entity.name}`")
    lines = [f"# APIs of {source}", "", f"Each is a resource: {SCHEME}{source}/api/NAME, and api_lookup takes its name."]
    for kind, names in by_type.items():
        lines += ["", f"## {kind}", "", ", ".join(names)]
    return "\n".join(lines)


def all_resources(manifest: Manifest | None, pages: Iterable[Page]) -> Iterator[Resource]:
    """Every resource that is listed, in an order that only a new index changes: lists first, then pages as they are read."""
    yield Resource(uri=SOURCES, name="sources", title="Indexed documentation", mime_type=MARKDOWN)
    for entry in manifest.sources if manifest else ():
        for kind, title in (("topics", "Topics"), ("api", "APIs"), ("scopes", "Scopes")):
            uri = f"{SCHEME}{entry.source}/{kind}"
            yield Resource(uri=uri, name=f"{entry.source}/{kind}", title=f"{title} of {entry.source}", mime_type=MARKDOWN)
    for page in pages:
        yield Resource(
            uri=page_uri(page.source, address(page)),
            name=f"{page.source}/{address(page)}",
            title=page.title,
            description=brief(page.description) or None,
            mime_type=MARKDOWN,
        )
