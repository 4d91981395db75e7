"""What models gave probabilities for, and what is measured of these, computed once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crossexam.reports.results import ModelResults, Results, once

if TYPE_CHECKING:
    from crossexam.evaluation.calibration import Calibration
    from crossexam.evaluation.selective import Selective


@once
def _of_probabilities(model: ModelResults) -> tuple[tuple[Calibration, ...], tuple[Selective, ...]]:
    from crossexam.evaluation.calibration import calibration_of
    from crossexam.evaluation.selective import selective_of
    from crossexam.evaluation.shares import shares_of

    run = model.answered
    found = [(calibration_of(run, each), selective_of(each)) for each in shares_of(run)]
    return tuple(first for first, _ in found), tuple(second for _, second in found)


def calibrations(model: ModelResults) -> tuple[Calibration, ...]:
    """Return the calibration on each test set with probabilities; empty if there are none."""
    return _of_probabilities(model)[0]


def selective(model: ModelResults) -> tuple[Selective, ...]:
    """Return the selective prediction on each test set with probabilities; empty if there are none."""
    return _of_probabilities(model)[1]


@once
def tempered(model: ModelResults) -> tuple[Calibration, ...]:
    """Return the calibration at the temperature that was fitted; empty if none was."""
    from crossexam.evaluation.calibration import at_temperature, calibration_of
    from crossexam.evaluation.shares import shares_of

    if model.temperature is None:
        return ()
    run = at_temperature(model.answered, model.temperature.temperature)
    return tuple(calibration_of(run, each) for each in shares_of(run))


def with_probabilities(results: Results) -> list[ModelResults]:
    """Return the models that gave probabilities."""
    return [model for model in results.models if model.gives_probabilities]
