"""The graph that ships computes what the trained encoder does; where torch, transformers and onnx are installed."""

from __future__ import annotations

import numpy as np
import onnxruntime
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed (extra training)")
onnx = pytest.importorskip("onnx", reason="onnx is not installed (extra training)")
transformers = pytest.importorskip("transformers", reason="transformers is not installed (extra training)")


@pytest.mark.parametrize("length", [1, 2, 17])
def test_a_small_encoder_and_its_graph_agree(length: int) -> None:
    from vuedocs.training.graph import graph_of

    torch.manual_seed(7)
    size = {"vocab_size": 50, "hidden_size": 24, "intermediate_size": 64, "max_position_embeddings": 32}
    depth = {"num_hidden_layers": 2, "num_attention_heads": 3}
    shape = transformers.BertConfig(**size, **depth, initializer_range=0.2)  # so large that attention is far from even
    body = transformers.BertModel(shape, add_pooling_layer=False).eval()
    model = graph_of({name: tensor.numpy() for name, tensor in body.state_dict().items()}, 2, 3)
    onnx.checker.check_model(model)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    ids = np.random.default_rng(7).integers(0, 50, (1, length))
    inputs = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
    found = session.run(["last_hidden_state"], inputs)[0]
    with torch.no_grad():
        wanted = body(input_ids=torch.tensor(ids)).last_hidden_state.numpy()
    assert found.shape == wanted.shape
    assert np.corrcoef(found.ravel(), wanted.ravel())[0, 1] > 0.998, "int8 weights cost this little"
