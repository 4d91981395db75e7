"""The accuracy of models on test sets, and the drop from the base of each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final, Literal

from crossexam.constructions.construction import ways_out
from crossexam.core.dataset import Dataset
from crossexam.core.example import PROPOSED
from crossexam.evaluation.verified import is_proposed
from crossexam.published.figures import is_limited, split_of
from crossexam.reports.analyses.challenge import published_on_challenge
from crossexam.reports.analyses.gold_labels import hidden_warnings
from crossexam.reports.analyses.templates import drops_within_noise
from crossexam.reports.analyses.unanswered import unanswered_notes
from crossexam.reports.analysis import PAGE, WRITTEN_ONLY, Analysis, Section
from crossexam.reports.drawing import Interval, range_text, round_range
from crossexam.reports.figures import Figure
from crossexam.reports.published_systems import (
    CORPORA_STUDY,
    STUDIES,
    columns_for,
    difference_from,
    other_pairs,
    other_rules_note,
    published_on_corpus,
)
from crossexam.reports.results import Results
from crossexam.reports.sentences.leading import chosen_among
from crossexam.reports.significance import MCNEMAR, intervals_of, uneven_drops_notes
from crossexam.reports.table import Cell, Column, Table, number_text, significance_note
from crossexam.reports.ties import tie_notes
from crossexam.runs.asked import how_asked

if TYPE_CHECKING:
    from crossexam.evaluation.measures import TestSetResult


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
        listed = [f"{reason} ({count:,})" for reason, count in rejected.items()]
        if len(listed) > _MOST_REASONS + 1:
            listed = [*listed[:_MOST_REASONS], f"{len(listed) - _MOST_REASONS} other reasons"]
        reasons = ", ".join(listed)
        notes.append(f"{names[name]} has no items{f'; rejected: {reasons}' if reasons else ''}.")
        notes += ways_out(rejected)
    return notes


#: A note on an empty test set names so many reasons.
_MOST_REASONS: Final = 3
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
        if shares := majority_shares(name, results):
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
        *notes_on_scoring(results),
        *notes_on_items(results, "accuracy"),
        *tie_notes(results),
        *other_rules_note(differences),
        *_limited_note(results),
        *(study.source for study in studies),
    ]
    return Table("Accuracy", columns, tuple(rows), tuple(notes))


def _limited_note(results: Results) -> list[str]:
    """Return why there are no published figures for the first examples of a corpus that has some."""
    entries = [dataset.entry for dataset in results.test_sets.values()]
    if not results.published_of_three or not any(
        is_limited(each) and split_of(each.part) for each in entries
    ):
        return []
    return ["Published figures are of whole corpora: test sets that were built with --limit have none."]


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


def majority_shares(name: str, results: Results) -> list[float | None]:
    """Return the share of the majority class of test set *name* by model, for the row below it.

    Empty if it has no such row, which bases have, and sets of swapped words: these are selected, so that one
    label may have most of the items.
    """
    if name not in results.drop_bases and not _is_swapped(name, results):
        return []
    shares = [_majority_share(model.result(name)) for model in results.models]
    return [] if shares.count(None) == len(shares) else shares


def _is_swapped(name: str, results: Results) -> bool:
    from crossexam.constructions.table import SWAPS

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
            if name in results.drop_bases or _is_swapped(name, results):
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
    note = f"The majority baseline is that of {where}{of_answered}"
    listed = ", ".join(f"{' or '.join(shares)} on {name}" for name, shares in others.items())
    return [f"{note}; it would be {listed}." if listed else f"{note}."]


def relabelled_notes(test_sets: Mapping[str, Dataset], names: Mapping[str, str]) -> list[str]:
    """Return a sentence if the gold labels of some items are those of judges, not of a construction."""
    changed = {names[name]: int(dataset.relabelled.sum()) for name, dataset in test_sets.items()}
    listed = ", ".join(f"{name} {count:,}" for name, count in changed.items() if count)
    return (
        [f"Items whose gold label comes from judges, not from the construction: {listed}."] if listed else []
    )


def notes_on_items(results: Results, shown: Literal["accuracy", "drop"]) -> list[str]:
    """Return what a reader of a table of accuracies or drops must know of the items, if it is so of any."""
    sets, names = results.test_sets, results.short_names
    proposed = f"({PROPOSED}): rules propose these labels, and people have not confirmed them."
    return [
        *empty_notes(sets, names),
        *unanswered_notes((result for _, _, result in results.by_test_set()), shown),
        *relabelled_notes(sets, names),
        *([proposed] if any(map(is_proposed, sets)) else []),
    ]


def notes_on_scoring(results: Results) -> list[str]:
    """Return what the accuracies are compared with, and how the answers of models become labels."""
    return [*majority_notes(results), *projection_notes(results), *threshold_notes(results)]


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


def threshold_notes(results: Results) -> list[str]:
    """Return above which thresholds models predict entailment, and how their probabilities are shown."""
    above = [
        f"{model.name} above {threshold:g}"
        for model in results.models
        if isinstance(threshold := how_asked(model.run.details).get("threshold"), float)
    ]
    rest = "their probabilities are rescaled so that the threshold is at 50 %"
    return [f"Entailment is predicted by {', by '.join(above)}; {rest}."] if above else []


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
        Column("Smallest detectable drop", "points"),
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
        "Smallest detectable drop: what the test would find in 80 % of cases, if as many predictions turn "
        "right or wrong as here (or as many as such a drop needs, if that is more), at this level divided by "
        "the number of paired tests; if it exceeds the accuracy on the base, no drop would be found. "
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
    """Return what a reader of the p-values and intervals of drops has to know, if it concerns any.

    That is how the headline is corrected for its choice, if it chooses among several drops, and where
    clusters are uneven.
    """
    count = chosen_among(results.models)
    of_choice = (
        f"The largest of {count:,} drops is likely to be overestimated: the headline's interval and "
        "significance allow for the choice, its estimate does not. Here, p is for the tests of one model."
    )
    return [*([of_choice] if count > 1 else []), *uneven_drops_notes(results)]


def _accuracy_figures(results: Results) -> Iterator[Figure]:
    """Yield the accuracies, of how many items they are, and what they are to be compared with."""
    for name, model, result in results.by_test_set():
        known = Figure(model.name, name, "accuracy", result.accuracy)
        yield known
        yield known._replace(statistic="items", value=result.labelled)
        yield known._replace(statistic="unlabelled", value=result.unlabelled, n=result.n)
        if not result.only_bounds:
            yield known._replace(statistic="answered", value=result.n)
        if result.majority is not None:
            label, share, advantage = result.majority.label, result.majority.share, result.majority.advantage
            yield known._replace(statistic="majority_class", value=share, of=label, n=result.n)
            yield known._replace(statistic="above_majority_class", value=advantage)
        if (ties := result.ties) is not None:
            yield known._replace(statistic="ties", value=ties.count, n=ties.n)
            yield known._replace(statistic="ties_accuracy_least", value=ties.least, n=ties.n)
            yield known._replace(statistic="ties_accuracy_most", value=ties.most, n=ties.n)


def _drop_figures(results: Results) -> Iterator[Figure]:
    """Yield drops, or differences from a base that is not paired with the items, and their tests."""
    for name, model, result in results.by_test_set():
        found = {
            "base_accuracy": result.base_accuracy,
            "drop": result.drop,
            "difference": result.difference,
            "flip_rate": result.flip_rate,
            "p_value": result.p_value,
            "p_mid": result.p_mid,
            "p_holm": result.p_holm,
            "minimum_detectable_drop": result.minimum_detectable_drop,
        }
        for statistic, value in found.items():
            if value is not None:
                yield Figure(model.name, name, statistic, value, n=result.n)
        if result.p_holm is not None:
            is_significant, of = (
                int(result.p_holm <= results.options.alpha),
                f"alpha={results.options.alpha:g}",
            )
            yield Figure(model.name, name, "significant", is_significant, of)
        if result.mcnemar is not None:
            for of, number in result.mcnemar._asdict().items():
                yield Figure(model.name, name, "mcnemar", number, of)
        if result.is_paired:
            missing = result.unanswered
            pairs = missing.pairs if missing is not None and missing.pairs else result.counted
            yield Figure(model.name, name, "pairs", pairs)
            if missing is not None and missing.pairs_missing:
                yield Figure(model.name, name, "pairs_unanswered", missing.pairs_missing, n=pairs)


def _published_figures(results: Results) -> Iterator[Figure]:
    """Yield the accuracies of published systems on the test sets; the figure is of the study.

    The name of the statistic says if they are of other items, or were not compared with the paper.
    """
    for name, dataset in results.test_sets.items() if results.options.published_rows else ():
        other, unchecked = published_differences(dataset), published_on_challenge(dataset, checked=False)
        for study, figures in published_accuracies(dataset).items():
            kind = "_not_checked" if study in unchecked else "_of_other_items" if study in other else ""
            for system, figure in figures.items():
                model, statistic = f"{system} (published)", f"published_accuracy{kind}"
                yield Figure(model, name, statistic, float(figure), study)


def published_accuracies(dataset: Dataset) -> dict[str, dict[str, float]]:
    """Return the published accuracies on the counterpart of *dataset*, by study and system, as shares."""
    found = {study.study: study.figures(dataset) for study in STUDIES}
    found |= {CORPORA_STUDY: published_on_corpus(dataset), **published_on_challenge(dataset)}
    return {study: figures for study, figures in found.items() if figures}


def published_differences(dataset: Dataset) -> dict[str, str]:
    """Return how *dataset* differs from its counterpart in each study with figures for it, if it does."""
    differences = {
        study: other_pairs(dataset) if study == CORPORA_STUDY else difference_from(study, dataset)
        for study in published_accuracies(dataset)
    }
    return {study: difference for study, difference in differences.items() if difference}


ACCURACY: Final = Analysis(
    "accuracy",
    (
        Section("accuracies", "Accuracy", written_accuracy_table, WRITTEN_ONLY, figures=_published_figures),
        Section("accuracy", "Accuracy", accuracy_table, PAGE, figures=_accuracy_figures),
    ),
)
DROP: Final = Analysis(
    "drop",
    (Section("drop", "Drop", drop_table, figures=_drop_figures),),
    lambda results: any(each.entry.base_set is not None for each in results.test_sets.values()),
    warnings=hidden_warnings,
)
