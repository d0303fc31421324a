"""Config: every way to be wrong has one clear error, and equal configs have equal fingerprints."""

from __future__ import annotations

from pathlib import Path

import pytest

from vuedocs.config import SHAPING, Config, differences, load
from vuedocs.errors import ConfigError


@pytest.fixture
def config() -> Config:
    return load()


def test_overrides_are_read_as_toml_or_else_as_text(config: Config) -> None:
    changed = config.override("search.fusion=rrf", "reconstruct.max_tokens=3000", "expand.enabled=false")
    assert (changed.search.fusion, changed.reconstruct.max_tokens, changed.expand.enabled) == ("rrf", 3000, False)
    assert config.search.fusion != "rrf", "the original stays as it is"


@pytest.mark.parametrize(
    ("assignment", "words"),
    [
        ("serch.fusion=rrf", "no section 'serch'"),
        ("search.fusoin=rrf", "no key 'fusoin'"),
        ("search.fusion=rff", "search.fusion"),
        ("resolve.limit=51", "less than or equal to 50"),
        ("resolve.limit=many", "resolve.limit"),
        ("resolve.limit", "section.key=value"),
        ("resolve=1", "section.key=value"),
    ],
)
def test_a_wrong_override_is_named_with_what_is_allowed(config: Config, assignment: str, words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        config.override(assignment)


def test_a_file_is_laid_over_the_base(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text("[search]\nfusion = 'dbsf'\n")
    assert load(path).search.fusion == "dbsf"
    assert load(path, ["search.fusion=rrf"]).search.fusion == "rrf", "an override comes last"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[search]\nfusoin = 'rrf'\n", "mine.toml: search has no key"),
        ("[search\n", "cannot be read"),
        ("search = 1\n", "is a section"),
    ],
)
def test_a_wrong_file_is_named(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(text)
    with pytest.raises(ConfigError, match=words):
        load(path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"nowhere\.toml is not there"):
        load(tmp_path / "nowhere.toml")


def test_fingerprints_are_equal_for_equal_sections_only(config: Config) -> None:
    query_side, ingest_side = config.override("search.fusion=rrf"), config.override("embed.k1=1.5")
    assert config.fingerprint() != query_side.fingerprint()
    assert config.shape() == query_side.shape(), "how an index is read does not change what it holds"
    assert config.shape() != ingest_side.shape()
    assert set(SHAPING) <= set(Config.model_fields)


def test_a_dump_loads_as_the_same_config(config: Config, tmp_path: Path) -> None:
    path = tmp_path / "dump.toml"
    path.write_text(config.override("search.leg_depth=77").dump())
    assert load(path).fingerprint() == config.override("search.leg_depth=77").fingerprint()


def test_differences_name_both_sides() -> None:
    assert (
        differences({"embed": {"k1": 1.2, "b": 0.75}}, {"embed": {"k1": 1.5, "b": 0.75}}) == "embed.k1 is 1.2 there and 1.5 here"
    )
