"""How the local model is trained: pairs from question packs, fine-tuning, export, checks, and the model's card.

An extra of its own (``pip install -e '.[training]'``: torch, transformers, onnx); nothing of the product imports it. One command
does all of it::

    python -m vuedocs.training --docs ../docs --out trained

Golden questions are never trained on: they decide when to stop (dev) and are reported on once (test).
"""
