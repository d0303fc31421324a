"""The space of a search: ranges and choices of config keys, as people write them and as Optuna wants them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from vuedocs.config import Config
from vuedocs.errors import UsageError

if TYPE_CHECKING:
    from optuna.distributions import BaseDistribution

Space = Mapping[str, Sequence[Any]]
"""``section.key`` to its range ``[low, high]``, whole where both are, or to its choices."""


def distributions(space: Space, config: Config) -> dict[str, BaseDistribution]:
    """Each key's range or choices as Optuna names them."""
    from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

    found: dict[str, BaseDistribution] = {}
    for key, values in space.items():
        value_of(config, key)
        numbers = all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)
        if numbers and len(values) == 2 and values[0] < values[1]:
            whole = all(isinstance(value, int) for value in values)
            found[key] = IntDistribution(*values) if whole else FloatDistribution(float(values[0]), float(values[1]))
        elif len(values) > 1:
            found[key] = CategoricalDistribution(tuple(values))
        else:
            raise UsageError(f"{key}: {list(values)!r} leaves nothing to search; give [low, high], or two choices or more")
    return found


def value_of(config: Config, key: str) -> Any:
    """The config's value of ``section.key``; UsageError for a key that it does not have."""
    section, _, name = key.partition(".")
    values = config.model_dump().get(section, {})
    if name not in values:
        raise UsageError(f"the config has no key {key!r}; write section.key, such as search.sparse_weight")
    return values[name]


def ends(space: Space, config: Config) -> Iterator[tuple[str, Any]]:
    """Each key with the outermost values that a search may take."""
    for key, distribution in distributions(space, config).items():
        values = getattr(distribution, "choices", None) or (distribution.low, distribution.high)  # type: ignore[attr-defined]
        yield from ((key, value) for value in values)


def override(key: str, value: Any) -> str:
    """``section.key=value`` as :meth:`Config.override` reads it; four digits of a fraction are enough."""
    if isinstance(value, bool):
        return f"{key}={str(value).lower()}"
    return f"{key}={value:.4g}" if isinstance(value, float) else f"{key}={value}"


def inside(distribution: BaseDistribution, value: Any) -> bool:
    """Whether a distribution holds a value."""
    try:
        return distribution._contains(distribution.to_internal_repr(value))
    except (ValueError, TypeError):
        return False
