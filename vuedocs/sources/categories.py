"""Pages in the order of their front matter's categories: ``<package>/<function>/index.md`` with ``category: State``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from vuedocs.sources.front import split_front_matter
from vuedocs.sources.navigation import COMPUTED, Entry, Navigation

_NO_CATEGORY = "Uncategorized"


def with_categories(navigation: Navigation, texts: Mapping[str, str], categories: Sequence[str]) -> Navigation:
    """The navigation with the pages that have categories at the place of the first part that the site computes.

    Pages without a category come first, then ``categories`` in their order, then the others by name; within one by name.
    """
    place = next((n for n, entry in enumerate(navigation.entries) if entry.link == COMPUTED), len(navigation.entries))
    before, after = navigation.entries[:place], navigation.entries[place:]
    return Navigation((*before, *_entries(texts, categories), *after), navigation.reports)


def _entries(texts: Mapping[str, str], categories: Sequence[str]) -> Iterator[Entry]:
    found: dict[str, list[str]] = {}
    for name, text in texts.items():
        if name.count("/") == 2 and name.endswith("/index.md"):
            category = str(split_front_matter(text)[0].get("category") or "")
            found.setdefault(category, []).append(name)
    ranks = {"": -1, **{category: place for place, category in enumerate(categories)}}
    for category in sorted(found, key=lambda category: (ranks.get(category, len(ranks)), category)):
        pages = sorted(found[category], key=lambda name: name.split("/")[1].lower())
        readme = pages[0].split("/")[0] + "/README.md"
        if category.startswith("@") and readme in texts:
            yield Entry("/" + readme, category, category)
        yield from (Entry("/" + name, name.split("/")[1], category or _NO_CATEGORY) for name in pages)
