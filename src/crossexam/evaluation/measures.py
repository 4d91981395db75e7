"""The measures of a run on each test set: accuracy, drop, significance, errors, accuracy by slice.

Every interval is a 95 % interval clustered by premise (``stats.clusters``).  The measures of Naik et al.
(2018) are among them: accuracy (Table 3), the shares of false neutrals (Table 4) and false entailments
(Table 7) in all errors, and the counts of E-C and N-C errors (section 4.4).  :data:`SLICES` lists the
properties by which the items of a test set are divided.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from crossexam.core.columns import InfoValues, Places, info_values
from crossexam.core.dataset import Dataset, Run, counted_items
from crossexam.core.errors import UnknownNameError
from crossexam.core.estimate import Bounds, Estimate
from crossexam.core.labels import GOLD_INDEX, GOLDS, LABELS, THREE_LABELS, Gold
from crossexam.core.outcome import MAX_UNANSWERED
from crossexam.core.rules import OURS
from crossexam.evaluation.scores import Scored, describe_projection, score_run, with_accuracy
from crossexam.evaluation.unanswered import (
    Labelled,
    Unanswered,
    filled_scores,
    is_answered,
    labelled_items,
    unanswered_items,
)
from crossexam.stats.clusters import cluster_codes, effective_size
from crossexam.stats.confusion import confusion, error_types, false_share
from crossexam.stats.estimate import Coded, share_correct
from crossexam.stats.multiple_testing import ALPHA, holm_of_planned
from crossexam.stats.paired import McNemar, clustered_mcnemar, flip_rate, mcnemar, paired_difference
from crossexam.stats.power import minimum_detectable_drop
from crossexam.stats.unpaired import difference

#: A test set of fewer items, or pairs with its base, leads no headline, and charts mark it.
FEW: Final = 30


@dataclass(frozen=True)
class MajorityClass:
    """The most frequent gold *label* of a test set, and its *share* of the items.

    *advantage* is the accuracy of the model minus that share, paired item by item with the answers of
    somebody who always gives that label.
    """

    label: Gold
    share: float
    advantage: Estimate

    @property
    def beaten(self) -> bool:
        """Whether the model is significantly above the majority class."""
        return self.advantage.low > 0


@dataclass(frozen=True, repr=False)
class TestSetResult:
    """The measures of a model on one test set: on *n* items, which it answered and which have a gold label.

    *unlabelled* items have no gold label; *unanswered* says what became of those without an answer, and is
    None if there are none here or in the base.  If these are too many, *accuracy*, *base_accuracy* and *drop*
    (or *difference*) are :class:`~crossexam.core.estimate.Bounds`, and what has no bounds is None or empty.

    *drop*: accuracy lost from base to test set, item by item, positive if the model does worse; only if the
    construction is paired with its base and the base was predicted.  *difference*: the difference of the two
    accuracies, if the items are not paired.  *base_accuracy* is the accuracy on the paired base examples (so
    that the drop is *base_accuracy* minus *accuracy*), else on the whole base.

    *p_value* (exact) and *p_mid* come from the sign-flip form of McNemar's test whose unit is the cluster;
    *p_holm* is *p_value* corrected over the paired test sets of the run, tested or not; *mcnemar* holds the
    discordant counts and the classical test, which assumes independent items.  *minimum_detectable_drop* is
    the drop that so many *effective_pairs*, as discordant as these, would show with a power of 80 % as the
    smallest of the p-values of the run.  *flip_rate*: share of paired items whose prediction differs from
    that of their base.  *confusion*: counts [gold, predicted]; *errors*: ``"E-C"`` is gold entailment
    predicted as contradiction.  The two shares are of all errors, None without errors.

    *majority* is the accuracy of always giving the most frequent gold label, scored as the model is; None if
    the items have fewer than two gold labels.  *only_label* is the gold label that all items have,
    answered or not, None if they have several.

    *projection* describes how a test set of other *labels*, or a model of two labels, was scored;
    *false_neutral_share* is None for not_entailment, which is not neutral (its letter in *errors* is N too).
    """

    __test__ = False  # not a test, whatever pytest thinks of its name

    name: str
    construction: str
    part: str
    n: int
    unlabelled: int
    accuracy: Estimate
    base_set: str | None
    base_accuracy: Estimate | None
    drop: Estimate | None
    difference: Estimate | None
    p_value: float | None
    p_mid: float | None
    p_holm: float | None
    mcnemar: McNemar | None
    effective_pairs: float | None
    minimum_detectable_drop: float | None
    flip_rate: Estimate | None
    confusion: tuple[tuple[int, ...], ...]
    errors: Mapping[str, int]
    false_neutral_share: float | None
    false_entailment_share: float | None
    slices: Mapping[str, Mapping[str, Estimate]]
    projection: str | None
    labels: tuple[Gold, ...] = LABELS
    majority: MajorityClass | None = None
    only_label: Gold | None = None
    rules: str = OURS
    unanswered: Unanswered | None = None

    def __repr__(self) -> str:
        """Return the accuracy, and the drop if there is one, in one line."""
        drop = "" if self.lost is None else f", drop {self.lost}"
        count = self.unanswered.count if self.unanswered is not None else 0
        missing = f", {count:,} unanswered" if count else ""
        items = f"{counted_items(self.n, 'item')}{missing}"
        return f"TestSetResult({self.name!r}, {items}, accuracy {self.accuracy}{drop})"

    @property
    def labelled(self) -> int:
        """The number of items with a gold label, answered or not."""
        return self.n if self.unanswered is None else self.unanswered.labelled

    @property
    def only_bounds(self) -> bool:
        """Whether so many items were not answered that there are only bounds of the accuracy."""
        return self.unanswered is not None and self.unanswered.only_bounds

    @property
    def is_paired(self) -> bool:
        """Whether items are paired with their base, so that a test was planned, whatever was answered."""
        return self.p_value is not None or (self.unanswered is not None and self.unanswered.pairs > 0)

    @property
    def counted(self) -> int:
        """The number of pairs that the drop compares, if there is one; else of items."""
        return self.n if self.loss is None else min(self.n, self.loss.n)

    @property
    def is_small(self) -> bool:
        """Whether there are so few items, or pairs with the base, that no headline is about them."""
        return self.counted < FEW

    @property
    def at_chance(self) -> bool:
        """Whether the model is not significantly above the majority class of the items."""
        return self.majority is not None and not self.majority.beaten

    @property
    def loss(self) -> Estimate | None:
        """The accuracy lost from base to test set: the drop if items are paired, else the difference.

        None for a base, if there was nothing to compare, and if there are only bounds.
        """
        for loss in (self.drop, self.difference):
            if loss is not None and loss.n > 0 and loss.value == loss.value:
                return loss
        return None

    @property
    def lost(self) -> Estimate | None:
        """What a table shows as the accuracy lost: :attr:`loss`, or its bounds if there are only these."""
        bounds = self.drop or self.difference
        return bounds if isinstance(bounds, Bounds) else self.loss

    @property
    def wrong(self) -> int:
        """The number of wrong predictions."""
        return sum(self.errors.values())

    @property
    def only_gold(self) -> Gold | None:
        """The gold label of all items; None if there are several, other than three labels, or only bounds."""
        golds = [label for label, counts in self.confused.items() if sum(counts.values())]
        return golds[0] if len(golds) == 1 and self.labels == LABELS else None

    @property
    def confused(self) -> dict[Gold, dict[Gold, int]]:
        """The number of items by gold and predicted label; empty if there are only bounds."""
        return {
            gold: {answer: int(count) for answer, count in zip(self.labels, counts, strict=True)}
            for gold, counts in zip(self.labels, self.confusion, strict=False)
        }

    @property
    def predicted_shares(self) -> tuple[float, ...]:
        """The share of each label in the predictions, in the order of *labels*."""
        counts = [sum(column) for column in zip(*self.confusion, strict=True)]
        return tuple(count / sum(counts) for count in counts)


@dataclass(frozen=True)
class _AgainstBase:
    """The measures of a test set and its base together."""

    base_accuracy: Estimate | None = None
    drop: Estimate | None = None
    difference: Estimate | None = None
    p_value: float | None = None
    p_mid: float | None = None
    mcnemar: McNemar | None = None
    effective_pairs: float | None = None
    flip_rate: Estimate | None = None


_NOTHING: Final = _AgainstBase()


def accuracy_by_set(run: Run, *, max_unanswered: float = MAX_UNANSWERED) -> dict[str, Estimate]:
    """Return the accuracy of *run* on the answered items of each of its test sets, in their order.

    If more than the share *max_unanswered* was not answered, it is given as Bounds.
    """
    labelled = labelled_items(run, max_unanswered, two_labels=run.two_labels)
    return {
        name: each.accuracy(np.ones(len(each.wrong.gold), dtype=np.bool_)) for name, each in labelled.items()
    }


def accuracy_by_value(
    run: Run, by: str, *, max_unanswered: float = MAX_UNANSWERED
) -> dict[str, dict[str, Estimate]]:
    """Return the accuracy of *run* on each test set by value of *by*.

    *by* is one of :data:`SLICES`, of ``info``, or two of :data:`CROSSED` ("heuristic and gold").  The
    accuracy is that of the answered items; if more than the share *max_unanswered* of those with some value
    was not answered, it is given as Bounds.  Test sets without a value are left out.  Raises UnknownNameError
    if none has one.
    """
    two = next((pair for pair in CROSSED if f"{pair[0]} and {pair[1]}" == by), None)
    key, tagged = next(((key, tagged) for name, key, _, tagged, _ in SLICES if name == by), (by, False))
    found = {}
    for name, labelled in labelled_items(run, max_unanswered, two_labels=run.two_labels).items():
        if two is not None:
            crossed = _crossed(labelled.wrong, _info_of(labelled.wrong), *two)
            slices = {} if crossed is None else labelled.by(slice(None), crossed)
        else:
            of_key = None if key is None else info_values(labelled.wrong.examples, [key])[key]
            slices = labelled.by(*_values(labelled.wrong, of_key, tagged))
        if slices:
            found[name] = slices
    if not found:
        known = {key for dataset in run.datasets.values() for example in dataset for key in example.info}
        raise UnknownNameError("slice", by, known | {"gold"})
    return found


def measure(
    run: Run, *, alpha: float = ALPHA, max_unanswered: float = MAX_UNANSWERED
) -> tuple[TestSetResult, ...]:
    """Return the measures of *run* per test set, in their order; raises CrossexamError.

    Test sets of which accuracy says nothing, those of the consistency suite, have none.
    *alpha* is the level at which the minimum detectable drops would be significant after correction for the
    number of planned tests.  If more than the share *max_unanswered* of the items or pairs was not answered,
    only bounds are given, and the test that was planned counts in the correction.
    """
    two_labels = run.two_labels
    run = with_accuracy(run)
    filled = filled_scores(run, two_labels=two_labels)
    is_whole = is_answered(run)
    scored = filled.wrong if is_whole else score_run(run, two_labels=two_labels)
    bases = dict.fromkeys(dataset.entry.base_set for dataset in run.datasets.values())
    places = {name: Places(scored[name].examples) for name in bases if name in scored}
    results = [
        _measure_one(
            name,
            dataset,
            scored,
            places,
            two_labels,
            Labelled(filled.wrong[name], filled.right[name], max_unanswered),
        )
        for name, dataset in run.datasets.items()
    ]
    if not is_whole:
        all_places = {name: Places(filled.wrong[name].examples) for name in bases if name in scored}
        results = [
            _bounded(result, unanswered_items(run, result.name, filled, all_places, max_unanswered))
            for result in results
        ]
    planned = [index for index, result in enumerate(results) if result.is_paired]
    corrected = holm_of_planned([results[index].p_value for index in planned])
    for index, adjusted in zip(planned, corrected, strict=True):
        detectable = _detectable(results[index], alpha / len(planned))
        results[index] = replace(results[index], p_holm=adjusted, minimum_detectable_drop=detectable)
    return tuple(results)


def _measure_one(
    name: str,
    dataset: Dataset,
    scored: Mapping[str, Scored],
    places: Mapping[str, Places],
    two_labels: bool,
    labelled: Labelled,
) -> TestSetResult:
    here, entry = scored[name], dataset.entry
    base_set = entry.base_set
    against = _NOTHING
    if base_set is not None and base_set in places:
        if entry.compares_items:
            against = _paired(here, scored[base_set], places[base_set])
        else:
            against = _unpaired(here, scored[base_set])
    labels = here.projection.labels
    table = _table(here)
    neutral = labels.index("neutral") if "neutral" in labels and not two_labels else None
    return TestSetResult(
        name=name,
        construction=entry.construction,
        rules=entry.rules,
        part=entry.part,
        n=len(here.gold),
        unlabelled=here.unlabelled,
        accuracy=share_correct(here.correct, here.clusters),
        base_set=base_set,
        p_holm=None,
        minimum_detectable_drop=None,
        confusion=tuple(tuple(row) for row in table.tolist()),
        errors=error_types(table, [label[0].upper() for label in labels]),
        false_neutral_share=None if neutral is None else false_share(table, neutral),
        false_entailment_share=false_share(table, labels.index("entailment")),
        slices=slices_of(labelled),
        projection=describe_projection(here.projection, two_labels),
        labels=labels,
        majority=_majority(here, two_labels),
        only_label=_only_label(labelled.wrong, two_labels),
        **vars(against),
    )


def _bounded(result: TestSetResult, missing: Unanswered | None) -> TestSetResult:
    """Return *result* with what is *missing*; if that is too much, with bounds as the only result."""
    if missing is None:
        return result
    found = replace(result, unanswered=missing)
    if missing.only_bounds:
        found = replace(
            found,
            accuracy=missing.accuracy,
            confusion=(),
            errors={},
            false_neutral_share=None,
            false_entailment_share=None,
            majority=None,
        )
    if missing.only_drop_bounds or missing.only_bounds:
        is_unpaired = result.difference is not None or not missing.pairs
        found = replace(
            found,
            base_accuracy=missing.base_accuracy,
            drop=None if is_unpaired else missing.drop,
            difference=missing.drop if is_unpaired else None,
            p_value=None,
            p_mid=None,
            mcnemar=None,
            effective_pairs=None,
            flip_rate=None,
        )
    return found


def _majority(here: Scored, two_labels: bool) -> MajorityClass | None:
    """Return the most frequent gold label (the first in the order of GOLDS if several are)."""
    gold = _golds(here, two_labels)
    if len(np.unique(gold)) < 2:
        return None
    label = int(np.bincount(gold).argmax())
    always = gold == label
    advantage = paired_difference(here.correct, always, here.clusters)
    return MajorityClass(GOLDS[label], float(always.mean()), advantage)


def _only_label(here: Scored, two_labels: bool) -> Gold | None:
    """Return the gold label of all items, None if they have several."""
    found = np.unique(_golds(here, two_labels))
    return GOLDS[int(found[0])] if len(found) == 1 else None


def _golds(here: Scored, two_labels: bool) -> NDArray[np.int8]:
    """Return the gold labels [n]; for a model of two labels, neutral and contradiction are not_entailment."""
    if two_labels and here.projection is THREE_LABELS:
        return np.where(here.gold == GOLD_INDEX["entailment"], here.gold, GOLD_INDEX["not_entailment"])
    return here.gold


def _table(here: Scored) -> NDArray[np.int64]:
    """Return the counts by gold and predicted label, in the order of the labels of the projection."""
    place = np.full(len(GOLD_INDEX), -1, dtype=np.int64)
    for position, label in enumerate(here.projection.labels):
        place[GOLD_INDEX[label]] = position
    return confusion(place[here.gold], place[here.predicted], len(here.projection.labels))


def _paired(here: Scored, base: Scored, places: Places) -> _AgainstBase:
    """Return the paired measures, over the items whose base example was predicted and has a gold label."""
    at = places.of_bases(here.examples)
    kept = at >= 0
    if not kept.any():
        return _NOTHING
    before, after, clusters = base.correct[at[kept]], here.correct[kept], here.clusters[kept]
    test = clustered_mcnemar(before, after, clusters)
    return _AgainstBase(
        base_accuracy=share_correct(before, clusters),
        drop=paired_difference(before, after, clusters),
        p_value=test.p_exact,
        p_mid=test.p_mid,
        mcnemar=mcnemar(test.b, test.c),
        effective_pairs=_effective_pairs(before, after, clusters),
        flip_rate=flip_rate(base.predicted[at[kept]], here.predicted[kept], clusters),
    )


def _unpaired(here: Scored, base: Scored) -> _AgainstBase:
    """Return the difference of the accuracies of items that are not paired with their base."""
    if not len(here.gold) or not len(base.gold):
        return _NOTHING
    return _AgainstBase(
        base_accuracy=share_correct(base.correct, base.clusters),
        difference=difference(base.correct, here.correct, base.clusters, here.clusters),
    )


def _effective_pairs(
    before: NDArray[np.bool_], after: NDArray[np.bool_], clusters: NDArray[np.int32]
) -> float:
    """Return how many independent pairs would tell as much of the drop as these."""
    residuals = np.subtract(before, after, dtype=np.float64)
    residuals -= residuals.mean()
    return effective_size(residuals, cluster_codes(clusters, len(residuals))).n_eff


def _detectable(result: TestSetResult, alpha: float) -> float | None:
    """Return the drop that the pairs of *result* would show at the level *alpha*; None if there is none."""
    if result.effective_pairs is None or result.mcnemar is None or result.drop is None:
        return None
    discordant = (result.mcnemar.b + result.mcnemar.c) / result.drop.n
    drop = minimum_detectable_drop(result.effective_pairs, discordant, alpha)
    return None if np.isnan(drop) else drop


#: Values beyond the most frequent are pooled as "(other)".
MOST: Final = 30

# Slice, the key of ``info`` (None: the gold label), the fewest items for which a value is listed separately,
# whether an item counts under each value of a list (tags), and which test sets have it.
# fmt: off
SLICES: Final[tuple[tuple[str, str | None, int, bool, str], ...]] = (
    ("gold",               None,                1, False, "every test set"),
    ("genre",              "genre",             1, False, "corpora with genres (MultiNLI)"),
    ("pair",               "pair",              5, False, "antonymy: the word and its antonym"),
    ("kind",               "kind",              1, False, "antonymy: gradable, complementary, relational"),
    ("judged kind",        "judged_kind",       1, False, "antonymy: its kind according to judges"),
    ("relation",           "relation",          1, False, "antonymy: of the word, or indirect"),
    ("word class",         "word_class",        1, False, "antonymy: noun ...; errors: content, function"),
    ("error",              "error",             1, False, "spelling errors of two kinds: swap, keyboard"),
    ("side",               "side",              1, False, "antonymy: the sentence it was constructed from"),
    ("rule",               "how",               1, False, "numerical reasoning: which rule made the item"),
    ("question",           "question",          1, False, "numerical reasoning: the sentence is a question"),
    ("conditional",        "conditional",       1, False, "numerical reasoning: it begins with 'if'"),
    ("place",              "place",             1, False, "distractor passage: before, after, around"),
    ("swapped clause",     "swapped_clause",    1, False, "SOSwap: plausible or implausible"),
    ("lexical semantics",  "lexical_semantics", 1, True,  "GLUE diagnostic: its four groups of phenomena"),
    ("predicate-argument structure",
                           "predicate_argument_structure", 1, True, "GLUE diagnostic"),
    ("logic",              "logic",             1, True,  "GLUE diagnostic"),
    ("knowledge",          "knowledge",         1, True,  "GLUE diagnostic"),
    ("domain",             "domain",            1, False, "GLUE diagnostic: the source of the text"),
    ("category",           "category",          1, False, "Breaking NLI: what kind of word was replaced"),
    ("annotation",         "annotations",       1, True,  "MultiNLI's annotated pairs: tags such as ANTO"),
    ("heuristic",          "heuristic",         1, False, "HANS: the heuristic a model may rely on"),
    ("subcase",            "subcase",           1, False, "HANS: the thirty constructions"),
    ("conjunction",        "conjunction",       1, False, "ConjNLI: and, or, but, nor, several"),
    ("monotonicity",       "monotonicity",      1, False, "MED: upward, downward, non"),
    ("phenomenon",         "phenomena",         1, True,  "MED: the phenomena it tests; its collection"),
    ("origin",             "origin",            1, False, "MED: crowdsourced or from papers"),
    ("section",            "section",           1, False, "FraCaS: nine topics"),
    ("premises",           "premises",          1, False, "FraCaS: the number of premises"),
    ("single premise",     "single_premise",    1, False, "FraCaS: there is only one"),
    ("subset",             "subset",            1, False, "JOCI: how the pair was obtained"),
    ("ordinal",            "ordinal",           1, False, "JOCI: 5 very likely to 1 impossible"),
    ("context from",       "context_from",      1, False, "JOCI: the collection of the context"),
    ("embedding",          "embedding",         1, False, "CommitmentBank: question, modal, negation ..."),
    ("inference",          "inference",         1, False, "the Diverse NLI Collection: type of inference"),
    ("old label",          "old_label",         1, False, "ChaosNLI: the gold label before"),
)
# fmt: on

#: Properties of :data:`SLICES` by which items are divided together, as published: "heuristic and gold".
CROSSED: Final = (
    ("heuristic", "gold"),  # HANS: McCoy et al. (2019)
    ("monotonicity", "gold"),  # MED
    ("section", "single premise"),  # FraCaS: MacCartney and Manning (2007) leave out the other problems
)
#: Joins the values of two properties: "subsequence/entailment".
BETWEEN: Final = "/"

#: Slices by what the model read, by the fields of :class:`~crossexam.core.dataset.Reading`.
READ_SLICES: Final = (("truncated", "truncated"), ("edit unseen", "edit_unseen"))


def slices_of(labelled: Labelled) -> dict[str, dict[str, Estimate]]:
    """Return the accuracy of items by every property in :data:`SLICES` that divides them.

    Pairs of these that divide them together are slices too (:data:`CROSSED`), and so are items that were
    truncated, or whose edit the model did not see (:data:`READ_SLICES`).

    A property with a single value would repeat the overall accuracy and is left out.  An item with several
    tags counts under each, so that the slices together may have more items than the test set.
    """
    sliced: dict[str, dict[str, Estimate]] = {}
    scored = labelled.wrong
    info = _info_of(scored)
    for name, key, minimum, tagged, _ in SLICES:
        of_key = None if key is None else info[key]
        if of_key is not None and not of_key.values:
            continue
        items, values = _values(scored, of_key, tagged)
        if not values.is_constant:
            sliced[name] = labelled.by(items, values, minimum=minimum, most=MOST)
    for one, other in CROSSED:
        crossed = _crossed(scored, info, one, other)
        if crossed is not None:
            sliced[f"{one} and {other}"] = labelled.by(slice(None), crossed, most=MOST)
    for name, of_reading in READ_SLICES if scored.reading is not None else ():
        said = getattr(scored.reading, of_reading).astype(np.int8)
        sliced[name] = labelled.by(slice(None), Coded.in_order([_value(False), _value(True)], said))
    return {name: slices for name, slices in sliced.items() if len(slices) > 1}


def _values(scored: Scored, info: InfoValues | None, tagged: bool) -> tuple[NDArray[np.int64] | slice, Coded]:
    """Return the items [n] and their values in *info*, or their gold labels without it.

    If *tagged*, an item is there once per tag.
    """
    if info is None:
        return slice(None), Coded.in_order(GOLDS, scored.gold)
    if not tagged:
        shown = Coded.of([_value(value) for value in (*info.values, None)])
        return slice(None), Coded(shown.names, shown.codes.astype(np.int32)[info.codes])
    items = np.arange(len(scored.gold))
    tags = [_tags(value) for value in (*info.values, None)]  # the last is that of the number -1
    counts = np.array([len(each) for each in tags])[info.codes]  # [n]
    starts = np.cumsum([0, *map(len, tags)])[:-1][info.codes]  # [n], of an item's tags among all tags
    within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    every = Coded.of([_value(tag) for each in tags for tag in each])
    return np.repeat(items, counts), Coded(every.names, every.codes[np.repeat(starts, counts) + within])


def _info_of(scored: Scored) -> Mapping[str, InfoValues]:
    """Return the values of the items for every property in :data:`SLICES`."""
    return info_values(scored.examples, [key for _, key, *_ in SLICES if key is not None])


def _crossed(scored: Scored, info: Mapping[str, InfoValues], one: str, other: str) -> Coded | None:
    """Return the values of two properties of items together; None if either does not divide the items."""
    keys = {name: key for name, key, *_ in SLICES}
    found = []
    for name in (one, other):
        key = keys[name]
        _, values = _values(scored, None if key is None else info[key], tagged=False)
        if values.is_constant:
            return None
        found.append(values)
    first, second = found
    names = [
        None if a is None or b is None else f"{a}{BETWEEN}{b}" for a in first.names for b in second.names
    ]
    return Coded.in_order(names, first.codes.astype(np.int64) * len(second.names) + second.codes)


def _tags(value: Any) -> list[Any]:
    """Return the different tags in *value*, a list of them or the only one."""
    return list(dict.fromkeys(value if isinstance(value, list | tuple) else [value]))


def _value(value: Any) -> Hashable:
    """Return a *value* of ``info`` as it is shown: "yes", "hot/cold"; None if it is empty."""
    if value is None or value == "":
        return None
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return "/".join(map(str, value))
    return str(value)
