"""Metrics, with the arithmetic beside them."""

from __future__ import annotations

import math
import random

import pytest
from fake_reader import golden

from vuedocs.bench.metrics import api_recall, judged_share, score, score_answers, unique_scores
from vuedocs.bench.runs import Answer
from vuedocs.errors import QuestionsError

QRELS = {
    "q1": {"a": 3, "b": 2, "c": 1},
    "q2": {"d": 3},
    "q3": {"e": 1},
}
RUN = {
    "q1": {"b": 0.9, "x": 0.8, "a": 0.7, "c": 0.6},
    "q2": {"x": 0.9, "y": 0.5},
    "q3": {"e": 0.4},
}


def test_ndcg_has_linear_gains_and_the_ideal_of_the_judgements() -> None:
    # q1 has b (2), x (0), a (3), c (1) at ranks 1 to 4; the best order would be 3, 2, 1.
    dcg = 2 / math.log2(2) + 0 / math.log2(3) + 3 / math.log2(4) + 1 / math.log2(5)
    ideal = 3 / math.log2(2) + 2 / math.log2(3) + 1 / math.log2(4)
    ndcg = score(QRELS, RUN)["ndcg@10"]
    assert ndcg["q1"] == pytest.approx(dcg / ideal)
    assert ndcg["q1"] == pytest.approx(0.825, abs=0.001)
    assert ndcg["q2"] == 0
    assert ndcg["q3"] == 1


def test_recall_and_mrr_count_grade_2_and_better() -> None:
    values = score({"q": {"a": 3, "b": 2, "c": 1, "d": 2}}, {"q": {"c": 9.0, "b": 8.0, "x": 7.0, "y": 6.0, "z": 5.0, "a": 4.0}})
    # Relevant are a, b and d. The top 5 hold b, the top 6 a as well; b, the first of them, is at rank 2.
    assert values["recall@5"]["q"] == pytest.approx(1 / 3)
    assert values["recall@10"]["q"] == pytest.approx(2 / 3)
    assert values["mrr@10"]["q"] == pytest.approx(1 / 2)
    assert values["right@1"]["q"] == 0


def test_a_grade_that_only_helps_is_no_recall() -> None:
    values = score(QRELS, RUN)
    assert values["recall@5"]["q3"] == 0
    assert values["mrr@10"]["q3"] == 0


def test_grade_0_is_judged_and_scores_nothing() -> None:
    zeros = {"q1": {**QRELS["q1"], "x": 0}, "q2": {**QRELS["q2"], "x": 0, "y": 0}, "q3": QRELS["q3"]}
    before, after = score(QRELS, RUN), score(zeros, RUN)
    assert (before.pop("judged@10"), after.pop("judged@10")) == ({"q1": 0.75, "q2": 0, "q3": 1}, {"q1": 1, "q2": 1, "q3": 1})
    assert before == after


def test_right_at_1_needs_a_full_answer_first() -> None:
    assert score({"q": {"a": 3}, "r": {"b": 2}}, {"q": {"a": 1.0}, "r": {"b": 1.0}})["right@1"] == {"q": 1.0, "r": 0.0}


def test_only_the_first_ten_count() -> None:
    ranking = {f"x{rank:02}": 20.0 - rank for rank in range(10)} | {"a": 1.0}
    values = score({"q": {"a": 3}}, {"q": ranking})
    assert {name: by_id["q"] for name, by_id in values.items()} == dict.fromkeys(values, 0.0)


def test_a_missing_question_scores_0_and_stays() -> None:
    values = score(QRELS, {"q3": {"e": 1.0}, "not judged": {"e": 1.0}})
    assert values["ndcg@10"] == {"q1": 0.0, "q2": 0.0, "q3": 1.0}
    assert score(QRELS, {})["ndcg@10"] == {"q1": 0.0, "q2": 0.0, "q3": 0.0}
    assert score(QRELS, {"q1": {}, "q2": {}, "q3": {"e": 1.0}})["ndcg@10"]["q1"] == 0


def test_a_question_without_judgements_is_refused() -> None:
    with pytest.raises(QuestionsError, match="question q9 has no judgements"):
        score(QRELS | {"q9": {}}, RUN)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_score_that_is_no_number_is_refused(value: float) -> None:
    with pytest.raises(ValueError, match="question q2: the score of 'd' is"):
        score(QRELS, RUN | {"q2": {"d": value}})


def test_ties_are_broken_by_key() -> None:
    qrels = {"q": {"b": 3}}
    assert score(qrels, {"q": {"b": 1.0, "c": 1.0}})["right@1"]["q"] == 1
    assert score(qrels, {"q": {"c": 1.0, "b": 1.0}})["right@1"]["q"] == 1
    assert score(qrels, {"q": {"b": 1.0, "a": 1.0}})["right@1"]["q"] == 0


def test_unique_scores_fall_strictly_in_single_precision() -> None:
    import numpy as np

    close = {"a": 0.5, "c": 0.5, "b": 0.5, "d": 0.5 - 1e-12, "e": 0.0, "f": 0.0, "g": -1.0, "h": 0.7}
    unique = unique_scores(close)
    assert list(unique) == ["h", "a", "b", "c", "d", "e", "f", "g"]
    values = np.array(list(unique.values()), dtype=np.float32)
    assert (np.diff(values) < 0).all()
    assert np.allclose(values, [close[key] for key in unique], atol=1e-6)


def test_a_shuffled_run_gives_identical_numbers() -> None:
    chance = random.Random(3)
    qrels = {f"q{i}": {f"d{chance.randrange(40)}": chance.randint(1, 3) for _ in range(4)} for i in range(30)}
    run = {id: {f"d{j}": chance.choice([0.1, 0.2, 0.3, 0.4]) for j in range(40)} for id in qrels}

    def shuffled(mapping: dict) -> dict:
        return dict(chance.sample(list(mapping.items()), len(mapping)))

    again = shuffled({id: shuffled(ranking) for id, ranking in run.items()})
    assert score(shuffled(qrels), again) == score(qrels, run)


def test_ranx_agrees_with_trec_eval() -> None:
    import ir_measures
    from ir_measures import RR, R, nDCG

    chance = random.Random(5)
    qrels = {f"q{i}": {f"d{j}": chance.randint(1, 3) for j in chance.sample(range(30), 5)} for i in range(20)}
    run = {id: {f"d{j}": chance.choice([0.1, 0.2, 0.5]) for j in chance.sample(range(30), 20)} for id in qrels if id != "q7"}
    ours = score(qrels, run)
    measures = {"ndcg@10": nDCG @ 10, "recall@5": R(rel=2) @ 5, "recall@10": R(rel=2) @ 10, "mrr@10": RR(rel=2) @ 10}
    unique = {id: unique_scores(ranking) for id, ranking in run.items()}
    theirs: dict[str, dict[str, float]] = {str(measure): {} for measure in measures.values()}
    for found in ir_measures.iter_calc(list(measures.values()), qrels, unique):
        theirs[str(found.measure)][found.query_id] = found.value
    for name, measure in measures.items():
        expected = {"q7": 0.0} | theirs[str(measure)]
        for id, value in ours[name].items():
            has_relevant = any(grade >= 2 for grade in qrels[id].values())
            assert value == pytest.approx(expected.get(id, 0.0) if has_relevant or name == "ndcg@10" else 0.0), (name, id)


def test_judged_share_is_of_what_was_returned() -> None:
    assert judged_share({"a": 3, "b": 1}, ["a", "x", "b", "y"]) == 0.5
    assert judged_share({"a": 3}, []) == 0


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("ref", "use `ref()` here", True),
        ("ref", "the refs of a template", False),
        ("ref", "toRef and shallow_ref and $ref", False),
        ("ref", "a template-ref", False),
        ("ref", "Ref", False),
        ("v-model", "v-model.trim", True),
        ("model", "v-model", False),
        ("v-if", "v-if-else", False),
        ("$emit", "this.$emit('x')", True),
        ("emit", "this.$emit('x')", False),
        ("KeepAlive", "<KeepAlive>", True),
        ("<KeepAlive>", "KeepAlive keeps", True),
        ("nextTick()", "await nextTick", True),
        ("app.config.errorHandler", "app.config.errorHandler = f", True),
        ("app.use", "apps use", False),
        (":class", 'a :class="b"', True),
        ("sourcemap", "--sourcemap", True),
        (".lazy", "v-model.lazy", True),
        (".lazy", "v-model.lazyload", False),
        ("vue:", 'is="vue:row"', True),
        ("ref", "ref, then", True),
    ],
)
def test_api_names_are_found_whole(name: str, text: str, found: bool) -> None:
    assert api_recall([name], [text]) == float(found)


def test_api_recall_is_a_share_over_all_texts() -> None:
    assert api_recall(["ref", "watch", "computed"], ["ref", "computed()"]) == pytest.approx(2 / 3)
    assert api_recall(["ref"], []) == 0
    with pytest.raises(ValueError, match="names no API"):
        api_recall([], ["ref"])


def answer(id: str, *passages: str, pages: frozenset[str] = frozenset()) -> Answer:
    return Answer(id, {}, "".join(passages), 0, passages, pages, 1.0, {})


def test_answer_metrics_count_three_passages_and_only_questions_with_apis() -> None:
    questions = [
        golden("a", {"p#x": 3, "q": 1}, apis=("ref", "watch")),
        golden("b", {"p": 2, "q": 1}),
        golden("c", {"p": 3}, apis=("ref",)),
    ]
    answers = {
        "a": answer("a", "ref", "", "", "watch", pages=frozenset({"q"})),
        "b": answer("b", pages=frozenset({"p"})),
    }
    values = score_answers(questions, answers)
    assert values["api_recall@3"] == {"a": 0.5, "c": 0.0}
    assert values["api_recall"] == {"a": 1.0, "c": 0.0}
    assert values["gold_in_answer"] == {"a": 0.0, "b": 1.0, "c": 0.0}
