"""Learning rates: pure functions of the step and of the dev scores so far.

The rate of a step is the base rate, which changes only between epochs, times :func:`step_factor`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from crossexam.zoo.recipe import Recipe

WARM_UP: Final = 0.1  # of all steps: ZOO's row of BERT, as in the public model cards
INFERSENT_DECAY: Final = 0.99  # an epoch: Conneau et al. 2017, section 3.3; train_nli.py
INFERSENT_SHRINK: Final = 5.0
INFERSENT_LEAST: Final = 1e-5


class Decision(NamedTuple):
    """What follows from an epoch: the *rate* of the next, whether the best weights come back, the end."""

    rate: float
    restore: bool = False
    stop: bool = False


def step_factor(schedule: str, step: int, steps: int) -> float:
    """Return what the base rate is multiplied by in *step* (from 0) of *steps*.

    >>> [round(step_factor("linear-warmup", step, 20), 3) for step in (0, 1, 2, 11, 19)]
    [0.5, 1.0, 1.0, 0.5, 0.056]
    """
    if schedule == "decay":
        return 0.999 ** (step // 100)
    if schedule == "linear-warmup":
        warm = max(1, round(steps * WARM_UP))
        return min((step + 1) / warm, (steps - step) / max(1, steps - warm))
    return 1.0


def epochs_since_best(scores: Sequence[float]) -> int:
    """Return how many epochs have passed since the best of *scores*, the first of equals.

    >>> epochs_since_best([50.0, 60.0, 60.0, 55.0])
    2
    """
    return len(scores) - 1 - max(range(len(scores)), key=lambda epoch: (scores[epoch], -epoch))


def after_epoch(
    recipe: Recipe, rate: float, accuracies: Sequence[float], losses: Sequence[float]
) -> Decision:
    """Return what *recipe* does after an epoch, from the dev *accuracies* and *losses* of all so far.

    Training stops where accuracy has not risen for ``patience`` epochs.
    """
    missed = epochs_since_best(accuracies)
    stop = missed >= recipe.patience
    epoch = len(accuracies)
    if recipe.schedule == "halve-every-two":
        return Decision(rate * recipe.factor if epoch % 2 == 0 else rate, stop=stop)
    if recipe.schedule == "halve-on-miss":
        return Decision(rate * recipe.factor if missed else rate, stop=stop)
    if recipe.schedule == "halve-and-restore":
        return Decision(rate * recipe.factor if missed else rate, restore=missed > 0, stop=stop)
    if recipe.schedule == "infersent":
        rate = rate / INFERSENT_SHRINK if missed else rate
        return Decision(rate * INFERSENT_DECAY, stop=stop or rate < INFERSENT_LEAST)
    if recipe.schedule == "plateau":
        lowered = _plateau(losses, recipe.plateau_patience)
        return Decision(
            max(rate * recipe.factor, min(rate, recipe.minimum_rate)) if lowered else rate, stop=stop
        )
    return Decision(rate, stop=stop)


def _plateau(losses: Sequence[float], patience: int) -> bool:
    """Tell whether the rate falls after the last of *losses*: more than *patience* in a row did not fall."""
    best, bad, lowered = float("inf"), 0, False
    for loss in losses:
        bad = 0 if loss < best else bad + 1
        best = min(best, loss)
        lowered = bad > patience
        bad = 0 if lowered else bad
    return lowered
