"""What two models get right and wrong together, and which of its word pairs were in training.

Beside the figures of Naik et al. (2018, section 4.3).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from crossexam.core.dataset import Dataset, Run
from crossexam.reports.accuracy import ERROR_TYPES
from crossexam.reports.published_systems import STUDIES, difference_from, other_rules_note
from crossexam.reports.results import Results
from crossexam.reports.table import Cell, Column, Marked, Table

if TYPE_CHECKING:
    from crossexam.evaluation.seen_pairs import SeenPairs, TrainingPairs
    from crossexam.evaluation.several.joint import JointOutcome

_STUDY: Final = "naik2018"
_TABLE: Final = "joint_outcomes"
_COLUMNS: Final = (
    Column("Test set"),
    Column("Models"),
    Column("Items", "count"),
    Column("Both right", "count"),
    Column("Both wrong", "count"),
    Column("Easy keys", "count"),
    Column("Hard keys", "count"),
    *(Column(f"Both {kind}", "count") for kind in ERROR_TYPES),
)
_NOTE: Final = (
    "Easy, hard keys: distinct word pairs (or other keys) of the items that both models get right, and of "
    "those that both get wrong; a pair can be both. Both E-C: gold entailment, for which both models predict "
    "contradiction; the others likewise."
)


_SEEN_TABLE: Final = "seen_pairs"
_SEEN_COLUMNS: Final = (
    Column("Test set"),
    Column("Right"),
    Column("Pairs", "count"),
    Column("Seen", "percent"),
    Column("In a contradiction", "percent"),
    Column("Mean count", "mean"),
)
#: What the paper calls the pairs of a group.
_PAPER: Final = {"both": "easy", "neither": "hard"}
_RIGHT: Final = {"both": "both", "neither": "neither", "only_a": "only A", "only_b": "only B"}
_SEEN_NOTE: Final = (
    "Pairs: different word pairs of the items that both models, neither, or only one gets right, in either "
    "order; a pair can be in several rows. Seen: pairs with one word in the premise and the other in the "
    "hypothesis of a training example; in a contradiction: of one with this label. Mean count: examples per "
    "pair, unseen pairs included. A word stands for its forms as a noun or adjective. Intervals: Wilson for "
    "shares, bootstrap over pairs for means."
)


def joint_against_table(results: Results) -> Table:
    """Return the joint outcomes of exactly two models; else it has no rows."""
    return _joint_table(results.joint, results.test_sets, results.short_names, results.published_rows)


def joint_table(first: Run, second: Run, names: Mapping[str, str]) -> Table:
    """Return the joint outcomes of two models on the test sets that both have."""
    from crossexam.evaluation.several.joint import joint_outcomes

    return _joint_table(joint_outcomes(first, second), first.datasets, names, published_rows=True)


def _joint_table(
    outcomes: Sequence[JointOutcome],
    test_sets: Mapping[str, Dataset],
    names: Mapping[str, str],
    published_rows: bool,
) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for each in outcomes:
        errors = (each.same_errors.get(kind, 0) for kind in ERROR_TYPES)
        keys = (each.easy, each.hard)
        rows.append((names[each.name], "A and B", each.n, each.both_right, each.both_wrong, *keys, *errors))
        if published_rows:
            rows += [(names[each.name], *row) for row in _published(test_sets[each.name])]
    notes = [_NOTE]
    if any("(published)" in str(row[1]) for row in rows):
        notes.append(f"{_source(_TABLE)}.")
    folded = "Show what both models get right and wrong"
    return Table("Right and wrong together", _COLUMNS, tuple(rows), tuple(notes), grouped=1, folded=folded)


def _published(dataset: Dataset) -> list[tuple[Cell, ...]]:
    """Return the published joint outcomes on the counterpart of *dataset*; may be empty."""
    from crossexam.published.figures import published

    (study,) = (each for each in STUDIES if each.study == _STUDY)
    if not study.figures(dataset):
        return []
    table, entry = published(_STUDY).table(_TABLE), dataset.entry
    rows: list[tuple[Cell, ...]] = []
    for systems in table.rows:
        columns = ("items", "both_right", "both_wrong", "easy", "hard", *ERROR_TYPES)
        found = [table.value(systems, f"{entry.construction}.{each}", entry.part) for each in columns]
        if any(figure is not None for figure in found):
            rows.append((f"{systems} (published)", *found))
    return rows


def _source(table: str) -> str:
    from crossexam.published.figures import published

    study = published(_STUDY)
    return f"Published: {study.table(table).place} of {study.citation} {study.source}; on their own items"


def seen_against_table(results: Results) -> Table:
    """Return the word pairs of exactly two models in the training data of *results*; may have no rows."""
    if results.training is None:
        return Table("Word pairs in training", (), ())
    return _seen_table(
        results.seen, results.training, results.test_sets, results.short_names, results.published_rows
    )


def seen_table(first: Run, second: Run, training: TrainingPairs, names: Mapping[str, str]) -> Table:
    """Return which word pairs of two models *training* has, for the test sets that have pairs."""
    from crossexam.evaluation.seen_pairs import seen_pairs

    found = seen_pairs(first, second, training)
    return _seen_table(found, training, first.datasets, names, published_rows=True)


def _seen_table(
    found: Sequence[SeenPairs],
    training: TrainingPairs,
    test_sets: Mapping[str, Dataset],
    names: Mapping[str, str],
    published_rows: bool,
) -> Table:
    rows: list[tuple[Cell, ...]] = []
    differences: dict[str, str] = {}
    for each in found:
        name, dataset = names[each.test_set], test_sets[each.test_set]
        rows.append((name, _RIGHT[each.group], each.pairs, each.seen, each.contradiction, each.mean))
        beside = _published_seen(each.group, dataset) if published_rows else []
        if beside:
            differences[name] = difference_from(_STUDY, dataset)
        rows += [(name, *row) for row in beside]
    notes = [f"Training: {training.spec}, {training.index.manifest['examples']:,} examples. {_SEEN_NOTE}"]
    if left_out := max((each.left_out for each in found), default=0):
        notes.append(f"Left out: pairs with a word that the index splits, at most {left_out} in a row.")
    if differences:
        weaker = (
            "the pairs that only their weaker system gets right are 'nearly twice' as frequent in training"
        )
        notes += [*other_rules_note(differences), f"{_source(_SEEN_TABLE)}; {weaker}."]
    return Table("Word pairs in training", _SEEN_COLUMNS, tuple(rows), tuple(notes), grouped=1)


def _published_seen(group: str, dataset: Dataset) -> list[tuple[Cell, ...]]:
    """Return the published share of the pairs of *group* on the counterpart of *dataset*; may be empty."""
    from crossexam.published.figures import published

    (study,) = (each for each in STUDIES if each.study == _STUDY)
    if group not in _PAPER or not study.figures(dataset):
        return []
    joint, seen = (published(_STUDY).table(name) for name in (_TABLE, _SEEN_TABLE))
    entry, share = dataset.entry, Marked if difference_from(_STUDY, dataset) else float
    column = f"{entry.construction}.{_PAPER[group]}"
    return [
        (
            f"{_RIGHT[group]} ({systems}, published)",
            joint.value(systems, column, entry.part),
            None,
            share(round(figure / 100, 6)),
            None,
        )
        for systems in seen.rows
        if (figure := seen.value(systems, column, entry.part)) is not None
    ]
