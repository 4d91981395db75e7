"""The biased model's answers over the training set: from a run, or from a model trained on the spot."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from crossexam.core.dataset import Run
from crossexam.core.errors import CrossexamError
from crossexam.core.example import Example
from crossexam.core.randomness import rng_for
from crossexam.training import objective
from crossexam.training.objective import Debias

if TYPE_CHECKING:
    from torch import Tensor

_NAMED: Final = 3  # ids that an error names
FOLDS: Final = 5

#: Trains the biased model on the rows at the first indices and answers for those at the second: [n, 3].
Answer = Callable[[Sequence[int], Sequence[int], str], "Tensor"]


@dataclass(frozen=True)
class Bias:
    """What the biased model says of each training example, by id, and the weights that follow from it."""

    row_of: Mapping[str, int]
    probabilities: Tensor  # [n, 3]
    log_bias: Tensor  # [n, 3]
    weights: Tensor | None  # [n], for the method `weighting`

    def rows(self, examples: Sequence[Example]) -> list[int]:
        """Return the rows of *examples*; an item made from a training example has that one's."""
        found = [self.row_of.get(e.id, self.row_of.get(e.base or "", -1)) for e in examples]
        if -1 in found:
            missing = examples[found.index(-1)]
            raise CrossexamError("the biased model was not asked for it", where=f"example {missing.id}")
        return found


def make_bias(examples: Sequence[Example], probabilities: Tensor, labels: Tensor, debias: Debias) -> Bias:
    """Return the bias of *examples* from the biased model's *probabilities* [n, 3] and the *labels* [n]."""
    weights = (
        objective.weighting(probabilities, labels, debias.smooth) if debias.method == "weighting" else None
    )
    rows = {example.id: row for row, example in enumerate(examples)}
    return Bias(rows, probabilities, objective.log_bias_of(probabilities), weights)


def probabilities_from_run(run: Run, examples: Sequence[Example]) -> Tensor:
    """Return what *run* answered for *examples*, found by their text: [n, 3].

    Raises CrossexamError where it was not asked for one of them.
    """
    import numpy as np
    import torch

    known = {
        (e.premise, e.hypothesis): row
        for name, dataset in run.datasets.items()
        for e, row in zip(dataset, run.probabilities[name], strict=True)
    }
    missing = [e.id for e in examples if (e.premise, e.hypothesis) not in known]
    if missing:
        raise CrossexamError(
            f"the run of {run.model} has no answer for {len(missing)} of {len(examples)} training examples: "
            f"{', '.join(missing[:_NAMED])}{' ...' if len(missing) > _NAMED else ''}",
            where="--bias",
            wanted="answers over the whole training set",
            hint="crossexam run MODEL TRAINING-SET.jsonl -o RUN, and --bias RUN",
        )
    return torch.from_numpy(np.array([known[e.premise, e.hypothesis] for e in examples]))


def folds_of(count: int, folds: int, seed: int) -> list[list[int]]:
    """Return *folds* lists of indices that share out 0 to *count* at random.

    >>> sorted(sum(folds_of(5, 2, seed=0), []))
    [0, 1, 2, 3, 4]
    """
    order = list(range(count))
    rng_for(seed, "folds").shuffle(order)
    return [sorted(order[start::folds]) for start in range(folds)]


def probabilities_on_the_spot(count: int, debias: Debias, seed: int, answer: Answer) -> Tensor:
    """Return the answers of biased models over *count* training examples: [count, 3].

    With folds each model answers for the fold that it was not trained on.  Without, one model answers
    for what it was trained on, as He et al. 2019 and Clark et al. 2019 do; on a small training set it is
    surer of itself there than elsewhere, which ``--set folds=5`` avoids.
    """
    import torch

    folds = debias.folds or (FOLDS if debias.method == "weighting" else 1)
    everything = list(range(count))
    if folds == 1:
        return answer(everything, everything, "bias")
    if folds > count:
        raise CrossexamError(f"{folds} folds of {count} training examples", where="--set folds")
    table = torch.zeros(count, 3, dtype=torch.float64)
    for number, held in enumerate(folds_of(count, folds, seed)):
        rest = sorted(set(everything) - set(held))
        table[held] = answer(rest, held, f"bias {number + 1} of {folds}").double()
    return table
