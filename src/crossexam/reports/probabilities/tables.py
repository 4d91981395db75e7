"""Tables of what probabilities are worth: calibration, selective prediction, models against people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final, TypeVar

from crossexam.reports.results import ModelResults, Results
from crossexam.reports.table import Cell, Column, Table
from crossexam.reports.unanswered import only_bounds_notes

if TYPE_CHECKING:
    from crossexam.evaluation.calibration import Calibration
    from crossexam.evaluation.distributions import Distances, PeopleResult
    from crossexam.evaluation.selective import Selective

    Measured = TypeVar("Measured", Calibration, Selective, PeopleResult)

_CALIBRATION: Final = (
    "ECE: expected calibration error, the mean distance between the confidence in predictions and the "
    "share of right ones, in 15 bins of equal width, or with as many items each. A calibrated model does "
    "not reach 0 in a sample: 'if calibrated' is the ECE that it has on average if items are independent, "
    "and more with several items per premise. Class-wise: the mean over the labels of the ECE of their "
    "probabilities. Brier: the sum over the labels, from 0 to 2. The errors and losses are better if lower; "
    "95 % confidence intervals are clustered by premise, and word pairs fixed."
)
_IMPOSSIBLE: Final = "Log loss is infinite (∞) if a model gives a gold label the probability 0."
_LEFT_OUT: Final = (
    "Unanswered items, and those of low label mass (all labels together had less than half of the model's"
    " probability), are counted and not measured."
)
_STRETCHED: Final = (
    "The probabilities of {} were stretched so that its threshold lies at one half; their calibration is "
    "that of the stretched probabilities."
)
_SELECTIVE: Final = (
    "The model answers where it is most confident and abstains elsewhere. Coverage: the share of items "
    "that it answers; risk: the share of its answers that are wrong. AURC: the area under the "
    "risk-coverage curve, the mean risk over all coverages, equal to the risk of all answers if "
    "confidence says nothing. Items without an answer are the first abstained. The threshold for 5 % "
    "risk is chosen on these items: of later answers, more are likely to be wrong. 95 % confidence intervals "
    "are clustered by premise, and word pairs fixed."
)
_PEOPLE: Final = (
    "Distance of the model from the distribution of people's labels, the mean over items, in natural "
    "logarithms. JS distance is the square root of the Jensen-Shannon divergence (ChaosNLI calls it JSD);"
    " KL is KL(people || model), infinite (∞) if the model excludes a label that somebody gave. Entropy "
    "of people's labels in bits. 95 % confidence intervals are clustered by premise."
)
_REFERENCES: Final = (
    "For comparison: the uniform distribution; all probability on the label that most people gave; one "
    "half of the annotators of each item against the other half, which are further apart than two groups "
    "of all of them would be, being half as many."
)
_FOLDED: Final = "Show the numbers"
_FOLDED_TEMPERED: Final = "Show the calibration after temperature scaling"


def calibration_table(results: Results) -> Table:
    """Return the calibration of the models that gave probabilities; no rows without such models."""
    found = list(_by_test_set(results, [(model, model.calibrations) for model in results.models]))
    notes = (_CALIBRATION, *_calibration_notes(results, [each for _, each in found]))
    return _calibration_table(results, "Calibration", found, notes, _FOLDED)


def temperature_table(results: Results) -> Table:
    """Return the calibration at the temperatures that were fitted; no rows if none were."""
    found = list(_by_test_set(results, [(model, model.tempered) for model in results.models]))
    fitted = [model for model in results.models if model.temperature]
    notes = (*map(temperature_note, fitted), *only_bounds_notes(results, fitted))
    title = "Calibration after temperature scaling"
    return _calibration_table(results, title, found, notes, _FOLDED_TEMPERED)


def temperature_note(model: ModelResults) -> str:
    """Return the temperature of *model*, and what it was fitted on."""
    fitted = model.temperature
    if fitted is None:
        return ""
    left = f", without {fitted.left_out:,} that share a premise with measured ones" if fitted.left_out else ""
    return (
        f"Temperature of {model.name}: {fitted.temperature:.3f}, with the least log loss on {fitted.n:,} "
        f"items of another run ({', '.join(fitted.test_sets)}){left}."
    )


def selective_table(results: Results) -> Table:
    """Return the selective prediction of the models that gave probabilities; no rows without such models."""
    found = list(_by_test_set(results, [(model, model.selective) for model in results.models]))
    some = any(each.unanswered for _, each in found)
    rows = tuple(
        (
            results.short_names[each.test_set],
            model.name,
            each.n,
            *((each.unanswered,) if some else ()),
            each.risk,
            each.aurc,
            each.accuracy,
            each.coverage,
        )
        for model, each in found
    )
    columns = (
        Column("Test set"),
        Column("Model"),
        Column("Items", "count"),
        *((Column("Unanswered", "count"),) if some else ()),
        Column("Risk", "percent"),
        Column("AURC", "percent"),
        Column("Accuracy at 80 % coverage", "percent"),
        Column("Coverage at 5 % risk", "percent"),
    )
    notes = (_SELECTIVE, *only_bounds_notes(results, _loud(results)))
    return Table("Selective prediction", columns, rows, notes, grouped=1, folded=_FOLDED)


def people_table(results: Results) -> Table:
    """Return the models against the label distributions of people; no rows without such test sets."""
    from crossexam.evaluation.distributions import has_distributions

    found = list(_by_test_set(results, [(model, model.people) for model in results.models]))
    groups: dict[tuple[Cell, ...], dict[tuple[Cell, ...], None]] = {}
    for model, each in found:
        known = (results.short_names[each.test_set], _entropy_text(each), each.n)
        cells = (model.name, *_distance_cells(each.distances), each.accuracy, each.old_accuracy)
        groups.setdefault(known, {})[cells] = None
    for _, each in found:  # after the models, and once if they are the same for several models
        known = (results.short_names[each.test_set], _entropy_text(each), each.n)
        for name, distances in each.references.items():
            groups[known][(f"({name})", *_distance_cells(distances), None, None)] = None
    rows = tuple((*known, *cells) for known, lines in groups.items() for cells in lines)
    columns = (
        Column("Test set"),
        Column("Entropy"),
        Column("Items", "count"),
        Column("Model"),
        Column("JS distance", "score"),
        Column("JS divergence", "score"),
        Column("KL", "score"),
        Column("Total variation", "score"),
        Column("Accuracy", "percent"),
        Column("on old labels", "percent"),
    )
    compared = [name for name, dataset in results.test_sets.items() if has_distributions(dataset)]
    notes = (_PEOPLE, _REFERENCES, *only_bounds_notes(results, _loud(results), compared))
    return Table("Models and people", columns, rows, notes, grouped=3)


def _distance_cells(distances: Distances) -> tuple[Cell, ...]:
    return distances.js_distance, distances.js_divergence, distances.kl, distances.total_variation


def _entropy_text(each: PeopleResult) -> str:
    low, high = each.entropy
    return f"{low:.1f} to {high:.1f}" if not each.whole else "all"


def _by_test_set(
    results: Results, measured: Sequence[tuple[ModelResults, Sequence[Measured]]]
) -> Iterator[tuple[ModelResults, Measured]]:
    """Yield each model with what was *measured* of it, in the order of the test sets of the report."""
    for name in results.test_sets:
        for model, found in measured:
            yield from ((model, each) for each in found if each.test_set == name)


def _calibration_table(
    results: Results,
    title: str,
    found: Sequence[tuple[ModelResults, Calibration]],
    notes: tuple[str, ...],
    folded: str,
) -> Table:
    left = {
        "Unanswered": [each.unanswered for _, each in found],
        "Low label mass": [each.low_mass for _, each in found],
    }
    shown = {header: counts for header, counts in left.items() if any(counts)}
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (
            results.short_names[each.test_set],
            model.name,
            each.n,
            *(counts[place] for counts in shown.values()),
            each.accuracy,
            each.confidence,
            each.ece.error,
            each.ece.if_calibrated,
            each.ece_equal_mass.error,
            each.classwise.error,
            each.brier,
            each.log_loss,
        )
        for place, (model, each) in enumerate(found)
    )
    columns = (
        Column("Test set"),
        Column("Model"),
        Column("Items", "count"),
        *(Column(header, "count") for header in shown),
        Column("Accuracy", "percent"),
        Column("Confidence", "percent"),
        Column("ECE", "percent"),
        Column("if calibrated", "percent"),
        Column("ECE, equal mass", "percent"),
        Column("Class-wise", "percent"),
        Column("Brier", "score"),
        Column("Log loss", "score"),
    )
    return Table(title, columns, rows, notes, grouped=1, folded=folded)


def _loud(results: Results) -> list[ModelResults]:
    """Return the models that gave probabilities."""
    return [model for model in results.models if model.gives_probabilities]


def _calibration_notes(results: Results, found: Sequence[Calibration]) -> Iterator[str]:
    """Yield what must be known of the numbers of *found*."""
    if any(each.impossible for each in found):
        yield _IMPOSSIBLE
    if any(each.unanswered or each.low_mass for each in found):
        yield _LEFT_OUT
    loud = _loud(results)
    yield from only_bounds_notes(results, loud)
    stretched = [
        model.name for model in loud if (model.run.manifest.get("details") or {}).get("threshold") is not None
    ]
    if stretched:
        yield _STRETCHED.format(", ".join(stretched))
    silent = [model.name for model in results.models if not model.gives_probabilities]
    if silent and found:
        yield f"Labels without probabilities, which have no calibration: {', '.join(silent)}."
