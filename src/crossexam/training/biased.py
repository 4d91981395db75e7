"""The biased model of a debiasing method, trained on the spot: the model's own form without the premise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

import torch
from torch import Tensor

from crossexam.training import debiasing, folder
from crossexam.training.batching import plan_epoch
from crossexam.training.collation import EncodedPairs
from crossexam.training.kit import Kit, part_of, read_pairs
from crossexam.training.loop import Trainer
from crossexam.training.objective import Objective
from crossexam.training.plan import Epoch, Plan
from crossexam.zoo.hypothesis_only import hypothesis_only
from crossexam.zoo.table import architecture_named

_BIAS_FOR_OTHERS: Final = "hypothesis_only"  # the biased model of what encodes no sentences


def bias_of(kit: Kit, prints: dict[str, Any]) -> debiasing.Bias | None:
    """Return the biased model's answers over the training set, None where the method needs none."""
    if kit.debias is None or not kit.debias.needs_bias:
        return None
    examples = kit.request.data.examples
    pairs = kit.encoder.pairs(examples, max_length=kit.recipe.max_length)
    if kit.request.bias is not None:
        probabilities = debiasing.probabilities_from_run(kit.request.bias, examples)
    else:
        answer = partial(_biased_answers, kit, pairs, prints)
        probabilities = debiasing.probabilities_on_the_spot(len(pairs), kit.debias, kit.request.seed, answer)
    return debiasing.make_bias(examples, probabilities, torch.from_numpy(pairs.labels), kit.debias)


def _biased_answers(
    kit: Kit,
    pairs: EncodedPairs,
    prints: dict[str, Any],
    rows: Sequence[int],
    asked: Sequence[int],
    name: str,
) -> Tensor:
    """Train the hypothesis-only form of the model on *rows*, and return its answers for *asked*: [n, 3]."""
    if kit.architecture.encodes_sentences:
        biased, config = hypothesis_only(kit.architecture), kit.config
    else:
        biased = architecture_named(_BIAS_FOR_OTHERS)
        width = kit.vectors.width if kit.vectors else biased.config.width
        config = replace(biased.config, width=width)
    recipe = kit.recipe if kit.architecture.encodes_sentences else biased.recipe
    part = part_of(pairs, rows)

    def epoch_of(epoch: int) -> Epoch:
        batches = plan_epoch(part.lengths, recipe.batch_size, seed=kit.request.seed, epoch=epoch)
        return Epoch(batches, partial(kit.collate, part, None, None))

    model = kit.model(biased, config, kit.request.seed)
    place = kit.request.folder / folder.UNFINISHED / name.replace(" ", "-")
    plan = Plan(
        recipe, kit.request.seed, kit.device, place, None, {**prints, "biased": name}, watch=kit.request.watch
    )
    Trainer(Objective(model, read_pairs), epoch_of, kit.score, plan).run()
    return torch.softmax(kit.logits(model, part_of(pairs, asked)).double(), -1)
