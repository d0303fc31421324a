"""Config: all sections, and how values are read, checked, laid over each other and compared."""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import tomlkit
from pydantic import BaseModel, ConfigDict, ValidationError

from vuedocs.config.sections import (
    Detect,
    Embed,
    Enrich,
    Entities,
    Expand,
    Fetch,
    Hype,
    Parse,
    Reconstruct,
    Rerank,
    Resolve,
    SearchSection,
    Section,
    Store,
)
from vuedocs.errors import ConfigError

SHAPING = ("parse", "entities", "enrich", "hype", "embed", "store")
"""The sections that shape what an index holds; a query needs an index that was made with the same."""


STAMP = "promoted"
"""The table of ``tuned.toml`` that says which run its values come from; it is no section."""


class Config(BaseModel):
    """All sections; load it with :func:`load`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    fetch: Fetch
    parse: Parse
    entities: Entities
    enrich: Enrich
    hype: Hype
    embed: Embed
    store: Store
    detect: Detect
    search: SearchSection
    resolve: Resolve
    expand: Expand
    rerank: Rerank
    reconstruct: Reconstruct

    def section(self, stage: str) -> Section:
        """The section of one stage, by the stage's name."""
        section: Section = getattr(self, stage)
        return section

    def shaping(self) -> dict[str, Any]:
        """The sections that shape an index, as nested dicts; a generation's manifest keeps them."""
        return {stage: self.section(stage).shaping() for stage in SHAPING}

    def shape(self) -> str:
        """Fingerprint of :meth:`shaping`: what an index is made with."""
        return self._shape

    @cached_property
    def _shape(self) -> str:
        return digest(self.shaping())

    def override(self, *assignments: str) -> Config:
        """A copy with ``section.key=value`` assignments laid over it; values are read as TOML, or else as text.

        Raises ConfigError for an unknown section or key, a value of the wrong type, or one out of range.
        """
        data = self.model_dump()
        for assignment in assignments:
            name, equals, text = assignment.partition("=")
            section, dot, key = name.strip().partition(".")
            if not (equals and dot and section and key):
                raise ConfigError(f"{assignment!r} is no assignment; write section.key=value, such as search.fusion=rrf")
            lay_over(data, {section: {key: toml_value(text.strip())}}, f"--set {assignment}")
        return validate(data, "--set " + " ".join(assignments))

    def dump(self) -> str:
        """The whole config as TOML."""
        return tomlkit.dumps(self.model_dump())

    def fingerprint(self, stages: Iterable[str] | None = None) -> str:
        """12 hex digits that are equal when the named stages' sections (all, by default) are equal."""
        return self._whole if stages is None else self._fingerprint(stages)

    @cached_property
    def _whole(self) -> str:
        return self._fingerprint(type(self).model_fields)

    def _fingerprint(self, stages: Iterable[str]) -> str:
        return digest({stage: self.section(stage).model_dump() for stage in stages})


def digest(data: Mapping[str, Any]) -> str:
    """The first 12 hex digits of the sha256 of ``data`` as canonical JSON."""
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()[:12]


def differences(there: Mapping[str, Any], here: Mapping[str, Any]) -> str:
    """In words, the keys in which two nested configs differ: ``embed.k1 is 1.2 there and 1.5 here``."""
    words = []
    for section in sorted(there.keys() | here.keys()):
        old, new = there.get(section, {}), here.get(section, {})
        words += [
            f"{section}.{key} is {old.get(key, 'unset')} there and {new.get(key, 'unset')} here"
            for key in sorted(old.keys() | new.keys())
            if old.get(key) != new.get(key)
        ]
    return "; ".join(words)


def base_path() -> Path:
    """``base.toml``: in the checkout's evals folder, or inside an installed package."""
    package = Path(__file__).parent.parent
    checkout = package.parent / "evals" / "configs" / "base.toml"
    return checkout if checkout.exists() else package / "configs" / "base.toml"


def tuned_path() -> Path:
    """``tuned.toml``, which promotion writes beside the folder of ``base.toml``; it need not exist."""
    return base_path().parent.parent / "tuned.toml"


def load(path: Path | None = None, overrides: Iterable[str] = ()) -> Config:
    """The base config, with the tuned values, then ``path``, then ``section.key=value`` overrides laid over it.

    Raises ConfigError, which names the file, the key, the reason and what is allowed.
    """
    base, *layers = files = layers_of(path)
    data = read(base)
    for layer in layers:
        values = read(layer)
        if layer == tuned_path():
            values.pop(STAMP, None)
        lay_over(data, values, str(layer))
    config = validate(data, " + ".join(map(str, files)))
    return config.override(*overrides) if overrides else config


def layers_of(path: Path | None = None) -> list[Path]:
    """The files that :func:`load` reads, each laid over those before it."""
    tuned = tuned_path()
    return [base_path(), *([tuned] if tuned.exists() else []), *([path] if path else [])]


def in_use(path: Path | None = None) -> str:
    """In words, which files make up the config, and which run promoted the tuned values. Raises ConfigError."""
    words = []
    for layer in layers_of(path):
        stamp = read(layer).get(STAMP, {}) if layer == tuned_path() else {}
        words.append(f"{layer}" + (f" (run {stamp.get('run')}, {stamp.get('gain')})" if stamp else ""))
    return " + ".join(words)


def read(path: Path) -> dict[str, Any]:
    """A TOML file as nested dicts."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ConfigError(f"config {path} is not there; give the path of a TOML file such as {base_path()}") from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"config {path} cannot be read: {error}") from error


def toml_value(text: str) -> Any:
    """``text`` as a TOML value; what is no TOML value is a string."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


def lay_over(data: dict[str, Any], layer: Mapping[str, Any], origin: str) -> None:
    """Writes ``layer`` into ``data``, section by section; an unknown name is refused with the known ones."""
    for section, values in layer.items():
        if section not in data:
            raise ConfigError(f"{origin}: there is no section {section!r}; the sections are {', '.join(data)}")
        if not isinstance(values, Mapping):
            raise ConfigError(f"{origin}: {section} is a section; write {section}.<key>, one of {', '.join(data[section])}")
        unknown = [key for key in values if key not in data[section]]
        if unknown:
            raise ConfigError(f"{origin}: {section} has no key {unknown[0]!r}; its keys are {', '.join(data[section])}")
        data[section] = {**data[section], **values}


def validate(data: Mapping[str, Any], origin: str) -> Config:
    """``data`` as a Config; the first thing wrong with it as a ConfigError."""
    try:
        return Config.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"])
        given = "" if first["type"] == "missing" else f" (given: {first['input']!r})"
        raise ConfigError(f"{origin}: {key}: {first['msg']}{given}") from error
