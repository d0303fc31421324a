"""Which API names are words of English, measured: names that prose uses as words need a sign that code is meant."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from readings import read_source

from vuedocs.ingest.sentences import FENCED
from vuedocs.query.detect import ENGLISH
from vuedocs.sources import registry

TERMS = {"reactive", "esbuild"}
"""Words of prose too, but whoever writes them speaks of the API."""
SECTIONS = 8
"""So many sections whose prose has the word make it English."""
_MARKUP = re.compile(r"`[^`\n]+`|\]\([^)]*\)")
_WORD = re.compile(r"(?<![\w.$-])[a-z]+(?![\w.(-])")


def test_names_that_prose_uses_as_words_are_english(corpus: Path) -> None:
    sections: Counter[str] = Counter()
    names: set[str] = set()
    for source in (name for name in registry() if (corpus / name).is_dir()):
        reading = read_source(source, corpus)
        names |= {name.lower() for entity in reading.entities.values() for name in (entity.name, *entity.aliases)}
        for chunk in reading.chunks:
            if chunk.kind != "code":
                sections.update(set(_WORD.findall(_MARKUP.sub(" ", FENCED.sub(" ", chunk.text)))))
    words = {name for name in names if sections[name] >= SECTIONS}
    assert words - TERMS <= ENGLISH, sorted(words - TERMS - ENGLISH)
