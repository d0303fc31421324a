"""Ablation: every part of the query pipeline off in turn, and how much of each quantity goes with it.

    ablation = await ablate(Sweep(reader, questions), config, variants(config))
    ablation.effects("ndcg@10")["no questions (HyPE)"]      # a paired Difference, p by Holm over the variants

What ingest made (packs, contexts, examples) is part of the index and cannot be switched off here: ingest with other settings into
another VUEDOCS_HOME, and compare the two.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from vuedocs.bench.intervals import Difference, difference, holm
from vuedocs.bench.metrics import Values
from vuedocs.bench.result import BenchResult
from vuedocs.bench.sweep import Sweep
from vuedocs.config import Config
from vuedocs.errors import UsageError

BASELINE = "as it is"
"""Name of the config that the variants are set against."""

Asked = tuple[str, frozenset[str] | None]
"""A quantity, and the questions among which it is asked for (None: all)."""


@dataclass(frozen=True, slots=True)
class Variant:
    """What a variant changes: config overrides, and stages that are left out."""

    overrides: tuple[str, ...] = ()
    skip: tuple[str, ...] = ()


OFF: Mapping[str, Variant] = {
    "no own-text vectors": Variant(("resolve.question_weight=1",)),
    "no questions (HyPE)": Variant(("resolve.question_weight=0",)),
    "no BM25": Variant(("search.sparse_weight=0",)),
    "no vectors at all": Variant(("search.dense_weight=0",)),
    "no name leg": Variant(("search.name_weight=0",)),
    "no gain from the page": Variant(("resolve.page_weight=0",)),
    "no spelling correction": Variant(("detect.fuzzy_min_length=2000",)),
    "no link expansion": Variant(skip=("expand",)),
    "no reranking": Variant(("rerank.method=none",)),
    "no floor": Variant(("reconstruct.floor=0",)),
}
"""One part off each. ``detect``, ``search`` and ``resolve`` as a whole cannot be: without them nothing is found."""

CHOSEN: Mapping[str, Variant] = {
    "fusion: RRF, k = 2": Variant(("search.fusion=rrf",)),
    "fusion: DBSF": Variant(("search.fusion=dbsf",)),
    "IDF over all sources": Variant(("detect.idf=all",)),
    "legs of 20 points": Variant(("search.leg_depth=20",)),
    "answers of 1,000 tokens": Variant(("reconstruct.max_tokens=1000",)),
    "answers of 3,000 tokens": Variant(("reconstruct.max_tokens=3000",)),
}
"""Alternatives worth a line beside what is off."""

QUANTITIES = ("ndcg@10", "recall@5", "api_recall@3", "gold_in_answer", "tokens", "latency_ms", "usd_1000")
"""What an ablation is judged by: metrics, the length of the answer, the time of a query, and US dollars for 1,000 of them."""
FEWER_IS_BETTER = frozenset({"tokens", "latency_ms", "usd_1000"})
TIMED = 12
"""Questions whose queries are timed, and their price taken, under every variant."""


def variants(config: Config, chosen: Mapping[str, str] | None = None) -> dict[str, Variant]:
    """The variants that differ from ``config``: parts off, ours, then ``chosen``: name to overrides divided by ``;``.

    Raises ConfigError for an override that cannot be used, UsageError for a name that is taken.
    """
    named = {**OFF, **CHOSEN}
    for name, text in (chosen or {}).items():
        if name in named or name == BASELINE:
            raise UsageError(f"a variant called {name!r} exists already; give yours another name")
        named[name] = Variant(tuple(part.strip() for part in text.split(";") if part.strip()))
    return {name: variant for name, variant in named.items() if variant.skip or config.override(*variant.overrides) != config}


@dataclass(frozen=True)
class Ablation:
    """A config under :data:`BASELINE` and its variants, all on the same questions."""

    results: Mapping[str, BenchResult]
    milliseconds: Mapping[str, Values]
    """Variant to {question id: time of a whole query}, for a sample of the questions."""
    usd: Mapping[str, Values] = field(default_factory=dict)
    """Variant to {question id: US dollars of a whole query}, for the same sample; empty where a price is not known."""
    _tests: dict[Asked, dict[str, Difference]] = field(default_factory=dict, repr=False, compare=False)
    """What was tested already: every view asks, and ten thousand draws a variant take time."""

    @property
    def baseline(self) -> BenchResult:
        """The config that the variants are set against."""
        return self.results[BASELINE]

    def quantity(self, variant: str, name: str) -> Values:
        """Question id to the value of a metric, the answer's ``tokens``, ``latency_ms`` or ``usd_1000``; KeyError for others."""
        if name == "latency_ms":
            return dict(self.milliseconds[variant])
        if name == "usd_1000":
            return {id: 1000 * usd for id, usd in self.usd[variant].items()}
        if name == "tokens":
            return {answer.id: float(answer.tokens) for answer in self.results[variant].answers}
        return dict(self.results[variant].values[name])

    def effects(self, name: str, ids: Collection[str] | None = None) -> dict[str, Difference]:
        """Each variant's paired difference to the baseline in one quantity, over ``ids`` only if given; p by Holm over variants.

        Empty when none of the questions has the quantity (API recall where no API is named).
        """
        asked = (name, None if ids is None else frozenset(ids))
        if asked not in self._tests:
            self._tests[asked] = self._tested(name, ids)
        return dict(self._tests[asked])

    def _tested(self, name: str, ids: Collection[str] | None) -> dict[str, Difference]:
        before = _among(self.quantity(BASELINE, name), ids)
        if not before:
            return {}
        others = [variant for variant in self.results if variant != BASELINE]
        tests = {variant: difference(_among(self.quantity(variant, name), ids), before) for variant in others}
        adjusted = holm({variant: test.p for variant, test in tests.items()})
        return {variant: Difference(test.mean, test.ci95, adjusted[variant], test.n) for variant, test in tests.items()}

    def effects_by(self, attribute: str, name: str) -> dict[str, dict[str, Difference]]:
        """``{group: effects}`` by ``kind`` or ``source`` of the questions, the largest group first."""
        groups: dict[str, list[str]] = {}
        for question in self.baseline.questions:
            groups.setdefault(getattr(question, attribute), []).append(question.id)
        ordered = sorted(groups, key=lambda group: (-len(groups[group]), group))
        return {group: found for group in ordered if (found := self.effects(name, groups[group]))}


async def ablate(sweep: Sweep, config: Config, named: Mapping[str, Variant]) -> Ablation:
    """The benchmark of ``config`` and of each variant, and the time of a query under each."""
    every = {BASELINE: Variant(), **named}
    settings = {name: (config.override(*variant.overrides), variant.skip) for name, variant in every.items()}
    results = {name: await sweep.run(*chosen) for name, chosen in settings.items()}
    return Ablation(results, *await sweep.times(settings, TIMED))


def _among(values: Values, ids: Collection[str] | None) -> Values:
    return values if ids is None else {id: values[id] for id in ids if id in values}
