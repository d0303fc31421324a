"""The runner of notebooks: papermill, with every way to fail in silence closed.

    for output in run_notebooks(["01_parse"], ["source=vue"]):
        print(output)                                   # evals/runs/20261130T102500Z-4f1c/01_parse.ipynb

Papermill takes ``007`` for 7 and ``true`` for text, only logs a parameter that a notebook does not have, and calls a notebook
that ended by ``sys.exit(0)`` a success. Here parameters are read by the type of the notebook's own default before anything runs,
and a run is a success only when every code cell was executed.
"""

from vuedocs.notebooks.outputs import MIME, published
from vuedocs.notebooks.runner import PIPELINE, run_notebooks

__all__ = ["MIME", "PIPELINE", "published", "run_notebooks"]
