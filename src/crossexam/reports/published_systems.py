"""The systems of the 2018 paper beside a model: which published figure stands beside which test set."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from crossexam.core.dataset import Dataset
from crossexam.reports.measured import construction_of

_STUDY: Final = "naik2018"
#: Table 3, and Table 8 for the forms of spelling error that Table 3 does not have.
_TABLES: Final = ("accuracy", "spelling_error")
_ELSEWHERE: Final = "matched"

#: What the columns are called.
GROUP: Final = "Published, Naik et al. 2018"


def published_systems() -> tuple[str, ...]:
    """Return the names of the published systems, in the paper's order.

    >>> published_systems()
    ('NB', 'CH', 'RC', 'IS', 'BiLSTM', 'CBOW', 'ALIGN')
    """
    from crossexam.suites.published import published

    return published(_STUDY).table(_TABLES[0]).rows


def part_of(dataset: Dataset) -> str:
    """Return the name of the base split of *dataset*: ``dev_matched``."""
    return str(dataset.manifest.get("part") or dataset.name.partition(".")[2])


def published_accuracy(dataset: Dataset) -> dict[str, float]:
    """Return what each system was published to have on the counterpart of *dataset*, shares of 1.

    Over a base that is not MultiNLI dev the figure is that for its matched half.  Empty where the paper
    has no such test set.

    >>> published_accuracy(Dataset("negation.dev_mismatched", ()))["NB"]
    0.4
    """
    from crossexam.suites.published import genre_split, published

    construction = construction_of(dataset)
    part = part_of(dataset) if genre_split(part_of(dataset)) else _ELSEWHERE
    for key in _TABLES:
        table = published(_STUDY).table(key)
        found = {row: table.value(row, construction, part) for row in table.rows}
        if any(figure is not None for figure in found.values()):
            return {row: round(figure / 100, 6) for row, figure in found.items() if figure is not None}
    return {}


def published_notes(datasets: Sequence[Dataset]) -> list[str]:
    """Return what a reader of the published figures beside *datasets* must know."""
    from crossexam.suites.published import genre_split, published

    study = published(_STUDY)
    notes = [
        f"{', '.join(published_systems())}: as published in Table 3 (other forms of spelling error: "
        "Table 8), on the authors' own test sets over MultiNLI dev, without intervals. "
        f"{study.citation} {study.source}"
    ]
    compared = [each for each in datasets if published_accuracy(each)]
    single = {"numerical_reasoning"}  # one set for both halves of MultiNLI dev
    elsewhere = dict.fromkeys(
        part_of(each)
        for each in compared
        if not genre_split(part_of(each)) and construction_of(each) not in single
    )
    if elsewhere:
        notes.append(
            f"{', '.join(elsewhere)}: not MultiNLI; beside it stand the figures for MultiNLI dev matched, "
            "for orientation."
        )
    return notes
