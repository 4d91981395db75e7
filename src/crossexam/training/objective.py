"""The objective of a training: a model under the loss of the chosen debiasing method, if any."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from crossexam.training.debiasing import METHODS, Debias, cross_entropy
from crossexam.training.pipeline import LabelledBatch, ModelOutput


class Objective(nn.Module):
    """A model and its loss.  Layers that only the loss needs are trained with the model and not kept."""

    def __init__(
        self, model: nn.Module, output_of: Callable[[Any, Any], ModelOutput], debias: Debias | None = None
    ) -> None:
        super().__init__()
        self.model, self.debias = model, debias
        self._output_of = output_of
        self._layers: dict[str, nn.Module] = {}

    def attach(self, sample: LabelledBatch) -> None:
        """Add the layers of the debiasing method, as wide as the model's output for *sample*.

        Raises CrossexamError if the method does not suit the model.
        """
        layers_for = METHODS[self.debias.method].layers if self.debias else None
        if layers_for is None:
            return
        self.model.eval()
        with torch.no_grad():
            output = self._output_of(self.model, sample.inputs)
        for name, layer in layers_for(output).items():
            self._layers[name] = layer
            self.add_module(name, layer)

    def forward(self, batch: LabelledBatch) -> Tensor:
        """Return the loss of each example of *batch*: [B]."""
        output = self._output_of(self.model, batch.inputs)
        if self.debias is None:
            return cross_entropy(output.logits, batch.labels)
        return METHODS[self.debias.method].loss(output, batch, self._layers, self.debias)

    def penalty(self) -> Tensor | None:
        """Return the term that the model adds to the loss of any batch, None if it adds none."""
        penalty = getattr(self.model, "penalty", None)
        return penalty() if callable(penalty) else None
