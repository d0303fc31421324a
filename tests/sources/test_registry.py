"""The registry of sources."""

from __future__ import annotations

import pytest

from vuedocs.errors import SourceError
from vuedocs.sources import find, registry


def test_vue_is_pinned_and_names_its_licence() -> None:
    vue = registry()["vue"]
    assert len(vue.ref) == 40
    assert vue.licence == "CC BY 4.0"
    assert vue.attribution == "Vue.js documentation by the Vue team and contributors"


@pytest.mark.parametrize(
    ("said", "name"), [("Vue Router", "vue-router"), ("VUE", "vue"), ("vue.js", "vue"), ("router", "vue-router")]
)
def test_names_as_people_say_them(said: str, name: str) -> None:
    assert find(said).name == name


def test_an_unknown_name_gets_a_guess_and_the_list() -> None:
    with pytest.raises(SourceError, match=r"no source 'pinai'; did you mean 'pinia'.*sample, vue"):
        find("pinai")


def test_aliases_are_unique() -> None:
    names = [alias for source in registry().values() for alias in (source.name, *source.aliases)]
    assert all(find(alias).name in registry() for alias in names)
    assert len({name.lower() for name in names}) == len(names)
