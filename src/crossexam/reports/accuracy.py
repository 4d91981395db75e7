"""The tables of what ``evaluation.measures`` measures: accuracy, drop, errors, slices.

Predictions by label on test sets of one gold label, and the labels of judges, are shown as in Table 2 of Nie
et al. (2019).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from crossexam.constructions.construction import ways_out
from crossexam.constructions.keys import keys_are_sampled
from crossexam.core.dataset import Dataset, counted_items
from crossexam.core.example import PROPOSED
from crossexam.core.labels import GOLDS, LABELS, Gold
from crossexam.evaluation.judges import judge_shares, judged_items, predicted_shares
from crossexam.evaluation.verified import is_proposed
from crossexam.reports.analyses.templates import drops_within_noise
from crossexam.reports.drawing import Bar, Interval, range_text, round_range
from crossexam.reports.published_systems import (
    columns_for,
    difference_from,
    errors_source,
    other_rules_note,
    published_errors,
)
from crossexam.reports.results import Results, two_labels_note
from crossexam.reports.significance import MCNEMAR, uneven_clusters_notes
from crossexam.reports.table import Cell, Column, Marked, Table, number_text, significance_note
from crossexam.reports.ties import tie_notes
from crossexam.reports.unanswered import only_bounds_notes, unanswered_notes

if TYPE_CHECKING:
    from crossexam.evaluation.measures import TestSetResult

#: Gold and predicted label of each type of error; Naik et al. (2018) count the first two.
ERROR_TYPES: Final = ("E-C", "N-C", "E-N", "C-N", "N-E", "C-E")
#: The bar of errors: type, predicted label (the colour), and whether it is pale (by gold label).
_BAR: Final = (
    ("N-E", "entailment", False),
    ("C-E", "entailment", True),
    ("E-N", "neutral", False),
    ("C-N", "neutral", True),
    ("E-C", "contradiction", False),
    ("N-C", "contradiction", True),
)


def intervals_of(test_sets: Mapping[str, Dataset], names: Mapping[str, str]) -> str:
    """Return what the intervals of *test_sets* are: by premise, and by word pair where they have these."""
    keyed = [
        names[name] for name, dataset in test_sets.items() if keys_are_sampled(dataset.entry.construction)
    ]
    by_pair = f" ({', '.join(keyed)}: and by word pair)" if keyed else ""
    return f"95 % confidence intervals clustered by premise{by_pair}"


def accuracy_note(test_sets: Mapping[str, Dataset], names: Mapping[str, str]) -> str:
    """Return the note on the accuracies of *test_sets*."""
    return f"Accuracy in percent of the items with a gold label, with {intervals_of(test_sets, names)}."


def empty_notes(test_sets: Mapping[str, Dataset], names: Mapping[str, str]) -> list[str]:
    """Return a note per test set without items: why there are none, by the yield of its construction."""
    notes = []
    for name, dataset in test_sets.items():
        if len(dataset):
            continue
        rejected = (dataset.entry.yields or {}).get("rejected") or {}
        reasons = ", ".join(f"{reason} {count:,}" for reason, count in rejected.items())
        notes.append(f"{names[name]} has no items{f': {reasons}' if reasons else ''}.")
        notes += ways_out(rejected)
    return notes


#: The number of items in a drop.
PAIRS: Final = Column("Pairs", "count")

#: Of more models than these, a document has no room for columns with intervals.
MOST_ACROSS: Final = 5

#: The line of the table of accuracies below each base, and each set of swapped words.
MAJORITY: Final = "majority baseline"

#: The majority class of a test set whose share differs so much from that of the bases is named.
_OTHER_SHARE: Final = 0.05


def accuracy_table(results: Results) -> Table:
    """Return accuracy by test set and model, with the published systems for the same test sets.

    Below each base and each set of swapped words is the accuracy of its majority class.
    """
    datasets = list(results.test_sets.values())
    studies = columns_for(datasets) if results.published_of_three else ()
    rows: list[tuple[Cell, ...]] = []
    for name, dataset in results.test_sets.items():
        per_model = [model.result(name) for model in results.models]
        if not any(per_model):  # of which accuracy says nothing
            continue
        n = next((result.labelled for result in per_model if result is not None), None)
        accuracies = (result.accuracy if result else None for result in per_model)
        figures = [study.figures(dataset).get(system) for study in studies for system in study.systems]
        rows.append((results.short_names[name], n, *accuracies, *figures))
        shares = [_majority_share(result) for result in per_model]
        if has_majority_row(name, results) and any(share is not None for share in shares):
            rows.append((MAJORITY, n, *shares, *(None for _ in figures)))
    columns = (
        Column("Test set"),
        Column("Items", "count"),
        *(Column(model.name, "percent") for model in results.models),
        *(Column(system, "percent", study.group) for study in studies for system in study.systems),
    )
    differences = {
        results.short_names[name]: study.difference(dataset)
        for name, dataset in results.test_sets.items()
        for study in studies
        if study.figures(dataset)
    }
    notes = [
        accuracy_note(results.test_sets, results.short_names),
        *empty_notes(results.test_sets, results.short_names),
        *majority_notes(results),
        *unanswered_notes((result for model in results.models for result in model.results), "accuracy"),
        *tie_notes(results),
        *relabelled_notes(results.test_sets, results.short_names),
        *proposed_notes(results.test_sets),
        *projection_notes(results),
        *other_rules_note(differences),
        *(study.source for study in studies),
    ]
    return Table("Accuracy", columns, tuple(rows), tuple(notes))


def written_accuracy_table(results: Results, most_across: int = MOST_ACROSS) -> Table:
    """Return accuracy by test set and model for a document: of many models a row each, not a column."""
    across = accuracy_table(results)
    if len(results.models) <= most_across:
        return across
    rows = tuple(
        (row[0], column.header, row[1], cell)
        for row in across.rows
        for column, cell in zip(across.columns[2:], row[2:], strict=True)
        if cell is not None
    )
    columns = (Column("Test set"), Column("Model"), Column("Items", "count"), Column("Accuracy", "percent"))
    return Table(across.title, columns, rows, across.notes, grouped=1)


def _majority_share(result: TestSetResult | None) -> float | None:
    if result is None:
        return None
    if result.only_label is not None:
        return 1.0
    return result.majority.share if result.majority is not None else None


def has_majority_row(name: str, results: Results) -> bool:
    """Return whether tables of accuracies have the majority baseline of the test set *name* below it.

    Sets of swapped words are selected, so that one label may have most of the items.
    """
    return name in results.drop_bases or _is_swapped(name, results)


def _is_swapped(name: str, results: Results) -> bool:
    from crossexam.constructions.word_pair_swaps import SWAPS

    return results.test_sets[name].entry.construction in SWAPS


def majority_notes(results: Results) -> list[str]:
    """Return what the majority baseline of the bases is, and which test sets have quite another one."""
    of_bases: set[float] = set()
    others: dict[str, dict[str, None]] = {}
    for model in results.models:
        shares = {result.name: _majority_share(result) for result in model.results}
        known = {name: share for name, share in shares.items() if share is not None}
        here = {share for name, share in known.items() if name in results.drop_bases}
        for name, share in known.items():
            if has_majority_row(name, results):
                continue
            if here and all(abs(share - each) > _OTHER_SHARE for each in here):
                others.setdefault(results.short_names[name], {})[f"{number_text(share, 'percent')} %"] = None
        of_bases |= here
    swapped = any(_is_swapped(name, results) for name in results.test_sets)
    if not of_bases and not swapped:
        return []
    unanswered = any(each.unanswered is not None for model in results.models for each in model.results)
    of_answered = ", on the items with an answer" if unanswered else ""
    where = "the test set above" if swapped else "the base"
    note = f"Majority baseline: always giving the most frequent gold label of {where}{of_answered}"
    listed = ", ".join(f"{' or '.join(shares)} on {name}" for name, shares in others.items())
    return [f"{note}; the test set's own gives {listed}." if listed else f"{note}."]


def one_label_warnings(results: Results) -> list[str]:
    """Return a warning per base whose items all have the same gold label."""
    warnings = [
        _one_label_warning(result, result.only_label, results)
        for model in results.models
        for result in model.results
        if result.name in results.drop_bases and result.only_label is not None
    ]
    return list(dict.fromkeys(warnings))


def _one_label_warning(result: TestSetResult, label: Gold, results: Results) -> str:
    name = "the base" if len(results.drop_bases) == 1 else results.short_names[result.name]
    items = "labelled item" if result.unlabelled else "item"
    subject = f"all {counted_items(result.labelled, items)} of {name} have"
    if result.labelled == 1:
        subject = f"the only {items} of {name} has"
    return f"{subject} the gold label {label}: accuracy there says only how often the model gives it."


def relabelled_notes(test_sets: Mapping[str, Dataset], names: Mapping[str, str]) -> list[str]:
    """Return a sentence if the gold labels of some items are those of judges, not of a construction."""
    changed = {names[name]: int(dataset.relabelled.sum()) for name, dataset in test_sets.items()}
    listed = ", ".join(f"{name} {count:,}" for name, count in changed.items() if count)
    return (
        [f"Items whose gold label comes from judges, not from the construction: {listed}."] if listed else []
    )


def proposed_notes(test_sets: Iterable[str]) -> list[str]:
    """Return what the name of a test set with proposed labels means, if there is one."""
    note = f"({PROPOSED}): rules propose these labels, and people have not confirmed them."
    return [note] if any(map(is_proposed, test_sets)) else []


_ALL_SETS: Final = "all test sets"


def projection_notes(results: Results) -> list[str]:
    """Return a sentence per projection that was applied: where, and to which models if not to all."""
    applied: dict[tuple[str, str], list[str]] = {}
    for model in results.models:
        sets: dict[str, list[str]] = {}
        for result in model.results:
            if result.projection:
                sets.setdefault(result.projection, []).append(results.short_names[result.name])
        for projection, names in sets.items():
            applied.setdefault((projection, _listed(names, results)), []).append(model.name)
    notes = []
    for (projection, listed), models in applied.items():
        whose = "" if len(models) == len(results.models) else f"{', '.join(models)}, on "
        named = listed if whose else listed.replace(_ALL_SETS, _ALL_SETS.capitalize())
        notes.append(f"{whose}{named}: {projection}.")
    return notes


def _listed(sets: Sequence[str], results: Results) -> str:
    """Return the names of *sets*, or that they are all."""
    names = list(dict.fromkeys(sets))
    return _ALL_SETS if len(names) == len(results.test_sets) > 1 else ", ".join(names)


def pairs_of(result: TestSetResult) -> int | None:
    """Return the number of items that the drop compares with their base; None if it is not paired."""
    return result.drop.n if result.drop is not None and result.lost is result.drop else None


def drop_table(results: Results) -> Table:
    """Return the accuracy each model lost from the base to each test set built from it."""
    ends = _drop_range(results)
    columns = (
        Column("Test set"),
        Column("Model"),
        Column("Base", "percent"),
        Column("Accuracy", "percent"),
        Column(range_text(ends, "points"), "drawing"),
        Column("Drop", "points"),
        PAIRS,
        Column("p (Holm)", "p", alpha=results.options.alpha),
        Column("Detectable", "points"),
        Column("Flipped", "percent"),
    )
    rows: list[tuple[Cell, ...]] = []
    for name, model, result in results.by_test_set():
        if result.base_accuracy is not None:
            lost = result.lost
            rows.append(
                (
                    results.short_names[name],
                    model.name,
                    result.base_accuracy,
                    result.accuracy,
                    None if lost is None else Interval(lost, ends, line=0.0, few=result.is_small),
                    lost,
                    pairs_of(result),
                    result.p_holm,
                    result.minimum_detectable_drop,
                    result.flip_rate,
                )
            )
    notes = (
        "Drop: accuracy lost from the base, in points; paired item by item if the test set keeps the gold "
        "label or swaps words of its control, else the difference of the two accuracies, on other items. "
        "Pairs: the items whose base was predicted and has a gold label, which are those of Base and Drop. "
        f"{MCNEMAR} {significance_note(results.options.alpha)} "
        "Detectable: the smallest drop that is found in 80 % of cases if as many answers differ as here, at "
        "this level over the number of paired tests. "
        "Flipped: predictions that differ from the prediction for the base example.",
        *_notes_on_tests(results),
        *unanswered_notes((result for _, _, result in results.by_test_set()), "drop"),
        *drops_within_noise(results),
    )
    drawn = "Drawn: the drop and its interval, hollow if there are few items; a line at 0."
    return Table("Drop from the base", columns, tuple(rows), notes, grouped=1, drawn=drawn)


def _drop_range(results: Results) -> tuple[float, float]:
    """Return the ends of the axis of all drops, which has 0."""
    found = (result.lost for model in results.models for result in model.results)
    return round_range([0.0, *(end for lost in found if lost is not None for end in (lost.low, lost.high))])


def _notes_on_tests(results: Results) -> list[str]:
    """Return what a reader of the p-values and intervals of drops has to know, if it concerns any."""
    tested = [name for name, _, result in results.by_test_set() if result.p_value is not None]
    uneven = uneven_clusters_notes(tested, results.test_sets, results.short_names)
    return [*_headline_notes(results), *uneven]


def _headline_notes(results: Results) -> list[str]:
    """Return how the headline is corrected for its choice, if it chooses among several drops."""
    found = (each.candidate for model in results.models for each in model.results)
    count = max((candidate.count for candidate in found if candidate is not None), default=1)
    if count == 1:
        return []
    return [
        f"The largest of {count:,} drops is likely to be overestimated: the headline's interval and "
        "significance allow for the choice, its estimate does not. Here, p is for the tests of one model."
    ]


def error_table(results: Results) -> Table:
    """Return the number of wrong predictions of each model, by gold and predicted label."""
    measured = [result for _, _, result in results.by_test_set() if not result.only_bounds]
    whole = round_range([0.0, *(each.wrong / each.n for each in measured if each.n)])[1]
    columns = (
        Column("Test set"),
        Column("Model"),
        Column(range_text((0.0, whole), "%"), "drawing"),
        Column("Wrong", "count"),
        Column("False entailment", "percent"),
        Column("False neutral", "percent"),
        *(Column(kind, "count") for kind in ERROR_TYPES),
    )
    rows: list[tuple[Cell, ...]] = []
    for name, dataset in results.test_sets.items():
        short = results.short_names[name]
        rows += [
            (
                short,
                model.name,
                Bar(tuple(_error_parts(result)), whole),
                result.wrong,
                result.false_entailment_share,
                result.false_neutral_share,
                *(result.errors.get(kind, 0) for kind in ERROR_TYPES),
            )
            for model in results.models
            if (result := model.result(name)) is not None and not result.only_bounds
        ]
        if results.published_of_three:
            nothing = (None,) * len(ERROR_TYPES)
            rows += [(short, name, None, *shares, *nothing) for name, *shares in published_errors(dataset)]
    note = (
        "False entailment, false neutral: as a share of the wrong predictions. E-C: gold entailment, "
        "predicted contradiction; the others likewise."
    )
    drawn = (
        "Drawn, in percent of the items, from left to right: false entailment (N-E, and paler C-E), false "
        "neutral (E-N, C-N) and false contradiction (E-C, N-C)."
    )
    source = errors_source() if any(row[2] is None for row in rows) else None
    of_answered = [*unanswered_notes(measured, "errors"), *only_bounds_notes(results)]
    notes = tuple(filter(None, (note, *of_answered, two_labels_note(results), source)))
    return Table("Errors", columns, tuple(rows), notes, grouped=1, drawn=drawn)


def _error_parts(result: TestSetResult) -> Iterator[tuple[str, bool, float]]:
    """Yield the parts of the bar of errors: the predicted label, whether it is pale, the share of items."""
    for kind, answered, is_pale in _BAR:
        yield answered, is_pale, result.errors.get(kind, 0) / result.n if result.n else 0.0


_STUDY: Final = "nie2019"
#: Tables 2 and 4, and the names of their rows.
_TABLES: Final = {
    "predictions": "{} (published)",
    "adversarial_training": "ESIM trained with {} (published)",
}
_COLUMNS: Final = (
    Column("Test set"),
    Column("Expected"),
    Column("Model"),
    Column("Items", "count"),
    *(Column(label.capitalize(), "percent") for label in LABELS),
)


def prediction_table(results: Results) -> Table:
    """Return the share of each predicted label on test sets of one gold label, published shares below."""
    rows: list[tuple[Cell, ...]] = []
    differences: dict[str, str] = {}
    one_label = [
        (name, model, result, result.only_gold)
        for name, model, result in results.by_test_set()
        if result.only_gold is not None and result.construction != "base"
    ]
    for position, (name, model, result, gold) in enumerate(one_label):
        short = results.short_names[name]
        rows.append((short, gold, model.name, result.n, *result.predicted_shares))
        is_last = position + 1 == len(one_label) or one_label[position + 1][0] != name
        if results.published_of_three and is_last and _is_of_paper(results.test_sets[name]):
            difference = difference_from(_STUDY, results.test_sets[name])
            published_rows = list(_published(result.construction, Marked if difference else float))
            rows += [(short, gold, *row) for row in published_rows]
            differences |= {short: difference} if published_rows else {}
    note = "Share of each predicted label, in percent. Expected: the gold label of every item."
    of_others = any(row[3] is None for row in rows)
    notes = [note, *other_rules_note(differences), *([_source()] if of_others else [])]
    folded = "Predictions by label, on test sets with a single gold label"
    return Table("Predictions by label", _COLUMNS, tuple(rows), tuple(notes), grouped=2, folded=folded)


#: The name of the row of the judges.
JUDGES: Final = "judges"

_JUDGED_NOTE: Final = (
    "Shares of the labels, in percent, with 95 % confidence intervals clustered by premise: in all answers "
    "of the judges, and in the predictions for the items that were judged."
)


def judged_table(results: Results) -> Table:
    """Return the share of each label in the answers of the judges and in the predictions for these items."""
    rows: list[tuple[Cell, ...]] = []
    differences: dict[str, str] = {}
    for name, dataset in results.test_sets.items():
        of_judges = judge_shares(dataset)
        if not of_judges:
            continue
        short = results.short_names[name]
        n = sum(1 for _ in judged_items(dataset))
        rows.append((short, JUDGES, n, *map(of_judges.get, GOLDS)))
        for model in results.models:
            if name in model.answered.datasets and (shares := predicted_shares(model.run, name)):
                answered = max(share.n for share in shares.values())
                rows.append((short, model.name, answered if answered < n else n, *map(shares.get, GOLDS)))
        entry = dataset.entry
        difference = difference_from(_STUDY, dataset)
        human = _human(entry.construction, Marked if difference else float)
        if results.published_of_three and _is_of_paper(dataset) and human:
            rows.append((short, "Human (published)", None, *human, None))
            differences[short] = difference
    two = any(row[-1] is not None for row in rows)
    shown = GOLDS if two else LABELS
    columns = (
        Column("Test set"),
        Column("Labels by"),
        Column("Items", "count"),
        *(Column(label.capitalize().replace("_", " "), "percent") for label in shown),
    )
    cut = tuple(row[: len(columns)] for row in rows)
    sources = ["Human: Nie et al. 2019, Table 2, on the authors' items from SNLI dev."] if differences else []
    notes = (_JUDGED_NOTE, *other_rules_note(differences), *sources)
    return Table("Labels of judges and models", columns, cut, notes, grouped=1)


def _is_of_paper(dataset: Dataset) -> bool:
    """Return whether *dataset* was made from SNLI dev, from which Nie et al. (2019) made all their items."""
    from crossexam.published.figures import corpus_of

    return corpus_of(dataset.entry) == "snli"


def _human(construction: str, share: type[float]) -> tuple[float, ...] | None:
    """Return the published shares of the three labels in the answers of people, None if there are none."""
    from crossexam.published.figures import published

    table = published(_STUDY).table("predictions")
    shares = [table.value("Human", f"{construction}.{label[0].upper()}") for label in LABELS]
    known = [share(each / 100) for each in shares if each is not None]
    return tuple(known) if len(known) == len(LABELS) else None


def _published(construction: str, share: type[float]) -> Iterator[tuple[Cell, ...]]:
    """Yield name, no number of items, and the published shares of predicted labels on *construction*."""
    from crossexam.published.figures import published

    for key, words in _TABLES.items():
        table = published(_STUDY).table(key)
        for row in table.rows:
            shares = [table.value(row, f"{construction}.{label[0].upper()}") for label in LABELS]
            if None not in shares and row != "None":  # trained without any, it is ESIM's row of Table 2
                name = words.format(row)
                yield (name, None, *(share(round(each / 100, 6)) for each in shares if each is not None))


def _source() -> str:
    from crossexam.published.figures import published

    study = published(_STUDY)
    places = " and ".join(study.table(key).place for key in _TABLES)
    return f"Published: {places} of {study.citation} {study.source}; on the authors' items from SNLI dev."
