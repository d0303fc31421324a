"""Tuning: a search over many keys of a config by Optuna, and how much of the winner's gain is luck.

    async with open_study(settings, sweep, config, Plan(space, trials=40)) as study:
        await study.search()
        winner = study.winner()
        nested(study.outcomes(), baseline, folds_of(questions, 5))     # luck of the last choice; the search saw all

Trials are kept in the project's database (schema ``optuna``), under a name that stands for questions, index, config and plan:
every machine with the same DATABASE_URL works on the same study, and one that was stopped goes on. Tune on dev; the best of many
trials looks better than it is (the winner's curse), so confirm that one, and only that one, on test.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Any

from vuedocs.bench import space
from vuedocs.bench.ablation import FEWER_IS_BETTER
from vuedocs.bench.metrics import Values
from vuedocs.bench.questions import digest as digest_questions
from vuedocs.bench.result import BenchResult
from vuedocs.bench.sweep import Sweep
from vuedocs.clients.engines import open_database
from vuedocs.config import Config, digest
from vuedocs.errors import DatabaseError, UsageError
from vuedocs.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from optuna import Study as OptunaStudy
    from optuna.distributions import BaseDistribution
    from optuna.trial import FrozenTrial

SCHEMA = "optuna"
"""Of the tables in which studies are kept."""
SEED = 0
LATENCY = "latency_ms"
TIMED = 6
"""Questions on which each trial's time is measured beside the present config's."""


@dataclass(frozen=True)
class Plan:
    """What is searched, for what."""

    space: Mapping[str, Sequence[Any]]
    """Config key to its range ``[low, high]``, whole where both are, or to its choices."""
    objectives: Sequence[str] = ("ndcg@10",)
    """Quantities: the first chooses the winner, all of them guide the search. ``tokens`` and ``latency_ms`` are better small."""
    trials: int = 40
    """In all, those of other machines and of earlier runs counted."""
    seed: int = SEED
    """Of the sampler; two machines that begin at once do well to take different ones."""


@dataclass(frozen=True)
class Outcome:
    """A config that was tried."""

    number: int
    overrides: tuple[str, ...]
    means: Mapping[str, float]
    """Each metric's mean, the mean ``tokens`` of an answer, the median ``latency_ms`` of a query (as an objective, in turn)."""
    values: Values
    """The first objective, question by question."""


class Study:
    """One search, shared through the database."""

    def __init__(self, study: OptunaStudy, sweep: Sweep, config: Config, plan: Plan) -> None:
        self._study = study
        self._sweep = sweep
        self._config = config
        self.plan = plan

    @property
    def name(self) -> str:
        """Stands for questions, index, config and plan."""
        return self._study.study_name

    async def search(self) -> None:
        """Tries configs until the study has as many outcomes as planned."""
        ranges = space.distributions(self.plan.space, self._config)
        with translated():
            await asyncio.to_thread(self._study.enqueue_trial, self._present(ranges), skip_if_exists=True)
        while len(self.outcomes()) < self.plan.trials:
            with translated():
                trial = await asyncio.to_thread(self._study.ask, ranges)
            chosen = tuple(space.override(key, value) for key, value in sorted(trial.params.items()))
            config = self._config.override(*chosen)
            result = await self._sweep.run(config)
            means = means_of(result)
            check_objectives(self.plan.objectives, means)
            if LATENCY in self.plan.objectives:
                means[LATENCY] = await self._milliseconds(config)
            values = values_of(result, self.plan.objectives[0])
            with translated():
                trial.set_user_attr("means", means)
                trial.set_user_attr("values", values)
                trial.set_user_attr("overrides", chosen)
                await asyncio.to_thread(self._study.tell, trial, [means[name] for name in self.plan.objectives])

    async def _milliseconds(self, config: Config) -> float:
        """What a query takes under ``config``: its ratio to the present config, both in turn, times what that took at first.

        So trials of different minutes, and of different machines, stand in one plot.
        """
        timed = await self._sweep.times({"present": (self._config, ()), "tried": (config, ())}, TIMED)
        present, tried = (median(timed.milliseconds[name].values()) for name in ("present", "tried"))
        with translated():
            if self.reference is None:
                self._study.set_user_attr("reference_ms", present)
        return (self.reference or present) * tried / present

    @property
    def reference(self) -> float | None:
        """Milliseconds of a query under the present config at the first trial; None where no time was measured in turn."""
        found: float | None = self._study.user_attrs.get("reference_ms")
        return found

    def outcomes(self) -> list[Outcome]:
        """What was tried, on whichever machine, in order."""
        from optuna.trial import TrialState

        with translated():
            return [_outcome(trial) for trial in self._study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,))]

    def winner(self) -> Outcome:
        """The best by the first objective; of equals the first. UsageError before anything was tried."""
        outcomes = self.outcomes()
        if not outcomes:
            raise UsageError(f"study {self.name} holds no trial yet; search first, with trials=1 or more")
        return best(outcomes, self.plan.objectives[0])

    async def confirm(self, test: Sweep) -> tuple[BenchResult, BenchResult]:
        """The present config and the winner on questions that nothing was chosen by; the study remembers that it was looked."""
        winner = self.winner()
        present, won = await test.run(self._config), await test.run(self._config.override(*winner.overrides))
        with translated():
            looked = self.confirmed()
            self._study.set_user_attr("confirmed", sorted({*looked, winner.number}))
        return present, won

    def confirmed(self) -> list[int]:
        """The trials that were winners when test was looked at: each further one makes test a little more like dev."""
        return list(self._study.user_attrs.get("confirmed", []))

    def _present(self, ranges: Mapping[str, BaseDistribution]) -> dict[str, Any]:
        """The config's own values where they lie in the plan's space: the first trial."""
        present = {key: space.value_of(self._config, key) for key in ranges}
        return {key: value for key, value in present.items() if space.inside(ranges[key], value)}


@asynccontextmanager
async def open_study(settings: Settings, sweep: Sweep, config: Config, plan: Plan) -> AsyncIterator[Study]:
    """The study of this plan, made if need be, in the project's database.

    Raises UsageError for a plan that cannot be searched, ConfigError for a key or value that the config does not take,
    DatabaseError when the database cannot be used.
    """
    import optuna
    from optuna.storages import RDBStorage

    check(plan, config)
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    logging.getLogger("alembic").setLevel(logging.WARNING)
    database = await open_database(settings)
    try:
        async with database.lock_schema(SCHEMA) as connect:  # two processes that make the same tables at once both fail
            with translated():
                storage = RDBStorage("postgresql+psycopg://", engine_kwargs={"creator": connect, "pool_pre_ping": True})
        with translated():
            study = optuna.create_study(
                storage=storage,
                study_name=name_of(sweep, config, plan),
                directions=["minimize" if name in FEWER_IS_BETTER else "maximize" for name in plan.objectives],
                sampler=optuna.samplers.TPESampler(seed=plan.seed, constant_liar=True),
                load_if_exists=True,
            )
        yield Study(study, sweep, config, plan)
        storage.engine.dispose()
    finally:
        await database.aclose()


def name_of(sweep: Sweep, config: Config, plan: Plan) -> str:
    """``vuedocs-<12 digits>``: equal where questions, index, config and plan (trials and seed apart) are."""
    index = sweep.manifest
    parts = {
        "questions": digest_questions(sweep.questions),
        "level": sweep.level,
        "unscoped": sweep.unscoped,
        "index": [index.fingerprint, *(f"{entry.source} {entry.version} {entry.commit}" for entry in index.sources)],
        "config": config.fingerprint(),
        "space": {key: list(values) for key, values in plan.space.items()},
        "objectives": list(plan.objectives),
        "times": "in turn",  # studies of before hold times that cannot stand beside these
    }
    return f"vuedocs-{digest(parts)}"


def check(plan: Plan, config: Config) -> None:
    """Returns when the plan can be searched, else says why not."""
    if not plan.objectives or plan.trials < 1 or not plan.space:
        raise UsageError("a search needs a key in its space, an objective, and 1 trial or more")
    for key, value in space.ends(plan.space, config):
        config.override(space.override(key, value))


def check_objectives(objectives: Sequence[str], means: Mapping[str, float]) -> None:
    """Returns when the questions have every objective. Raises UsageError."""
    for name in objectives:
        if name not in means:
            raise UsageError(f"there is no objective {name!r} here; there are {', '.join(means)}")


def means_of(result: BenchResult) -> dict[str, float]:
    """Every quantity of a result as one number."""
    means = {name: value.mean for name, value in result.metrics.items()}
    tokens = [answer.tokens for answer in result.answers]
    return {**means, "tokens": sum(tokens) / len(tokens), "latency_ms": median(answer.milliseconds for answer in result.answers)}


def best(outcomes: Sequence[Outcome], objective: str) -> Outcome:
    """The outcome with the best mean of ``objective``; of equals the first."""
    sign = 1 if objective in FEWER_IS_BETTER else -1
    return min(outcomes, key=lambda outcome: (sign * outcome.means[objective], outcome.number))


@contextmanager
def translated() -> Iterator[None]:
    """Turns what Optuna and SQLAlchemy say of the database into DatabaseError."""
    from optuna.exceptions import StorageInternalError
    from sqlalchemy.exc import SQLAlchemyError

    try:
        yield
    except (StorageInternalError, SQLAlchemyError) as error:
        reason = " ".join(str(error.__cause__ or error).split())[:300]
        raise DatabaseError(f"the study cannot be read or written: {reason}; see `vuedocs status`, then run it again") from error


def _outcome(trial: FrozenTrial) -> Outcome:
    attributes = trial.user_attrs
    return Outcome(trial.number, tuple(attributes["overrides"]), attributes["means"], attributes["values"])


def values_of(result: BenchResult, objective: str) -> Values:
    """Question id to its value of a metric, of ``tokens`` or of ``latency_ms``."""
    if objective == "tokens":
        return {answer.id: float(answer.tokens) for answer in result.answers}
    if objective == LATENCY:
        return {answer.id: answer.milliseconds for answer in result.answers}
    return dict(result.values[objective])
