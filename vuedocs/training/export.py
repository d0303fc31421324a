"""From a trained model to the file that ships: ONNX with int8 weights, and the proof that it gives the same vectors.

Weights alone are int8, one scale a row or column; the arithmetic stays float. Quantising the activations too makes a third of
the time and costs cosine .007 on two cores with AVX2; a query is not worth that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import onnx
import onnxruntime
import torch
from onnx import TensorProto, helper, numpy_helper
from torch import Tensor, nn

from vuedocs.training.encoder import Encoder

OPSET = 17
LEAST_SIZE = 100_000
"""Numbers in a weight, from which on it is stored as int8: the large matrices, not biases and norms."""


@dataclass(frozen=True, slots=True)
class Parity:
    """How near the file's vectors are to the trained model's: cosines over ``n`` texts, each run alone."""

    n: int
    mean: float
    least: float


class _Hidden(nn.Module):
    """The encoder with the inputs and the one output that the product's runtime knows."""

    def __init__(self, encoder: Encoder) -> None:
        super().__init__()
        self.body = encoder.body
        self.eval()

    def forward(self, input_ids: Tensor, attention_mask: Tensor, token_type_ids: Tensor) -> Tensor:
        found = self.body(input_ids=input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids)
        hidden: Tensor = found.last_hidden_state
        return hidden


def export(encoder: Encoder, file: Path) -> None:
    """Writes ``file``, deterministically for equal weights."""
    names = ["input_ids", "attention_mask", "token_type_ids"]
    example = torch.ones(1, 8, dtype=torch.long)
    torch.onnx.export(
        _Hidden(encoder),
        (example, example, torch.zeros_like(example)),
        str(file),
        input_names=names,
        output_names=["last_hidden_state"],
        dynamic_axes={name: {0: "texts", 1: "tokens"} for name in [*names, "last_hidden_state"]},
        opset_version=OPSET,
        dynamo=False,
    )
    model = onnx.load(file)
    quantise(model)
    onnx.save(model, file)


def quantise(model: onnx.ModelProto) -> None:
    """Turns the large matrices of ``model`` into int8, with the nodes that turn them back when it is loaded.

    Cast and Mul rather than DequantizeLinear: onnxruntime joins the latter to the multiplication and quantises activations too.
    """
    graph = model.graph
    gathered = {node.input[0] for node in graph.node if node.op_type == "Gather"}
    nodes: list[onnx.NodeProto] = []
    for tensor in list(graph.initializer):
        weights = numpy_helper.to_array(tensor)
        if weights.dtype != np.float32 or weights.ndim != 2 or weights.size < LEAST_SIZE:
            continue
        axis = 0 if tensor.name in gathered else 1
        whole, scale = int8(weights, axis)
        graph.initializer.remove(tensor)
        graph.initializer.extend(
            [numpy_helper.from_array(whole, f"{tensor.name}.int8"), numpy_helper.from_array(scale, f"{tensor.name}.scale")]
        )
        cast, back = f"{tensor.name}.cast", [f"{tensor.name}.cast", f"{tensor.name}.scale"]
        nodes += [
            helper.make_node("Cast", [f"{tensor.name}.int8"], [cast], to=TensorProto.FLOAT),
            helper.make_node("Mul", back, [tensor.name]),
        ]
    for node in reversed(nodes):
        graph.node.insert(0, node)
    onnx.checker.check_model(model)


def int8(weights: npt.NDArray[np.float32], axis: int) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.float32]]:
    """Whole numbers from -127 to 127 of the shape of ``weights``, and one scale for each place on ``axis``, to multiply by."""
    scale = np.abs(weights).max(axis=1 - axis, keepdims=True) / 127
    scale = np.where(scale == 0, 1, scale).astype(np.float32)
    return np.round(weights / scale).astype(np.int8), scale


def parity(encoder: Encoder, file: Path, texts: Sequence[str], limit: int) -> Parity:
    """Cosines between the trained model's vectors and those of ``file``, for texts cut at ``limit`` tokens."""
    session = onnxruntime.InferenceSession(str(file), providers=["CPUExecutionProvider"])
    encoder.eval()
    cosines = []
    with torch.no_grad():
        for text in texts:
            ids, mask = encoder.encode([text], limit)
            inputs = {"input_ids": ids.numpy(), "attention_mask": mask.numpy(), "token_type_ids": np.zeros_like(ids.numpy())}
            hidden = session.run(["last_hidden_state"], inputs)[0][0].mean(axis=0)
            cosines.append(float(hidden / np.linalg.norm(hidden) @ encoder(ids, mask)[0][0].numpy()))
    return Parity(len(texts), float(np.mean(cosines)), float(np.min(cosines)))
