"""Items that share word pairs as well as premises, the factors of word pairs, and pairs seen in training."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, partial
from math import sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray

from crossexam.core.estimate import Estimate
from crossexam.stats.association import association, cramers_v, odds_ratio
from crossexam.stats.bootstrap import bootstrap_interval
from crossexam.stats.clustered_association import conditional_test, permutation_test
from crossexam.stats.clusters import equal_weights
from crossexam.stats.estimate import share_correct
from crossexam.stats.paired import clustered_mcnemar, paired_difference
from crossexam.stats.power import minimum_detectable_association
from crossexam.stats.ranks import MeanTests, differences_of_means
from nominal.designs import Cell, Codes, Flags, Shares, holds, is_significant

#: The items of each unordered word pair of antonymy in 1,500 examples of SNLI: 414 of man and woman.
# fmt: off
ANTONYMS: Final = (
    414, 80, 58, 18, 14, 12, 10, 9, 8, 8, 7, 6, 5, 5, 4, 4, 3, 3, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1,
)
# fmt: on
_PREMISES: Final = 294
_PAIR_OF: Final = np.repeat(np.arange(len(ANTONYMS)), ANTONYMS)
_PREMISE_OF: Final = np.random.default_rng(0).integers(0, _PREMISES, len(_PAIR_OF))
UNITS: Final = np.stack([_PREMISE_OF, _PAIR_OF], axis=1)


def keyed() -> Iterator[Cell]:
    """Yield the cells of items that share word pairs as well as premises."""
    items = f"{len(_PAIR_OF)} items, 30 word pairs, variance of pairs"
    for share in (0.5, 0.8, 0.95):
        for of_pair in (0.0, 0.3, 0.6, 0.9):
            for over, number in ((False, "accuracy"), (True, "accuracy over keys")):
                hit = partial(_accuracy, p=share, v=of_pair, over=over)
                yield Cell("coverage", f"{number}, antonymy", f"{share:.0%}, {items} {of_pair:.0%}", hit)
    for of_pair in (0.0, 0.3, 0.6, 0.9):
        for over, number in ((False, "drop"), (True, "drop over keys")):
            hit = partial(_drop, v=of_pair, over=over)
            yield Cell("coverage", f"{number}, antonymy", f"80% to 70%, {items} {of_pair:.0%}", hit)
    for of_pair in (0.0, 0.3, 0.9):
        hit = partial(_level, v=of_pair)
        yield Cell("level", "McNemar's test by premise and pair", f"{items} {of_pair:.0%}", hit)
    for of_pair in (0.0, 0.3, 0.9):
        design = f"{items} {of_pair:.0%}, and as many without"
        for number in ("mean", "difference of means"):
            hit = partial(_means, v=of_pair, number=number)
            yield Cell("coverage", f"{number} of 3 sets, two of antonymy", design, hit)
        hit = partial(_means_level, v=of_pair)
        yield Cell("level", "difference of means of 3 sets, two of antonymy, p", design, hit)


def _right(rng: np.random.Generator, share: float, of_pair: float, pairs: Shares | None = None) -> Flags:
    """Return which items are right; what they have in common is normal, with these shares of variance.

    *pairs* are how hard the word pairs are, if that is known.
    """
    from scipy.special import ndtri

    of_premise = 0.05
    hard = rng.standard_normal(len(ANTONYMS)) if pairs is None else pairs
    latent = np.sqrt(of_pair) * hard[_PAIR_OF]
    latent += np.sqrt(of_premise) * rng.standard_normal(_PREMISES)[_PREMISE_OF]
    latent += np.sqrt(1 - of_pair - of_premise) * rng.standard_normal(len(_PAIR_OF))
    return np.asarray(latent < ndtri(share), dtype=np.bool_)


def _weights(over: bool) -> Shares | None:
    return equal_weights(_PAIR_OF, len(_PAIR_OF)) if over else None


def _accuracy(rng: np.random.Generator, p: float, v: float, over: bool) -> bool:
    return holds(share_correct(_right(rng, p, v), UNITS, weights=_weights(over)), p)


def _drop(rng: np.random.Generator, v: float, over: bool) -> bool:
    base, items = _right(rng, 0.8, v), _right(rng, 0.7, v)
    return holds(paired_difference(base, items, UNITS, weights=_weights(over)), 0.8 - 0.7)


def _level(rng: np.random.Generator, v: float) -> bool:
    one, other = _right(rng, 0.7, v), _right(rng, 0.7, v)
    return is_significant(clustered_mcnemar(one, other, UNITS).p_exact)


def _sets(rng: np.random.Generator, v: float) -> MeanTests:
    """Return the means of two models over a base and two sets of the same word pairs and premises."""
    pairs = rng.standard_normal((2, len(ANTONYMS)))
    found: list[tuple[Flags, Codes]] = []
    for of_pair, units in ((0.0, _PREMISE_OF), (v, UNITS), (v, UNITS)):
        found.append((np.stack([_right(rng, 0.7, of_pair, each) for each in pairs], axis=1), units))
    return differences_of_means(found)


def _means(rng: np.random.Generator, v: float, number: str) -> bool:
    found = _sets(rng, v)
    return holds(found.means[0], 0.7) if number == "mean" else holds(found.tests[0, 1].difference, 0.0)


def _means_level(rng: np.random.Generator, v: float) -> bool:
    return is_significant(_sets(rng, v).tests[0, 1].p_value)


# ---- factors of word pairs

#: Items of the word pairs of e_th, from 27,872 pairs of SNLI train: sizes and how many pairs have them.
_SEEN: Final = {1: 24, 2: 11, 3: 1, 4: 5, 5: 1, 7: 1, 12: 1, 17: 1, 18: 1, 20: 1, 36: 1, 68: 1, 180: 1}
_UNSEEN: Final = {1: 85, 2: 10, 3: 2, 4: 1, 32: 1}
#: As many items, if few pairs are frequent, and all unseen ones have one item.
_ZIPF: Final = dict.fromkeys([400, 200, 133, 100, 80, 67, 57, 50, 44, 40], 1)
#: The seen and the unseen word pairs of a test set.
Held = tuple[dict[int, int], dict[int, int]]
_HELD: Final[dict[str, Held]] = {
    "e_th": (_SEEN, _UNSEEN),
    "single unseen items": (_SEEN, {1: 100}),
    "10 Zipf pairs, single unseen items": (_ZIPF, {1: 40}),
    "all pairs alike": ({3: 50}, {3: 50}),
}


def sizes_of(held: Held) -> tuple[Codes, Codes]:
    """Return how many items each word pair has, and whether it is unseen (1) or seen (0): [m] each."""
    sizes = [size for each in held for size, times in each.items() for _ in range(times)]
    return np.array(sizes), np.repeat([0, 1], [sum(each.values()) for each in held])


def factors() -> Iterator[Cell]:
    """Yield the cells of the tests of factors, and of how strong they are."""
    for name, held in _HELD.items():
        for share in (0.8, 0.95):
            for icc in (0.0, 0.1, 0.36):
                hit = partial(_unseen_level, held=held, p=share, icc=icc)
                design = f"{name}, {share:.0%} right, ICC {icc:g}"
                yield Cell("level", "p of unseen pairs", design, hit)
        for icc in (0.0, 0.1, 0.36):
            hit = partial(_polarity_level, held=held, icc=icc)
            yield Cell("level", "p of polarity", f"{name}, ICC {icc:g}", hit)
            hit = partial(_polarity_strength, held=held, icc=icc)
            yield Cell("coverage", "Cramér's V", f"{name}, 3 polarities by 3 labels, ICC {icc:g}", hit)
            hit = partial(_insensitivity_level, held=held, icc=icc)
            yield Cell("level", "p of insensitivity", f"{name}, ICC {icc:g}", hit)
            for first, second in ((0.8, 0.8), (0.8, 0.6), (0.95, 0.8)):
                design = f"{name}, {first:.0%} and {second:.0%} right, ICC {icc:g}"
                shares = (first, second)
                hit = partial(_odds, held=held, icc=icc, shares=shares)
                yield Cell("coverage", "odds ratio", design, hit)
                hit = partial(_cramer, held=held, icc=icc, shares=shares)
                yield Cell("coverage", "Cramér's V", design, hit)
        if held[0] is not _ZIPF:  # of which no share of 40 unseen items is as far from the rest
            hit = partial(_detected, held=held)
            yield Cell("power", "minimum detectable effect", f"{name}, ICC 0.1", hit)
    for n in (40, 300):
        for shape in ((2, 2), (3, 3)):
            hit = partial(_independent, n=n, shape=shape)
            design = f"{n} items, a table of {shape[0]} by {shape[1]}"
            yield Cell("level", "p (items) of independent items", design, hit)


def _outcomes(
    rng: np.random.Generator, held: Held, icc: float, shares: tuple[float, float]
) -> NDArray[np.int64]:
    """Return how many items of each pair are right and wrong [m, 2], of seen and unseen ones by *shares*."""
    sizes, unseen = sizes_of(held)
    chance = np.array(shares)[unseen]
    if icc:
        rest = 1 / icc - 1
        chance = rng.beta(chance * rest, (1 - chance) * rest)
    right = rng.binomial(sizes, chance)
    return np.column_stack([right, sizes - right])


def _tables(outcomes: NDArray[np.int64], unseen: Codes) -> NDArray[np.int64]:
    """Return the table of each pair, right and wrong by seen and unseen: [m, 2, 2]."""
    tables: NDArray[np.int64] = outcomes[:, :, None] * np.eye(2, dtype=np.int64)[unseen][:, None]
    return tables


def _draw(rng: np.random.Generator) -> dict[str, int]:
    """Return how many permutations are drawn, fewer than for a report, and their seed."""
    return {"draws": 999, "seed": int(rng.integers(2**31))}


def _unseen_level(rng: np.random.Generator, held: Held, p: float, icc: float) -> bool:
    outcomes = _outcomes(rng, held, icc, (p, p))
    return is_significant(permutation_test(sizes_of(held)[1], outcomes, **_draw(rng)).p)


def _polarity_level(rng: np.random.Generator, held: Held, icc: float) -> bool:
    """Give word pairs one of four polarities, unseen pairs mostly none, and items one of three labels."""
    sizes, unseen = sizes_of(held)
    chances = np.tile([0.5, 0.3, 0.2], (len(sizes), 1))
    if icc:
        chances = rng.dirichlet(chances[0] * (1 / icc - 1), len(sizes))
    outcomes = rng.multinomial(sizes, chances)
    polarity = np.where(unseen, 3, np.arange(len(sizes)) % 3)
    return is_significant(permutation_test(polarity, outcomes, **_draw(rng)).p)


#: How often items get each label, by the polarity of their word pair.
_BY_POLARITY: Final = np.array([[0.6, 0.25, 0.15], [0.4, 0.4, 0.2], [0.4, 0.2, 0.4]])


def _polarity_strength(rng: np.random.Generator, held: Held, icc: float) -> bool:
    sizes, _ = sizes_of(held)
    polarity = np.arange(len(sizes)) % 3
    chances = _BY_POLARITY[polarity]
    if icc:
        chances = np.stack([rng.dirichlet(each * (1 / icc - 1)) for each in chances])
    outcomes = rng.multinomial(sizes, chances)
    tables = outcomes[:, None, :] * np.eye(3, dtype=np.int64)[polarity][:, :, None]
    wholes = _BY_POLARITY * (np.bincount(polarity, weights=sizes) / sizes.sum())[:, None]
    return holds(cramers_v(tables.sum(axis=0), clusters=tables), _strength(wholes))


def _strength(shares: Shares) -> float:
    """Return Cramér's V of the *shares* of all items in the cells of a table."""
    expected = np.outer(shares.sum(axis=1), shares.sum(axis=0))
    return sqrt(float(((shares - expected) ** 2 / expected).sum()) / (min(shares.shape) - 1))


def _insensitivity_level(rng: np.random.Generator, held: Held, icc: float) -> bool:
    sizes, _ = sizes_of(held)
    of_item = np.repeat(np.arange(len(sizes)), sizes)
    rest = (1 / icc - 1) / 2 if icc else 0.0
    chances = rng.beta(rest, rest, (2, len(sizes))) if icc else np.full((2, len(sizes)), 0.5)
    rows, columns = (rng.random(len(of_item)) < chance[of_item] for chance in chances)
    tables = np.bincount(4 * of_item + 2 * rows + columns, minlength=4 * len(sizes)).reshape(-1, 2, 2)
    return is_significant(conditional_test(tables).p)


def _odds(rng: np.random.Generator, held: Held, icc: float, shares: tuple[float, float]) -> bool:
    tables = _tables(_outcomes(rng, held, icc, shares), sizes_of(held)[1])
    first, second = shares
    found = odds_ratio(tables.sum(axis=0), clusters=tables)
    return holds(found, first * (1 - second) / ((1 - first) * second))


def _cramer(rng: np.random.Generator, held: Held, icc: float, shares: tuple[float, float]) -> bool:
    sizes, unseen = sizes_of(held)
    tables = _tables(_outcomes(rng, held, icc, shares), unseen)
    wholes = (
        np.array([shares, [1 - each for each in shares]]) * np.bincount(unseen, weights=sizes) / sizes.sum()
    )
    return holds(cramers_v(tables.sum(axis=0), clusters=tables), _strength(wholes))


def _detected(rng: np.random.Generator, held: Held) -> bool:
    """Draw pairs with the effect that others of their kind would detect."""
    sizes, unseen = sizes_of(held)
    null = permutation_test(unseen, _outcomes(rng, held, 0.1, (0.7, 0.7)), draws=1)
    effect = minimum_detectable_association(null.n_eff)
    share = float(sizes[unseen == 1].sum() / sizes.sum())
    gap = effect * np.sqrt(0.7 * 0.3 / (share * (1 - share)))  # w of two groups around a share of 70 %
    shares = (min(1.0, 0.7 + gap * share), max(0.0, 0.7 - gap * (1 - share)))
    return is_significant(permutation_test(unseen, _outcomes(rng, held, 0.1, shares), **_draw(rng)).p)


def _independent(rng: np.random.Generator, n: int, shape: tuple[int, int]) -> bool:
    first, second = (np.array([0.6, 0.4]), np.array([0.8, 0.2])) if shape == (2, 2) else _LABELS
    table = rng.multinomial(n, np.outer(first, second).ravel()).reshape(shape)
    table = table[table.any(axis=1)][:, table.any(axis=0)]
    return min(table.shape) > 1 and is_significant(association(table, draws=999).p)


_LABELS: Final = (np.array([0.5, 0.3, 0.2]), np.array([0.6, 0.3, 0.1]))


# ---- word pairs in training


def seen() -> Iterator[Cell]:
    """Yield the cells of word pairs in training: how many are seen, and how often on average."""
    for n in (10, 30, 100, 300):
        for share in (0.5, 0.95):
            hit = partial(_seen_share, n=n, p=share)
            yield Cell("coverage", "share of pairs in training", f"{share:.0%}, {n} pairs", hit)
        for spread in (1.0, 2.0):
            hit = partial(_seen_mean, n=n, spread=spread)
            yield Cell(
                "coverage", "mean count of pairs in training", f"log-normal, {spread:g}, {n} pairs", hit
            )


def _seen_share(rng: np.random.Generator, n: int, p: float) -> bool:
    return holds(share_correct(rng.random(n) < p), p)


@cache
def _mean_count(spread: float) -> float:
    return float(_counts(np.random.default_rng(1), 3_000_000, spread).mean())


def _counts(rng: np.random.Generator, n: int, spread: float) -> Codes:
    return np.floor(np.exp(2.0 + spread * rng.standard_normal(n))).astype(np.int64)


def _seen_mean(rng: np.random.Generator, n: int, spread: float) -> bool:
    times = _counts(rng, n, spread)
    rows = np.column_stack([np.ones(n), times])
    found = bootstrap_interval(rows, lambda sums: sums[:, 1] / sums[:, 0], np.arange(n), name="pairs")
    return holds(Estimate(*found, n, n), _mean_count(spread))
