"""The report of a run as one HTML file: nothing is loaded from elsewhere, it reads on a phone, and every plot is also words.

It opens with the three sentences that matter: how good, against what, and where the rest is lost.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import Any

from vuedocs.bench.alignment import changed_basis, paired, same_questions
from vuedocs.bench.comparison import COMPARED
from vuedocs.bench.intervals import Interval
from vuedocs.bench.lost import REMEDIES, counted
from vuedocs.bench.report import latency, tokens
from vuedocs.bench.result import BenchResult
from vuedocs.bench.stored import StoredRun

ALPHA = 0.05
"""p from which two systems are not told apart."""
MISSES = 40
"""Questions that the report lists, the worst first."""
STYLE = """
:root { color-scheme: light dark; --ink: #22303c; --paper: #fff; --bar: #2f7d5b; --line: #d5dbe0; --soft: #5d6b78; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e4e9ed; --paper: #15191d; --bar: #5cb88d; --line: #3a444d; --soft: #9fb0bd; } }
body { margin: 0 auto; max-width: 60rem; padding: 1rem; font: 1rem/1.5 system-ui, sans-serif; color: var(--ink);
  background: var(--paper); }
h1 { font-size: 1.3rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
.lead p { font-size: 1.1rem; margin: .5rem 0; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: .85rem; } th, td { text-align: left; padding: .3rem .6rem .3rem 0;
  border-bottom: 1px solid var(--line); vertical-align: top; }
td.number { font-variant-numeric: tabular-nums; white-space: nowrap; }
figure { margin: 1rem 0; } figcaption { color: var(--soft); font-size: .85rem; } svg { width: 100%; height: auto; }
@media (max-width: 40rem) {
  .cards tr, .cards td { display: block; border: 0; padding: 0; } .cards tr:has(th) { display: none; }
  .cards tr { padding: .5rem 0; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
  .cards td:not(:empty)::before { content: attr(data-name) ": "; color: var(--soft); } }
svg text { font: 13px system-ui, sans-serif; fill: var(--ink); } code { overflow-wrap: anywhere; }
"""

Bars = Sequence[tuple[str, Interval]]


def page(result: BenchResult, runs: Sequence[StoredRun], facts: Mapping[str, Any]) -> str:
    """The whole report. ``runs`` are this run, first, and those that are set beside it."""
    scope = "unscoped" if result.unscoped else "scoped"
    groups = [
        (title, [(name, group["metrics"]["ndcg@10"]) for name, group in result.group(title).items()])
        for title in ("source", "kind")
    ]
    parts = [
        f"<h1>{escape(str(facts['system']))}: run {escape(str(facts['run']))}</h1>",
        '<section class="lead">', *(f"<p>{escape(sentence)}</p>" for sentence in sentences(result, runs)), "</section>",
        f"<p>n={result.n}, level {result.level}, split {result.split}, {scope}; 95% intervals by bootstrap over questions.</p>",
        "<h2>Metrics</h2>", *bars("Metrics", [(name, result.metrics[name]) for name in COMPARED if name in result.metrics]),
        *(["<h2>Systems</h2>", *systems(runs)] if len(runs) > 1 else []),
        *(line for title, group in groups if len(group) > 1 for line in
          (f"<h2>nDCG@10 by {title}</h2>", *bars(f"nDCG@10 by {title} of question", group))),
        "<h2>What was missed</h2>", *misses(result),
        "<h2>Time and tokens</h2>", *costs(result),
        "<h2>Facts</h2>", *facts_table(facts),
    ]  # fmt: skip
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><style>{STYLE}</style>'
    title = f"<title>nDCG@10 {result.metrics['ndcg@10'].mean:.3f}: {escape(str(facts['run']))}</title>"
    return f'<!doctype html>\n<html lang="en">\n<head>{head}{title}</head>\n<body>\n' + "\n".join(parts) + "\n</body>\n</html>\n"


def sentences(result: BenchResult, runs: Sequence[StoredRun]) -> list[str]:
    """Three: how good it is, how it compares, and where most of the rest is lost."""
    right = result.metrics["right@1"]
    said = [
        f"nDCG@10 is {result.metrics['ndcg@10']} over {result.n} questions of {', '.join(result.group('source'))} "
        f"({result.split} split, {result.level} level); the first {result.level} answers fully for {right.mean:.0%} of them."
    ]
    said.append(" ".join(compared(runs)) or "Nothing stands beside this run, so that it says how good, not whether better.")
    lost = counted(result.lost.values())
    if not lost:
        return [*said, "No golden section was missed." if result.lost else "Where this system lost sections is not known."]
    worst = max(lost, key=lambda stage: lost[stage])
    total = sum(lost.values())
    share = f"Of {total} golden sections that were missed, most ({lost[worst]}) were lost as “{worst}”"
    return [*said, f"{share}: {REMEDIES[worst]}."]


def compared(runs: Sequence[StoredRun]) -> Iterator[str]:
    """The first run against all others in a sentence, by what the tests say; what else changed is said before any number."""
    for other in runs[1:]:
        yield from (words + "." for words in changed_basis(runs[0], other))
    told: dict[str, list[str]] = {}
    tests = paired(runs, "ndcg@10", same_questions(runs))
    for name, test in tests.items():
        gain, low, high = (0.0 - value for value in (test.mean, test.ci95[1], test.ci95[0]))  # 0 has no sign
        verdict = "not told apart from" if test.p >= ALPHA else "better than" if gain > 0 else "worse than"
        told.setdefault(verdict, []).append(f"{name} ({gain:+.3f} [{low:+.3f}, {high:+.3f}])")
    if told:
        n = " and ".join(sorted({str(test.n) for test in tests.values()}))
        parts = "; ".join(f"{verdict} {', '.join(names)}" for verdict, names in told.items())
        yield f"Over {n} questions it is {parts}: differences in nDCG@10, told apart at p < {ALPHA} by Holm over {len(tests)}."


def bars(title: str, rows: Bars) -> Iterator[str]:
    """A plot of means with their intervals, from 0 to 1, as a picture with its words and as a table."""
    words = "; ".join(f"{name} {value}, n={value.n}" for name, value in rows)
    left, width, step = 118, 420, 28
    yield f'<figure><svg viewBox="0 0 {width} {step * len(rows) + 24}" role="img" aria-label="{escape(title)}: {escape(words)}">'
    scale = width - left - 60
    for row, (name, value) in enumerate(rows):
        y, mean = row * step + 4, left + value.mean * scale
        low, high = (left + bound * scale for bound in value.ci95)
        yield f'<text x="0" y="{y + 15}">{escape(name)}</text><text x="{width - 50}" y="{y + 15}">{value.mean:.3f}</text>'
        yield f'<rect x="{left}" y="{y}" width="{mean - left:.1f}" height="{step - 8}" fill="var(--bar)"/>'
        yield f'<line x1="{low:.1f}" x2="{high:.1f}" y1="{y + 10}" y2="{y + 10}" stroke="var(--ink)" stroke-width="2"/>'
    foot = step * len(rows) + 18
    yield f'<text x="{left}" y="{foot}">0</text><text x="{left + scale - 4}" y="{foot}">1</text></svg>'
    yield f"<figcaption>{escape(title)}: mean, and its 95% interval as a line.</figcaption></figure>"
    yield from table(("", "mean [95% interval]", "n"), ((name, str(value), value.n) for name, value in rows))


def systems(runs: Sequence[StoredRun]) -> Iterator[str]:
    """A row a run, over its own questions."""
    names = ("system", *COMPARED, "tokens")
    rows = []
    for run in runs:
        metrics = run.summary["metrics"]
        cells = [f"{metrics[name]['mean']:.3f}" if name in metrics else "" for name in COMPARED]
        tokens_mean = run.summary.get("tokens", {}).get("mean")
        rows.append((run.name, *cells, f"{tokens_mean:.0f}" if tokens_mean else ""))
    return table(names, rows)


def misses(result: BenchResult) -> Iterator[str]:
    """Where golden sections were lost, and the worst questions with what was wanted and what came."""
    lost = counted(result.lost.values())
    if lost:
        rows = ((stage, count, REMEDIES[stage]) for stage, count in lost.items())
        yield from table(("lost at", "sections", "what may help"), rows, "cards")
    values = result.values["ndcg@10"]
    worst = sorted((question for question in result.questions if values[question.id] < 1), key=lambda q: (values[q.id], q.id))
    yield f"<p>The {min(MISSES, len(worst))} questions with the lowest nDCG@10:</p>"
    rows_of = []
    for question in worst[:MISSES]:
        missing = [f"{one.section} ({one.grade}): {one.stage}" for one in result.lost.get(question.id, ())]
        first = next(iter(result.run.get(question.id, {})), "nothing")
        rows_of.append((f"{values[question.id]:.3f}", question.id, question.question, "; ".join(missing), first))
    yield from table(("nDCG@10", "id", "question", "missed (grade): lost at", "came first"), rows_of, "cards")


def costs(result: BenchResult) -> Iterator[str]:
    """Milliseconds by stage, and tokens of an answer."""
    times = latency(result)
    stages = {**times["stages"], "whole query": {"p50": times["p50"], "p95": times["p95"]}}
    yield from table(("stage", "p50 ms", "p95 ms"), ((name, f"{t['p50']:.1f}", f"{t['p95']:.1f}") for name, t in stages.items()))
    yield f"<p>{sum(tokens(result)) / result.n:.0f} tokens an answer on average.</p>"


def facts_table(facts: Mapping[str, Any]) -> Iterator[str]:
    """What ran on what."""
    rows = [("created", facts["created"])]
    for part in ("questions", "config", "packages", "machine"):
        rows.append((part, ", ".join(f"{name} {value}" for name, value in facts[part].items())))
    index = facts["index"]
    sources = ", ".join(f"{entry['source']} {entry['commit'][:12]}" for entry in index["sources"])
    rows.append(("index", f"{index['generation']}, {index['points']:,} points, made {index['created']}: {sources}"))
    return table(("what", "which"), rows)


def table(names: Sequence[str], rows: Iterable[Sequence[object]], shape: str = "wide") -> Iterator[str]:
    """An HTML table. Where it is too wide, it scrolls sideways, or (``cards``) each row becomes a few named lines."""
    yield f'<div class="{shape}"><table><tr>' + "".join(f'<th scope="col">{escape(name)}</th>' for name in names) + "</tr>"
    for row in rows:
        yield "<tr>" + "".join(_cell(name, str(cell)) for name, cell in zip(names, row, strict=True)) + "</tr>"
    yield "</table></div>"


def _cell(name: str, text: str) -> str:
    number = text[:1] in "-+.0123456789" and len(text) < 40
    return f'<td data-name="{escape(name)}"{" class=number" if number else ""}>{escape(text)}</td>'
