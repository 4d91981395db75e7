"""Gates: rules that are kept to exactly, and what open checks say is detectable."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, Final

import numpy as np

from crossexam.core.dataset import Dataset, Run
from crossexam.core.estimate import Estimate
from crossexam.core.example import Example
from crossexam.core.labels import LABELS
from crossexam.evaluation.quantities import Quantity
from crossexam.gates.baseline import Baseline
from crossexam.gates.checks import Check
from crossexam.gates.judge import judge
from crossexam.gates.prospects import prospects_of
from crossexam.gates.rules import Limit, rules_from
from crossexam.stats.balanced_accuracy import balanced_difference, exact_balanced_accuracy
from crossexam.stats.calibration import binned_errors, equal_width_bins
from crossexam.stats.estimate import exact_share
from crossexam.stats.p_values import one_sided_p
from crossexam.stats.paired import difference_of_drops, paired_difference
from crossexam.stats.unpaired import difference, difference_of_unpaired_drops
from nominal.designs import Cell, Clusters, Flags, Shares, equal, single, zipf
from nominal.probabilities import Two, answers, compared
from nominal.shares import labels_of

_GATED: Final = (
    single(50),
    single(300),
    single(1500),
    equal(300, 0.5),
    equal(1500, 0.5),
    zipf(1000, 100, 0.5),
)
#: Fewer designs, for the numbers that are not shares alone.
_FEW: Final = (single(50), single(300), equal(300, 0.5), zipf(1000, 100, 0.5))
_SIDES: Final = ("above", "below")
#: Of so many checks, none may be decided wrongly.
_FAMILIES: Final = (1, 20)

#: A quantity of a sample, at any confidence.
At = Callable[[float], Estimate]


def gates() -> Iterator[Cell]:
    """Yield the cells of rules that are kept to exactly."""
    for limit in (0.001, 0.01, 0.05, 0.2):
        number = f"share at its limit of {limit:.1%}"
        yield from _at_limits(number, "", partial(_share, limit=limit), limit, _GATED)
    for number, by_value in _QUANTITIES.items():
        for name, (quantity, value) in by_value.items():
            yield from _at_limits(number, f"{name}, ", quantity, value, _FEW)
    for sure, n in (((0.5, 0.99), 300), ((0.96, 0.99), 300), ((0.96, 0.99), 50)):
        hit = partial(_ece_wrongly, n=n, sure=sure)
        yield Cell("gate", "ECE at its limit", f"{n} items, {sure[0]:g} to {sure[1]:g}, above", hit)
    for design in (single(300), equal(900, 0.3)):
        for side in _SIDES:
            hit = partial(_ece_margin, d=design, side=side)
            yield Cell("gate", "ECE at its margin", f"{design.name}, {side}", hit)


def _at_limits(
    number: str, name: str, quantity: Callable[..., At], value: float, designs: Sequence[Clusters]
) -> Iterator[Cell]:
    for design in designs:
        for checks in _FAMILIES:
            for side in _SIDES:
                hit = partial(
                    _wrongly, d=design, quantity=quantity, limit=value, level=0.025 / checks, side=side
                )
                of = f"{name}{design.name}, {side}, any of {checks}"
                yield Cell("gate", number, of, _of_family(hit, checks))


def _wrongly(
    rng: np.random.Generator,
    d: Clusters,
    quantity: Callable[..., At],
    limit: float,
    level: float,
    side: str,
) -> bool:
    """Return whether a quantity is shown to be above or below its limit, at which it is."""
    found = quantity(rng, d)(1 - 2 * level)
    return found.low > limit + 1e-12 if side == "above" else found.high < limit - 1e-12


def _of_family(
    wrongly: Callable[[np.random.Generator], bool], checks: int
) -> Callable[[np.random.Generator], bool]:
    """Return whether any of so many independent checks is decided wrongly."""
    return lambda rng: any(wrongly(rng) for _ in range(checks))


def _share(rng: np.random.Generator, d: Clusters, limit: float) -> At:
    (errors,) = d.events(rng, limit)
    return partial(exact_share, errors, d.codes)


def _paired(rng: np.random.Generator, d: Clusters, p: float, q: float) -> At:
    """Return how much less often the second events happen: a drop, or a difference from a baseline."""
    return partial(paired_difference, *d.pair(rng, p, q), d.codes)


def _unpaired(rng: np.random.Generator, d: Clusters, p: float, q: float) -> At:
    base, items = d.events(rng, p, q)
    half = len(items) // 2
    return partial(difference, base, items[:half], d.codes, d.codes[:half], share=exact_share)


def _two_drops(rng: np.random.Generator, d: Clusters, shares: tuple[float, ...]) -> At:
    one, other, third, fourth = d.events(rng, *shares)
    return partial(difference_of_drops, (one, other), (third, fourth), d.codes)


def _two_unpaired(rng: np.random.Generator, d: Clusters, shares: tuple[float, ...]) -> At:
    one, other, third, fourth = d.events(rng, *shares)
    half = len(one) // 2
    return partial(
        difference_of_unpaired_drops, (one, third), (other[:half], fourth[:half]), d.codes, d.codes[:half]
    )


def _balanced(rng: np.random.Generator, d: Clusters, p: float) -> At:
    (right,) = d.events(rng, p)
    return partial(exact_balanced_accuracy, right, labels_of(d.n, (3, 2, 1)), d.codes)


def _balanced_difference(rng: np.random.Generator, d: Clusters, p: float, q: float) -> At:
    return partial(balanced_difference, *d.pair(rng, p, q), labels_of(d.n, (3, 2, 1)), d.codes)


#: What is compared with a limit, by number and populations.
_QUANTITIES: Final[dict[str, dict[str, tuple[Callable[..., At], float]]]] = {
    "drop at its limit": {"90% to 70%": (partial(_paired, p=0.9, q=0.7), 0.9 - 0.7)},
    "difference at its margin": {
        "80% and 80%": (partial(_paired, p=0.8, q=0.8), 0.0),
        "97% and 97%": (partial(_paired, p=0.97, q=0.97), 0.0),
        "80% and 78%": (partial(_paired, p=0.8, q=0.78), 0.8 - 0.78),
        "99% and 97%": (partial(_paired, p=0.99, q=0.97), 0.99 - 0.97),
    },
    "unpaired drop at its limit": {
        "90% to 70%": (partial(_unpaired, p=0.9, q=0.7), 0.9 - 0.7),
        "99% to 97%": (partial(_unpaired, p=0.99, q=0.97), 0.99 - 0.97),
    },
    "drop at its margin": {
        "20 and 18 points": (partial(_two_drops, shares=(0.9, 0.7, 0.9, 0.72)), 0.02),
        "3 and 1 points": (partial(_two_drops, shares=(0.99, 0.96, 0.99, 0.98)), 0.02),
    },
    "unpaired drop at its margin": {
        "20 and 18 points": (partial(_two_unpaired, shares=(0.9, 0.7, 0.9, 0.72)), 0.02)
    },
    "balanced accuracy at its limit": {
        "80%": (partial(_balanced, p=0.8), 0.8),
        "97%": (partial(_balanced, p=0.97), 0.97),
    },
    "difference in balanced accuracy at its margin": {
        "90% and 88%": (partial(_balanced_difference, p=0.9, q=0.88), 0.9 - 0.88)
    },
}


def _ece_wrongly(rng: np.random.Generator, n: int, sure: tuple[float, float]) -> bool:
    shares, gold = answers(rng, single(n), sure, 2.0)
    limit = float(np.mean(1 - np.array(sure)))  # the error of a model with twice the errors
    errors = binned_errors(shares[:, 0], gold == 0, equal_width_bins(shares[:, 0]))
    assert errors is not None
    return one_sided_p(errors.error, limit, "above") <= 0.025


_MODELS: Final[Two] = (((0.9, 0.99), 3.0), ((0.9, 0.99), 2.0))
_GAP: Final = 0.055  # of their calibration errors, which are 2 and 1 times 1 minus the mean confidence


def _ece_margin(rng: np.random.Generator, d: Clusters, side: str) -> bool:
    found = compared(rng, d, _MODELS).losses.ece.difference
    return found.low > _GAP if side == "above" else found.high < _GAP


# ---- whole gates over runs


def judged() -> Iterator[Cell]:
    """Yield the cells of whole gates, and of what open checks say is detectable."""
    for name, kept in _KEPT.items():
        for design in (single(150), equal(150, 0.3)):
            hit = partial(_any_broken, d=design, kept=kept)
            yield Cell("gate", "gate with all checks at their limits", f"{name}, {design.name}", hit)
        if kept.sets == 1:
            for design in (single(300), equal(300, 0.3)):
                hit = partial(_found, d=design, kept=kept)
                yield Cell("power", "detectable by an open check", f"{name}, {design.name}", hit)
    for n in (300, 1500):
        for checks in (1, 30):
            hit = partial(_ece_found, n=n, level=0.025 / checks)
            yield Cell("power", "detectable by an open check", f"ECE of {n} items, {checks} checks", hit)


@dataclass(frozen=True)
class Kept:
    """A *rule* that is just kept to if its measure has a *value*, on each of so many test *sets*.

    *measured* returns the chances that the answers of the run to a base and to an item are right, and the
    same of its baseline, if the measure has a value.
    """

    rule: Mapping[str, Any]
    value: float
    measured: Callable[[float], tuple[float, float, float, float]]
    sets: int = 1
    paired: bool = True


_KEPT: Final = {
    "accuracy": Kept({"measure": "accuracy", "min": 0.8}, 0.8, lambda x: (0.9, x, 0.9, x)),
    "accuracy of 5 sets": Kept({"measure": "accuracy", "min": 0.95}, 0.95, lambda x: (1.0, x, 1.0, x), 5),
    "accuracy against a baseline": Kept(
        {"measure": "accuracy", "against": "baseline", "margin": 0.02},
        -0.02,
        lambda x: (0.9, 0.85 + x, 0.9, 0.85),
    ),
    "balanced accuracy": Kept({"measure": "balanced_accuracy", "min": 0.8}, 0.8, lambda x: (0.9, x, 0.9, x)),
    "balanced accuracy against a baseline": Kept(
        {"measure": "balanced_accuracy", "against": "baseline", "margin": 0.02},
        -0.02,
        lambda x: (0.9, 0.85 + x, 0.9, 0.85),
    ),
    "drop": Kept({"measure": "drop", "max": 0.05}, 0.05, lambda x: (0.85, 0.85 - x, 0.85, 0.8)),
    "drop of 5 sets": Kept({"measure": "drop", "max": 0.05}, 0.05, lambda x: (0.95, 0.95 - x, 0.95, 0.9), 5),
    "unpaired drop": Kept(
        {"measure": "drop", "max": 0.05}, 0.05, lambda x: (0.85, 0.85 - x, 0.85, 0.8), paired=False
    ),
    "drop against a baseline": Kept(
        {"measure": "drop", "against": "baseline", "margin": 0.02}, 0.02, lambda x: (0.85, 0.8 - x, 0.85, 0.8)
    ),
    "unpaired drop against a baseline": Kept(
        {"measure": "drop", "against": "baseline", "margin": 0.02},
        0.02,
        lambda x: (0.85, 0.8 - x, 0.85, 0.8),
        paired=False,
    ),
    "flip rate": Kept({"measure": "flip_rate", "max": 0.1}, 0.1, lambda x: (1.0, 1 - x, 1.0, 1 - x)),
    "flip rate against a baseline": Kept(
        {"measure": "flip_rate", "against": "baseline", "margin": 0.02},
        0.02,
        lambda x: (1.0, 0.9 - x, 1.0, 0.9),
    ),
}


@cache
def _suite(d: Clusters, sets: int, paired: bool) -> dict[str, Dataset]:
    """Return a base and test sets made from its items, of the premises of *d*."""
    made = {}
    for name in ("base", *(f"test{number}" for number in range(sets))):
        items = tuple(
            Example(
                f"{name}{k}",
                f"P{code}.",
                f"H{k}.",
                LABELS[k % 3],
                base=None if name == "base" else f"base{k}",
            )
            for k, code in enumerate(d.codes.tolist())
        )
        facts = {"construction": name, "part": "dev", "rows": d.n, "content_hash": name}
        of_base = {} if name == "base" else {"base_set": "base.dev", "paired": paired}
        made[f"{name}.dev"] = Dataset(f"{name}.dev", items, {**facts, **of_base})
    return made


def _runs(rng: np.random.Generator, d: Clusters, kept: Kept, value: float) -> tuple[Run, Baseline]:
    """Return a run whose measure has this *value* on all test sets, and its baseline."""
    datasets = _suite(d, kept.sets, kept.paired)
    base, item, old_base, old_item = kept.measured(value)
    events = iter(d.events(rng, base, *[item] * kept.sets, old_base, *[old_item] * kept.sets))
    new, old = (
        Run("mine", datasets, {name: _rows(each, next(events)) for name, each in datasets.items()})
        for _ in range(2)
    )
    return new, Baseline.of(old, probabilities=False)


def _rows(dataset: Dataset, right: Flags) -> Shares:
    rows: Shares = np.eye(3)[(dataset.labels() + ~right) % 3]
    return rows


def _outcomes(rng: np.random.Generator, d: Clusters, kept: Kept, value: float) -> list[Check]:
    """Return the checks of a gate over a run whose measure has this *value*."""
    run, baseline = _runs(rng, d, kept, value)
    rules = rules_from([{"set": "test*", **kept.rule}])
    return [*judge(run, rules, baseline, items=0).checks]


def _any_broken(rng: np.random.Generator, d: Clusters, kept: Kept) -> bool:
    return any(check.outcome == "broken" for check in _outcomes(rng, d, kept, kept.value))


def _found(rng: np.random.Generator, d: Clusters, kept: Kept) -> bool:
    """Return whether a value is found that an open check of a run at the limit says would be."""
    said = None
    while said is None:
        (check,) = _outcomes(rng, d, kept, kept.value)
        said = check.detectable
    return _outcomes(rng, d, kept, said)[0].outcome == "broken"


def _ece_found(rng: np.random.Generator, n: int, level: float) -> bool:
    """Return whether a calibration error is found that an open check said would be."""
    limit = Limit("below", 0.05)
    said = prospects_of(_ece_quantity(rng, n, 0.05), limit, level).detectable
    if said is None:
        return False
    quantity = _ece_quantity(rng, n, said)
    return one_sided_p(quantity.known, limit.threshold, "above") <= level


def _ece_quantity(rng: np.random.Generator, n: int, error: float) -> Quantity:
    """Return the calibration error of a model that is overconfident by *error* everywhere."""
    stated = rng.beta(3, 1, n) * (0.6 - error) + 0.4 + error
    right = rng.random(n) < stated - error
    errors = binned_errors(stated, right, equal_width_bins(stated))
    assert errors is not None
    at = errors.error
    return Quantity(at, at, at, n, 0, False, distances=errors.distances)
