"""The labels of judges and models on the same items, as in Table 2 of Nie et al. (2019)."""

from __future__ import annotations

from typing import Final

from crossexam.core.example import JUDGE_LABELS
from crossexam.core.labels import GOLDS, LABELS
from crossexam.evaluation.judges import judge_shares, predicted_shares
from crossexam.reports.published_systems import of_snli
from crossexam.reports.results import Results
from crossexam.reports.table import Cell, Column, Table

#: The name of the row of the judges.
JUDGES: Final = "judges"

_NOTE: Final = (
    "Shares of the labels, in percent, with 95 % confidence intervals clustered by premise: in all answers "
    "of the judges, and in the predictions for the items that were judged."
)


def judged_table(results: Results) -> Table:
    """Return the share of each label in the answers of the judges and in the predictions for these items."""
    rows: list[tuple[Cell, ...]] = []
    published = False
    for name, dataset in results.test_sets.items():
        of_judges = judge_shares(dataset)
        if not of_judges:
            continue
        short = results.short_names[name]
        n = sum(bool(example.info.get(JUDGE_LABELS)) for example in dataset)
        rows.append((short, JUDGES, n, *map(of_judges.get, GOLDS)))
        rows += [
            (short, model.name, n, *map(predicted_shares(model.run, name).get, GOLDS))
            for model in results.models
            if name in model.run.datasets
        ]
        entry = dataset.entry
        if results.published_rows and of_snli(entry.part) and (human := _human(entry.construction)):
            rows.append((short, "Human (published)", None, *human, None))
            published = True
    two = any(row[-1] is not None for row in rows)
    shown = GOLDS if two else LABELS
    columns = (
        Column("Test set"),
        Column("Labels by"),
        Column("Items", "count"),
        *(Column(label.capitalize().replace("_", " "), "percent") for label in shown),
    )
    cut = tuple(row[: len(columns)] for row in rows)
    notes = (_NOTE, "Human: Nie et al. 2019, Table 2.") if published else (_NOTE,)
    return Table("Labels of judges and models", columns, cut, notes, grouped=1)


def _human(construction: str) -> tuple[float, ...] | None:
    """Return the published shares of the three labels in the answers of people, None if there are none."""
    from crossexam.published.figures import published

    table = published("nie2019").table("predictions")
    shares = [table.value("Human", f"{construction}.{label[0].upper()}") for label in LABELS]
    known = [share / 100 for share in shares if share is not None]
    return tuple(known) if len(known) == len(LABELS) else None
