"""Views of an ablation: what each part is worth, in which quantity, for which questions, and how sure that is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from vuedocs.bench import Difference, interval, metrics_document
from vuedocs.bench.ablation import BASELINE, FEWER_IS_BETTER, QUANTITIES, Ablation, Variant
from vuedocs.workbench import effects
from vuedocs.workbench.evaluate import MIME
from vuedocs.workbench.tables import Findings, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NAMES = {
    "ndcg@10": "nDCG@10",
    "recall@5": "recall@5",
    "api_recall@3": "API recall, top 3",
    "gold_in_answer": "gold page in answer",
    "tokens": "tokens",
    "latency_ms": "latency, ms",
    "usd_1000": "US$, 1,000 queries",
}
PLOTTED = ("ndcg@10", "recall@5", "api_recall@3", "tokens")
SIGNS = {"better": "▲ ", "worse": "▼ ", "unclear": ""}


def listed(named: Mapping[str, Variant]) -> Table:
    """The variants and what each changes."""
    rows = [(name, *_changes(variant)) for name, variant in named.items()]
    return Table(("variant", "config", "stages left out"), rows, "What is set against the present config")


def means(ablation: Ablation) -> Table:
    """Each system's mean in each quantity, with its 95% interval."""
    shown = _present(ablation)
    rows = [(name, *(_mean(ablation, name, quantity) for quantity in shown)) for name in ablation.results]
    caption = f"Mean over questions [95% interval]; {_basis(ablation)}"
    return Table(("system", *(NAMES[name] for name in shown)), rows, caption, 560)


def differences(ablation: Ablation) -> Table:
    """Each variant minus the baseline: paired difference, 95% interval, Holm's p; ▲ better, ▼ worse at .05."""
    found = {quantity: ablation.effects(quantity) for quantity in _present(ablation)}
    order = sorted(found["ndcg@10"], key=lambda name: (found["ndcg@10"][name].mean, name))
    rows = [(name, *(effect_cell(found[quantity][name], quantity) for quantity in found)) for name in order]
    caption = f"Variant minus “{BASELINE}”, worst nDCG@10 first; p by sign flips, Holm over {len(order)} variants a column"
    return Table(("variant", *(NAMES[name] for name in found)), rows, caption, 720)


def forest(ablation: Ablation) -> Figure:
    """The differences as a plot, worst nDCG@10 first."""
    found = {name: ablation.effects(name) for name in PLOTTED if name in _present(ablation)}
    order = sorted(found["ndcg@10"], key=lambda name: (found["ndcg@10"][name].mean, name))
    ordered = {name: {variant: of[variant] for variant in order} for name, of in found.items()}
    titles = {name: f"{NAMES[name]}\n({_short(ablation, name)} as it is{_fewer(ablation, found[name])})" for name in ordered}
    note = f"Paired difference to the present config with 95% interval; p by Holm over {len(order)} variants; {_basis(ablation)}"
    return effects.forest(ordered, titles, FEWER_IS_BETTER, note)


def by_group(ablation: Ablation, attribute: str) -> Figure:
    """Differences in nDCG@10 by ``kind`` or ``source`` of question."""
    found = ablation.effects_by(attribute, "ndcg@10")
    order = sorted(ablation.effects("ndcg@10").items(), key=lambda item: (item[1].mean, item[0]))
    ordered = {group: {variant: of[variant] for variant, _ in order} for group, of in found.items()}
    return effects.grid(ordered, f"nDCG@10 by {attribute}, difference to the present config (* p < .05, Holm over variants)")


def findings(ablation: Ablation) -> Findings:
    """What stands out."""
    found = ablation.effects("ndcg@10")
    worse = [(name, effect) for name, effect in found.items() if effects.verdict(effect) == "worse"]
    better = [(name, effect) for name, effect in found.items() if effects.verdict(effect) == "better"]
    same = [name for name, effect in found.items() if effect.mean == 0 and effect.ci95 == (0, 0)]
    said = [f"“{name}” costs {-effect.mean:.3f} nDCG@10: {effect}, n={effect.n}." for name, effect in _largest(worse)]
    said += [f"“{name}” would gain {effect.mean:.3f} nDCG@10 here: {effect}, n={effect.n}." for name, effect in better]
    unclear = len(found) - len(worse) - len(better) - len(same)
    return Findings(
        [
            f"The present config: nDCG@10 {ablation.baseline.metrics['ndcg@10']}, {_basis(ablation)}.",
            *said,
            f"{unclear} of {len(found)} variants differ by no more than chance would; {len(same)} change no ranking at all"
            f"{': ' + ', '.join(same) if same else ''}.",
            f"An answer has {_short(ablation, 'tokens')} tokens and a warm query takes {_short(ablation, 'latency_ms')} ms on "
            f"average (timed on {len(ablation.milliseconds[BASELINE])} questions, all variants in turn); {_price(ablation)}.",
            *([] if ablation.baseline.split == "test" else ["A gain on dev is a suggestion; say it only of test."]),
        ]
    )


def _price(ablation: Ablation) -> str:
    if not ablation.usd:
        return "what it costs is not known, since a paid service has no listed price"
    dearest = max(sum(values.values()) for values in ablation.usd.values())
    return f"1,000 of them cost ${_short(ablation, 'usd_1000')}" if dearest else "no paid service is asked"


def publication(ablation: Ablation) -> dict[str, Any]:
    """What the notebook hands to programs."""
    named = {
        quantity: {
            name: {"mean": effect.mean, "ci95": list(effect.ci95), "p": effect.p, "n": effect.n}
            for name, effect in ablation.effects(quantity).items()
        }
        for quantity in _present(ablation)
    }
    document = {
        "title": "Differences of notebook 08_ablate",
        "table": repr(differences(ablation)),
        "differences": named,
        "metrics": metrics_document(ablation.baseline),
    }
    return {MIME: document, "text/plain": "differences published for programs"}


def _present(ablation: Ablation) -> list[str]:
    """The quantities that a question of the set has: where none names an API, there is no API recall."""
    measured = ("tokens", "latency_ms", *(["usd_1000"] if ablation.usd else []))
    return [name for name in QUANTITIES if name in measured or ablation.baseline.values.get(name)]


def _changes(variant: Variant) -> tuple[str, str]:
    return "; ".join(variant.overrides), ", ".join(variant.skip)


def _mean(ablation: Ablation, name: str, quantity: str) -> str:
    value = interval(list(ablation.quantity(name, quantity).values()))
    digits = _digits(quantity)
    return f"{value.mean:,.{digits}f} [{value.ci95[0]:,.{digits}f}, {value.ci95[1]:,.{digits}f}]"


def _short(ablation: Ablation, quantity: str) -> str:
    values = ablation.quantity(BASELINE, quantity).values()
    return f"{sum(values) / len(values):,.{_digits(quantity)}f}"


def _fewer(ablation: Ablation, found: Mapping[str, Difference]) -> str:
    """How many questions have the quantity, where not all do."""
    size = next(iter(found.values())).n
    return f", n = {size}" if size != ablation.baseline.n else ""


def effect_cell(effect: Difference, quantity: str) -> str:
    """A difference as a table shows it: its verdict, mean, interval and p."""
    if effect.mean == 0 and effect.ci95 == (0, 0):
        return "0"
    digits = _digits(quantity)
    sign = SIGNS[effects.verdict(effect, quantity in FEWER_IS_BETTER)]
    low, high = effect.ci95
    return f"{sign}{effect.mean:+,.{digits}f} [{low:+,.{digits}f}, {high:+,.{digits}f}]\np = {effect.p:.4f}"


def _digits(quantity: str) -> int:
    return {"tokens": 0, "latency_ms": 1, "usd_1000": 2}.get(quantity, 3)


def _largest(found: list[tuple[str, Difference]]) -> list[tuple[str, Difference]]:
    return sorted(found, key=lambda item: -abs(item[1].mean))[:5]


def _basis(ablation: Ablation) -> str:
    base = ablation.baseline
    return f"n = {base.n}, {base.level} level, {base.split} split{', unscoped' if base.unscoped else ''}"
