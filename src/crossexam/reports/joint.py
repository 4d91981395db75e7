"""The table of what two models get right and wrong together, with that of Naik et al. (2018, section 4.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from crossexam.core.dataset import Dataset, Run
from crossexam.reports.accuracy import ERROR_TYPES
from crossexam.reports.published_systems import STUDIES
from crossexam.reports.results import Results
from crossexam.reports.table import Cell, Column, Table

if TYPE_CHECKING:
    from crossexam.evaluation.joint import JointOutcome

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
    "Easy, hard keys: different word pairs (or other keys) of the items that both models get right, and of "
    "those that both get wrong; a pair can be both. Both E-C: gold entailment, for which both models predict "
    "contradiction; the others likewise."
)


def joint_against_table(results: Results) -> Table:
    """Return the joint outcomes of exactly two models; else it has no rows."""
    return _joint_table(results.joint, results.test_sets, results.short_names, results.published_rows)


def joint_table(first: Run, second: Run, names: Mapping[str, str]) -> Table:
    """Return the joint outcomes of two models on the test sets that both have."""
    from crossexam.evaluation.joint import joint_outcomes

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
        notes.append(_source())
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


def _source() -> str:
    from crossexam.published.figures import published

    study = published(_STUDY)
    return f"Published: {study.table(_TABLE).place} of {study.citation} {study.source}; on their own items."
