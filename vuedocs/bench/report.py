"""Reports: ``metrics.json``, TREC files, per-question values and passages on disk; tables for the terminal.

Everything but ``latency_ms`` and ``cost`` is the same, bit for bit, when a benchmark is repeated; ``digest`` says so in one word.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from vuedocs.bench.intervals import Interval
from vuedocs.bench.lost import counted
from vuedocs.bench.result import BenchResult
from vuedocs.errors import StorageError


def metrics_document(result: BenchResult) -> dict[str, Any]:
    """``metrics.json`` as a dict."""
    document = deterministic_part(result)
    texts = [document, *files_of(result).values()]
    digest = hashlib.sha256(json.dumps(texts, sort_keys=True, ensure_ascii=False).encode()).hexdigest()
    return {**document, "digest": digest, "latency_ms": latency(result), "cost": result.cost.document()}


def deterministic_part(result: BenchResult) -> dict[str, Any]:
    """What must be equal when the same questions are put to the same index with the same config."""
    return {
        "n": result.n,
        "level": result.level,
        "split": result.split,
        "unscoped": result.unscoped,
        "skip": list(result.skip),
        "config": result.config,
        "index": result.index,
        "questions": result.questions_digest,
        "metrics": _plain(result.metrics),
        "lost": counted(result.lost.values()),
        "by_source": _plain_groups(result.group("source")),
        "by_kind": _plain_groups(result.group("kind")),
        "tokens": {"mean": _rounded(np.mean(tokens(result))), "p95": _rounded(np.percentile(tokens(result), 95))},
    }


def tokens(result: BenchResult) -> list[int]:
    """Estimated tokens of each answer."""
    return [answer.tokens for answer in result.answers]


def latency(result: BenchResult) -> dict[str, Any]:
    """Milliseconds of a warm query, whole and by stage: p50 and p95."""
    stages: dict[str, list[float]] = {}
    for answer in result.answers:
        for stage, milliseconds in answer.stages.items():
            stages.setdefault(stage, []).append(milliseconds)
    whole = _percentiles([answer.milliseconds for answer in result.answers])
    return {**whole, "stages": {stage: _percentiles(values) for stage, values in stages.items()}}


def files_of(result: BenchResult) -> dict[str, str]:
    """File name to content of everything beside ``metrics.json``."""
    return {
        "run.trec": trec_run(result.run),
        "qrels.trec": trec_qrels(result.qrels),
        "per_question.jsonl": _lines(per_question(result)),
        "passages.jsonl": _lines({"id": a.id, "text": a.text, "tokens": a.tokens} for a in result.answers),
    }


def trec_run(run: Mapping[str, Mapping[str, float]], tag: str = "vuedocs") -> str:
    """TREC run: id, Q0, key, rank from 1, score, tag."""
    return "".join(
        f"{id} Q0 {_word(key)} {rank} {score!r} {tag}\n"
        for id, ranking in run.items()
        for rank, (key, score) in enumerate(ranking.items(), start=1)
    )


def trec_qrels(qrels: Mapping[str, Mapping[str, int]]) -> str:
    """TREC qrels: id, 0, key, grade."""
    return "".join(f"{id} 0 {_word(key)} {grade}\n" for id, grades in qrels.items() for key, grade in grades.items())


def per_question(result: BenchResult) -> Iterable[dict[str, Any]]:
    """One object a question: what was asked, each metric's value, the ten best keys, and where what is missing was lost."""
    tokens_by_id = {answer.id: answer.tokens for answer in result.answers}
    for question in result.questions:
        yield {
            "id": question.id,
            "source": question.source,
            "kind": question.kind,
            "split": question.split,
            "question": question.question,
            "apis": list(question.apis),
            "tokens": tokens_by_id[question.id],
            "metrics": {name: by_id[question.id] for name, by_id in result.values.items() if question.id in by_id},
            "top": list(result.run.get(question.id, {}))[:10],
            "lost": [asdict(one) for one in result.lost.get(question.id, ())],
        }


def write(result: BenchResult, folder: Path) -> dict[str, Any]:
    """Writes all files into ``folder``, which is made, and returns the content of ``metrics.json``, which is written last.

    An earlier ``metrics.json`` is removed first, so that the files beside one always belong to it. Raises StorageError.
    """
    document = metrics_document(result)
    files = files_of(result)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "metrics.json").unlink(missing_ok=True)
        for name, text in files.items():
            (folder / name).write_text(text, encoding="utf-8")
        (folder / "metrics.json").write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    except OSError as error:
        raise StorageError(f"the report cannot be written to {folder}: {error}; give another folder with --out") from error
    return document


def table(result: BenchResult) -> str:
    """The metrics as text for a terminal: what was measured on what, each mean with its interval, tokens and latency."""
    times = latency(result)
    scope = "unscoped" if result.unscoped else "scoped"
    lines = [
        f"n={result.n}  level={result.level}  split={result.split}  {scope}  config={result.config}  index={result.index}",
        "",
        f"{'metric':<16}{'mean':>7}   {'95% interval':<16}{'n':>5}",
    ]
    lines += [_row(name, value) for name, value in result.metrics.items()]
    for title, groups in (("source", result.group("source")), ("kind", result.group("kind"))):
        if len(groups) > 1:
            lines += ["", f"{'ndcg@10 by ' + title:<16}"]
            lines += [_row(name, group["metrics"]["ndcg@10"]) for name, group in groups.items()]
    if missed := counted(result.lost.values()):
        lines += ["", f"{'golden sections missed':<24}" + ", ".join(f"{stage} {count}" for stage, count in missed.items())]
    lines += ["", f"{'tokens an answer':<20}mean {np.mean(tokens(result)):.0f}   p95 {np.percentile(tokens(result), 95):.0f}"]
    lines += [f"{'latency':<20}p50 {times['p50']:.1f} ms   p95 {times['p95']:.1f} ms"]
    lines += [f"  {stage:<18}p50 {t['p50']:.1f} ms   p95 {t['p95']:.1f} ms" for stage, t in times["stages"].items()]
    return "\n".join(lines)


def _row(name: str, value: Interval) -> str:
    low, high = value.ci95
    return f"{name:<16}{value.mean:>7.3f}   [{low:.3f}, {high:.3f}]  {value.n:>5}"


def _plain(metrics: Mapping[str, Interval]) -> dict[str, Any]:
    return {
        name: {"mean": _rounded(value.mean), "ci95": [_rounded(bound) for bound in value.ci95], "n": value.n}
        for name, value in metrics.items()
    }


def _plain_groups(groups: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    return {name: {"n": group["n"], "metrics": _plain(group["metrics"])} for name, group in groups.items()}


def _percentiles(values: list[float]) -> dict[str, float]:
    return {"p50": _rounded(np.percentile(values, 50)), "p95": _rounded(np.percentile(values, 95))}


def _rounded(value: Any) -> float:
    return round(float(value), 6)


def _word(key: str) -> str:
    """TREC columns are split at white space; a path may hold some."""
    return "%20".join(key.split())


def _lines(rows: Iterable[Mapping[str, Any]]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
