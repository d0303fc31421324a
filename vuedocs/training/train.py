"""The training loop: batches of neighbouring sections, three losses, and the dev questions now and then."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from vuedocs.clients import Embedder
from vuedocs.training.dev import Judgements, ndcg
from vuedocs.training.encoder import Encoder
from vuedocs.training.losses import contrastive, late_interaction, together
from vuedocs.training.pairs import Example, batches, passage
from vuedocs.training.recipe import Recipe


@dataclass(frozen=True, slots=True)
class DevSet:
    """What decides when to stop: questions with their judgements, and the sections they are asked of."""

    questions: Sequence[str]
    relevant: Sequence[Judgements]
    sections: Sequence[str]
    windows: Sequence[str]


@dataclass(slots=True)
class Progress:
    """What happened: (step, dev nDCG@10), the untrained model first, and the step that was kept."""

    looks: list[tuple[int, float]] = field(default_factory=list)
    kept: int = 0


def train(
    encoder: Encoder,
    examples: Sequence[Example],
    near: Mapping[str, Sequence[str]],
    dev: DevSet,
    cutter: Embedder,
    recipe: Recipe,
    checkpoint: Path,
    say: Callable[[str], None],
) -> Progress:
    """Trains ``encoder`` in place and leaves it as it was at its best look at ``dev``; ``checkpoint`` holds that state."""
    torch.manual_seed(recipe.seed)
    chance = random.Random(recipe.seed)
    encoder.freeze(recipe.frozen_layers)
    steps = max(1, int(len(examples) // recipe.batch * recipe.epochs))
    checkpoint.unlink(missing_ok=True)  # of an earlier run
    optimiser, schedule = _optimiser(encoder, recipe, steps)
    progress = Progress([(0, look(encoder, dev, recipe))])
    say(f"{steps} steps; dev nDCG@10 of the untrained model, dense alone: {progress.looks[0][1]:.3f}")
    step = 0
    while step < steps:
        for batch in batches(examples, near, recipe.batch, recipe.group, chance)[: steps - step]:
            losses = step_losses(encoder, batch, cutter, recipe, chance)
            loss = losses[0] + recipe.together_weight * losses[1] + recipe.token_weight * losses[2]
            optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(encoder.parameters(), 1.0)
            optimiser.step()
            schedule.step()
            step += 1
            if step % recipe.check_every == 0 or step == steps:
                progress.looks.append((step, look(encoder, dev, recipe)))
                say(f"step {step}: losses {[round(each.item(), 3) for each in losses]}, dev nDCG@10 {progress.looks[-1][1]:.3f}")
                if progress.looks[-1][1] >= max(value for _, value in progress.looks[1:]):
                    progress.kept = step
                    torch.save(encoder.state_dict(), checkpoint)
    encoder.load_state_dict(torch.load(checkpoint, weights_only=True))
    return progress


def step_losses(
    encoder: Encoder, batch: Sequence[Example], cutter: Embedder, recipe: Recipe, chance: random.Random
) -> tuple[Tensor, Tensor, Tensor]:
    """Questions against sections, questions against questions, and token vectors against token vectors."""
    drawn = [chance.sample(example.questions, min(recipe.questions, len(example.questions))) for example in batch]
    owners = torch.tensor([number for number, questions in enumerate(drawn) for _ in questions])
    ids, mask = encoder.encode([question for questions in drawn for question in questions], recipe.question_tokens)
    questions, question_tokens = encoder(ids, mask)
    passages = [passage(example, recipe.passage_tokens, cutter, chance) for example in batch]
    sections, section_tokens = encoder(*encoder.encode(passages, recipe.passage_tokens))
    return (
        contrastive(questions @ sections.T, owners),
        together(questions, owners),
        contrastive(late_interaction(question_tokens, section_tokens, mask), owners),
    )


@torch.no_grad()
def look(encoder: Encoder, dev: DevSet, recipe: Recipe) -> float:
    """nDCG@10 of dense retrieval alone on the dev questions."""
    encoder.eval()
    sections = vectors(encoder, dev.windows, recipe.passage_tokens)
    questions = vectors(encoder, dev.questions, recipe.question_tokens)
    encoder.train()
    return ndcg(dev.relevant, questions @ sections.T, dev.sections)


@torch.no_grad()
def vectors(encoder: Encoder, texts: Sequence[str], limit: int, batch: int = 32) -> npt.NDArray[np.float32]:
    """One unit vector a text, (n, 384), in the order given; similar lengths are run together."""
    order = sorted(range(len(texts)), key=lambda number: len(texts[number]))
    found = np.zeros((len(texts), encoder.body.config.hidden_size), np.float32)
    for start in range(0, len(order), batch):
        numbers = order[start : start + batch]
        found[numbers] = encoder(*encoder.encode([texts[number] for number in numbers], limit))[0].numpy()
    return found


def _optimiser(
    encoder: Encoder, recipe: Recipe, steps: int
) -> tuple[torch.optim.Optimizer, torch.optim.lr_scheduler.LRScheduler]:
    body = [parameter for parameter in encoder.body.parameters() if parameter.requires_grad]
    groups = [{"params": body, "lr": recipe.learning_rate}, {"params": encoder.head.parameters(), "lr": recipe.head_rate}]
    optimiser = torch.optim.AdamW(groups, weight_decay=0.01)

    def factor(step: int) -> float:
        falling = 1.0 if step < steps / 2 else (steps - step) / (steps / 2)
        return min(1.0, (step + 1) / recipe.warm_up) * max(0.02, falling)

    return optimiser, torch.optim.lr_scheduler.LambdaLR(optimiser, factor)
