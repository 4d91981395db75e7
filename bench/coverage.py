"""How often the intervals hold the truth, the tests reject it, and what is detectable is detected.

Samples are drawn from populations whose truth is known, and given to the functions that reports, comparisons
and gates call.  A row is a number, a design, and the share of samples in which the interval holds the truth
(*coverage*, at least 93 %), a true null hypothesis is rejected at 5 % (*level*, at most 6 %), a gate says
that a rule is broken which is not, in one direction (*gate*, at most 2.5 %), or a value that is said to be
detectable is found (*power*, 75 to 90 %).  What is outside of these is marked, if by more than two standard
errors of the simulation.

    python bench/coverage.py --samples 1000
    python bench/coverage.py --samples 400 --only "log loss"
    python bench/coverage.py --samples 400 --ranges            # the table in docs/statistics.md
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from math import sqrt
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from crossexam.core.estimate import Estimate
from crossexam.gates.measures import MeasuredQuantity
from crossexam.gates.prospects import prospects_of
from crossexam.gates.rules import Limit
from crossexam.stats.agreement import linear_kappa
from crossexam.stats.balanced_accuracy import balanced_accuracy
from crossexam.stats.calibration import binned_errors, calibration_error, equal_width_bins
from crossexam.stats.clusters import effective_size
from crossexam.stats.combined import mean_of
from crossexam.stats.estimate import exact_share, share_correct
from crossexam.stats.losses import brier_scores, log_losses, mean_loss
from crossexam.stats.one_sided import one_sided_p
from crossexam.stats.paired import clustered_mcnemar, difference_of_drops, paired_difference
from crossexam.stats.paired_probabilities import item_losses, paired_probabilities
from crossexam.stats.power import minimum_detectable_drop
from crossexam.stats.ranks import differences_of_means
from crossexam.stats.roc_auc import roc_auc
from crossexam.stats.selective import risk_coverage
from crossexam.stats.unpaired import difference

Kind = Literal["coverage", "level", "gate", "power"]
#: The least and the greatest share of each kind that is nominal.
NOMINAL: Final[dict[Kind, tuple[float, float]]] = {
    "coverage": (0.93, 1.0),
    "level": (0.0, 0.06),
    "gate": (0.0, 0.025),
    "power": (0.75, 0.9),
}
_MANY: Final = 300_000  # items of a population whose truth is not known by a formula

Codes = NDArray[np.int64]
Flags = NDArray[np.bool_]
Shares = tuple[NDArray[np.float64], NDArray[np.int64]]


@dataclass(frozen=True)
class Cell:
    """A *number* in a *design*, and whether one sample of it, drawn with a generator, is a hit."""

    kind: Kind
    number: str
    design: str
    hit: Callable[[np.random.Generator], bool]


@dataclass(frozen=True)
class Clusters:
    """Items in clusters of the given *sizes*, alike to the intraclass correlation *icc*."""

    name: str
    sizes: tuple[int, ...]
    icc: float

    @property
    def codes(self) -> Codes:
        """The cluster of each item [n]."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)

    def events(self, rng: np.random.Generator, *chances: float) -> list[Flags]:
        """Return which items have events of these *chances*, a cluster being alike in all of them."""
        m, codes = len(self.sizes), self.codes
        easy = rng.random(m)
        found = []
        for chance in chances:
            own = np.full(m, chance)
            if 0 < self.icc < 1:
                rest = 1 / self.icc - 1
                own = _beta_quantile(chance * rest, (1 - chance) * rest, easy)
            elif self.icc == 1:
                own = (easy < chance).astype(np.float64)
            found.append(rng.random(len(codes)) < own[codes])
        return found


def _beta_quantile(a: float, b: float, share: NDArray[np.float64]) -> NDArray[np.float64]:
    from scipy.special import betaincinv

    quantile: NDArray[np.float64] = betaincinv(a, b, share)
    return quantile


def single(n: int) -> Clusters:
    """Return *n* independent items."""
    return Clusters(f"{n:,} items", (1,) * n, 0.0)


def equal(n: int, icc: float, size: int = 3) -> Clusters:
    """Return clusters of equal size."""
    return Clusters(f"{n:,} items, {size} a cluster, ICC {icc:g}", (size,) * (n // size), icc)


def zipf(n: int, clusters: int, icc: float) -> Clusters:
    """Return clusters whose sizes fall as 1, 1/2, 1/3 and so on."""
    weights = 1 / np.arange(1, clusters + 1)
    sizes = np.maximum(1, np.round(n * weights / weights.sum())).astype(int).tolist()
    return Clusters(f"{sum(sizes):,} items, {clusters} Zipf clusters, ICC {icc:g}", tuple(sizes), icc)


#: The items of each unordered word pair of antonymy in 1,500 examples of SNLI: 414 of man and woman.
ANTONYMS: Final = (
    414,
    80,
    58,
    18,
    14,
    12,
    10,
    9,
    8,
    8,
    7,
    6,
    5,
    5,
    4,
    4,
    3,
    3,
    3,
    2,
    2,
    2,
    2,
    2,
    2,
    1,
    1,
    1,
    1,
    1,
)

DESIGNS: Final = (
    single(50),
    single(100),
    single(300),
    single(1500),
    equal(150, 0.3),
    equal(150, 0.5),
    equal(900, 0.3),
    equal(1500, 0.5),
    equal(300, 0.5, size=10),
    zipf(1000, 100, 0.3),
    zipf(1000, 100, 0.5),
    zipf(1000, 100, 1.0),
)


def holds(found: Estimate, truth: float) -> bool:
    """Return whether the interval of *found* holds the *truth*, up to rounding."""
    return found.low - 1e-12 <= truth <= found.high + 1e-12


# ---- shares and their differences


def accuracies() -> Iterator[Cell]:
    """Yield the cells of accuracies, balanced accuracies, and means over test sets."""
    for share in (0.5, 0.8, 0.95, 0.99):
        for design in DESIGNS:

            def accuracy(rng: np.random.Generator, d: Clusters = design, p: float = share) -> bool:
                (right,) = d.events(rng, p)
                return holds(share_correct(right, d.codes), p)

            yield Cell("coverage", f"accuracy {share:.0%}", design.name, accuracy)
    for share in (0.8, 0.97):
        for design in (single(150), equal(300, 0.3), equal(900, 0.5)):

            def balanced(rng: np.random.Generator, d: Clusters = design, p: float = share) -> bool:
                (right,) = d.events(rng, p)
                return holds(balanced_accuracy(right, np.arange(len(right)) % 3, d.codes), p)

            yield Cell("coverage", f"balanced accuracy {share:.0%}", design.name, balanced)
    for share in (0.8, 0.95, 0.99):
        for n in (30, 300):

            def mean(rng: np.random.Generator, n: int = n, p: float = share) -> bool:
                return holds(mean_of([share_correct(rng.random(n) < p) for _ in range(3)]), p)

            yield Cell("coverage", f"mean of 3 sets, {share:.0%}", f"{n} items each", mean)

            def ranked(rng: np.random.Generator, n: int = n, p: float = share) -> bool:
                design = equal(n, 0.3)
                sets = [np.stack(design.events(rng, p, p), axis=1) for _ in range(3)]
                return holds(differences_of_means([(each, design.codes) for each in sets]).means[0], p)

            yield Cell("coverage", f"mean of 3 sets (ranks), {share:.0%}", f"{n} items each, by 3", ranked)


def differences() -> Iterator[Cell]:
    """Yield the cells of drops, differences, and their tests."""
    for before, after in ((0.8, 0.7), (0.95, 0.9), (0.99, 0.98), (0.8, 0.8)):
        for design in DESIGNS:

            def drop(
                rng: np.random.Generator, d: Clusters = design, p: float = before, q: float = after
            ) -> bool:
                return holds(paired_difference(*d.events(rng, p, q), d.codes), p - q)

            yield Cell("coverage", f"drop {before:.0%} to {after:.0%}", design.name, drop)
    for before, after in ((0.8, 0.7), (0.95, 0.6)):
        for design in (single(300), equal(1500, 0.3), equal(1500, 0.5)):

            def unpaired(
                rng: np.random.Generator, d: Clusters = design, p: float = before, q: float = after
            ) -> bool:
                base, items = d.events(rng, p, q)
                half = len(items) // 2
                return holds(difference(base, items[:half], d.codes, d.codes[:half]), p - q)

            yield Cell("coverage", f"unpaired drop {before:.0%} to {after:.0%}", design.name, unpaired)
    for design in (single(300), equal(900, 0.3)):

        def drops(rng: np.random.Generator, d: Clusters = design) -> bool:
            one, other, third, fourth = d.events(rng, 0.85, 0.7, 0.8, 0.75)
            return holds(difference_of_drops((one, other), (third, fourth), d.codes), 0.1)

        yield Cell("coverage", "difference of two drops", design.name, drops)
    for design in DESIGNS:

        def level(rng: np.random.Generator, d: Clusters = design) -> bool:
            return clustered_mcnemar(*d.events(rng, 0.8, 0.8), d.codes).p_exact <= 0.05

        yield Cell("level", "McNemar's test by cluster", design.name, level)
    for m, share, size, chance in (
        (300, 0.05, 20, 0.5),
        (300, 0.05, 20, 0.25),
        (100, 0.05, 20, 0.5),
        (100, 0.05, 20, 0.25),
        (1000, 0.01, 50, 0.5),
        (1000, 0.01, 50, 0.25),
    ):

        def uneven(
            rng: np.random.Generator, m: int = m, q: float = share, size: int = size, chance: float = chance
        ) -> bool:
            large = np.arange(m) < max(1, round(m * q))
            sizes = np.where(large, size, 1)
            codes = np.repeat(np.arange(m), sizes)
            won = rng.random(m) < chance  # large clusters that the first alone gets right, whole
            lost = chance * size * large.sum() / (m - large.sum())  # small ones that make up for it
            first = np.where(large, won, rng.random(m) >= lost)
            second = np.where(large, False, True)
            return clustered_mcnemar(first[codes], second[codes], codes).p_exact <= 0.05

        design = f"{m} clusters, {share:.0%} of {size}, {chance:.0%} of them won"
        yield Cell("level", "McNemar, large clusters favour one", design, uneven)
    for design in (single(300), single(1500), equal(900, 0.3)):

        def power(rng: np.random.Generator, d: Clusters = design) -> bool:
            before, after = d.events(rng, 0.8, 0.8)
            drops = before.astype(np.float64) - after
            size = effective_size(drops - drops.mean(), d.codes).n_eff
            loss = minimum_detectable_drop(size, float(np.abs(drops).mean()))
            before, after = d.events(rng, 0.8 + loss / 2, 0.8 - loss / 2)
            return clustered_mcnemar(before, after, d.codes).p_exact <= 0.05

        yield Cell("power", "minimum detectable drop", design.name, power)


# ---- word pairs


def keyed() -> Iterator[Cell]:
    """Yield the cells of items that share word pairs as well as premises."""
    from scipy.special import ndtri

    pairs = np.repeat(np.arange(len(ANTONYMS)), ANTONYMS)
    premises = np.random.default_rng(0).integers(0, 294, len(pairs))
    units = np.stack([premises, pairs], axis=1)

    def right(rng: np.random.Generator, share: float, of_pair: float, of_premise: float) -> Flags:
        """Return which items are right; what they have in common is normal, with these shares of variance."""
        latent = np.sqrt(of_pair) * rng.standard_normal(len(ANTONYMS))[pairs]
        latent += np.sqrt(of_premise) * rng.standard_normal(294)[premises]
        latent += np.sqrt(1 - of_pair - of_premise) * rng.standard_normal(len(pairs))
        return np.asarray(latent < ndtri(share), dtype=np.bool_)

    for share in (0.5, 0.8, 0.95):
        for of_pair in (0.0, 0.3, 0.6, 0.9):

            def accuracy(rng: np.random.Generator, p: float = share, v: float = of_pair) -> bool:
                return holds(share_correct(right(rng, p, v, 0.05), units), p)

            design = f"{len(pairs)} items, 30 word pairs, variance of pairs {of_pair:.0%}"
            yield Cell("coverage", f"accuracy {share:.0%}, antonymy", design, accuracy)
    for of_pair in (0.0, 0.3, 0.9):

        def level(rng: np.random.Generator, v: float = of_pair) -> bool:
            one, other = right(rng, 0.7, v, 0.05), right(rng, 0.7, v, 0.05)
            return clustered_mcnemar(one, other, units).p_exact <= 0.05

        design = f"{len(pairs)} items, 30 word pairs, variance of pairs {of_pair:.0%}"
        yield Cell("level", "McNemar's test by premise and pair", design, level)


# ---- probabilities

RANGES: Final = ((0.96, 0.99), (0.985, 0.998), (0.995, 0.9999), (0.5, 0.99))


def answers(rng: np.random.Generator, n: int, sure: tuple[float, float], errors: float) -> Shares:
    """Return shares of three labels with the first predicted, and gold labels, of *n* items.

    The chance of an error is that of a calibrated model times *errors*.
    """
    top, split = rng.uniform(*sure, n), rng.random(n)
    shares = np.stack([top, (1 - top) * split, (1 - top) * (1 - split)], axis=1)
    wrong = rng.random(n) < errors * (1 - top)
    return shares, np.where(wrong, np.where(rng.random(n) < split, 1, 2), 0)


def _ece(shares: NDArray[np.float64], gold: NDArray[np.int64]) -> Estimate:
    stated = shares[:, 0]
    return calibration_error(stated, gold == 0, equal_width_bins(stated)).error


def _classwise(shares: NDArray[np.float64], gold: NDArray[np.int64]) -> Estimate:
    return calibration_error(shares, gold[:, None] == np.arange(3), equal_width_bins(shares)).error


def _brier(shares: NDArray[np.float64], gold: NDArray[np.int64]) -> Estimate:
    return mean_loss(brier_scores(shares, gold, np.zeros(len(gold))), most=2.0)


def _log_loss(shares: NDArray[np.float64], gold: NDArray[np.int64]) -> Estimate:
    return mean_loss(log_losses(shares, gold, np.zeros(len(gold))))


def _area(shares: NDArray[np.float64], gold: NDArray[np.int64]) -> Estimate:
    return risk_coverage(gold != 0, shares[:, 0]).area


def _at_80(shares: NDArray[np.float64], gold: NDArray[np.int64]) -> Estimate:
    return risk_coverage(gold != 0, shares[:, 0]).accuracy_at(0.8)


OF_PROBABILITIES: Final = {
    "ECE": _ece,
    "class-wise ECE": _classwise,
    "Brier score": _brier,
    "log loss": _log_loss,
    "AURC": _area,
    "accuracy at 80 %": _at_80,
}


@cache
def _truth(number: str, sure: tuple[float, float], errors: float) -> float:
    """Return the value of a *number* in the population, that of 300,000 items."""
    if number.endswith("ECE") and errors == 1:
        return 0.0
    return OF_PROBABILITIES[number](*answers(np.random.default_rng(1), _MANY, sure, errors)).value


def probabilities() -> Iterator[Cell]:
    """Yield the cells of what probabilities are worth, of strong models above all."""
    for errors, name in ((1.0, "calibrated"), (2.0, "twice the errors"), (0.5, "half the errors")):
        for sure in RANGES:
            for number in OF_PROBABILITIES:
                for n in (50, 100, 300, 1500):

                    def covers(
                        rng: np.random.Generator,
                        n: int = n,
                        sure: tuple[float, float] = sure,
                        errors: float = errors,
                        number: str = number,
                    ) -> bool:
                        found = OF_PROBABILITIES[number](*answers(rng, n, sure, errors))
                        return holds(found, _truth(number, sure, errors))

                    design = f"{n:,} items, {sure[0]:g} to {sure[1]:g}, {name}"
                    yield Cell("coverage", number, design, covers)


def two_models() -> Iterator[Cell]:
    """Yield the cells of differences in probabilities, agreement and area under the ROC curve."""
    for n in (50, 100, 300, 1500):

        def rare(rng: np.random.Generator, n: int = n) -> bool:
            """Test a model that is 99 % sure, wrong in 1 %, against one whose score is always the mean."""
            gold = (rng.random(n) < 0.01).astype(np.int64)
            sure = np.tile([0.99, 0.005, 0.005], (n, 1))
            expected = 0.99 * (0.01**2 + 2 * 0.005**2) + 0.01 * (0.99**2 + 0.995**2 + 0.005**2)
            top = 1 - sqrt(expected / 1.5)
            same = np.full((n, 3), (1 - top) / 2)
            same[np.arange(n), gold] = top
            pair = item_losses(sure, gold, np.zeros(n)), item_losses(same, gold, gold)
            p_value = paired_probabilities([(*pair, None)], n).brier.p_value
            return p_value is not None and p_value <= 0.05

        yield Cell("level", "Brier score, rare large losses", f"{n:,} items", rare)
        for sure in ((0.5, 0.99), (0.96, 0.99)):

            def alike(rng: np.random.Generator, n: int = n, sure: tuple[float, float] = sure) -> bool:
                shares, gold = answers(rng, n, sure, 1.0)
                other, _ = answers(rng, n, sure, 1.0)
                # The gold labels are those of the first model: exchange the two at random, item by item.
                swap = rng.random((n, 1)) < 0.5
                pair = (np.where(swap, other, shares), np.where(swap, shares, other))
                a, b = (item_losses(each, gold, np.zeros(n)) for each in pair)
                p_value = paired_probabilities([(a, b, None)], n).log_loss.p_value
                return p_value is not None and p_value <= 0.05

            yield Cell(
                "level", "log loss, two equal models", f"{n:,} items, {sure[0]:g} to {sure[1]:g}", alike
            )
        for apart in (0.02, 0.3):

            def kappa(rng: np.random.Generator, n: int = n, apart: float = apart) -> bool:
                one = rng.integers(0, 3, n)
                other = np.where(rng.random(n) < apart, (one + rng.integers(1, 3, n)) % 3, one)
                return holds(linear_kappa(one, other), 1 - apart * 3 / 2)

            yield Cell("coverage", f"kappa {1 - apart * 1.5:.2f}", f"{n:,} items", kappa)

        def auc(rng: np.random.Generator, n: int = n) -> bool:
            from scipy.special import ndtr

            positive = np.arange(n) % 4 == 0
            return holds(roc_auc(rng.standard_normal(n) + 2 * positive, positive), float(ndtr(sqrt(2))))

        yield Cell("coverage", "ROC AUC 92 %", f"{n:,} items", auc)


# ---- gates


def gates() -> Iterator[Cell]:
    """Yield the cells of rules that are kept to exactly, and of what open checks say is detectable."""
    for limit in (0.001, 0.01, 0.05, 0.2):
        for design in (
            single(50),
            single(300),
            single(1500),
            equal(300, 0.5),
            equal(1500, 0.5),
            zipf(1000, 100, 0.5),
        ):
            for checks in (1, 50):
                for side in ("broken", "holds"):

                    def wrongly(
                        rng: np.random.Generator,
                        d: Clusters = design,
                        limit: float = limit,
                        level: float = 0.025 / checks,
                        side: str = side,
                    ) -> bool:
                        """Return whether a check of the family is decided, by the chance of one of them."""
                        (errors,) = d.events(rng, limit)
                        found = exact_share(errors, d.codes, 1 - 2 * level)
                        return found.low > limit if side == "broken" else found.high < limit

                    number = f"share at its limit of {limit:.1%}, {side}"
                    yield Cell("gate", f"{number}, any of {checks}", design.name, _of_family(wrongly, checks))
    for sure, n in (((0.5, 0.99), 300), ((0.96, 0.99), 300), ((0.96, 0.99), 50)):

        def ece(rng: np.random.Generator, n: int = n, sure: tuple[float, float] = sure) -> bool:
            shares, gold = answers(rng, n, sure, 2.0)
            limit = float(np.mean(1 - np.array(sure)))  # the error of a model with twice the errors
            errors = binned_errors(shares[:, 0], gold == 0, equal_width_bins(shares[:, 0]))
            assert errors is not None
            return one_sided_p(errors.error, limit, "above") <= 0.025

        yield Cell("gate", "ECE at its limit, broken", f"{n} items, {sure[0]:g} to {sure[1]:g}", ece)
    for n in (300, 1500):
        for checks in (1, 30):

            def found(rng: np.random.Generator, n: int = n, level: float = 0.025 / checks) -> bool:
                """Return whether a calibration error is found that an open check said would be."""
                limit = Limit("below", 0.05)
                said = prospects_of(_ece_quantity(rng, n, 0.05), limit, level).detectable
                if said is None:
                    return False
                quantity = _ece_quantity(rng, n, said)
                return one_sided_p(quantity.known, limit.threshold, "above") <= level

            yield Cell("power", f"ECE, detectable with {checks} checks", f"{n} items, limit 5 %", found)


def _of_family(
    wrongly: Callable[[np.random.Generator], bool], checks: int
) -> Callable[[np.random.Generator], bool]:
    """Return whether any of so many independent checks is decided wrongly."""
    return lambda rng: any(wrongly(rng) for _ in range(checks))


def _ece_quantity(rng: np.random.Generator, n: int, error: float) -> MeasuredQuantity:
    """Return the calibration error of a model that is overconfident by *error* everywhere."""
    stated = rng.beta(3, 1, n) * (0.6 - error) + 0.4 + error
    right = rng.random(n) < stated - error
    errors = binned_errors(stated, right, equal_width_bins(stated))
    assert errors is not None
    at = errors.error
    return MeasuredQuantity(at, at, at, n, 0, False, distances=errors.distances)


#: The cells by topic.  Another design is a row there.
TOPICS: Final = (accuracies, differences, keyed, probabilities, two_models, gates)


def share_of(cell: Cell, samples: int, seed: int = 0) -> float:
    """Return the share of *samples* of *cell* that are hits, drawn with *seed* and the names of the cell."""
    rng = np.random.default_rng([seed, *f"{cell.number}|{cell.design}".encode()])
    return float(np.mean([cell.hit(rng) for _ in range(samples)]))


def is_nominal(cell: Cell, share: float, samples: int) -> bool:
    """Return whether *share* is within the bounds of its kind, or outside by what is chance."""
    low, high = NOMINAL[cell.kind]
    return all(
        share * sign >= bound * sign - 2 * sqrt(bound * (1 - bound) / samples)
        for bound, sign in ((low, 1), (high, -1))
    )


def ranges(found: Sequence[tuple[Cell, float]], samples: int) -> Iterator[tuple[str, ...]]:
    """Yield a row per number: its kind, the number of designs, the range of shares, what is not nominal."""
    for number in dict.fromkeys(cell.number for cell, _ in found):
        rows = [(cell, share) for cell, share in found if cell.number == number]
        shares = [100 * share for _, share in rows]
        span = f"{min(shares):.1f} to {max(shares):.1f}"
        marked = [cell.design for cell, share in rows if not is_nominal(cell, share, samples)]
        yield number, rows[0][0].kind, str(len(rows)), span, "; ".join(marked)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--samples", type=int, default=1000)
    parser.add_argument("--only", default="", help="a part of the names of numbers")
    parser.add_argument("--ranges", action="store_true", help="a row per number, over its designs")
    given = parser.parse_args(arguments)
    found = []
    head = (
        ("number", "kind", "designs", "%", "not nominal")
        if given.ranges
        else ("number", "design", "kind", "%", "")
    )
    print(_row(head), _row("---" for _ in head), sep="\n")
    for cell in (cell for topic in TOPICS for cell in topic() if given.only in cell.number):
        share = share_of(cell, given.samples)
        found.append((cell, share))
        if not given.ranges:
            mark = "" if is_nominal(cell, share, given.samples) else "not nominal"
            print(_row((cell.number, cell.design, cell.kind, f"{100 * share:.1f}", mark)), flush=True)
    if given.ranges:
        print(*map(_row, ranges(found, given.samples)), sep="\n")


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
