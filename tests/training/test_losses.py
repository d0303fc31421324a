"""The losses by hand, on vectors that can be drawn on paper; only where torch is installed."""

from __future__ import annotations

import math

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed (extra training)")

from vuedocs.training.losses import SCALE, contrastive, late_interaction, together  # noqa: E402


def test_right_answers_cost_less_than_wrong_ones() -> None:
    owners = torch.tensor([0, 0, 1])
    right = torch.tensor([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    assert contrastive(right, owners) < 0.01
    assert contrastive(1 - right, owners) > 10


def test_the_contrastive_loss_is_the_softmax_both_ways() -> None:
    scores = torch.tensor([[0.5, 0.4], [0.3, 0.6]])
    forward = [math.log1p(math.exp(SCALE * (0.4 - 0.5))), math.log1p(math.exp(SCALE * (0.3 - 0.6)))]
    backward = [math.log1p(math.exp(SCALE * (0.3 - 0.5))), math.log1p(math.exp(SCALE * (0.4 - 0.6)))]
    expected = (sum(forward) / 2 + sum(backward) / 2) / 2
    assert contrastive(scores, torch.tensor([0, 1])).item() == pytest.approx(expected, abs=1e-5)


def test_questions_of_one_section_are_drawn_together() -> None:
    near = torch.tensor([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    assert together(near, torch.tensor([0, 0, 1])) < together(near, torch.tensor([0, 1, 0]))


def test_sections_with_one_question_each_cost_nothing_there() -> None:
    assert together(torch.eye(2), torch.tensor([0, 1])).item() == 0


def test_late_interaction_takes_each_tokens_best_and_leaves_padding_out() -> None:
    questions = torch.tensor([[[1.0, 0.0], [0.0, 1.0]], [[0.6, 0.8], [0.0, 0.0]]])
    passages = torch.tensor([[[1.0, 0.0], [0.8, 0.6]]])
    scores = late_interaction(questions, passages, torch.tensor([[1, 1], [1, 0]]))
    assert scores.flatten().tolist() == pytest.approx([(1.0 + 0.6) / 2, 0.6 * 0.8 + 0.8 * 0.6])
