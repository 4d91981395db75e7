"""The figures of published systems: which study, table and column belong to which test set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from crossexam.core.dataset import Dataset


@dataclass(frozen=True)
class PublishedColumns:
    """The columns of a study: the heading of the *group*, and its *tables* in order of precedence.

    For a base that the study does not have, the figures for *elsewhere* are shown, for orientation.
    """

    study: str
    group: str
    tables: tuple[str, ...]
    elsewhere: str
    note: str

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems, in the order of the paper.

        >>> STUDIES[0].systems
        ('NB', 'CH', 'RC', 'IS', 'BiLSTM', 'CBOW', 'ALIGN')
        """
        from crossexam.published.figures import published

        study = published(self.study)
        return tuple(dict.fromkeys(row for key in self.tables for row in study.table(key).rows))

    def figures(self, dataset: Dataset) -> dict[str, float]:
        """Return the published accuracy of each system on the counterpart of *dataset*, as shares.

        Empty if the paper has no such test set.

        >>> STUDIES[0].figures(Dataset("negation.dev_mismatched", ()))["NB"]
        0.4
        """
        return self._of_part(dataset, dataset.entry.part) or self._of_part(dataset, self.elsewhere)

    def _of_part(self, dataset: Dataset, part: str) -> dict[str, float]:
        """Return the figures for the construction of *dataset* over the base *part*; may be empty."""
        from crossexam.published.figures import published, split_of

        construction = dataset.entry.construction
        for key in self.tables:
            table = published(self.study).table(key)
            columns = {f"{construction}.{split_of(part)}", construction} & set(table.columns)
            if columns:
                found = {row: table.value(row, construction, part) for row in table.rows}
                return {row: round(figure / 100, 6) for row, figure in found.items() if figure is not None}
        return {}

    def notes(self, datasets: Sequence[Dataset]) -> list[str]:
        """Return the notes on the figures for *datasets*."""
        from crossexam.published.figures import published

        study = published(self.study)
        notes = [f"{', '.join(self.systems)}: {self.note} {study.citation} {study.source}"]
        compared = [each for each in datasets if self.figures(each)]
        foreign = dict.fromkeys(e.entry.part for e in compared if not self._of_part(e, e.entry.part))
        if foreign:
            notes.append(
                f"{', '.join(foreign)}: not a corpus of {self.group.removeprefix('Published, ')}; the "
                f"figures shown are those for {_NAMES[self.elsewhere]}, for orientation."
            )
        return notes


_NAMES: Final = {"matched": "MultiNLI dev matched", "snli": "SNLI dev"}

STUDIES: Final = (
    PublishedColumns(
        "naik2018", "Published, Naik et al. 2018", ("accuracy", "spelling_error"), "matched",
        "as published in Table 3 (other forms of spelling error: Table 8), on the authors' own test sets "
        "over MultiNLI dev, without intervals.",
    ),
    PublishedColumns(
        "nie2019", "Published, Nie et al. 2019", ("compositionality", "accuracy"), "snli",
        "as published in Tables 2 and 5, trained on all of SNLI or MultiNLI, on the authors' own adversaries "
        "and subsets, without intervals. Human: 100 items judged by the authors on the adversaries, else one "
        "annotator's label.",
    ),
)  # fmt: skip


def columns_for(datasets: Sequence[Dataset]) -> tuple[PublishedColumns, ...]:
    """Return the studies that have a figure for a test set among *datasets* that is not a base.

    If all are bases there are none: the papers' bases are other corpora.

    >>> [each.study for each in columns_for([Dataset("so_swap.snli_dev", ())])]
    ['nie2019']
    """
    made = [each for each in datasets if not each.entry.is_base]
    return tuple(study for study in STUDIES if any(study.figures(each) for each in made))
