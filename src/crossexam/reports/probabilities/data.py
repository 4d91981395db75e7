"""What is measured of probabilities as data: rows of the CSV, objects of the JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

from crossexam.core.estimate import Estimate
from crossexam.reports.results import ModelResults

if TYPE_CHECKING:
    from crossexam.evaluation.calibration import Calibration
    from crossexam.evaluation.distributions import Distances, PeopleResult
    from crossexam.evaluation.selective import Selective

#: The coverages of the curve in the data, in percent.
_PERCENTILES: Final = tuple(range(5, 101, 5))


def probability_rows(model: ModelResults, known: Mapping[str, object]) -> Iterator[dict[str, object]]:
    """Yield every number of the test set that is *known*, one per row."""
    for prefix, found in (("", model.calibrations), ("tempered_", model.tempered)):
        for each in found:
            if each.test_set == known["test_set"]:
                yield from _calibration_rows(each, known, prefix)
    fitted = model.temperature
    if fitted is not None and any(each.test_set == known["test_set"] for each in model.tempered):
        yield {**known, "statistic": "temperature", "value": fitted.temperature, "n": fitted.n}
    for selected in model.selective:
        if selected.test_set == known["test_set"]:
            yield from _selective_rows(selected, known)
    for people in model.people:
        if people.test_set == known["test_set"]:
            yield from _people_rows(people, known)


def _calibration_rows(
    each: Calibration, known: Mapping[str, object], prefix: str
) -> Iterator[dict[str, object]]:
    for name in ("ece", "ece_equal_mass", "classwise"):
        error = getattr(each, name)
        statistic = f"{prefix}classwise_ece" if name == "classwise" else f"{prefix}{name}"
        yield {**known, "statistic": statistic, **error.error._asdict()}
        yield {**known, "statistic": f"{statistic}_if_calibrated", "value": error.if_calibrated, "n": each.n}
    for name in ("brier", "log_loss"):
        yield {**known, "statistic": f"{prefix}{name}", **getattr(each, name)._asdict()}
    yield {**known, "statistic": f"{prefix}confidence", "value": each.confidence, "n": each.n}
    if not prefix:
        for name in ("unanswered", "low_mass", "impossible"):
            yield {**known, "statistic": f"calibration_{name}", "value": getattr(each, name)}


def _selective_rows(each: Selective, known: Mapping[str, object]) -> Iterator[dict[str, object]]:
    for name, of in (("risk", ""), ("aurc", ""), ("accuracy", "coverage=0.8"), ("coverage", "risk=0.05")):
        yield {**known, "statistic": f"selective_{name}", "of": of, **getattr(each, name)._asdict()}


def _people_rows(each: PeopleResult, known: Mapping[str, object]) -> Iterator[dict[str, object]]:
    low, high = each.entropy
    part = "" if each.whole else f"entropy={low:.1f}-{high:.1f}"
    for name, estimate in _fields(each.distances).items():
        yield {**known, "statistic": f"people_{name}", "of": part, **estimate._asdict()}
    for name in ("accuracy", "old_accuracy"):
        if (found := getattr(each, name)) is not None:
            yield {**known, "statistic": f"people_{name}", "of": part, **found._asdict()}
    for reference, distances in each.references.items():
        of = "; ".join(filter(None, (f"reference={reference}", part)))
        for name, estimate in _fields(distances).items():
            yield {**known, "statistic": f"people_{name}", "of": of, **estimate._asdict()}


def probability_objects(model: ModelResults, test_set: str) -> dict[str, Any]:
    """Return what is measured of the probabilities on *test_set* by name; empty without probabilities."""
    document: dict[str, Any] = {}
    for key, calibrations in (("calibration", model.calibrations), ("calibration_tempered", model.tempered)):
        for each in calibrations:
            if each.test_set == test_set:
                document[key] = _calibration_object(each)
    if "calibration_tempered" in document and model.temperature is not None:
        document["temperature"] = asdict(model.temperature)
    for selected in model.selective:
        if selected.test_set == test_set:
            document["selective"] = _selective_object(selected)
    people = [_people_object(found) for found in model.people if found.test_set == test_set]
    return document | ({"people": people} if people else {})


def _calibration_object(each: Calibration) -> dict[str, Any]:
    errors = {
        name: {"error": error.error, "if_calibrated": error.if_calibrated}
        for name, error in (
            ("ece", each.ece),
            ("ece_equal_mass", each.ece_equal_mass),
            ("classwise_ece", each.classwise),
        )
    }
    return {
        "n": each.n,
        "unanswered": each.unanswered,
        "low_mass": each.low_mass,
        "impossible": each.impossible,
        "confidence": each.confidence,
        **errors,
        "brier": each.brier,
        "log_loss": each.log_loss,
        "bins": [part._asdict() for part in each.bins],
    }


def _selective_object(each: Selective) -> dict[str, Any]:
    risks = dict(zip(each.curve.coverage.tolist(), each.curve.risk.tolist(), strict=True))
    coverages = {percent: round(percent / 100 * each.n) / each.n for percent in _PERCENTILES}
    return {
        "n": each.n,
        "unanswered": each.unanswered,
        "risk": each.risk,
        "aurc": each.aurc,
        "accuracy_at_coverage_0.8": each.accuracy,
        "coverage_at_risk_0.05": each.coverage,
        "risk_at_coverage": {
            f"{percent / 100:.2f}": risks[coverage]
            for percent, coverage in coverages.items()
            if coverage in risks
        },
    }


def _people_object(each: PeopleResult) -> dict[str, Any]:
    return {
        "entropy": list(each.entropy),
        "n": each.n,
        "unanswered": each.unanswered,
        **_fields(each.distances),
        "accuracy": each.accuracy,
        "old_accuracy": each.old_accuracy,
        "references": {name: _fields(distances) for name, distances in each.references.items()},
    }


def _fields(distances: Distances) -> dict[str, Estimate]:
    return dict(vars(distances))
