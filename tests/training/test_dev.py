"""The look at dev questions, with its arithmetic; and the int8 weights, where onnx is installed."""

from __future__ import annotations

import math

import numpy as np
import pytest

from vuedocs.training.dev import ndcg


def test_ndcg_has_linear_gains_and_the_ideal_of_the_judgements() -> None:
    scores = np.array([[0.9, 0.5, 0.1]], np.float32)
    value = ndcg([{"a": 2, "c": 3}], scores, ["a", "b", "c"])
    assert value == pytest.approx((2 + 3 / math.log2(4)) / (3 + 2 / math.log2(3)))


def test_int8_weights_are_near_and_keep_their_zeros() -> None:
    pytest.importorskip("onnx", reason="onnx is not installed (extra training)")
    from vuedocs.training.graph import int8

    weights = np.array([[0.0, 0.0], [0.5, -2.0], [1.27, 0.01]], np.float32)
    whole, scale = int8(weights, axis=0)
    assert whole.dtype == np.int8
    assert scale.shape == (3, 1)
    assert np.abs(whole * scale - weights).max() <= scale.max() / 2 + 1e-6
    assert not whole[0].any()
