"""How much a model's results depend on how it is asked: on the prompt template, and on asking once more."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from crossexam.reports.results import ModelResults, Results
from crossexam.reports.table import Column, Table, cell_text

if TYPE_CHECKING:
    from crossexam.evaluation.comparison import Comparison
    from crossexam.evaluation.measures import TestSetResult
    from crossexam.evaluation.repeat import Noise

_NOTES: Final = (
    "Accuracy in percent of the items that were answered with all templates, with 95 % intervals clustered "
    "by premise. Spread: the highest accuracy minus the lowest, which is above zero by chance alone; its "
    "interval is from simultaneous intervals of the differences between all templates.",
    "Sensitivity in percent: the entropy of an item's predictions over the templates, divided by that of all "
    "labels being equally frequent, and averaged (Errica et al. 2024). It is 0 if no prediction depends on "
    "the template. Its interval is bootstrapped by premise.",
)


def template_table(results: Results) -> Table:
    """Return what the template decides for the models that were asked with several."""
    found = results.by_template
    short = results.short_names
    some_missing = any(each.unanswered for each in found)
    rows = [
        (
            each.model,
            short[each.test_set],
            len(each.accuracies),
            each.accuracies[each.lowest],
            each.lowest,
            each.accuracies[each.highest],
            each.highest,
            each.spread,
            each.sensitivity,
            *((each.unanswered,) if some_missing else ()),
        )
        for each in found
    ]
    columns = (
        Column("Model"),
        Column("Test set"),
        Column("Templates", "count"),
        Column("Lowest accuracy", "percent"),
        Column("with"),
        Column("Highest accuracy", "percent"),
        Column("with "),
        Column("Spread", "percent"),
        Column("Sensitivity", "percent"),
        *((Column("Unanswered", "count"),) if some_missing else ()),
    )
    return Table("Prompt templates", columns, tuple(rows), _NOTES, grouped=1)


_NOISE_NOTE: Final = (
    "Changed: answers that named another label, or none, when the model was asked about the pairs again. "
    "Share: the noise floor, with its interval by pair. A drop or gain that is not above the upper end of "
    "the interval may disappear when the model is asked again."
)


def noise_table(results: Results) -> Table:
    """Return how often answers of the models changed when they were asked again; may have no rows."""
    columns = (
        Column("Model"),
        Column("Pairs", "count"),
        Column("Times", "count"),
        Column("Changed", "count"),
        Column("Share, %", "percent"),
    )
    rows = tuple(
        (model.name, noise.pairs, noise.times, noise.flips, noise.rate)
        for model in results.models
        if (noise := model.noise) is not None
    )
    return Table("Answers when asked again", columns, rows, (_NOISE_NOTE, *drops_within_noise(results)))


def drops_within_noise(results: Results) -> list[str]:
    """Return a note per model that names the drops, and gains, that are not above its noise floor."""
    notes = []
    for model in results.models:
        within = [(results.short_names[each.name], each.loss) for each in _within(model)]
        drops = [name for name, loss in within if loss is not None and loss.value > 0]
        gains = [name for name, loss in within if loss is not None and loss.value < 0]
        named = [f"the {what} on {', '.join(of)}" for what, of in (("drop", drops), ("gain", gains)) if of]
        if named:
            notes.append(f"{model.name}: not above the noise floor: {'; '.join(named)}.")
    return notes


def _within(model: ModelResults) -> Iterator[TestSetResult]:
    return (result for result in model.results if model.is_within_noise(result))


def noise_warnings(results: Results, significant: Iterable[Iterable[str]]) -> list[str]:
    """Return a warning per model of which a drop is significant, but not above the noise floor.

    *significant* has the test sets with a significant drop, by model.
    """
    warnings = []
    for model, shown in zip(results.models, significant, strict=True):
        names = [results.short_names[each.name] for each in _within(model) if each.name in shown]
        if names and model.noise is not None:
            warnings.append(f"{model.name}: the drop on {', '.join(names)} is {below_noise(model.noise)}.")
    return warnings


def below_noise(noise: Noise) -> str:
    """Return that a drop is not above the *noise* floor, and what that is."""
    return f"not clearly more than noise: asked again, the model changed {_share(noise)} of its answers"


def _share(noise: Noise) -> str:
    value, _, interval = cell_text(noise.rate, "percent").partition(" ")
    return f"{value} % {interval}".strip()


def difference_notes(
    pairs: Sequence[Comparison], noises: tuple[Noise | None, Noise | None], names: Mapping[str, str]
) -> list[str]:
    """Return which differences of two models are not above the larger of their noise floors.

    The list is empty if neither was measured.
    """
    from crossexam.evaluation.repeat import is_within

    if noises == (None, None):
        return []
    floors = ", ".join(
        f"{side} {'not measured' if noise is None else _share(noise)}"
        for side, noise in zip("AB", noises, strict=True)
    )
    within = [names[pair.name] for pair in pairs if is_within(pair.difference, noises)]
    return [
        f"Noise floor, the share of answers that changed when pairs were asked again: {floors}. "
        f"Differences not above the upper end of its interval: {', '.join(within) or 'none'}."
    ]
