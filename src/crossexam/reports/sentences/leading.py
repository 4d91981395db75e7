"""Which test set the headline of a model is about, and among how many drops it was chosen."""

from __future__ import annotations

from collections.abc import Sequence

from crossexam.evaluation.measures import TestSetResult
from crossexam.evaluation.verified import is_proposed
from crossexam.reports.results import ModelResults, once


def bases_at_chance(model: ModelResults) -> list[TestSetResult]:
    """Return the bases of drops on which *model* is not above the majority class."""
    bases = {each.base_set for each in model.results if each.loss is not None}
    return [each for each in model.results if each.name in bases and each.at_chance]


def drops_shown(results: Sequence[TestSetResult]) -> frozenset[str]:
    """Return the test sets among *results* with a drop that is significant among all drops of the report.

    Interval and p-value are corrected for the choice among them (:mod:`crossexam.evaluation.candidates`).
    """
    return frozenset(
        result.name for result in results if result.candidate is not None and result.candidate.is_significant
    )


@once
def leading(model: ModelResults) -> TestSetResult | None:
    """Return the test set that the headline of *model* is about; None if none bears a finding.

    That is the one with the largest drop among those with a significant drop (:func:`drops_shown`) that was
    tested; else that was not; else of all; else, if no test set has a base, the one with the lowest accuracy.
    Bases on which the model is at chance, and test sets of few items, do not count; test sets whose labels
    are only proposed do if there are no others.
    """
    return max(able_to_lead(model), key=lambda result: _badness(model, result), default=None)


@once
def able_to_lead(model: ModelResults) -> list[TestSetResult]:
    """Return the results that the headline of *model* may be about; with a drop, if any has one."""
    chance = {each.name for each in bases_at_chance(model)}
    measured = _measured(model)
    of_base = [each for each in measured if each.loss is not None]
    large = [each for each in of_base or measured if not each.is_small]
    return [each for each in large if each.base_set not in chance]


def none_drops(model: ModelResults) -> bool:
    """Return whether the headline of *model* is that none of its drops is significant."""
    led = leading(model)
    return (
        model.benchmark is None
        and led is not None
        and led.candidate is not None
        and not led.candidate.is_significant
    )


def chosen_among(models: Sequence[ModelResults]) -> int:
    """Return among how many drops the headlines of *models* choose, 1 if none of them is about a drop."""
    about_drops = any((led := leading(model)) is not None and led.loss is not None for model in models)
    found = (each.candidate for model in models for each in model.results)
    counts = [candidate.count for candidate in found if candidate is not None]
    return max(counts, default=1) if about_drops else 1


def worst_of(model: ModelResults) -> TestSetResult | None:
    """Return the test set on which *model* broke most, bearing a finding or not; None without any."""
    return leading(model) or max(_measured(model), key=lambda result: _badness(model, result), default=None)


def _measured(model: ModelResults) -> list[TestSetResult]:
    """Return the results with an accuracy; of proposed labels only if there are no others."""
    measured = [each for each in model.results if each.n > 0 and not each.only_bounds]
    return [each for each in measured if not is_proposed(each.name)] or measured


def _badness(model: ModelResults, result: TestSetResult) -> tuple[bool, bool, bool, bool, float]:
    """Return how much *result* speaks against *model*: larger is worse."""
    loss = result.loss
    if loss is None:
        return (False, False, False, False, -result.accuracy.value)
    significant = result.candidate is not None and result.candidate.is_significant
    above_noise = significant and not model.is_within_noise(result)
    return (True, above_noise and result.p_holm is not None, above_noise, significant, loss.value)
