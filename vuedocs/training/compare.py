"""``python -m vuedocs.training.compare --docs DIR NAME=FOLDER ...``: models beside each other, source by source.

Dense retrieval alone, over the first window of each section, of all golden questions of both splits. With models that were
trained ``--without`` some sources it says what a site gains that a model has never read.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from tqdm import tqdm

from vuedocs.bench.comparison import aligned, gains
from vuedocs.bench.questions import GoldenQuestion
from vuedocs.clients.local_model import LocalModel, ModelFiles, find_files
from vuedocs.config import load
from vuedocs.errors import ProviderError, SourceError, VuedocsError
from vuedocs.ingest.session import silent
from vuedocs.ingest.survey import Folders
from vuedocs.sources import registry
from vuedocs.training.dev import ndcg_each
from vuedocs.training.making import asked_of, questions_of
from vuedocs.training.pairs import sections
from vuedocs.training.train import DevSet

Values = Mapping[str, float]
"""nDCG@10 by question."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the table; the first model is the one that the others are compared with."""
    parser = argparse.ArgumentParser("python -m vuedocs.training.compare", description=__doc__)
    parser.add_argument("--docs", type=Path, required=True, help="folder of checkouts or exports named by source")
    parser.add_argument("models", nargs="+", metavar="NAME=FOLDER", help="a folder with model.onnx and tokenizer.json")
    options = parser.parse_args(arguments)
    try:
        print(asyncio.run(compare(options.docs, dict(named(text) for text in options.models))))
    except VuedocsError as error:
        print(f"training.compare: {error}", file=sys.stderr)
        return 2
    return 0


def named(text: str) -> tuple[str, LocalModel]:
    """A model and what it is to be called. ProviderError where its files are not there."""
    name, _, folder = text.partition("=")
    files = ModelFiles(name, Path(folder) / "model.onnx", Path(folder) / "tokenizer.json")
    missing = [str(path) for path in (files.model, files.tokenizer) if not path.is_file()]
    if not folder or missing:
        raise ProviderError(f"{text}: {', '.join(missing) or 'no folder'} is not there; give NAME=FOLDER, as --out of a training")
    return name, LocalModel(files)


async def compare(docs: Path, models: Mapping[str, LocalModel]) -> str:
    """A Markdown table: a row a source, and of each model after the first the paired difference to it."""
    config, cutter = load(), LocalModel(find_files())
    sources = [name for name in registry() if (docs / name).is_dir() and questions_of(name)]
    if not sources:
        raise SourceError(f"{docs} holds no source that has golden questions; give the folder of all docs")
    chunks = await sections(docs, sources, config, Folders(docs, silent))
    values: dict[str, dict[str, float]] = {name: {} for name in models}
    groups: dict[str, set[str]] = {"all": set()}
    for source in tqdm(sources, desc="sources", disable=None):
        questions = questions_of(source)
        asked = asked_of(questions, [chunk for chunk in chunks if chunk.source == source], config, cutter)
        groups[source] = {question.id for question in questions}
        groups["all"] |= groups[source]
        for name, model in models.items():
            values[name] |= await scored(model, questions, asked)
    return table(values, groups)


async def scored(model: LocalModel, questions: Sequence[GoldenQuestion], asked: DevSet) -> Values:
    """Each question's nDCG@10 by cosine alone."""
    scores = await model.embed(asked.questions) @ (await model.embed(asked.windows)).T
    ids = [question.id for question in questions]
    return dict(zip(ids, ndcg_each(asked.relevant, scores, asked.sections), strict=True))


def table(values: Mapping[str, Values], groups: Mapping[str, set[str]]) -> str:
    """The first model's mean and the others' gains over it, by source; p Holm-adjusted over the sources of a column."""
    first, *others = values
    columns = [gains(values[name], values[first], groups) for name in others]
    rows = [["source", "n", first, *others]]
    for group, ids in groups.items():
        mean = sum(values[first][id] for id in ids) / len(ids)
        rows.append([group, str(len(ids)), f"{mean:.3f}", *(str(column[group]) for column in columns)])
    return "\n".join(
        [*aligned(rows), "", f"nDCG@10, section level, both splits; differences to {first}; Holm over {len(groups) - 1}"]
    )


if __name__ == "__main__":
    sys.exit(main())
