"""Fact checking: the figures of each data set and their mean, as a table and as data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from crossexam.core.estimate import Bounds
from crossexam.reports.results import ModelResults, Results
from crossexam.reports.table import Cell, Column, Table
from crossexam.reports.unanswered import BOUNDS_NOTE

if TYPE_CHECKING:
    from crossexam.evaluation.fact_checking import BenchmarkMean, CheckedSet, Figures, Threshold

_MEASURES: Final = (
    "Balanced accuracy: the mean of the shares of supported and of unsupported claims that are right. ROC "
    "AUC: how often a supported claim has a higher probability of entailment than an unsupported one. False "
    "support: the share of the unsupported claims that count as supported; missed support: that of the "
    "supported ones that do not. In percent, with 95 % intervals clustered by document. "
    "Supported: claims that their document supports."
)
_ONLY_HERE: Final = "It applies to fact checking alone; the rest of the report has 0.5."
_DIFFERENCE: Final = (
    "The difference in balanced accuracy over the claims that both models answered, with 95 % intervals "
    "clustered by document."
)
#: A note names up to so many test sets.
_MOST_NAMED: Final = 3


def fact_checking_table(results: Results) -> Table:
    """Return the figures of each data set, and the mean of each benchmark; may have no rows."""
    found = list(_rows(results))
    several = len(results.models) > 1
    per_set = any(model.fact_checking.per_set for model in results.models)
    unanswered = any(row.unanswered for _, row in found)
    areas = any(row.figures.roc_auc is not None for _, row in found)
    columns = (
        Column("Benchmark"),
        Column("Data set"),
        *((Column("Model"),) if several else ()),
        Column("Claims", "count"),
        Column("Supported", "count"),
        Column("Documents", "count"),
        *((Column("Unanswered", "count"),) if unanswered else ()),
        Column("Balanced accuracy", "percent"),
        *((Column("ROC AUC", "percent"),) if areas else ()),
        Column("False support", "percent"),
        Column("Missed support", "percent"),
        *((Column("Threshold", "score"), Column("Chosen on", "count")) if per_set else ()),
    )
    rows: list[tuple[Cell, ...]] = [
        (
            *(row.title, row.name),
            *((model.name,) if several else ()),
            *(row.n, row.supported, row.documents),
            *((row.unanswered,) if unanswered else ()),
            row.figures.balanced_accuracy,
            *((row.figures.roc_auc,) if areas else ()),
            *(row.figures.false_support, row.figures.missed_support),
            *(_threshold_cells(row.threshold) if per_set else ()),
        )
        for model, row in found
    ]
    notes = _notes(results) if rows else ()
    return Table("Fact checking", columns, tuple(rows), tuple(notes), grouped=1 + several)


def _rows(results: Results) -> Iterator[tuple[ModelResults, CheckedSet | BenchmarkMean]]:
    """Yield the rows of the table: by benchmark, the models on each data set, and then their means."""
    models = [(model, model.fact_checking) for model in results.models]
    benchmarks = dict.fromkeys(each.benchmark for _, found in models for each in found.sets)
    for benchmark in benchmarks:
        for name in results.test_sets:
            for model, found in models:
                yield from ((model, each) for each in found.sets if _is(each, benchmark, name))
        for model, found in models:
            yield from ((model, each) for each in found.means if each.benchmark == benchmark)


def _is(found: CheckedSet, benchmark: str, test_set: str) -> bool:
    return (found.benchmark, found.test_set) == (benchmark, test_set)


def _threshold_cells(threshold: Threshold | None) -> tuple[Cell, Cell]:
    return (None, None) if threshold is None else (threshold.value, threshold.n)


def _notes(results: Results) -> Iterator[str]:
    yield _MEASURES
    several = len(results.models) > 1
    for model in results.models:
        said = _threshold_note(model)
        if said:
            yield f"{model.name}: {said}" if several else said
    for model in results.models:
        means = [_mean_note(mean) for mean in model.fact_checking.means]
        yield from (f"{model.name}, {said}" if several else said for said in means)
    sets = [each for model in results.models for each in model.fact_checking.sets]
    if any(isinstance(each.figures.balanced_accuracy, Bounds) for each in sets):
        yield BOUNDS_NOTE
    if any(each.figures.roc_auc is None for each in sets):
        yield "No ROC AUC: the model gives labels without probabilities."


def _threshold_note(model: ModelResults) -> str:
    """Return what the threshold of *model* is and where it is from; empty without any."""
    sets = model.fact_checking.sets
    if not sets:
        return ""
    first = sets[0].threshold
    exceeds = "A claim counts as supported if the probability of entailment exceeds"
    if not first.n:
        fixed = f"{exceeds} {first.value:.6g}, a fixed threshold."
        return fixed if first.value == 0.5 else f"{fixed} {_ONLY_HERE}"
    if model.fact_checking.per_set:
        same = sum(each.threshold.same_documents for each in sets)
        return (
            f"{exceeds} the threshold of its data set. There, balanced accuracy is highest on so many claims "
            "of the development split of the data set (column Chosen on), in a run of the same "
            f"model{_same(same)}. {_ONLY_HERE}"
        )
    return (
        f"{exceeds} {first.value:.6g}. This threshold has the highest mean balanced accuracy on "
        f"{first.n:,} claims of the development split ({_named(first.test_sets)}), in a run of the same "
        f"model{_same(first.same_documents)}. {_ONLY_HERE}"
    )


def _same(claims: int) -> str:
    return f"; {claims:,} of them are about documents that are measured here as well" if claims else ""


def _named(names: Sequence[str]) -> str:
    return ", ".join(names) if len(names) <= _MOST_NAMED else f"{len(names)} data sets"


def _mean_note(mean: BenchmarkMean) -> str:
    documents = f"{mean.shared:,} documents are" if mean.shared > 1 else "one document is"
    shared = f", although {documents} in several of them" if mean.shared else ""
    left = f" Not in it: {', '.join(mean.left_out)}." if mean.left_out else ""
    independent = f"its interval takes the data sets as independent{shared}"
    return f"{mean.title}, {mean.name}: unweighted; {independent}.{left}"


def checked_against_table(results: Results) -> Table:
    """Return the difference of exactly two models in balanced accuracy; else it has no rows."""
    found, names = results.checked_differences, results.short_names
    columns = (
        Column("Test set"),
        Column("Claims", "count"),
        Column("Documents", "count"),
        Column("A minus B", "points"),
    )
    rows = tuple((names[name], each.n, each.clusters, each) for name, each in found.items())
    folded = "Show the differences in balanced accuracy"
    return Table("A minus B in balanced accuracy", columns, rows, (_DIFFERENCE,), folded=folded)


def fact_checking_rows(model: ModelResults, known: Mapping[str, object]) -> Iterator[dict[str, object]]:
    """Yield every number of the test set that is *known*, one per row; a threshold is ``of`` its source."""
    for each in model.fact_checking.sets:
        if each.test_set == known["test_set"]:
            threshold = each.threshold
            at = {**known, "signature": f"{known['signature']}|threshold:{threshold.value:.6g}"}
            yield from _figure_rows(each.figures, at)
            source = "+".join(threshold.test_sets) or "fixed"
            yield {**known, "statistic": "threshold", "of": source, **_chosen(threshold)}
            yield {**known, "statistic": "supported_claims", "value": each.supported, "n": each.n}


def fact_checking_mean_rows(model: ModelResults) -> Iterator[dict[str, object]]:
    """Yield the mean of each benchmark, one number per row; ``of`` names its data sets."""
    for mean in model.fact_checking.means:
        sets = "+".join(each.data_set for each in mean.sets)
        known = {"model": model.name, "test_set": f"({mean.title})", "of": sets}
        for row in _figure_rows(mean.figures, known):
            yield {**row, "statistic": f"mean_{row['statistic']}"}


def _figure_rows(figures: Figures, known: Mapping[str, object]) -> Iterator[dict[str, object]]:
    for name, estimate in figures._asdict().items():
        if isinstance(estimate, Bounds):
            yield {**known, "statistic": f"{name}_least", **estimate.least._asdict()}
            yield {**known, "statistic": f"{name}_most", **estimate.most._asdict()}
        elif estimate is not None:
            yield {**known, "statistic": name, **estimate._asdict()}


def _chosen(threshold: Threshold) -> dict[str, object]:
    return {"value": threshold.value, "n": threshold.n or None}


def fact_checking_object(model: ModelResults, test_set: str) -> dict[str, Any]:
    """Return the figures of *test_set* with its threshold under a key of their own; empty if it has none."""
    found = next((each for each in model.fact_checking.sets if each.test_set == test_set), None)
    if found is None:
        return {}
    numbers = ("benchmark", "data_set", "split", "n", "supported", "documents", "unanswered")
    chosen = found.threshold._asdict()
    return {
        "fact_checking": {
            **{name: getattr(found, name) for name in numbers},
            **_figure_objects(found.figures),
            "threshold": {**chosen, "source": "development split" if found.threshold.n else "fixed"},
        }
    }


def fact_checking_means(model: ModelResults) -> dict[str, Any]:
    """Return the mean over the data sets of each benchmark."""
    return {
        mean.benchmark: {
            "data_sets": [each.data_set for each in mean.sets],
            "left_out": list(mean.left_out),
            "documents_in_several": mean.shared,
            **_figure_objects(mean.figures),
        }
        for mean in model.fact_checking.means
    }


def _figure_objects(figures: Figures) -> dict[str, Any]:
    return {
        name: {"least": estimate.least, "most": estimate.most} if isinstance(estimate, Bounds) else estimate
        for name, estimate in figures._asdict().items()
    }
