"""The cross-dataset benchmark as tables: accuracy by corpus, and the one mean beside the published ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from crossexam.core.dataset import Run
from crossexam.core.estimate import Estimate
from crossexam.reports.results import Measured, dataset_of, names_of_test_sets
from crossexam.reports.table import Cell, Column, Table

if TYPE_CHECKING:
    from crossexam.evaluation.cross_dataset import BenchmarkScore

_NOTE: Final = (
    "Mean: plain mean of the corpora's accuracies. Difference, relative: of the mean from SNLI, in "
    "points and in percent of it. Intervals: corpora are independent, items of one premise are one "
    "cluster (MOVER)."
)


def score_table(models: Sequence[Measured], *, published_rows: bool = True) -> Table:
    """Return mean, SNLI test and the difference of each model, published systems below; may have no rows."""
    scores = _scores(models)
    found = [(model, score) for model, score in zip(models, scores, strict=True) if score is not None]
    if not found:
        return Table("Cross-dataset benchmark", (), ())
    rows: list[tuple[Cell, ...]] = [
        (model.name, len(each.accuracies), each.mean, each.reference, each.difference, each.relative)
        for model, each in found
    ]
    first = found[0][1]
    notes = [_NOTE, *_what_is_in(first)]
    if published_rows and first.part == "test":
        keys = list(first.accuracies)
        rows += [(system, len(keys), *figures) for system, figures in _published(keys).items()]
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


def corpus_table(models: Sequence[Measured]) -> Table:
    """Return accuracy by corpus and model with what is to be known of each corpus; may have no rows."""
    from crossexam.evaluation.cross_dataset import about

    scores = _scores(models)
    runs = [model.run for model in models]
    rows: list[tuple[Cell, ...]] = []
    for name in names_of_test_sets(runs):
        dataset = dataset_of(runs, name)
        place = about(dataset)
        if "key" not in place:
            continue
        answered = [score.accuracies.get(place["key"]) if score else None for score in scores]
        size = next((each.n for each in answered if each is not None), None)
        labels = str(dataset.manifest.get("projection") or "three labels")
        rows.append((place["protocol"], place["title"], size, labels, *answered))
    columns = (
        Column("Made"),
        Column("Corpus"),
        Column("Items", "count"),
        Column("Labels"),
        *(Column(model.name, "percent") for model in models),
    )
    return Table("Corpora of the benchmark", columns, tuple(rows), tuple(_projections(rows)), grouped=1)


def mean_note(first: Run, second: Run) -> str | None:
    """Return what two runs differ by in the mean of the benchmark's corpora, None without any."""
    from crossexam.evaluation.cross_dataset import mean_difference
    from crossexam.reports.table import interval_text, number_text

    found = mean_difference(first, second)
    if found is None:
        return None
    points = f"{number_text(found, 'points')} {interval_text(found)} points".replace("-", "−")
    return f"Mean of the corpora of the cross-dataset benchmark, A less B: {points}."


def _scores(models: Sequence[Measured]) -> list[BenchmarkScore | None]:
    from crossexam.evaluation.cross_dataset import benchmark_score

    return [benchmark_score(model.run, model.results) for model in models]


def _what_is_in(score: BenchmarkScore) -> list[str]:
    found = []
    if score.missing:
        found.append(f"Not in: {', '.join(score.missing)}.")
    if score.incomplete:
        found.append(f"In part: {', '.join(score.incomplete)}.")
    return found


def _projections(rows: Sequence[tuple[Cell, ...]]) -> list[str]:
    from crossexam.core.labels import PROJECTIONS, THREE_LABELS

    used = {str(row[3]) for row in rows} - {THREE_LABELS.name}
    return [f"{p.name.capitalize()}: {p.says} ({p.source})." for p in PROJECTIONS.values() if p.name in used]


def _published(keys: Sequence[str]) -> Mapping[str, tuple[Cell, ...]]:
    """Return mean over *keys*, SNLI, difference and relative difference of each system of Table 5."""
    from crossexam.published.figures import published
    from crossexam.suites.cross_dataset_corpora import REFERENCE

    table = published("zhang2020").table("accuracy")
    found: dict[str, tuple[Cell, ...]] = {}
    for system in table.rows:
        figures = [table.value(system, key) for key in keys]
        snli = table.value(system, REFERENCE)
        if snli is None or any(figure is None for figure in figures):
            continue
        mean = sum(figure for figure in figures if figure is not None) / len(figures)
        row = (mean / 100, snli / 100, (mean - snli) / 100, mean / snli - 1)
        found[f"{system} (published)"] = tuple(round(cell, 6) for cell in row)
    return found


def _source(corpora: int) -> str:
    from crossexam.published.figures import published
    from crossexam.suites.cross_dataset_corpora import MEMBERS

    study = published("zhang2020")
    over = "" if corpora == len(MEMBERS) else f", their mean taken over the same {corpora} corpora"
    return f"Published: Table 5 of {study.citation} {study.source}{over}; trained on all of SNLI."


def benchmark_figures(model: Measured) -> dict[str, Estimate]:
    """Return what a file of figures holds of *model* on the benchmark, by name; empty where it was not in."""
    score = _scores([model])[0]
    if score is None:
        return {}
    named = {"mean": score.mean, "difference": score.difference, "relative": score.relative}
    return {name: each for name, each in named.items() if each is not None}
