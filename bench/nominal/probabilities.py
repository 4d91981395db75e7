"""What probabilities are worth: of one model, of two on the same items, and next to people's labels."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial
from math import sqrt
from typing import Final, NamedTuple

import numpy as np

from crossexam.core.estimate import Estimate
from crossexam.stats.calibration import calibration_error, equal_mass_bins, equal_width_bins, reliability
from crossexam.stats.distances import js_distance, js_divergence, kl_divergence, total_variation
from crossexam.stats.estimate import nonnegative_mean
from crossexam.stats.losses import brier_scores, log_losses, mean_loss
from crossexam.stats.paired_probabilities import (
    PairedDifference,
    PairedProbabilities,
    item_losses,
    paired_areas,
    paired_probabilities,
)
from crossexam.stats.roc_auc import roc_auc
from crossexam.stats.selective import risk_coverage
from nominal.designs import (
    MANY,
    SOME,
    Cell,
    Clusters,
    Codes,
    Shares,
    equal,
    holds,
    is_significant,
    single,
    zipf,
)

#: Confidences between which a model's are, all as frequent.
Range = tuple[float, float]
RANGES: Final[tuple[Range, ...]] = ((0.96, 0.99), (0.985, 0.998), (0.995, 0.9999), (0.5, 0.99))
#: How many errors a model makes: so many times those that its probabilities say.
ERRORS: Final = ((1.0, "calibrated"), (2.0, "twice the errors"), (0.5, "half the errors"))
_CLUSTERED: Final = (equal(150, 0.5), equal(900, 0.3), zipf(1000, 100, 0.5))


def answers(rng: np.random.Generator, d: Clusters, sure: Range, errors: float) -> tuple[Shares, Codes]:
    """Return shares of three labels with the first predicted, and gold labels, of the items of *d*.

    The chance of an error is that of a calibrated model times *errors*.
    """
    top = _within(sure, _uniform(rng, d))
    shares = _shares(rng, top)
    wrong = _uniform(rng, d) < errors * (1 - top)
    return shares, np.where(wrong, np.where(rng.random(d.n) * (1 - top) < shares[:, 1], 1, 2), 0)


def _uniform(rng: np.random.Generator, d: Clusters) -> Shares:
    """Return a number from 0 to 1 per item [n], alike in a cluster."""
    from scipy.special import ndtr

    uniform: Shares = ndtr(d.normal(rng)) if d.icc else rng.random(d.n)
    return uniform


def _within(sure: Range, uniform: Shares) -> Shares:
    confidence: Shares = sure[0] + (sure[1] - sure[0]) * uniform
    return confidence


def _shares(rng: np.random.Generator, top: Shares) -> Shares:
    """Return shares of three labels, the first of which is *top* [n]."""
    split = rng.random(len(top))
    return np.stack([top, (1 - top) * split, (1 - top) * (1 - split)], axis=1)


def _ece(shares: Shares, gold: Codes, codes: Codes) -> Estimate:
    stated = shares[:, 0]
    return calibration_error(stated, gold == 0, equal_width_bins(stated), codes).error


def _equal_mass(shares: Shares, gold: Codes, codes: Codes) -> Estimate:
    stated = shares[:, 0]
    return calibration_error(stated, gold == 0, equal_mass_bins(stated), codes).error


def _classwise(shares: Shares, gold: Codes, codes: Codes) -> Estimate:
    return calibration_error(shares, gold[:, None] == np.arange(3), equal_width_bins(shares), codes).error


def _brier(shares: Shares, gold: Codes, codes: Codes) -> Estimate:
    return mean_loss(brier_scores(shares, gold, np.zeros(len(gold))), codes, most=2.0)


def _log_loss(shares: Shares, gold: Codes, codes: Codes) -> Estimate:
    return mean_loss(log_losses(shares, gold, np.zeros(len(gold))), codes)


def _area(shares: Shares, gold: Codes, codes: Codes) -> Estimate:
    return risk_coverage(gold != 0, shares[:, 0], codes).area


def _at_80(shares: Shares, gold: Codes, codes: Codes) -> Estimate:
    return risk_coverage(gold != 0, shares[:, 0], codes).accuracy_at(0.8)


def _at_risk(shares: Shares, gold: Codes, codes: Codes) -> Estimate:
    return risk_coverage(gold != 0, shares[:, 0], codes).coverage_at(0.05)


OF_PROBABILITIES: Final[dict[str, Callable[[Shares, Codes, Codes], Estimate]]] = {
    "ECE": _ece,
    "ECE, equal mass": _equal_mass,
    "class-wise ECE": _classwise,
    "Brier score": _brier,
    "log loss": _log_loss,
    "AURC": _area,
    "accuracy at 80 %": _at_80,
    "coverage at 5 % risk": _at_risk,
}


@cache
def _truth(number: str, sure: Range, errors: float) -> float:
    """Return the value of a *number* in the population, that of 300,000 items."""
    if "ECE" in number and errors == 1:
        return 0.0
    many = single(MANY)
    return OF_PROBABILITIES[number](*answers(np.random.default_rng(1), many, sure, errors), many.codes).value


def probabilities() -> Iterator[Cell]:
    """Yield the cells of what probabilities are worth, of strong models above all."""
    for errors, name in ERRORS:
        for sure in RANGES:
            for number in OF_PROBABILITIES:
                for design in (single(50), single(100), single(300), single(1500), *_CLUSTERED):
                    hit = partial(_covers, d=design, sure=sure, errors=errors, number=number)
                    of = f"{design.name}, {sure[0]:g} to {sure[1]:g}, {name}"
                    yield Cell("coverage", number, of, hit)
    for risk in (0.04, 0.05, 0.055, 0.08):
        for design in (single(100), single(1500), equal(900, 0.3)):
            hit = partial(_flat_risk, d=design, risk=risk)
            name = f"{design.name}, risk {risk:.1%} at any confidence"
            yield Cell("coverage", "coverage at 5 % risk", name, hit)
    for sure in RANGES:
        for n in (100, 1500):
            hit = partial(_consistency_bar, n=n, sure=sure)
            yield Cell("coverage", "consistency bars", f"{n:,} items, {sure[0]:g} to {sure[1]:g}", hit)


def _covers(rng: np.random.Generator, d: Clusters, sure: Range, errors: float, number: str) -> bool:
    found = OF_PROBABILITIES[number](*answers(rng, d, sure, errors), d.codes)
    return holds(found, _truth(number, sure, errors))


def _flat_risk(rng: np.random.Generator, d: Clusters, risk: float) -> bool:
    (wrong,) = d.events(rng, risk)
    found = risk_coverage(wrong, rng.random(len(wrong)), d.codes).coverage_at(0.05)
    return holds(found, float(risk <= 0.05))


def _consistency_bar(rng: np.random.Generator, n: int, sure: Range) -> bool:
    """Look at one bin of a model that is calibrated."""
    shares, gold = answers(rng, single(n), sure, 1.0)
    bins = reliability(shares[:, 0], gold == 0, equal_width_bins(shares[:, 0]))
    one = bins[int(rng.integers(len(bins)))]
    return one.low - 1e-12 <= one.accuracy.value <= one.high + 1e-12


# ---- two models

#: Two models: their confidences, and how many times the errors that these say each makes.
Two = tuple[tuple[Range, float], tuple[Range, float]]
_TWO: Final[dict[str, Two]] = {
    "two alike, 0.5 to 0.99": (((0.5, 0.99), 1.0), ((0.5, 0.99), 1.0)),
    "two alike, 0.96 to 0.99": (((0.96, 0.99), 1.0), ((0.96, 0.99), 1.0)),
    "two alike, 0.985 to 0.998, wrong twice as often": (((0.985, 0.998), 2.0), ((0.985, 0.998), 2.0)),
    "0.5 to 0.99, one wrong twice as often": (((0.5, 0.99), 1.0), ((0.5, 0.99), 2.0)),
    "0.96 to 0.99, one wrong twice as often": (((0.96, 0.99), 1.0), ((0.96, 0.99), 2.0)),
    "0.995 to 0.9999 against 0.5 to 0.99": (((0.995, 0.9999), 2.0), ((0.5, 0.99), 0.5)),
}


class Compared(NamedTuple):
    """The differences of two models in their *losses* and calibration errors, and in the *area* AURC."""

    losses: PairedProbabilities
    area: PairedDifference


_DIFFERENCES: Final[dict[str, Callable[[Compared], Estimate]]] = {
    "Brier score": lambda found: found.losses.brier.difference,
    "log loss": lambda found: found.losses.log_loss.difference,
    "ECE": lambda found: found.losses.ece.difference,
    "class-wise ECE": lambda found: found.losses.classwise_ece.difference,
    "AURC": lambda found: found.area.difference,
}


def two_models() -> Iterator[Cell]:
    """Yield the cells of the differences of two models in what their probabilities are worth."""
    for name, models in _TWO.items():
        for design in (single(50), single(100), single(300), single(1500), *_CLUSTERED):
            for number in _DIFFERENCES:
                hit = partial(_differ, d=design, models=models, number=number)
                yield Cell("coverage", f"difference in {number}", f"{design.name}, {name}", hit)
            if models[0] == models[1]:
                for number in ("Brier score", "log loss"):
                    hit = partial(_rejected, d=design, models=models, number=number)
                    yield Cell("level", f"{number}, two equal models", f"{design.name}, {name}", hit)
    for n in (50, 100, 300, 1500):
        yield Cell("level", "Brier score, rare large losses", f"{n:,} items", partial(_rare, n=n))
    for design in SOME:
        for apart in (1.0, 2.0):
            hit = partial(_auc, d=design, apart=apart)
            yield Cell("coverage", "ROC AUC", f"kinds {apart:g} apart, {design.name}", hit)


def compared(rng: np.random.Generator, d: Clusters, models: Two) -> Compared:
    """Return the differences of two *models* on the items of *d*, which are as hard for both by half."""
    from scipy.special import ndtr

    hard, losses = d.normal(rng), []
    for sure, errors in models:
        top = _within(sure, _uniform(rng, d))
        own = ndtr(sqrt(0.5) * hard + sqrt(0.5) * d.normal(rng))
        shares = _shares(rng, top)
        second = rng.random(d.n) * (1 - top) < shares[:, 1]
        wrong = own < errors * (1 - top)
        # The gold label is the first one: where the model is wrong, it is its second or third.
        order = np.where(wrong[:, None], np.where(second[:, None], [1, 0, 2], [2, 0, 1]), [0, 1, 2])
        ordered = np.take_along_axis(shares, order, axis=1)
        gold = np.arange(d.n) % 3
        by_label = np.take_along_axis(ordered, (np.arange(3) - gold[:, None]) % 3, axis=1)
        losses.append(item_losses(by_label, gold, (gold + wrong) % 3))
    paired = paired_probabilities([(losses[0], losses[1], d.codes)], d.n)
    return Compared(paired, paired_areas(losses[0], losses[1], d.codes))


@cache
def _true_difference(number: str, models: Two) -> float:
    if models[0] == models[1]:
        return 0.0
    many = compared(np.random.default_rng(1), single(MANY), models)
    if number == "ECE":
        return _ece_of(models[0]) - _ece_of(models[1])
    return _DIFFERENCES[number](many).value


def _ece_of(model: tuple[Range, float]) -> float:
    sure, errors = model
    return _truth("ECE", sure, errors)


def _differ(rng: np.random.Generator, d: Clusters, models: Two, number: str) -> bool:
    return holds(_DIFFERENCES[number](compared(rng, d, models)), _true_difference(number, models))


def _rejected(rng: np.random.Generator, d: Clusters, models: Two, number: str) -> bool:
    found = compared(rng, d, models)
    return is_significant((found.losses.brier if number == "Brier score" else found.losses.log_loss).p_value)


def _rare(rng: np.random.Generator, n: int) -> bool:
    """Test a model that is 99 % sure, wrong in 1 %, against one whose score is always the mean."""
    gold = (rng.random(n) < 0.01).astype(np.int64)
    sure = np.tile([0.99, 0.005, 0.005], (n, 1))
    expected = 0.99 * (0.01**2 + 2 * 0.005**2) + 0.01 * (0.99**2 + 0.995**2 + 0.005**2)
    top = 1 - sqrt(expected / 1.5)
    same = np.full((n, 3), (1 - top) / 2)
    same[np.arange(n), gold] = top
    pair = item_losses(sure, gold, np.zeros(n)), item_losses(same, gold, gold)
    return is_significant(paired_probabilities([(*pair, None)], n).brier.p_value)


def _auc(rng: np.random.Generator, d: Clusters, apart: float) -> bool:
    from scipy.special import ndtr

    positive = np.arange(d.n) % 4 == 0
    return holds(roc_auc(d.normal(rng) + apart * positive, positive, d.codes), float(ndtr(apart / sqrt(2))))


# ---- people's labels

_DISTANCES: Final = {
    "JS distance": (js_distance, 0.833),
    "JS divergence": (js_divergence, 0.694),
    "KL": (kl_divergence, np.inf),
    "total variation": (total_variation, 1.0),
}


def distances() -> Iterator[Cell]:
    """Yield the cells of distances of a model from 100 people, who mostly agree or do not."""
    for number in _DISTANCES:
        for unsure in (0.1, 1.0):
            for design in (single(30), single(100), equal(150, 0.5), equal(900, 0.3)):
                hit = partial(_far, d=design, number=number, unsure=unsure)
                people = "people agree" if unsure < 1 else "people differ"
                yield Cell("coverage", f"{number} from people", f"{design.name}, {people}", hit)


def _distances(rng: np.random.Generator, d: Clusters, number: str, unsure: float) -> Shares:
    """Return the distances of a model that is surer of itself than people, and often of something else."""
    from scipy.special import softmax

    logits = np.stack([d.normal(rng) for _ in range(3)], axis=1)
    people = rng.multinomial(100, softmax(logits / unsure, axis=1)) / 100
    model = softmax(3 * (logits + np.stack([d.normal(rng) for _ in range(3)], axis=1)), axis=1)
    values: Shares = _DISTANCES[number][0](people, model)
    return values


@cache
def _mean_distance(number: str, unsure: float) -> float:
    return float(_distances(np.random.default_rng(1), single(MANY), number, unsure).mean())


def _far(rng: np.random.Generator, d: Clusters, number: str, unsure: float) -> bool:
    values = _distances(rng, d, number, unsure)
    found = nonnegative_mean(values, d.codes, most=_DISTANCES[number][1])
    return holds(found, _mean_distance(number, unsure))
