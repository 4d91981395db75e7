"""What a training minimises: a model, how it reads a batch, and the loss of the chosen debiasing method.

Losses of the debiasing methods that Zhang et al. 2020, section 4.1, compare, as pure functions.

Conventions: ``logits`` [B, 3] are the main model's, ``log_bias`` [B, 3] the natural logarithms of the
biased model's probabilities (each row sums to 1 in probabilities), ``labels`` [B] indices; p is the main
model, b the biased one, y the gold label.  A loss is per example, [B], in nats; the mean over the batch is
taken by the training loop.  All is computed in float32 whatever the logits are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from crossexam.core.errors import CrossexamError, UnknownNameError

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
            return cross_entropy(seen.logits, batch.labels)
        if self.adversary is not None and seen.hypothesis is not None:
            guess = self.adversary(reversed_gradient(seen.hypothesis, debias.reversal))
            return adversary(seen.logits, guess, batch.labels, debias.adversary_weight)
        if batch.weights is not None:
            return batch.weights * cross_entropy(seen.logits, batch.labels)
        if batch.log_bias is None:
            raise ValueError(f"{debias.method} needs the answers of a biased model")
        if self.gate is None:
            return drift(seen.logits, batch.log_bias, batch.labels)
        gate = functional.softplus(self.gate(seen.features).squeeze(-1).float())
        if debias.method == "learned-mixin":
            return learned_mixin(seen.logits, batch.log_bias, gate, batch.labels)
        return learned_mixin_h(seen.logits, batch.log_bias, gate, batch.labels, debias.entropy_weight)

    def penalty(self) -> Tensor | None:
        """Return what the model adds to the loss whatever it reads, None where it adds nothing."""
        added = getattr(self.model, "penalty", None)
        return added() if callable(added) else None


#: The least probability that a biased model is taken to give: a sure one would otherwise outweigh anything.
LEAST_PROBABILITY: Final = 1e-4


def log_bias_of(probabilities: Tensor) -> Tensor:
    """Return the logarithms of *probabilities* [B, 3], none below LEAST_PROBABILITY, renormalised: [B, 3]."""
    return torch.log_softmax(probabilities.clamp(min=LEAST_PROBABILITY).log().float(), -1)


def cross_entropy(logits: Tensor, labels: Tensor) -> Tensor:
    """Return -log softmax(logits)[y]: [B].

    >>> cross_entropy(torch.zeros(1, 3), torch.tensor([2])).exp().round(decimals=3).item()
    3.0
    """
    return functional.cross_entropy(logits.float(), labels, reduction="none")


def drift(logits: Tensor, log_bias: Tensor, labels: Tensor) -> Tensor:
    """Return the loss of DRiFt, a product of experts: [B] (He et al. 2019, section 3.2, equation 5).

    -log softmax(log p + log b)[y].  A biased model that is uniform changes nothing.
    """
    return cross_entropy(torch.log_softmax(logits.float(), -1) + log_bias, labels)


def learned_mixin(logits: Tensor, log_bias: Tensor, gate: Tensor, labels: Tensor) -> Tensor:
    """Return the loss of Learned-Mixin: [B] (Clark et al. 2019, section 3.2.3).

    -log softmax(log p + g log b)[y], where the *gate* g(x) > 0 [B] says how much the biased model is
    trusted with an example.  With g = 1 it is DRiFt, with g = 0 the plain loss.
    """
    return drift(logits, gate.float().unsqueeze(-1) * log_bias, labels)


def learned_mixin_h(logits: Tensor, log_bias: Tensor, gate: Tensor, labels: Tensor, weight: float) -> Tensor:
    """Return the loss of Learned-Mixin+H: [B] (Clark et al. 2019, section 3.2.4).

    That of Learned-Mixin plus *weight* times the entropy of softmax(g log b), which keeps the gate from
    falling to zero, where the biased model would not be used.
    """
    return learned_mixin(logits, log_bias, gate, labels) + weight * entropy(
        gate.float().unsqueeze(-1) * log_bias
    )


def entropy(logits: Tensor) -> Tensor:
    """Return the entropy of softmax(logits), in nats: [B, k] -> [B]."""
    logs = torch.log_softmax(logits.float(), -1)
    return -(logs.exp() * logs).sum(-1)


def weighting(bias: Tensor, labels: Tensor, smooth: float) -> Tensor:
    """Return the weight of each training example: [n], their mean 1 (Zhang et al. 2019b).

    w proportional to P(y) / (P(y given h) + *smooth*), with P(y given h) the out-of-fold probabilities
    *bias* [n, 3] of a hypothesis-only model and P(y) their mean over the training set.  A biased model
    that says the same of every hypothesis gives every label the weight of its own share; a uniform one
    gives weights of 1.

    The paper that Zhang et al. 2020 cite solves for the weights on question pairs; for NLI only a
    "smooth term" is named (appendix D).  It stands here in the denominator, where it bounds the largest
    weight by P(y) / smooth before scaling.
    """
    bias = bias.double()
    prior = bias.mean(0)
    weights = prior[labels] / (bias.gather(1, labels.unsqueeze(1)).squeeze(1) + smooth)
    return (weights / weights.mean()).float()


class _Reversal(torch.autograd.Function):
    """The identity, whose gradient is that times -strength (Ganin and Lempitsky 2015)."""

    @staticmethod
    def forward(ctx: Any, states: Tensor, strength: float) -> Tensor:
        ctx.strength = strength
        return states.view_as(states)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None]:
        return -ctx.strength * gradients[0], None


def reversed_gradient(states: Tensor, strength: float) -> Tensor:
    """Return *states* unchanged; the gradient that comes back through them is multiplied by -*strength*."""
    reversed_states: Tensor = _Reversal.apply(states, strength)  # type: ignore[no-untyped-call]
    return reversed_states


def adversary(logits: Tensor, adversary_logits: Tensor, labels: Tensor, weight: float) -> Tensor:
    """Return the loss of adversarial training: [B] (Belinkov et al. 2019, method 1, equation 5).

    CE(p, y) + *weight* CE(adversary, y), where the adversary reads the hypothesis's vector through
    :func:`reversed_gradient`: the adversary learns the label from it, the encoder unlearns to show it.
    """
    return cross_entropy(logits, labels) + weight * cross_entropy(adversary_logits, labels)
