"""The first table of the page: the test sets that broke most, and sentences that broke in each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from crossexam.core.labels import GOLDS, ItemLabels
from crossexam.core.randomness import rng_for
from crossexam.evaluation.shares import gives_labels_only
from crossexam.reports.accuracy import MAJORITY, majority_shares
from crossexam.reports.analyses.consistency import violations_table
from crossexam.reports.brief import brief_notes, chosen_note, drop_note, failures_first, without_drop_note
from crossexam.reports.drawing import Interval
from crossexam.reports.items import PageItems, Segment, Shown, segments, starting_pair
from crossexam.reports.results import ModelResults, Results
from crossexam.reports.table import Cell, Column, Table, significance_note

if TYPE_CHECKING:
    from crossexam.constructions.entry import Construction
    from crossexam.core.dataset import Dataset
    from crossexam.evaluation.measures import TestSetResult

#: So many of the items that broke are shown of a test set.
MOST_SHOWN: Final = 5


@dataclass(frozen=True)
class ShownAnswer:
    """What a *model* answered: the label, the *share* of probability if it gave any, whether that is right.

    *before* is its label for the base, None if it was not asked about that.
    """

    model: str
    label: str
    share: float | None
    is_right: bool
    before: str | None
    was_right: bool


@dataclass(frozen=True)
class Broken:
    """An item as the page shows it: both texts in pieces, the gold label, and the answers of the models."""

    name: str
    premise: list[Segment]
    hypothesis: list[Segment]
    gold: str
    answers: tuple[ShownAnswer, ...]


@dataclass(frozen=True)
class BrokenSet:
    """Some of the *count* items of a test set that *model* got wrong.

    *from_right*: of those whose base it got right; *mended* items are the other way round.
    """

    items: tuple[Broken, ...]
    count: int
    model: str
    from_right: bool
    mended: int


def broken_tables(results: Results) -> list[Table]:
    """Return what breaks: accuracies and drops, and the violations of consistency rules if there are any."""
    return [broken_table(results), violations_table(results)]


def broken_table(results: Results) -> Table:
    """Return accuracy and drop of each model by test set, the largest drop first; bases come before."""
    several = len(results.models) > 1
    rows: list[tuple[Cell, ...]] = []
    for name in failures_first(results):
        short = results.short_names[name]
        found = [model.result(name) for model in results.models]
        for model_name, result in zip(results.short_models, found, strict=True):
            if result is not None:
                of_model = [model_name] if several else []
                drop = (result.lost, result.p_holm)
                rows.append((short, *of_model, result.labelled, _drawn(result), result.accuracy, *drop))
        if shares := majority_shares(name, results):
            items = next(result.labelled for result in found if result is not None)
            rows.append((MAJORITY, *([None] if several else []), items, None, shares[0], None, None))
    columns = (
        Column("Test set"),
        *([Column("Model")] if several else []),
        Column("Items", "count"),
        Column("0 to 100 %", "drawing"),
        *(Column("Accuracy", "percent"), Column("Drop", "points")),
        Column("p (Holm)", "p", alpha=results.options.alpha),
    )
    notes = brief_notes(
        results,
        drop_note(results),
        *without_drop_note(results),
        *chosen_note(results),
        f"{significance_note(results.options.alpha)} A tested drop without * is not a finding, even if its "
        "interval excludes 0.",
    )
    drawn = (
        "Drawn: the accuracy and its interval, hollow if there are few items; the long tick marks the "
        "accuracy on the base, the short one the majority baseline."
    )
    return Table("What breaks", columns, tuple(rows), notes, grouped=1 if several else 0, drawn=drawn)


def _drawn(result: TestSetResult) -> Interval:
    base = None if result.base_accuracy is None else result.base_accuracy.value
    majority = None if result.majority is None else result.majority.share
    return Interval(result.accuracy, line=base, mark=majority, few=result.is_small)


def broken_sets(results: Results, items: PageItems) -> dict[str, BrokenSet]:
    """Return by short name of the test set what broke the first model that got any wrong; drawn at random."""
    found = {}
    for shown in items.shown:
        name = shown.dataset.name
        models = [model for model in results.models if model.result(name) is not None]
        if shown.dataset.entry.is_base or not models:
            continue
        broken = (_of_set(model, models, shown) for model in models)
        if first := next((each for each in broken if each.count), None):
            found[results.short_names[name]] = first
    return found


def _of_set(model: ModelResults, models: list[ModelResults], shown: Shown) -> BrokenSet:
    name = shown.dataset.name
    by_model = [_ModelAnswers.of(model, shown) for model in models]
    of_model = by_model[models.index(model)]
    wrong = of_model.here.judged & ~of_model.here.correct
    from_right, mended = of_model.base is not None and bool((shown.places >= 0).any()), 0
    if of_model.base is not None and from_right:
        wrong &= of_model.base.correct[shown.places] & (shown.places >= 0)
        was_wrong = (of_model.base.judged & ~of_model.base.correct)[shown.places] & (shown.places >= 0)
        mended = int(np.count_nonzero(was_wrong & of_model.here.correct))
    rows = np.flatnonzero(wrong).tolist()
    drawn = sorted(rng_for(0, "broken", name).sample(rows, min(len(rows), MOST_SHOWN)))
    items = tuple(_item(row, by_model, shown) for row in drawn)
    return BrokenSet(items, len(rows), model.name, from_right, mended)


@dataclass(frozen=True)
class Origin:
    """What the items of a test set are *about*, whence the labels, and the *paper* that the test is from."""

    about: str
    paper: str

    @classmethod
    def of(cls, construction: Construction, dataset: Dataset) -> Origin:
        """Return that of a *construction*, which keeps or gives the labels, unless judges gave them."""
        labels = ""
        if dataset.entry.verdict is None:
            golds = np.unique(dataset.labels())
            only = f", all {GOLDS[golds[0]]}" if len(golds) == 1 else ""
            labels = "; gold label kept" if construction.keeps_label else f"; labels by rule{only}"
        return cls(f"{construction.summary}{labels}", construction.paper)


def origins(results: Results) -> dict[str, Origin]:
    """Return by short name where the items of a test set are from, of those that a construction made."""
    from crossexam.constructions.table import known_construction

    found = {}
    for model in results.models:
        for name, dataset in model.run.datasets.items():
            construction = known_construction(dataset.entry.made_by)
            if construction is not None and not dataset.entry.is_base:
                found[results.short_names[name]] = Origin.of(construction, dataset)
    return found


@dataclass(frozen=True)
class _ModelAnswers:
    """What a model answered on a test set, and on the base of it if items are compared with theirs."""

    model: str
    here: ItemLabels
    base: ItemLabels | None
    only_labels: bool

    @classmethod
    def of(cls, model: ModelResults, shown: Shown) -> _ModelAnswers:
        entry, base = shown.dataset.entry, None
        if entry.compares_items and shown.base is not None and shown.base.name in model.run.datasets:
            base = model.run.scored(shown.base.name)
        name = shown.dataset.name
        return cls(model.name, model.run.scored(name), base, gives_labels_only(model.run.answers(name)))

    def answer(self, row: int, place: int) -> ShownAnswer | None:
        """Return the answer on item *row*, whose base is at *place*; None without an answer."""
        if not self.here.judged[row]:
            return None
        before = None
        if self.base is not None and place >= 0 and self.base.judged[place]:
            before = GOLDS[self.base.predicted[place]]
        was_right = before is not None and self.base is not None and bool(self.base.correct[place])
        label = GOLDS[self.here.predicted[row]]
        share = None if self.only_labels else float(self.here.shares[row].max())
        return ShownAnswer(self.model, label, share, bool(self.here.correct[row]), before, was_right)


def _item(row: int, by_model: list[_ModelAnswers], shown: Shown) -> Broken:
    example = shown.dataset.examples[row]
    has_edits = example.change is not None and starting_pair(example) is not None
    edits = example.change.edits if has_edits and example.change is not None else ()
    answers = (each.answer(row, int(shown.places[row])) for each in by_model)
    return Broken(
        example.id,
        segments(example.premise, edits, "premise"),
        segments(example.hypothesis, edits, "hypothesis"),
        GOLDS[by_model[0].here.gold[row]],
        tuple(answer for answer in answers if answer is not None),
    )
