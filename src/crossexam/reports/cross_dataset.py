"""The tables of the cross-dataset benchmark: the mean, with published ones, and accuracy by corpus."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from crossexam.core.dataset import Run
from crossexam.reports.results import Results
from crossexam.reports.table import Cell, Column, Table

if TYPE_CHECKING:
    from crossexam.evaluation.cross_dataset import BenchmarkScore

_NOTE: Final = (
    "Mean: unweighted mean of the accuracies on the corpora. Difference, relative: of the mean from SNLI, in "
    "points and in percent. Intervals: MOVER, with independent corpora and items clustered by premise."
)


def score_table(results: Results) -> Table:
    """Return mean, SNLI test and the difference of each model, published systems below; may have no rows."""
    from crossexam.evaluation.cross_dataset import published_scores

    scores = [(model.name, model.benchmark) for model in results.models if model.benchmark is not None]
    if not scores:
        return Table("Cross-dataset benchmark", (), ())
    rows: list[tuple[Cell, ...]] = [
        (name, len(score.accuracies), score.mean, score.reference, score.difference, score.relative)
        for name, score in scores
    ]
    first = scores[0][1]
    notes = [_NOTE, *_coverage(first)]
    if results.published_rows and first.part == "test":
        keys = list(first.accuracies)
        published = published_scores(keys).items()
        rows += [(f"{system} (published)", len(keys), *figures) for system, figures in published]
        notes.append(_source(len(keys)))
    columns = (
        Column("Model"),
        Column("Corpora", "count"),
        Column("Mean", "percent"),
        Column(first.reference_name, "percent"),
        Column("Difference", "points"),
        Column("Relative, %", "points"),
    )
    return Table(first.title, columns, tuple(rows), tuple(notes))


def corpus_table(results: Results) -> Table:
    """Return accuracy by corpus and model, with protocol and labels of each corpus; may have no rows."""
    from crossexam.evaluation.cross_dataset import about

    scores = [model.benchmark for model in results.models]
    rows: list[tuple[Cell, ...]] = []
    for dataset in results.test_sets.values():
        place = about(dataset)
        if "key" not in place:
            continue
        answered = [score.accuracies.get(place["key"]) if score else None for score in scores]
        size = next((each.n for each in answered if each is not None), None)
        labels = dataset.entry.projection or "three labels"
        rows.append((place["protocol"], place["title"], size, labels, *answered))
    columns = (
        Column("Protocol"),
        Column("Corpus"),
        Column("Items", "count"),
        Column("Labels"),
        *(Column(model.name, "percent") for model in results.models),
    )
    return Table("Corpora of the benchmark", columns, tuple(rows), tuple(_projections(rows)), grouped=1)


def mean_note(first: Run, second: Run) -> str | None:
    """Return a sentence on the difference of two runs in the mean of the benchmark; None without any."""
    from crossexam.evaluation.cross_dataset import mean_difference
    from crossexam.reports.table import interval_text, number_text

    found = mean_difference(first, second)
    if found is None:
        return None
    points = f"{number_text(found, 'points')} {interval_text(found)} points".replace("-", "−")
    return f"Mean of the corpora of the cross-dataset benchmark, A minus B: {points}."


def _coverage(score: BenchmarkScore) -> list[str]:
    found = []
    if score.missing:
        found.append(f"Missing: {', '.join(score.missing)}.")
    if score.incomplete:
        found.append(f"Incomplete: {', '.join(score.incomplete)}.")
    return found


def _projections(rows: Sequence[tuple[Cell, ...]]) -> list[str]:
    from crossexam.core.labels import PROJECTIONS, THREE_LABELS

    used = {str(row[3]) for row in rows} - {THREE_LABELS.name}
    return [f"{p.name.capitalize()}: {p.says} ({p.source})." for p in PROJECTIONS.values() if p.name in used]


def _source(corpora: int) -> str:
    from crossexam.published.figures import published
    from crossexam.suites.cross_dataset_corpora import MEMBERS

    study = published("zhang2020")
    over = "" if corpora == len(MEMBERS) else f", their mean taken over the same {corpora} corpora"
    return f"Published: Table 5 of {study.citation} {study.source}{over}; trained on all of SNLI."
