"""What a training minimises: a model, how it reads a batch, and the loss of the chosen debiasing method."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from crossexam.core.errors import CrossexamError, UnknownNameError
from crossexam.training import losses

METHODS: Final = ("adv", "drift", "learned-mixin", "learned-mixin-h", "weighting")
_ADVERSARY_WIDTH: Final = 512  # of the hidden layers of InferSent's classifier, which Belinkov et al. take


@dataclass(frozen=True)
class Debias:
    """A debiasing method and its settings.

    ``adversary_weight`` and ``reversal`` are lambda_loss and lambda_enc of Belinkov et al. 2019 (released
    README, SNLI); ``entropy_weight`` is w of Learned-Mixin+H (Clark et al. 2019, for MultiNLI); ``smooth``
    is the smooth term of weighting.  ``folds``: a biased model trained on the spot answers for examples
    that it was not trained on where there is more than one.  Zhang et al. 2020 search the four (appendix
    D); which values they found, the paper does not say.
    """

    method: str
    adversary_weight: float = 0.1
    reversal: float = 0.2
    entropy_weight: float = 0.03
    smooth: float = 0.1
    folds: int = 0  # 0: five for weighting, which needs them, one for the others

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise UnknownNameError("debiasing method", self.method, METHODS)
        if self.folds < 0 or (self.folds == 1 and self.method == "weighting"):
            raise CrossexamError(f"{self.folds} folds", wanted="2 or more for weighting, else 1 or more")

    @property
    def needs_bias(self) -> bool:
        """Whether the method needs the answers of a biased model."""
        return self.method != "adv"


class Reading(NamedTuple):
    """What a model makes of a batch: *logits* [B, 3], *features* [B, h], the hypothesis's vector [B, d]."""

    logits: Tensor
    features: Tensor
    hypothesis: Tensor | None = None


Reader = Callable[[Any, Any], Reading]


@dataclass(frozen=True)
class Batch:
    """A batch: the model's *inputs*, *labels* [B]; of a biased model *log_bias* [B, 3]; *weights* [B]."""

    inputs: Any
    labels: Tensor
    log_bias: Tensor | None = None
    weights: Tensor | None = None

    def to(self, device: torch.device) -> Batch:
        """Return the same batch on *device*."""
        rest = {
            name: value.to(device)
            for name in ("log_bias", "weights")
            if (value := getattr(self, name)) is not None
        }
        return replace(self, inputs=self.inputs.to(device), labels=self.labels.to(device), **rest)


class Objective(nn.Module):
    """A model under a loss; what the loss alone needs (gate, adversary) is trained along and not kept."""

    def __init__(self, model: nn.Module, read: Reader, debias: Debias | None = None) -> None:
        super().__init__()
        self.model, self.read, self.debias = model, read, debias
        self.gate: nn.Linear | None = None
        self.adversary: nn.Module | None = None

    def attach(self, sample: Batch) -> None:
        """Make the layers that the method adds, of the widths that *sample* shows."""
        method = self.debias.method if self.debias else ""
        if method not in ("adv", "learned-mixin", "learned-mixin-h"):
            return
        self.model.eval()
        with torch.no_grad():
            seen = self.read(self.model, sample.inputs)
        if method == "adv":
            if seen.hypothesis is None:
                raise CrossexamError(
                    "adv needs a model that encodes the hypothesis on its own",
                    wanted="a sentence encoder",
                    hint="--debias drift works with every model",
                )
            self.adversary = nn.Sequential(
                nn.Linear(seen.hypothesis.shape[-1], _ADVERSARY_WIDTH),
                nn.Tanh(),
                nn.Linear(_ADVERSARY_WIDTH, 3),
            )
        else:
            self.gate = nn.Linear(seen.features.shape[-1], 1)

    def forward(self, batch: Batch) -> Tensor:
        """Return the loss of each example of *batch*: [B]."""
        seen = self.read(self.model, batch.inputs)
        debias = self.debias
        if debias is None:
            return losses.cross_entropy(seen.logits, batch.labels)
        if self.adversary is not None and seen.hypothesis is not None:
            guess = self.adversary(losses.reversed_gradient(seen.hypothesis, debias.reversal))
            return losses.adversary(seen.logits, guess, batch.labels, debias.adversary_weight)
        if batch.weights is not None:
            return batch.weights * losses.cross_entropy(seen.logits, batch.labels)
        if batch.log_bias is None:
            raise ValueError(f"{debias.method} needs the answers of a biased model")
        if self.gate is None:
            return losses.drift(seen.logits, batch.log_bias, batch.labels)
        gate = functional.softplus(self.gate(seen.features).squeeze(-1).float())
        if debias.method == "learned-mixin":
            return losses.learned_mixin(seen.logits, batch.log_bias, gate, batch.labels)
        return losses.learned_mixin_h(seen.logits, batch.log_bias, gate, batch.labels, debias.entropy_weight)

    def penalty(self) -> Tensor | None:
        """Return what the model adds to the loss whatever it reads, None where it adds nothing."""
        added = getattr(self.model, "penalty", None)
        return added() if callable(added) else None
