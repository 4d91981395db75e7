"""Debiasing methods, as Zhang et al. 2020, section 4.1, compare them, and the biased model they rely on.

``METHODS`` is the table of methods.  The losses are pure functions: ``logits`` [B, 3] are the main model's,
``log_bias`` [B, 3] the natural logarithms of the biased model's probabilities, ``labels`` [B] the indices
of the gold labels; p is the main model's distribution, b the biased model's, y the gold label.  A loss is
per example, [B], in nats, computed in float32 whatever the type of the logits; the training loop takes the
mean over the batch.

Nothing here imports torch before a loss is computed, so that the command line can list the methods.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from crossexam.core.errors import CrossexamError, UnknownNameError
from crossexam.core.example import Example
from crossexam.core.labels import THREE_LABELS, Projection
from crossexam.core.randomness import rng_for
from crossexam.core.settings import Settings
from crossexam.training.pipeline import LabelledBatch, ModelOutput

if TYPE_CHECKING:
    from torch import Tensor, nn

    from crossexam.core.dataset import Run
    from crossexam.corpora.trained import BiasScore

#: A floor for the biased model's probabilities: a prediction of certainty would outweigh any other.
LEAST_PROBABILITY: Final = 1e-4
FOLDS: Final = 5
#: A biased model is stopped by one of so many parts of the examples it may learn from.
STOPPING_PARTS: Final = 10
_ADVERSARY_WIDTH: Final = 512  # of the hidden layer of InferSent's classifier, which Belinkov et al. use
_IDS_NAMED: Final = 3


@dataclass(frozen=True)
class Debias:
    """A debiasing method and its settings.

    ``adversary_weight`` and ``reversal`` are lambda_loss and lambda_enc of Belinkov et al. 2019 (released
    README, SNLI); ``entropy_weight`` is w of Learned-Mixin+H (Clark et al. 2019, for MultiNLI); ``smooth``
    is the smooth term of instance weighting.  With ``folds`` greater than one, each biased model that is
    trained on the spot predicts examples it was not trained on; 0 stands for the method's default.  Zhang
    et al. 2020 search the four weights (appendix D) but do not report the values they chose.
    """

    method: str
    adversary_weight: float = 0.1
    reversal: float = 0.2
    entropy_weight: float = 0.03
    smooth: float = 0.1
    folds: int = 0

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise UnknownNameError("debiasing method", self.method, METHODS)
        for each in fields(self):
            value = getattr(self, each.name)
            if each.type == "float" and not 0 <= value < math.inf:
                raise CrossexamError(f"'{each.name}' is {value:g}", wanted="a number of 0 or more")
        least = 2 if METHODS[self.method].folds > 1 else 1
        if self.folds != 0 and self.folds < least:
            raise CrossexamError(f"{self.folds} folds", wanted=f"{least} or more for {self.method}")

    @property
    def biased_models(self) -> int:
        """The number of biased models that are trained if no run is given."""
        return self.folds or METHODS[self.method].folds


def settings_with(
    parts: Mapping[str, Any], method: str | None, values: Mapping[str, str], *, bias_given: bool
) -> Mapping[str, Any]:
    """Return *parts* and, as ``debias``, the settings of the debiasing *method*, all changed by *values*.

    Raises CrossexamError if a value does not fit its field, or if it is for a setting that the method does
    not read: the number of folds is read if biased models are trained, and not *bias_given*.

    >>> settings_with({}, "weighting", {"smooth": "0.5"}, bias_given=True)["debias"].smooth
    0.5
    >>> settings_with({}, "drift", {"smooth": "0.5"}, bias_given=True)
    Traceback (most recent call last):
    ...
    crossexam.core.errors.CrossexamError: --set smooth=0.5: drift with --bias does not read 'smooth'
      hint: leave it out; weighting reads it
    """
    settings = Settings({**parts, "debias": Debias(method) if method else None})
    for name, value in values.items():
        part, field_name = settings.find(name)
        if part == "debias" and method and field_name not in _read_by(method, bias_given=bias_given):
            others = [each for each in METHODS if field_name in _read_by(each, bias_given=bias_given)]
            raise CrossexamError(
                f"{method}{' with --bias' if bias_given else ''} does not read '{field_name}'",
                where=f"--set {name}={value}",
                hint=f"leave it out{f'; {_listed(others)} it' if others else ''}",
            )
    return settings.with_values(values).parts


def _read_by(method: str, *, bias_given: bool) -> tuple[str, ...]:
    """Return the fields of Debias that *method* reads."""
    trains = METHODS[method].needs_bias and not bias_given
    return (*METHODS[method].settings, *(["folds"] if trains else []))


def _listed(names: Sequence[str]) -> str:
    return f"{', '.join(names)} {'reads' if len(names) == 1 else 'read'}"


#: The layers that a loss adds to the model, by name: trained with it, and not kept.
Layers = Mapping[str, "nn.Module"]


@dataclass(frozen=True)
class DebiasMethod:
    """A row of the table of debiasing methods.

    ``formula`` and ``paper`` are for the documentation; ``settings`` names the fields of Debias that the
    loss depends on, and no others can be set.  ``loss`` gives the loss of each example from the model's
    output, the batch, the layers that ``layers`` made, and the settings.  A method that ``needs_bias`` uses
    the predictions of a biased model on the training set: as ``log_bias`` of each batch or, if there is a
    function ``weights``, as the weights [n] it computes from probabilities [n, 3] and labels [n].  By default
    the biased model is trained in so many ``folds``, whose number can be set, too.  ``needs_hypothesis``
    methods require the hypothesis's own vector.
    With a uniform biased model and the settings in ``limit`` the loss is plain cross entropy, up to a
    constant.
    """

    name: str
    summary: str
    formula: str
    paper: str
    loss: Callable[[ModelOutput, LabelledBatch, Layers, Debias], Tensor]
    settings: tuple[str, ...] = ()
    layers: Callable[[ModelOutput], Layers] | None = None
    weights: Callable[[Tensor, Tensor, Debias], Tensor] | None = None
    needs_bias: bool = True
    needs_hypothesis: bool = False
    folds: int = 1
    limit: Mapping[str, float] = field(default_factory=dict)


def cross_entropy(logits: Tensor, labels: Tensor) -> Tensor:
    """Return the plain loss, -log softmax(logits)[y]: [B].

    >>> import torch
    >>> cross_entropy(torch.zeros(1, 3), torch.tensor([2])).exp().round(decimals=3).item()
    3.0
    """
    from torch.nn import functional

    return functional.cross_entropy(logits.float(), labels, reduction="none")


def log_bias_of(probabilities: Tensor) -> Tensor:
    """Return the logarithms of *probabilities* [B, 3], floored at LEAST_PROBABILITY and renormalised."""
    return probabilities.clamp(min=LEAST_PROBABILITY).log().float().log_softmax(-1)


def drift(logits: Tensor, log_bias: Tensor, labels: Tensor) -> Tensor:
    """Return the loss of DRiFt, a product of experts: [B] (He et al. 2019, section 3.2, equation 5).

    -log softmax(log p + log b)[y].  A uniform biased model changes nothing.
    """
    return cross_entropy(logits.float().log_softmax(-1) + log_bias, labels)


def learned_mixin(logits: Tensor, log_bias: Tensor, gate: Tensor, labels: Tensor) -> Tensor:
    """Return the loss of Learned-Mixin: [B] (Clark et al. 2019, section 3.2.3).

    -log softmax(log p + g log b)[y], where the *gate* g(x) > 0 [B] is how far the biased model is trusted
    on an example.  With g = 1 it is DRiFt, with g = 0 the plain loss.
    """
    return drift(logits, gate.float().unsqueeze(-1) * log_bias, labels)


def learned_mixin_h(logits: Tensor, log_bias: Tensor, gate: Tensor, labels: Tensor, weight: float) -> Tensor:
    """Return the loss of Learned-Mixin+H: [B] (Clark et al. 2019, section 3.2.4).

    That of Learned-Mixin plus *weight* times the entropy of softmax(g log b), which keeps the gate from
    falling to zero, where the biased model would be ignored.
    """
    return learned_mixin(logits, log_bias, gate, labels) + weight * entropy(
        gate.float().unsqueeze(-1) * log_bias
    )


def entropy(logits: Tensor) -> Tensor:
    """Return the entropy of softmax(logits), in nats: [B, k] -> [B]."""
    logs = logits.float().log_softmax(-1)
    return -(logs.exp() * logs).sum(-1)


def instance_weights(bias: Tensor, labels: Tensor, smooth: float) -> Tensor:
    """Return the weight of each training example: [n], with mean 1 (Zhang et al. 2019b, arXiv:1909.04242).

    w is proportional to P(y) / (P(y given h) + *smooth*), with P(y given h) the out-of-fold probabilities
    *bias* [n, 3] of a hypothesis-only model and P(y) their mean over the training set.  A biased model
    that predicts the same for every hypothesis weights each label by its own share; a uniform one gives
    weights of 1.

    The paper that Zhang et al. 2020 cite solves for the weights on question pairs; for NLI only a
    "smooth term" is named (appendix D).  Here it is added to the denominator, where it bounds the largest
    weight by P(y) / smooth before scaling.
    """
    bias = bias.double()
    prior = bias.mean(0)
    weights = prior[labels] / (bias.gather(1, labels.unsqueeze(1)).squeeze(1) + smooth)
    return (weights / weights.mean()).float()


def reversed_gradient(states: Tensor, strength: float) -> Tensor:
    """Return *states*; gradients through them are multiplied by -*strength* (Ganin and Lempitsky 2015)."""
    same = states.view_as(states)
    if same.requires_grad:
        same.register_hook(lambda gradient: -strength * gradient)  # type: ignore[no-untyped-call]
    return same


def adversary(logits: Tensor, adversary_logits: Tensor, labels: Tensor, weight: float) -> Tensor:
    """Return the loss of adversarial training: [B] (Belinkov et al. 2019, method 1, equation 5).

    CE(p, y) + *weight* CE(adversary, y), where the adversary reads the hypothesis vector through
    :func:`reversed_gradient`: it learns to predict the label, the encoder learns to prevent that.
    """
    return cross_entropy(logits, labels) + weight * cross_entropy(adversary_logits, labels)


def _adversary_layers(output: ModelOutput) -> Layers:
    from torch import nn

    if output.hypothesis is None:
        raise CrossexamError("the adversary needs a model that encodes the hypothesis separately")
    width, classes = output.hypothesis.shape[-1], output.logits.shape[-1]
    hidden = nn.Linear(width, _ADVERSARY_WIDTH)
    return {"adversary": nn.Sequential(hidden, nn.Tanh(), nn.Linear(_ADVERSARY_WIDTH, classes))}


def _adversary_loss(output: ModelOutput, batch: LabelledBatch, layers: Layers, debias: Debias) -> Tensor:
    prediction = layers["adversary"](reversed_gradient(_given(output.hypothesis), debias.reversal))
    return adversary(output.logits, prediction, batch.labels, debias.adversary_weight)


def _drift_loss(output: ModelOutput, batch: LabelledBatch, layers: Layers, debias: Debias) -> Tensor:
    return drift(output.logits, _given(batch.log_bias), batch.labels)


def _gate_layers(output: ModelOutput) -> Layers:
    from torch import nn

    return {"gate": nn.Linear(output.features.shape[-1], 1)}


def _gate(output: ModelOutput, layers: Layers) -> Tensor:
    from torch.nn import functional

    return functional.softplus(layers["gate"](output.features).squeeze(-1).float())


def _mixin_loss(output: ModelOutput, batch: LabelledBatch, layers: Layers, debias: Debias) -> Tensor:
    return learned_mixin(output.logits, _given(batch.log_bias), _gate(output, layers), batch.labels)


def _mixin_h_loss(output: ModelOutput, batch: LabelledBatch, layers: Layers, debias: Debias) -> Tensor:
    gate = _gate(output, layers)
    return learned_mixin_h(output.logits, _given(batch.log_bias), gate, batch.labels, debias.entropy_weight)


def _weighted_loss(output: ModelOutput, batch: LabelledBatch, layers: Layers, debias: Debias) -> Tensor:
    return _given(batch.weights) * cross_entropy(output.logits, batch.labels)


def _smoothed_weights(probabilities: Tensor, labels: Tensor, debias: Debias) -> Tensor:
    return instance_weights(probabilities, labels, debias.smooth)


def _given(value: Tensor | None) -> Tensor:
    if value is None:
        raise ValueError("the batch or the model's output lacks what the debiasing method needs")
    return value


METHODS: Final[dict[str, DebiasMethod]] = {
    method.name: method
    for method in (
        DebiasMethod(
            name="adv",
            summary="an adversary predicts the label from the hypothesis vector, its gradient reversed",
            formula="CE(p) + weight × CE(adversary on the hypothesis vector, its gradient reversed)",
            paper="Belinkov et al. 2019, P19-1084, method 1",
            loss=_adversary_loss,
            settings=("adversary_weight", "reversal"),
            layers=_adversary_layers,
            needs_bias=False,
            needs_hypothesis=True,
            limit={"adversary_weight": 0.0},
        ),
        DebiasMethod(
            name="drift",
            summary="a product of experts with the biased model",
            formula="CE(softmax(log p + log b))",
            paper="He et al. 2019, D19-6115, section 3.2",
            loss=_drift_loss,
        ),
        DebiasMethod(
            name="learned-mixin",
            summary="a product of experts, with a gate learned from the features",
            formula="CE(softmax(log p + g log b)), g learned from the features",
            paper="Clark et al. 2019, D19-1418, section 3.2.3",
            loss=_mixin_loss,
            layers=_gate_layers,
        ),
        DebiasMethod(
            name="learned-mixin-h",
            summary="learned-mixin with an entropy penalty, which keeps the gate open",
            formula="that of learned-mixin + weight × entropy(softmax(g log b))",
            paper="Clark et al. 2019, D19-1418, section 3.2.4",
            loss=_mixin_h_loss,
            settings=("entropy_weight",),
            layers=_gate_layers,
            limit={"entropy_weight": 0.0},
        ),
        DebiasMethod(
            name="weighting",
            summary="examples that the biased model gets right count for less",
            formula="w × CE(p), w ∝ P(y) / (P(y given hypothesis) + smooth)",
            paper="Zhang et al. 2019b, arXiv:1909.04242",
            loss=_weighted_loss,
            settings=("smooth",),
            weights=_smoothed_weights,
            folds=FOLDS,
        ),
    )
}


@dataclass(frozen=True)
class Bias:
    """The biased model's predictions for the training examples, as the method uses them, by example id."""

    row_of: Mapping[str, int]
    fields: Mapping[str, Tensor]  # of LabelledBatch: log_bias [n, 3] or weights [n]
    score: BiasScore

    def rows(self, examples: Sequence[Example]) -> list[int]:
        """Return the rows of *examples*; an item constructed from a training example has that one's.

        Raises CrossexamError if the biased model did not predict one of them.
        """
        rows = [self.row_of.get(e.id, self.row_of.get(e.base or "", -1)) for e in examples]
        if -1 in rows:
            missing = examples[rows.index(-1)]
            raise CrossexamError("the biased model has no prediction for it", where=f"example {missing.id}")
        return rows

    def fields_of(self, examples: Sequence[Example]) -> dict[str, Tensor]:
        """Return the fields of a batch for *examples*, in their order."""
        rows = self.rows(examples)
        return {name: values[rows] for name, values in self.fields.items()}


def make_bias(
    examples: Sequence[Example], probabilities: Tensor, labels: Tensor, debias: Debias, score: BiasScore
) -> Bias:
    """Return the bias of *examples* with *labels* [n] from a biased model's *probabilities* [n, 3]."""
    rows = {example.id: row for row, example in enumerate(examples)}
    weights = METHODS[debias.method].weights
    if weights is not None:
        return Bias(rows, {"weights": weights(probabilities, labels, debias)}, score)
    return Bias(rows, {"log_bias": log_bias_of(probabilities)}, score)


def probabilities_from_run(
    run: Run, examples: Sequence[Example], classes: Projection = THREE_LABELS
) -> Tensor:
    """Return the predictions in *run* for *examples*, looked up by their text: [n, k] for k *classes*.

    Raises CrossexamError if the run lacks one of them, or if its model has two labels and *classes* three.
    """
    import numpy as np
    import torch

    known = {
        (e.premise, e.hypothesis): row
        for name, dataset in run.datasets.items()
        for e, row in zip(dataset, run.probabilities[name], strict=True)
        if not np.isnan(row[0])  # without an answer
    }
    missing = [e.id for e in examples if (e.premise, e.hypothesis) not in known]
    if missing:
        raise CrossexamError(
            f"the run of {run.model} has no predictions for {len(missing)} of {len(examples)} training "
            f"examples: {', '.join(missing[:_IDS_NAMED])}{' ...' if len(missing) > _IDS_NAMED else ''}",
            where="--bias",
            wanted="predictions for the whole training set",
            hint="crossexam build corpus --base CORPUS -o FOLDER, with a --base for each training corpus; "
            "crossexam run MODEL FOLDER -o RUN; then --bias RUN",
        )
    if classes is THREE_LABELS and run.two_labels:
        raise CrossexamError(
            f"{run.model} has two labels, and the training data three", where="--bias", hint="--two-labels"
        )
    probabilities = np.array([known[e.premise, e.hypothesis] for e in examples])
    return torch.from_numpy(probabilities if classes is THREE_LABELS else classes.shares(probabilities))


def majority_of(labels: Tensor) -> float:
    """Return the share of the most frequent of *labels* [n], in percent.

    >>> import torch
    >>> majority_of(torch.tensor([2, 0, 2, 1]))
    50.0
    """
    return 100 * int(labels.bincount().max()) / len(labels)


def score_of_run(probabilities: Tensor, labels: Tensor) -> BiasScore:
    """Return how good the predictions *probabilities* [n, k] of a run are for the training *labels* [n]."""
    from crossexam.corpora.trained import BiasScore, accuracy_of

    return BiasScore(accuracy_of(probabilities.double().numpy(), labels.numpy()), majority_of(labels))


class BiasedPart(NamedTuple):
    """What a biased model is trained on, is stopped by, and predicts: rows of the training data."""

    name: str
    train: Sequence[int]
    stop: Sequence[int]
    predict: Sequence[int]


class BiasPredictions(NamedTuple):
    """The *probabilities* [n, k] of a biased model, and how good it is."""

    probabilities: Tensor
    score: BiasScore


#: Trains the biased model of a part and predicts.
TrainAndPredict = Callable[[BiasedPart], BiasPredictions]


def split_into_folds(groups: Sequence[str], folds: int, seed: int) -> list[list[int]]:
    """Return *folds* lists that partition the indices into *groups* at random, each group into one of them.

    >>> folds = split_into_folds(["a", "b", "a", "c"], 3, seed=0)
    >>> sorted(folds)
    [[0, 2], [1], [3]]
    """
    members: dict[str, list[int]] = {}
    for index, group in enumerate(groups):
        members.setdefault(group, []).append(index)
    order = list(members)
    rng_for(seed, "folds").shuffle(order)
    return [sorted(i for group in order[start::folds] for i in members[group]) for start in range(folds)]


def cross_predict(
    groups: Sequence[str], debias: Debias, seed: int, predict: TrainAndPredict
) -> BiasPredictions:
    """Return the predictions of biased models for the training examples of *groups*: [n, k] for k labels.

    The groups are the premises.  Each model is trained on the pairs of nine of ten of the premises that it
    may learn from, and stopped by its accuracy on the others.  With several folds, it may not learn from the
    fold that it predicts, nor is it stopped by it.  With one, a single model predicts its own training data,
    as in He et al. 2019 and Clark et al. 2019; if there is little of it, the model is more confident there
    than elsewhere, which ``--set folds=5`` avoids.  Raises CrossexamError if there are fewer premises than
    this takes.
    """
    import torch

    from crossexam.corpora.trained import BiasScore

    folds, everything = debias.biased_models, range(len(groups))
    if folds == 1:
        return predict(_part("bias model", groups, everything, everything, seed))
    if folds > len(set(groups)):
        raise CrossexamError(
            f"cannot split the {len(groups)} training examples, which have {len(set(groups))} different "
            f"premises, into {folds} folds by premise",
            where="--set folds",
        )
    parts = [
        _part(f"bias model {number} of {folds}", groups, sorted({*everything} - {*fold}), fold, seed)
        for number, fold in enumerate(split_into_folds(groups, folds, seed), 1)
    ]
    found, scores = zip(*(predict(part) for part in parts), strict=True)
    places = torch.tensor([row for part in parts for row in part.predict])
    mean = BiasScore(
        sum(score.accuracy for score in scores) / folds,
        sum(score.majority for score in scores) / folds,
        tuple(epoch for score in scores for epoch in score.best_epoch),
    )
    return BiasPredictions(torch.cat([each.double() for each in found])[places.argsort()], mean)


def _part(
    name: str, groups: Sequence[str], rows: Sequence[int], predict: Sequence[int], seed: int
) -> BiasedPart:
    """Return the part of a model that may learn from *rows* only."""
    own = [groups[row] for row in rows]
    count = min(STOPPING_PARTS, len(set(own)))
    if count < 2:
        raise CrossexamError(
            f"no pairs are left to stop the biased model by: those that it may learn from ({len(rows)}) "
            "have the same premise",
            where="--debias",
            wanted="training pairs of several premises",
            hint="--bias RUN, the predictions of another model for the training pairs",
        )
    stop, *train = split_into_folds(own, count, seed)
    learned = sorted(index for part in train for index in part)
    return BiasedPart(name, [rows[i] for i in learned], [rows[i] for i in stop], predict)
