"""How much a model's results depend on how it is asked: on the prompt template, and on asking once more."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from crossexam.core.dataset import counted_items
from crossexam.reports.analyses.unanswered import share_text
from crossexam.reports.analysis import Analysis, Section
from crossexam.reports.figures import MODEL, TEST_SET, Figure, FigureColumn, FigureTable, Row
from crossexam.reports.results import ModelResults, Results, once
from crossexam.reports.significance import intervals_of
from crossexam.reports.table import cell_text, number_text

if TYPE_CHECKING:
    from crossexam.evaluation.comparison import Comparison
    from crossexam.evaluation.measures import TestSetResult
    from crossexam.evaluation.repeat import Noise
    from crossexam.evaluation.templates import TemplateResult

_SENSITIVITY: Final = (
    "Sensitivity in percent: the entropy of an item's predictions over the templates, divided by that of all "
    "labels being equally frequent, and averaged (Errica et al. 2024), with a 95 % interval clustered by "
    "premise. It is 0 if no prediction depends on the template."
)


@once
def _by_template(results: Results) -> tuple[TemplateResult, ...]:
    """Return what the prompt template decides for models that were asked with several; empty without any."""
    from crossexam.evaluation.templates import template_results

    return template_results(results.runs, max_unanswered=results.options.max_unanswered)


def _rows(results: Results) -> Iterator[Row[TemplateResult]]:
    return (Row(each.model, each.test_set, each) for each in _by_template(results))


def _template_notes(results: Results, rows: Sequence[Row[TemplateResult]]) -> Iterator[str]:
    shown = {row.test_set: results.test_sets[row.test_set] for row in rows}
    yield (
        "Accuracy in percent of the items that were answered with all templates, with "
        f"{intervals_of(shown, results.short_names)}. Spread: the highest accuracy minus the lowest, which "
        "is above zero by chance alone; its interval is from simultaneous intervals of the differences "
        "between all templates."
    )
    yield _SENSITIVITY
    yield from _left_out_notes(results)


def _left_out_notes(results: Results) -> list[str]:
    """Return the test sets of which too many items lack an answer with some template; empty without any."""
    from crossexam.evaluation.templates import asked_with_several

    measured = {(each.model, each.test_set) for each in _by_template(results)}
    left = [
        f"{results.short_names[name]} of {model}"
        for model, name, _ in asked_with_several(results.runs)
        if (model, name) not in measured
    ]
    share = share_text(results.options.max_unanswered)
    note = f"Left out, because more than {share} of the items lack an answer with some template"
    return [f"{note}: {', '.join(left)}."] if left else []


_NOISE_NOTE: Final = (
    "Changed: answers that named another label, or none, when the model was asked about the pairs again. "
    "Share: with its interval by pair. The noise floor of a drop, 1.96 sqrt(2 f / n) for n pairs and the "
    "share f with one more changed pair each time, is the most that asking about all of them again "
    "changes it by chance in 95 % of cases, if changes are independent, favour neither right nor wrong "
    "answers, and are as frequent in each test set. It is unknown if no answer changed."
)


def _noise_rows(results: Results) -> Iterator[Row[Noise]]:
    return (Row(model.name, "", model.noise) for model in results.models if model.noise is not None)


def _floor_figures(results: Results) -> Iterator[Figure]:
    """Yield the noise floors of the drops, and which drops are within theirs."""
    for model in results.models:
        for result in model.results:
            if (floor := model.noise_floor(result)) is not None:
                within = int(bool(model.is_within_noise(result)))
                yield Figure(model.name, result.name, "noise_floor", floor, "drop", result.counted)
                yield Figure(model.name, result.name, "within_noise_floor", within, "drop")


def drops_within_noise(results: Results) -> list[str]:
    """Return a note per model that names the drops, and gains, that are not above their noise floors."""
    notes = []
    for model in results.models:
        if model.noise is None:
            continue
        drops = [each for each in _within(model) if each.loss is not None and each.loss.value > 0]
        gains = [each for each in _within(model) if each.loss is not None and each.loss.value < 0]
        named = [
            f"the {what} on {_with_floors(model, of, results.short_names)}"
            for what, of in (("drop", drops), ("gain", gains))
            if of
        ]
        if named:
            notes.append(f"{model.name}: not above the noise floor: {'; '.join(named)}.")
    return notes


def _within(model: ModelResults) -> Iterator[TestSetResult]:
    return (result for result in model.results if model.is_within_noise(result))


def _with_floors(model: ModelResults, of: Iterable[TestSetResult], names: Mapping[str, str]) -> str:
    return ", ".join(f"{names[each.name]} ({_floor(model, each)})" for each in of)


def noise_warnings(results: Results, significant: Callable[[ModelResults], Collection[str]]) -> list[str]:
    """Return a warning per model of which a drop is significant, but not above the noise floor.

    *significant* returns the test sets with a significant drop of a model.
    """
    warnings = []
    for model in results.models:
        if model.noise is None:
            continue
        shown = significant(model)
        within = [each for each in _within(model) if each.name in shown]
        if len(within) == 1:
            name = results.short_names[within[0].name]
            warnings.append(f"{model.name}: the drop on {name} is {below_noise(model, within[0])}.")
        elif within:
            named = _with_floors(model, within, results.short_names)
            changed = f"{_changed(model.noise)} of answers changed"
            warnings.append(f"{model.name}: these drops are {_BELOW}: on {named}; {changed}.")
    return warnings


_BELOW: Final = "within the noise of asking again"


def below_noise(model: ModelResults, result: TestSetResult) -> str:
    """Return that the drop in *result* is not above its noise floor, and what that follows from."""
    assert model.noise is not None
    return f"{_BELOW} ({_floor(model, result)}: {_changed(model.noise)} of answers changed)"


def _floor(model: ModelResults, result: TestSetResult) -> str:
    return _of_items(model.noise_floor(result), result.counted)


def _of_items(floor: float | None, n: int) -> str:
    """Return a noise *floor* as words: "1.9 points over 300 items"."""
    return f"{number_text(floor, 'points')} points over {counted_items(n, 'item')}"


def _changed(noise: Noise) -> str:
    return f"{number_text(noise.rate, 'percent')} %"


def _share(noise: Noise) -> str:
    value, _, interval = cell_text(noise.rate, "percent").partition(" ")
    return f"{value} % {interval}".strip()


def difference_notes(
    pairs: Sequence[Comparison], noises: Sequence[Noise | None], names: Mapping[str, str]
) -> list[str]:
    """Return which differences of two models are no larger than what asking both again changes by chance.

    The list is empty if neither was asked again.
    """
    from crossexam.evaluation.repeat import is_within, noise_floor

    if not any(noises):
        return []
    floors = {pair.name: noise_floor(*((noise, pair.n) for noise in noises)) for pair in pairs}
    changed = ", ".join(
        f"{side} {'not measured' if noise is None else _share(noise)}"
        for side, noise in zip("AB", noises, strict=True)
    )
    within = [
        f"{names[pair.name]} ({_of_items(floors[pair.name], pair.n)})"
        for pair in pairs
        if is_within(pair.difference, floors[pair.name])
    ]
    said = f"Answers that changed when pairs were asked again: {changed}."
    if not any(noise is not None and noise.flips for noise in noises):
        return [f"{said} The noise of asking again is therefore not known for the differences."]
    alone = ""
    if None in noises:
        alone = f", in the answers of {'B' if noises[0] is None else 'A'} alone"
    return [f"{said} Differences {_BELOW}{alone}: {', '.join(within) or 'none'}."]


_TEMPLATES: Final = FigureTable["TemplateResult"](
    "Prompt templates",
    _rows,
    (
        FigureColumn("Templates", "count", lambda each: len(each.accuracies), "templates"),
        FigureColumn(
            "Lowest accuracy",
            "percent",
            lambda each: each.accuracies[each.lowest],
            "template_lowest_accuracy",
            of=lambda each: each.lowest,
        ),
        FigureColumn("with", "text", lambda each: each.lowest),
        FigureColumn(
            "Highest accuracy",
            "percent",
            lambda each: each.accuracies[each.highest],
            "template_highest_accuracy",
            of=lambda each: each.highest,
        ),
        FigureColumn("with ", "text", lambda each: each.highest),
        FigureColumn("Spread", "percent", lambda each: each.spread, "template_spread"),
        FigureColumn("Sensitivity", "percent", lambda each: each.sensitivity, "template_sensitivity"),
        FigureColumn(
            "Unanswered", "count", lambda each: each.unanswered, "template_unanswered", optional=True
        ),
    ),
    _template_notes,
    first=(MODEL, TEST_SET),
    n=lambda each: each.labelled - each.unanswered,
)
_NOISE: Final = FigureTable["Noise"](
    "Answers when asked again",
    _noise_rows,
    (
        FigureColumn("Pairs", "count", lambda each: each.pairs),
        FigureColumn("Times", "count", lambda each: each.times, "times_asked_again"),
        FigureColumn("Changed", "count", lambda each: each.flips, "changed_answers_count"),
        FigureColumn("Share, %", "percent", lambda each: each.rate, "changed_answers"),
    ),
    lambda results, _: (_NOISE_NOTE, *drops_within_noise(results)),
    first=(MODEL,),
    grouped=0,
    n=lambda each: each.pairs,
)


def were_several_asked(results: Results) -> bool:
    """Return whether some model was asked with several templates."""
    from crossexam.evaluation.templates import template_of

    if len(results.models) < 2:
        return False
    found = [asked[0] for run in results.runs if (asked := template_of(run)) is not None]
    return len(found) > len(set(found))


ASKED_AGAIN: Final = Analysis(
    "asked again",
    (Section("noise", "Asked again", _NOISE, figures=_floor_figures),),
    lambda results: any(model.noise is not None for model in results.models),
)
TEMPLATES: Final = Analysis("templates", (Section("templates", "Templates", _TEMPLATES),), were_several_asked)
