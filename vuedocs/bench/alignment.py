"""Alignment: stored runs beside each other, question by question, and first of all whether they measure the same thing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from vuedocs.bench.comparison import COMPARED, aligned, gains
from vuedocs.bench.intervals import Difference, difference, holm, interval
from vuedocs.bench.stored import StoredRun
from vuedocs.errors import QuestionsError

MOVED = 0.05
"""Least change of a question's value that is listed."""


def changed_basis(run: StoredRun, baseline: StoredRun) -> list[str]:
    """What besides the system differs between two runs, in words; empty when nothing does.

    Raises QuestionsError where nothing can be compared: another level, or no question in common.
    """
    said = []
    names = f"{run.name} and {baseline.name}"
    if run.summary.get("level") != baseline.summary.get("level"):
        raise QuestionsError(
            f"{names} cannot be compared: one is at level {run.summary.get('level')}, the other at "
            f"{baseline.summary.get('level')}; run both at one level"
        )
    if run.summary.get("questions") != baseline.summary.get("questions"):
        common = same_questions([run, baseline])
        only = [len(one.rows.keys() - other.rows.keys()) for one, other in ((run, baseline), (baseline, run))]
        changed = len(run.rows.keys() & baseline.rows.keys()) - len(common)
        if not common:
            raise QuestionsError(f"{names} cannot be compared: they have no question in common; run both on one set")
        said.append(
            f"CHANGED QUESTIONS between {names}: {only[0]} only in the first, {only[1]} only in the second, {changed} with other "
            f"words, judgements or APIs; what follows is over the {len(common)} that are the same"
        )
    if index_of(run) != index_of(baseline):
        said.append(f"CHANGED INDEX between {names}: {index_of(run)} and {index_of(baseline)}")
    for key, word in (("unscoped", "SCOPE"), ("skip", "STAGES")):
        if run.summary.get(key) != baseline.summary.get(key):
            said.append(f"CHANGED {word} between {names}: {key} is {run.summary.get(key)} and {baseline.summary.get(key)}")
    return said


def changed_config(run: StoredRun, baseline: StoredRun) -> str:
    """In which keys two runs' configs differ, in words; that they are not known where one does not keep its config."""
    if not (run.config and baseline.config):
        same = run.summary.get("config") == baseline.summary.get("config")
        return f"{run.name}: " + ("the config of the baseline" if same else "another config; one of the two does not keep it")
    keys = [
        f"{section}.{key} = {value!r} (was {baseline.config.get(section, {}).get(key, 'unset')!r})"
        for section, values in run.config.items()
        for key, value in values.items()
        if baseline.config.get(section, {}).get(key) != value
    ]
    return f"{run.name}: {', '.join(keys) or 'the config of the baseline'}"


def index_of(run: StoredRun) -> str:
    """What a run's index was made of: its docs and settings where they are known, else the generation's name.

    A run that searched each question's own source has nothing of the others' docs, whichever the index holds besides.
    """
    index = run.facts.get("index")
    if not index:
        return str(run.summary.get("index"))
    asked = None if run.summary.get("unscoped") else run.summary.get("by_source")
    read = [entry for entry in index["sources"] if not asked or entry["source"] in asked]
    sources = ", ".join(f"{entry['source']} {entry['commit'][:12]}" for entry in read)
    return f"{index['fingerprint']} ({sources})"


def same_questions(runs: Sequence[StoredRun]) -> list[str]:
    """Ids, ascending, of the questions that all the runs have with the same words, judgements and APIs."""
    first, *others = runs
    return sorted(id for id in first.rows if all(id in other.rows and _same(id, first, other) for other in others))


def _same(id: str, one: StoredRun, other: StoredRun) -> bool:
    if one.summary.get("questions") == other.summary.get("questions"):
        return True
    judged = scored(one, id)  # of a run that does not keep them, nothing is known
    rows = (one.rows[id], other.rows[id])
    apis = [row["apis"] for row in rows if "apis" in row]  # runs of before do not keep them
    same = rows[0].get("question") == rows[1].get("question") and (len(apis) < 2 or apis[0] == apis[1])
    return bool(judged) and judged == scored(other, id) and same


def scored(run: StoredRun, id: str) -> dict[str, int]:
    """The judgements of a question that a score depends on: without grade 0."""
    return {key: grade for key, grade in run.qrels.get(id, {}).items() if grade}


def paired(runs: Sequence[StoredRun], metric: str, ids: Iterable[str]) -> dict[str, Difference]:
    """Each run's paired difference to the first over ``ids``, p-values Holm-adjusted over the runs."""
    chosen = set(ids)
    base, *others = [{id: value for id, value in run.values(metric).items() if id in chosen} for run in runs]
    shared = [values.keys() & base.keys() for values in others]
    tests = {
        run.name: difference({id: values[id] for id in ids}, {id: base[id] for id in ids})
        for run, values, ids in zip(runs[1:], others, shared, strict=True)
        if ids
    }
    adjusted = holm({name: test.p for name, test in tests.items()})
    return {name: Difference(test.mean, test.ci95, adjusted[name], test.n) for name, test in tests.items()}


def comparison(runs: Sequence[StoredRun], top: int = 10) -> str:
    """Two or more runs in words and tables: what else changed, the metrics, the differences to the first, what moved.

    Raises QuestionsError for runs that measure different things, or two of one name.
    """
    if len({run.name for run in runs}) < len(runs):
        raise QuestionsError(f"the same run is named twice: {', '.join(run.name for run in runs)}; name different ones")
    baseline = runs[0]
    said = [words for run in runs[1:] for words in changed_basis(run, baseline)]
    ids = same_questions(runs)
    if not ids:
        raise QuestionsError("these runs have no question in common; run them on one set")
    split = ", ".join(sorted({str(run.summary.get("split")) for run in runs}))
    said += [changed_config(run, baseline) for run in runs[1:]]
    lines = [*said, "", f"n={len(ids)}, level {baseline.summary['level']}, split {split}"]
    lines += ["", *means_table(runs, ids), "", *differences_table(runs, ids), *by_source_table(runs, ids)]
    for run in runs[1:]:
        lines += ["", *moved(run, baseline, ids, top)]
    return "\n".join(lines)


def means_table(runs: Sequence[StoredRun], ids: Sequence[str]) -> list[str]:
    """A row a run: each metric's mean over ``ids``, the first two with their intervals."""
    rows = [["run", *COMPARED, "tokens", "p50 ms"]]
    for run in runs:
        cells = []
        for place, metric in enumerate(COMPARED):
            values = [run.values(metric)[id] for id in ids if id in run.values(metric)]
            cells.append("-" if not values else str(interval(values)) if place < 2 else f"{sum(values) / len(values):.3f}")
        tokens = mean_tokens(run, ids)
        latency = run.summary.get("latency_ms", {}).get("p50")
        rows.append([run.name, *cells, f"{tokens:.0f}" if tokens is not None else "-", f"{latency:.1f}" if latency else "-"])
    return aligned(rows)


def mean_tokens(run: StoredRun, ids: Sequence[str]) -> float | None:
    """An answer's tokens over ``ids``; of a run that does not keep them by question, over all of it."""
    kept = [run.rows[id]["tokens"] for id in ids if "tokens" in run.rows[id]]
    if len(kept) == len(ids):
        return float(sum(kept) / len(kept))
    whole: float | None = run.summary.get("tokens", {}).get("mean") if len(ids) == len(run.rows) else None
    return whole


def differences_table(runs: Sequence[StoredRun], ids: Sequence[str]) -> list[str]:
    """A row a run and metric: the paired difference to the first run."""
    rows = [[f"against {runs[0].name}", *COMPARED[:2], "api_recall@3"]]
    tests = {metric: paired(runs, metric, ids) for metric in rows[0][1:]}
    for run in runs[1:]:
        rows.append([run.name, *(str(tests[metric].get(run.name, "-")) for metric in rows[0][1:])])
    note = f"mean difference [95% interval] p of the paired sign-flip test, Holm over {len(runs) - 1}"
    return [*aligned(rows), "", note]


def by_source_table(runs: Sequence[StoredRun], ids: Sequence[str]) -> list[str]:
    """A row a source: the paired difference in nDCG@10 to the first run; nothing where all questions are about one source."""
    groups: dict[str, set[str]] = {"all": set(ids)}
    for id in ids:
        groups.setdefault(str(runs[0].rows[id].get("source", "?")), set()).add(id)
    if len(groups) == 2:
        return []
    base = runs[0].values("ndcg@10")
    columns = [gains(run.values("ndcg@10"), base, groups) for run in runs[1:]]
    rows = [["nDCG@10 by source", "n", runs[0].name, *(run.name for run in runs[1:])]]
    for group, members in groups.items():
        mean = sum(base[id] for id in members) / len(members)
        rows.append([group, str(len(members)), f"{mean:.3f}", *(str(column[group]) for column in columns)])
    return ["", *aligned(rows), "", f"differences to {runs[0].name}; Holm over {len(groups) - 1}"]


def moved(run: StoredRun, baseline: StoredRun, ids: Iterable[str], top: int) -> list[str]:
    """The questions whose nDCG@10 changed most, losses first, at most ``top`` each way."""
    new, old = run.values("ndcg@10"), baseline.values("ndcg@10")
    changes: Mapping[str, float] = {id: new[id] - old[id] for id in ids}
    worse = sorted((id for id in changes if changes[id] <= -MOVED), key=lambda id: (changes[id], id))
    better = sorted((id for id in changes if changes[id] >= MOVED), key=lambda id: (-changes[id], id))
    lines = [f"{run.name}: nDCG@10 of {len(worse)} questions fell, of {len(better)} rose (by {MOVED} or more)"]
    for id in [*worse[:top], *better[:top]]:
        lines.append(f"  {changes[id]:+.3f}  {old[id]:.3f} -> {new[id]:.3f}  {id}: {run.rows[id].get('question', '')}")
    return lines
