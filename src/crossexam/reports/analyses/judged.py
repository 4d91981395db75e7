"""The labels that judges give, beside those that models predict, as in Table 2 of Nie et al. (2019)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from crossexam.core.example import JUDGE_LABELS
from crossexam.core.labels import GOLDS, LABELS
from crossexam.evaluation.verified import judge_shares, judged_items, predicted_shares
from crossexam.reports.analysis import Analysis, Section
from crossexam.reports.figures import Figure
from crossexam.reports.published_systems import difference_from, is_of_snli_dev, other_rules_note
from crossexam.reports.results import Results
from crossexam.reports.table import Cell, Column, Marked, Table

_STUDY: Final = "nie2019"
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
        if results.published_of_three and is_of_snli_dev(dataset) and human:
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


def _human(construction: str, share: type[float]) -> tuple[float, ...] | None:
    """Return the published shares of the three labels in the answers of people, None if there are none."""
    from crossexam.published.figures import published

    table = published(_STUDY).table("predictions")
    shares = [table.value("Human", f"{construction}.{label[0].upper()}") for label in LABELS]
    known = [share(each / 100) for each in shares if each is not None]
    return tuple(known) if len(known) == len(LABELS) else None


def _figures(results: Results) -> Iterator[Figure]:
    """Yield the shares of labels, which the figures are of, in the answers of judges and of models."""
    for name, dataset in results.test_sets.items():
        for label, share in judge_shares(dataset).items():
            yield Figure(f"({JUDGES})", name, "judged_share", share, label)
        for model in results.models:
            if name in model.answered.datasets:
                for label, share in predicted_shares(model.run, name).items():
                    yield Figure(model.name, name, "judged_share", share, label)


JUDGED: Final = Analysis(
    "judges", (Section("judged", "Judges", judged_table, figures=_figures),), info=frozenset({JUDGE_LABELS})
)
