"""Which word pairs that two models get right were in the training data (Naik et al. 2018, section 4.3).

The paper reports the share of antonym pairs "in a contradiction relation within the training data", of those
that two models find easy and hard, and that the pairs which only one of them gets right differ in frequency.
It does not say how pairs were counted.  Here:

- A pair stands in a contradiction if one word is in the premise and the other in the hypothesis of a
  contradiction, in either direction: antonymy has none, and the tests take both words as the one replaced.
  For the same reason *hot/cold* and *cold/hot* are one pair, as wherever keys are counted
  (:func:`~crossexam.constructions.keys.counted_keys`).
- The index of a corpus has words as they are written, in lower case, and the keys of antonymy are lemmas.
  Each word therefore stands for all its forms as a noun or adjective
  (:func:`~crossexam.language.inflection.listed_forms`): *man/woman* is seen if *men* is in the premise and
  *women* in the hypothesis.
- The count of a pair is the number of examples that have it, whatever their label.  An example that has it in
  both directions, or in several forms, counts as many times.

Shares have Wilson's interval, with pairs as the units; mean counts, which are skewed, a bootstrap over pairs.
A pair can be in several groups.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import nan
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from crossexam.constructions.keys import counted_keys, is_word_pair
from crossexam.constructions.pair_indexes import cached_index
from crossexam.constructions.table import KNOWN
from crossexam.core.dataset import Dataset, Run
from crossexam.core.errors import CrossexamError
from crossexam.core.estimate import Estimate
from crossexam.core.example import Example
from crossexam.core.labels import LABEL_INDEX, LABELS
from crossexam.core.progress import Progress, silent
from crossexam.evaluation.scores import Scored
from crossexam.language.inflection import listed_forms
from crossexam.language.tokens import words
from crossexam.stats.bootstrap import bootstrap_interval
from crossexam.stats.estimate import share_correct

if TYPE_CHECKING:
    from crossexam.language.word_pair_index import WordPairIndex

#: Who gets the items right, in the order of the tables.
GROUPS: Final = ("both", "neither", "only_a", "only_b")
WordPair = tuple[str, str]


@dataclass(frozen=True, eq=False)
class TrainingPairs:
    """The *index* of the word pairs in the training corpora *spec*."""

    spec: str
    index: WordPairIndex


@dataclass(frozen=True)
class SeenWordPairs:
    """The different word pairs of the items of *test_set* that a *group* of two models gets right.

    *seen* is the share of the *pairs* that training has, *contradiction* the share that it has in a
    contradiction, *mean* the mean number of training examples per pair.  *left_out* pairs are not among
    them, because the index splits one of their words, so that it cannot have them.
    """

    test_set: str
    group: str
    pairs: int
    left_out: int
    seen: Estimate
    contradiction: Estimate
    mean: Estimate


def training_pairs(runs: Sequence[Run], spec: str, *, progress: Progress = silent) -> TrainingPairs:
    """Return the word pairs of the corpora *spec* (``CORPUS+CORPUS``), to look up those of two *runs*.

    Raises CrossexamError if there are not two runs, if no test set that they share has word pairs, or if
    there is no such corpus.
    """
    if len(runs) != 2:
        raise CrossexamError(
            f"word pairs are looked up for two models, not for {len(runs)}",
            where="index",
            wanted="two runs over the same test sets",
        )
    first, second = runs
    shared = [dataset for name, dataset in first.datasets.items() if name in second.datasets]
    if not any(_keys(dataset.examples, dataset.entry.construction) for dataset in shared):
        raise CrossexamError(
            "no test set has word pairs to look up in the index",
            where="index",
            wanted="two runs over antonymy or the word swaps of the behaviour suite",
            hint="crossexam build antonymy --base CORPUS, or leave out the index",
        )
    return TrainingPairs(spec, cached_index(spec, progress=progress))


def seen_pairs(
    test_sets: Mapping[str, Dataset],
    a: Mapping[str, Scored],
    b: Mapping[str, Scored],
    training: TrainingPairs,
) -> tuple[SeenWordPairs, ...]:
    """Return the word pairs in *training* by outcome of two models, for those *test_sets* that have pairs.

    *a* and *b* are their scores on the items that both answered, as of
    :func:`~crossexam.evaluation.scores.score_both`.
    """
    found: list[SeenWordPairs] = []
    for name, dataset in test_sets.items():
        keys = _keys(a[name].examples, dataset.entry.construction)
        if keys:
            found += _by_group(name, keys, _groups(a[name], b[name]), training.index)
    return tuple(found)


def _keys(examples: Sequence[Example], construction: str) -> list[str] | None:
    """Return the word pair of each item, None if the key of *construction* is something else."""
    known = KNOWN.get(construction)
    return counted_keys(examples, construction) if known is not None and is_word_pair(known) else None


def _groups(a: Scored, b: Scored) -> Mapping[str, NDArray[np.bool_]]:
    """Return which items belong to each of GROUPS."""
    outcomes = (
        a.correct & b.correct,
        ~a.correct & ~b.correct,
        a.correct & ~b.correct,
        ~a.correct & b.correct,
    )
    return dict(zip(GROUPS, outcomes, strict=True))


def _by_group(
    name: str, keys: Sequence[str], groups: Mapping[str, NDArray[np.bool_]], index: WordPairIndex
) -> Iterator[SeenWordPairs]:
    pair_of = {key: _pair(key) for key in set(keys)}
    counts = {pair: _counts(pair, index) for pair in set(pair_of.values())}
    for group, members in groups.items():
        pairs = sorted({pair_of[keys[item]] for item in np.flatnonzero(members).tolist()})
        indexed = [each for pair in pairs if (each := counts[pair]) is not None]
        yield _seen(name, group, len(pairs) - len(indexed), indexed)


def _pair(key: str) -> WordPair:
    """Return the two words of *key*."""
    one, _, other = key.partition("/")
    return one, other


def _counts(pair: WordPair, index: WordPairIndex) -> NDArray[np.int64] | None:
    """Return how many examples have *pair*, per label [3]; None if the index splits one of its words."""
    if any(len(words(word)) != 1 for word in pair):
        return None
    one, other = map(listed_forms, pair)
    forms = {(a, b) for a in one for b in other}
    found: NDArray[np.int64] = index.counts(sorted(forms | {(b, a) for a, b in forms})).sum(axis=0)
    return found


def _seen(name: str, group: str, left_out: int, counts: Iterable[NDArray[np.int64]]) -> SeenWordPairs:
    by_label = np.array(list(counts), dtype=np.int64).reshape(-1, len(LABELS))
    times = by_label.sum(axis=1)
    return SeenWordPairs(
        name,
        group,
        len(times),
        left_out,
        share_correct(times > 0),
        share_correct(by_label[:, LABEL_INDEX["contradiction"]] > 0),
        _mean(times, f"{name}:{group}"),
    )


def _mean(times: NDArray[np.int64], name: str) -> Estimate:
    """Return the mean of *times* [n]; without bounds if they do not vary, which resampling cannot judge."""
    n = len(times)
    if n == 0 or times.min() == times.max():
        return Estimate(float(times.mean()) if n else nan, nan, nan, n, n)
    rows = np.column_stack([np.ones(n), times])
    value, low, high = bootstrap_interval(rows, lambda sums: sums[:, 1] / sums[:, 0], np.arange(n), name=name)
    return Estimate(value, low, high, n, n)
