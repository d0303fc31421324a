"""What notebook 08 shows of an ablation."""

from __future__ import annotations

from dataclasses import replace

import pytest

from vuedocs.bench import BenchResult, Difference, GoldenQuestion
from vuedocs.bench.ablation import BASELINE, OFF, Ablation
from vuedocs.bench.intervals import interval
from vuedocs.bench.runs import Answer
from vuedocs.workbench import ablate, effects

IDS = [f"q{number:02d}" for number in range(20)]
QUESTIONS = tuple(GoldenQuestion(id, "vue", id, "howto", {"p": 3}, (), "dev") for id in IDS)


def result(ndcg: float, tokens: int) -> BenchResult:
    values = {"ndcg@10": dict.fromkeys(IDS, ndcg), "recall@5": dict.fromkeys(IDS, 1.0)}
    values["ndcg@10"][IDS[0]] = 0.5
    answers = tuple(Answer(id, {}, "", tokens, (), frozenset(), 9.0, {"search": 9.0}) for id in IDS)
    qrels, run = {id: {"p": 3} for id in IDS}, {id: {"p": 1.0} for id in IDS}
    metrics = {name: interval(list(by_id.values())) for name, by_id in values.items()}
    return BenchResult("section", "dev", False, (), "c", "g", QUESTIONS, answers, qrels, run, values, metrics)


@pytest.fixture
def ablation() -> Ablation:
    results = {BASELINE: result(0.9, 1500), "no BM25": result(0.6, 1400), "no floor": result(0.9, 1800)}
    results["better"] = result(1, 1500)
    times = {name: dict.fromkeys(IDS[:4], 20.0) for name in results}
    return Ablation(results, times)


def test_the_table_says_which_way_and_how_sure(ablation: Ablation) -> None:
    rows = {str(row[0]): [str(cell) for cell in row[1:]] for row in ablate.differences(ablation).rows}
    assert list(rows) == ["no BM25", "no floor", "better"]
    assert rows["no BM25"][0].startswith("▼ -0.285 [")
    assert "\np = 0.0006" in rows["no BM25"][0]
    assert rows["better"][0].startswith("▲ +0.095")
    assert rows["no floor"][0] == "0"
    assert rows["no floor"][2].startswith("▼ +300 [+300, +300]")


def test_a_set_whose_questions_name_no_api_has_no_such_column(ablation: Ablation) -> None:
    for one in ablation.results.values():
        one.values["api_recall@3"] = {}  # type: ignore[index]
    assert ablate.differences(ablation).columns == ("variant", "nDCG@10", "recall@5", "tokens", "latency, ms")
    assert len(ablate.forest(ablation).axes) == 3


def test_findings_name_what_costs_what_gains_and_what_changes_nothing(ablation: Ablation) -> None:
    said = " ".join(ablate.findings(ablation).sentences)
    assert "“no BM25” costs 0.285 nDCG@10" in said
    assert "“better” would gain 0.095" in said
    assert "1 change no ranking at all: no floor" in said
    assert "what it costs is not known" in said
    paid = replace(ablation, usd={name: {IDS[0]: 0.002} for name in ablation.results})
    assert "1,000 of them cost $2.00" in " ".join(ablate.findings(paid).sentences)
    assert ablate.means(paid).columns[-1] == "US$, 1,000 queries"
    assert "A gain on dev is a suggestion" in said


def test_a_verdict_needs_the_test_and_knows_that_fewer_tokens_are_better() -> None:
    sure = Difference(-0.1, (-0.2, -0.05), 0.01, 20)
    assert effects.verdict(sure) == "worse"
    assert effects.verdict(sure, fewer_is_better=True) == "better"
    assert effects.verdict(replace(sure, p=0.06)) == "unclear"


def test_plots_show_every_variant_and_only_rows_that_differ(ablation: Ablation) -> None:
    forest = ablate.forest(ablation)
    assert [label.get_text() for label in forest.axes[0].get_yticklabels()] == ["no BM25", "no floor", "better"]
    assert len(forest.axes) == 3  # no API recall among these metrics
    grid = ablate.by_group(ablation, "kind")
    assert [label.get_text() for label in grid.axes[0].get_yticklabels()] == ["no BM25", "better"]
    assert "-0.285*" in [text.get_text() for text in grid.axes[0].texts]


def test_the_variants_are_listed_with_what_they_change() -> None:
    rows = ablate.listed({name: OFF[name] for name in ("no BM25", "no link expansion")}).rows
    assert [list(row) for row in rows] == [["no BM25", "search.sparse_weight=0", ""], ["no link expansion", "", "expand"]]
