"""What training makes small: a question must be nearer to its own section than to others, and a section to its own questions."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

SCALE = 20.0
"""Of cosines before the softmax (van den Oord et al. 2018; the value of sentence-transformers)."""


def contrastive(scores: Tensor, owners: Tensor) -> Tensor:
    """In-batch softmax both ways over cosines of shape (questions, sections); ``owners`` holds each question's section.

    A section has several questions: each of them is right, against all questions of other sections.
    """
    logits = SCALE * scores
    forward = functional.cross_entropy(logits, owners)
    own = functional.one_hot(owners, logits.shape[1]).bool()
    others = logits.masked_fill(own, float("-inf")).logsumexp(0)
    right = logits.gather(1, owners[:, None]).squeeze(1)
    backward = functional.softplus(others[owners] - right).mean()
    return (forward + backward) / 2


def together(questions: Tensor, owners: Tensor) -> Tensor:
    """Questions of one section near each other, against those of other sections: what serves hypothetical questions (HyPE)."""
    logits = SCALE * (questions @ questions.T)
    same = owners[:, None] == owners[None, :]
    itself = torch.eye(len(owners), dtype=torch.bool)
    others = logits.masked_fill(same, float("-inf")).logsumexp(1, keepdim=True)
    pairs = functional.softplus(others - logits)[same & ~itself]
    return pairs.mean() if pairs.numel() else logits.sum() * 0


def late_interaction(questions: Tensor, passages: Tensor, mask: Tensor) -> Tensor:
    """MaxSim of every question with every passage (Khattab and Zaharia 2020), -1 to 1: the mean over a question's tokens.

    ``questions`` (n, a, dims), ``passages`` (m, b, dims), ``mask`` (n, a) of the questions' tokens.
    """
    count, length, dims = questions.shape
    similar = questions.reshape(count * length, dims) @ passages.reshape(-1, dims).T
    best = similar.reshape(count, length, len(passages), -1).amax(-1)
    weights = mask.to(best.dtype)
    return torch.einsum("nam,na->nm", best, weights) / weights.sum(1, keepdim=True)
