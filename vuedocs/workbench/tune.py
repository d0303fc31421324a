"""Views of tuning: one key at a time, many keys at once, and how much of the winner's gain is luck at least."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from vuedocs.bench import BenchResult, Difference
from vuedocs.bench.ablation import BASELINE, FEWER_IS_BETTER, QUANTITIES, Ablation
from vuedocs.bench.selection import Nested, folds_of, nested
from vuedocs.bench.space import override, value_of
from vuedocs.bench.sweep import Sweep
from vuedocs.bench.tuning import Outcome, Plan, best, means_of, open_study, values_of
from vuedocs.config import Config
from vuedocs.errors import UsageError
from vuedocs.settings import Settings
from vuedocs.workbench import curves as plots
from vuedocs.workbench.ablate import NAMES, effect_cell
from vuedocs.workbench.effects import verdict
from vuedocs.workbench.evaluate import MIME
from vuedocs.workbench.tables import Findings, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CONFIRMED = ("ndcg@10", "recall@5", "api_recall@3", "gold_in_answer", "tokens")


@dataclass(frozen=True)
class KeySweep:
    """One key's values, the present one among them, each with its benchmark."""

    key: str
    present: Any
    results: Mapping[Any, BenchResult]

    def effects(self, name: str) -> dict[Any, Difference]:
        """Each value's paired difference to the present one in a quantity, Holm over the values; the present one's is 0."""
        named = {BASELINE if value == self.present else str(value): result for value, result in self.results.items()}
        found = Ablation(named, {}).effects(name)
        still = Difference(0.0, (0.0, 0.0), 1.0, self.results[self.present].n)
        return {value: found.get(str(value), still) for value in self.results}


async def sweep_keys(sweep: Sweep, config: Config, values: Mapping[str, Sequence[Any]]) -> list[KeySweep]:
    """Each key's values one after the other, all else as it is."""
    swept = []
    for key, wanted in values.items():
        present = value_of(config, key)
        every = list(dict.fromkeys([*wanted, present]))
        if all(isinstance(value, int | float) for value in every):
            every.sort()
        results = {value: await sweep.run(config.override(override(key, value))) for value in every}
        swept.append(KeySweep(key, present, results))
    return swept


def curves(swept: Sequence[KeySweep], name: str = "ndcg@10") -> Figure:
    """Each key's curve in one quantity."""
    if not swept:
        raise UsageError("no key was swept; give some, such as sweeps = {'search.sparse_weight': [0.3, 0.5, 0.7]}")
    shown = [_curve(one, name) for one in swept]
    base = swept[0].results[swept[0].present]
    note = (
        f"{NAMES.get(name, name)}, {base.split} split, n = {base.n}, {base.level} level. Diamond: the present value; band: paired"
    )
    return plots.curves(
        shown, NAMES.get(name, name), f"{note}\n95% interval against it; filled: p < .05 (sign flips, Holm in a panel)"
    )


def _curve(swept: KeySweep, name: str) -> plots.Curve:
    effects = swept.effects(name)
    level = means_of(swept.results[swept.present])[name]
    return plots.Curve(swept.key, list(effects), list(effects.values()), swept.present, level)


def swept_table(swept: Sequence[KeySweep]) -> Table:
    """Every value's difference to the present one."""
    shown = [name for name in QUANTITIES if name != "latency_ms" and name in means_of(swept[0].results[swept[0].present])]
    rows = []
    for one in swept:
        found = {name: one.effects(name) for name in shown}
        for value in one.results:
            if value != one.present:
                rows.append((f"{one.key} = {value}", *(effect_cell(found[name][value], name) for name in shown)))
    return Table(
        ("instead of the present value", *(NAMES[name] for name in shown)), rows, "Difference to the present config", 480
    )


@dataclass(frozen=True)
class Tuned:
    """What a search found, and how sure it is."""

    study: str
    plan: Plan
    outcomes: Sequence[Outcome]
    present: BenchResult
    """The config as it is, on the questions of the search."""
    gain: Nested
    test: Mapping[str, Difference]
    """Quantity to the winner's difference to the present config on test; empty where it was not looked at."""
    looked: Sequence[int]
    """The trials of this study that were looked at on test."""
    reference: float | None = None
    """What a query took under the present config when the study began, in milliseconds, where times were measured."""

    @property
    def winner(self) -> Outcome:
        """The best by the first objective."""
        return best(self.outcomes, self.plan.objectives[0])


async def search(settings: Settings, sweep: Sweep, config: Config, plan: Plan, test: Sweep | None = None) -> Tuned:
    """Searches until the study has its trials; with ``test`` the winner, and only it, is then put to those questions once."""
    present = await sweep.run(config)
    async with open_study(settings, sweep, config, plan) as study:
        await study.search()
        found: dict[str, Difference] = {}
        if test is not None:
            before, won = await study.confirm(test)
            both = Ablation({BASELINE: before, "winner": won}, {})  # one comparison: nothing is adjusted
            shown = [name for name in CONFIRMED if name == "tokens" or before.values.get(name)]
            found = {name: both.effects(name)["winner"] for name in shown}
        outcomes = study.outcomes()
        return Tuned(
            study.name,
            plan,
            outcomes,
            present,
            honest(outcomes, present, plan.objectives[0]),
            found,
            study.confirmed(),
            study.reference,
        )


def honest(outcomes: Sequence[Outcome], present: BenchResult, objective: str) -> Nested:
    """The winner's gain over the present config on the questions that chose it, and by nested choice; more is always better."""
    sign = -1 if objective in FEWER_IS_BETTER else 1
    tried = [{id: sign * value for id, value in outcome.values.items()} for outcome in outcomes]
    baseline = {id: sign * value for id, value in values_of(present, objective).items()}
    return nested(tried, baseline, folds_of(present.questions))


def trials(tuned: Tuned, top: int = 10) -> Table:
    """The best trials by the first objective."""
    first = tuned.plan.objectives[0]
    sign = 1 if first in FEWER_IS_BETTER else -1
    ordered = sorted(tuned.outcomes, key=lambda outcome: (sign * outcome.means[first], outcome.number))
    shown = [name for name in QUANTITIES if name in tuned.outcomes[0].means]
    rows = [(o.number, "\n".join(o.overrides), *(o.means[name] for name in shown)) for o in ordered[:top]]
    caption = f"{len(ordered)} trials of study {tuned.study}; the best {min(top, len(ordered))} by {NAMES.get(first, first)}"
    return Table(("trial", "config", *(NAMES[name] for name in shown)), rows, caption, 520)


def pareto(tuned: Tuned, quality: str, cost: str) -> Figure:
    """Quality over cost of all trials."""
    points = {str(outcome.number): (outcome.means[quality], outcome.means[cost]) for outcome in tuned.outcomes}
    here, won = means_of(tuned.present), tuned.winner
    here["latency_ms"] = tuned.reference or here["latency_ms"]
    marked = {"as it is": (here[quality], here[cost]), f"winner (trial {won.number})": points[str(won.number)]}
    basis = f"{len(points)} trials, {tuned.present.split} split, n = {tuned.present.n}"
    return plots.pareto(points, marked, NAMES[quality], NAMES[cost], f"{NAMES[quality]} against {NAMES[cost]}: {basis}")


def confirmed(tuned: Tuned) -> Table | Findings:
    """What confirmation said; without one, how to get it."""
    if not tuned.test:
        return Findings(["Not confirmed: run with confirm=true once, when the search is over and you would take the winner."])
    rows = [(NAMES[name], effect_cell(effect, name).replace("\n", " "), effect.n) for name, effect in tuned.test.items()]
    return Table(("quantity", "winner minus present", "n"), rows, f"Trial {tuned.winner.number} on the test split")


def findings(swept: Sequence[KeySweep], tuned: Tuned) -> Findings:
    """What stands out."""
    won, first, gain = tuned.winner, tuned.plan.objectives[0], tuned.gain
    said = [_about(one) for one in swept]
    said.append(
        f"The winner of {len(tuned.outcomes)} trials, number {won.number} ({'; '.join(won.overrides)}), gains {gain.chosen} in "
        f"{NAMES.get(first, first)} on the questions that chose it."
    )
    said.append(f"A winner that is chosen without the questions it is measured on gains {gain.held_out}.")
    said.append(
        f"So at least {gain.luck:+.3f} of its gain is luck: the search itself saw all these questions; only test is clean."
    )
    if "ndcg@10" in tuned.test:
        held = "held" if verdict(tuned.test["ndcg@10"]) == "better" else "did not hold"
        said.append(f"On test the winner's gain {held}: nDCG@10 {tuned.test['ndcg@10']}, n={tuned.test['ndcg@10'].n}.")
    if len(tuned.looked) > 1:
        said.append(f"{len(tuned.looked)} different winners of this study were looked at on test: it is no clean test any more.")
    return Findings(said)


def _about(swept: KeySweep) -> str:
    effects = {value: effect for value, effect in swept.effects("ndcg@10").items() if value != swept.present}
    value, effect = max(effects.items(), key=lambda item: item[1].mean)
    held = "is better by more than chance" if verdict(effect) == "better" else "is not better by more than chance"
    return f"{swept.key}: the best other value, {value}, {held} than {swept.present}: {effect} (Holm over {len(effects)} values)."


def publication(tuned: Tuned) -> dict[str, Any]:
    """What the notebook hands to programs: the winner as overrides, and how sure its gain is."""
    won, gain = tuned.winner, tuned.gain
    document = {
        "title": "Winner of notebook 09_tune",
        "table": "\n".join([*won.overrides, f"on the questions that chose it: {gain.chosen}", f"held out: {gain.held_out}"]),
        "overrides": list(won.overrides),
        "means": dict(won.means),
        "trials": len(tuned.outcomes),
        "study": tuned.study,
        "held_out": asdict(gain.held_out),
        "test": {name: asdict(effect) for name, effect in tuned.test.items()},
    }
    return {MIME: document, "text/plain": "winner published for programs"}
