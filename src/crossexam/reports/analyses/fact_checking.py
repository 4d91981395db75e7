"""Fact checking: the figures of each data set, their mean, and the difference of two models."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from crossexam.core.estimate import Bounds, Estimate
from crossexam.core.manifest import FACT_CHECKING as FACT
from crossexam.reports.analyses.unanswered import BOUNDS_NOTE
from crossexam.reports.analysis import ALL, Analysis, Section
from crossexam.reports.figures import MODEL_OF_SEVERAL, TEST_SET, Figure, FigureColumn, FigureTable, Row
from crossexam.reports.results import ModelResults, Results, once

if TYPE_CHECKING:
    from crossexam.evaluation.fact_checking import BenchmarkMean, CheckedSet, FactChecking

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


@once
def fact_checking(model: ModelResults) -> FactChecking:
    """Return the figures of the data sets of fact checking; without any if there are none."""
    from crossexam.evaluation.fact_checking import fact_checking

    return fact_checking(model.run, model.thresholds, max_unanswered=model.options.max_unanswered)


@once
def _differences(results: Results) -> dict[str, Estimate]:
    """Return the difference of exactly two models in balanced accuracy per data set; may be empty."""
    from crossexam.evaluation.fact_checking import balanced_differences

    first, second = results.models
    return balanced_differences(*results.comparison.answered, (first.thresholds, second.thresholds))


def _rows(results: Results) -> Iterator[Row[CheckedSet | BenchmarkMean]]:
    """Yield the rows of the table: by benchmark, the models on each data set, and then their means."""
    models = [(model.name, fact_checking(model)) for model in results.models]
    benchmarks = dict.fromkeys(each.benchmark for _, found in models for each in found.sets)
    for benchmark in benchmarks:
        for name in results.test_sets:
            for model, found in models:
                yield from (Row(model, name, each) for each in found.sets if _is(each, benchmark, name))
        for model, found in models:
            means = (each for each in found.means if each.benchmark == benchmark)
            yield from (Row(model, f"(mean of {each.title})", each) for each in means)


def _is(found: CheckedSet, benchmark: str, test_set: str) -> bool:
    return (found.benchmark, found.test_set) == (benchmark, test_set)


def _of_pair(results: Results) -> Iterator[Row[Estimate]]:
    return (Row(results.pair, name, each) for name, each in _differences(results).items())


def _sets(each: CheckedSet | BenchmarkMean) -> str:
    """Return of which data sets a mean is; empty for a data set."""
    return "" if each.threshold is not None else "+".join(one.data_set for one in each.sets)


def _threshold(each: CheckedSet | BenchmarkMean) -> float | None:
    return None if each.threshold is None else each.threshold.value


def _chosen_in(each: CheckedSet | BenchmarkMean) -> str:
    """Return of which test sets the threshold was chosen on claims, or that it was fixed."""
    return "+".join(each.threshold.test_sets) or "fixed" if each.threshold is not None else ""


def _in_several(each: CheckedSet | BenchmarkMean) -> int | None:
    return None if each.threshold is not None else each.shared


def _chosen_on(each: CheckedSet | BenchmarkMean) -> int | None:
    return None if each.threshold is None else each.threshold.n or None


def _depends(each: CheckedSet | BenchmarkMean) -> str:
    return "" if each.threshold is None else f"threshold:{each.threshold.value:.6g}"


def _is_per_set(results: Results) -> bool:
    """Return whether the data sets of some model have different thresholds."""
    return any(fact_checking(model).per_set for model in results.models)


_TABLE: Final = FigureTable["CheckedSet | BenchmarkMean"](
    "Fact checking",
    _rows,
    (
        FigureColumn("Claims", "count", lambda each: each.n),
        FigureColumn("Supported", "count", lambda each: each.supported, "supported_claims"),
        FigureColumn("Documents", "count", lambda each: each.documents, "documents"),
        FigureColumn("Unanswered", "count", lambda each: each.unanswered, "unanswered_claims", optional=True),
        FigureColumn(
            "Balanced accuracy", "percent", lambda each: each.figures.balanced_accuracy, "balanced_accuracy"
        ),
        FigureColumn("ROC AUC", "percent", lambda each: each.figures.roc_auc, "roc_auc", optional=True),
        FigureColumn("False support", "percent", lambda each: each.figures.false_support, "false_support"),
        FigureColumn("Missed support", "percent", lambda each: each.figures.missed_support, "missed_support"),
        FigureColumn(
            "Threshold", "score", _threshold, "threshold", of=_chosen_in, n=_chosen_on, when=_is_per_set
        ),
        FigureColumn("Chosen on", "count", _chosen_on, when=_is_per_set),
        FigureColumn("", "count", _in_several, "documents_in_several"),
    ),
    lambda results, rows: _notes(results),
    first=(
        FigureColumn("Benchmark", "text", lambda each: each.title),
        FigureColumn("Data set", "text", lambda each: each.name),
        MODEL_OF_SEVERAL,
    ),
    grouped=2,
    n=lambda each: each.n,
    of=_sets,
    depends=_depends,
)
_AGAINST: Final = FigureTable[Estimate](
    "A minus B in balanced accuracy",
    _of_pair,
    (
        FigureColumn("Claims", "count", lambda each: each.n),
        FigureColumn("Documents", "count", lambda each: each.clusters),
        FigureColumn("A minus B", "points", lambda each: each, "difference_balanced_accuracy"),
    ),
    lambda _, __: (_DIFFERENCE,),
    first=(TEST_SET,),
    grouped=0,
    folded="Show the differences in balanced accuracy",
)


def _notes(results: Results) -> Iterator[str]:
    yield _MEASURES
    several = len(results.models) > 1
    for model in results.models:
        said = _threshold_note(model)
        if said:
            yield f"{model.name}: {said}" if several else said
    for model in results.models:
        means = [_mean_note(mean) for mean in fact_checking(model).means]
        yield from (f"{model.name}, {said}" if several else said for said in means)
    sets = [each for model in results.models for each in fact_checking(model).sets]
    if any(isinstance(each.figures.balanced_accuracy, Bounds) for each in sets):
        yield BOUNDS_NOTE
    if any(each.figures.roc_auc is None for each in sets):
        yield "No ROC AUC: the model gives labels without probabilities."


def _threshold_note(model: ModelResults) -> str:
    """Return what the threshold of *model* is and where it is from; empty without any."""
    sets = fact_checking(model).sets
    if not sets:
        return ""
    first = sets[0].threshold
    exceeds = "A claim counts as supported if the probability of entailment exceeds"
    if not first.n:
        fixed = f"{exceeds} {first.value:.6g}, a fixed threshold."
        return fixed if first.value == 0.5 else f"{fixed} {_ONLY_HERE}"
    if fact_checking(model).per_set:
        same = sum(each.threshold.same_documents for each in sets)
        return (
            f"{exceeds} the threshold of its data set. There, balanced accuracy is highest on the claims "
            "of its development split (their number: column Chosen on), in a run of the same "
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
    shared = f"; {documents} in several of them, which the intervals allow for" if mean.shared else ""
    left = f" Not in it: {', '.join(mean.left_out)}." if mean.left_out else ""
    return f"{mean.title}, {mean.name}: unweighted{shared}.{left}"


def _left_out(results: Results) -> Iterator[Figure]:
    """Yield the data sets that a mean leaves out."""
    for model in results.models:
        for mean in fact_checking(model).means:
            where = f"(mean of {mean.title})"
            yield from (Figure(model.name, where, "left_out", 1, name) for name in mean.left_out)


FACT_CHECKING: Final = Analysis(
    "fact checking",
    (
        Section("checking", "Fact checking", _TABLE, ALL, figures=_left_out),
        Section("checked", "Balanced accuracy", _AGAINST, within="against", models=2),
    ),
    facts=frozenset({FACT}),
)
