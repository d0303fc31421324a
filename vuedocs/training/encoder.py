"""The model in training: all-MiniLM-L6-v2 with mean pooling, and a small head for its tokens."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import torch
from tokenizers import Tokenizer
from torch import Tensor, nn
from torch.nn import functional
from transformers import BertModel

TOKEN_DIMS = 96
"""Of a token vector: what late interaction would store."""


class Encoder(nn.Module):
    """Texts to unit vectors, one a text (384) and one a token (:data:`TOKEN_DIMS`)."""

    def __init__(self, base: Path, tokenizer: Tokenizer) -> None:
        super().__init__()
        self.body = BertModel.from_pretrained(base, add_pooling_layer=False, attn_implementation="sdpa")
        self.head = nn.Linear(self.body.config.hidden_size, TOKEN_DIMS, bias=False)
        nn.init.orthogonal_(self.head.weight)
        self.tokenizer = tokenizer

    def freeze(self, layers: int) -> None:
        """Leaves the embeddings and the lowest ``layers`` as they are: rare words are seen too seldom to be moved well."""
        for part in (self.body.embeddings, *self.body.encoder.layer[:layers]):
            part.requires_grad_(False)

    def encode(self, texts: Sequence[str], limit: int) -> tuple[Tensor, Tensor]:
        """(token ids, mask) of shape (n, longest), texts cut at ``limit`` tokens."""
        self.tokenizer.enable_truncation(limit)
        self.tokenizer.enable_padding()
        encoded = self.tokenizer.encode_batch(list(texts))
        return torch.tensor([each.ids for each in encoded]), torch.tensor([each.attention_mask for each in encoded])

    def forward(self, ids: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """(text vectors (n, 384), token vectors (n, longest, dims); padding's are zero), all of unit length."""
        hidden = self.body(input_ids=ids, attention_mask=mask).last_hidden_state
        weights = mask.unsqueeze(-1).to(hidden.dtype)
        mean = (hidden * weights).sum(1) / weights.sum(1)
        tokens = functional.normalize(self.head(hidden), dim=-1) * weights
        return functional.normalize(mean, dim=-1), tokens
