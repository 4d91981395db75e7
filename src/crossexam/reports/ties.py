"""Items for which a model finds several labels most probable: a note on accuracies, and a warning."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from crossexam.core.dataset import counted_items
from crossexam.core.labels import ENTAILMENT_OR_NOT, LABELS, TIE_ORDER, Gold, Ties
from crossexam.reports.results import ModelResults, Results
from crossexam.reports.table import number_text

if TYPE_CHECKING:
    from crossexam.evaluation.comparison import Comparison
    from crossexam.evaluation.measures import TestSetResult

#: The share of tied items of a test set above which a report warns.
WORTH_WARNING: Final = 0.01
#: A note names up to so many test sets of a model.
_MOST_NAMED: Final = 3

_THREE: Final = ", ".join(label for label in TIE_ORDER if label in LABELS)
_RULE: Final = (
    f"Ties: if labels are equally probable, the first of {_THREE} is predicted; of two labels, the one that "
    "is not entailment."
)


def tie_notes(results: Results) -> list[str]:
    """Return the note on which items of which models are tied, and how they are scored; empty without any."""
    names = results.short_names
    return _notes(
        {
            model.name: {names[each.name]: each.ties for each in model.results if each.ties is not None}
            for model in results.models
        }
    )


def tie_comparison_notes(pairs: Iterable[Comparison], names: Mapping[str, str]) -> list[str]:
    """Return the note on the ties of the models A and B; empty without any."""
    pairs = list(pairs)
    of_a = {names[pair.name]: pair.ties_a for pair in pairs if pair.ties_a is not None}
    of_b = {names[pair.name]: pair.ties_b for pair in pairs if pair.ties_b is not None}
    return _notes({"A": of_a, "B": of_b})


def tie_warnings(results: Results) -> list[str]:
    """Return a warning per model with ties in more than 1 % of the items of some test set.

    It names the test set with the largest share of them, with the accuracies that other rules could give, and
    the bases, from which drops are measured.
    """
    warnings = (_warning(model, results.short_names) for model in results.models)
    return [warning for warning in warnings if warning is not None]


def _notes(by_model: Mapping[str, Mapping[str, Ties]]) -> list[str]:
    tied = [f"{name}: {_listed(by_set)}" for name, by_set in by_model.items() if by_set]
    return [f"{_RULE} Ties of {'; of '.join(tied)}."] if tied else []


def _listed(by_set: Mapping[str, Ties]) -> str:
    """Return the tied items by test set; of many test sets, those of the one with the largest share."""
    if len(by_set) <= _MOST_NAMED:
        return ", ".join(_counted(ties, name) for name, ties in by_set.items())
    most = max(by_set, key=lambda name: by_set[name].share)
    return f"in {len(by_set)} test sets, the largest share in {_counted(by_set[most], most)}"


def _counted(ties: Ties, name: str) -> str:
    share = number_text(ties.share, "percent")
    return f"{ties.count:,} of {counted_items(ties.n, 'item')} of {name} ({share} %)"


def _warning(model: ModelResults, names: Mapping[str, str]) -> str | None:
    many = [(ties, each) for each in model.results if (ties := each.ties) and ties.share > WORTH_WARNING]
    if not many:
        return None
    ties, result = max(many, key=lambda pair: pair[0].share)
    sentences = [f"{model.name}: {_counted(ties, names[result.name])} {_tied(model, result, ties.count)}"]
    if not result.only_bounds:
        least, most = (number_text(share, "percent") for share in (ties.least, ties.most))
        sentences.append(f"Other ways to break ties give an accuracy of {least} to {most} % there.")
    bases = {
        names[each.name]: each.ties
        for each in model.results
        if each.ties and each is not result and model.run.datasets[each.name].entry.is_base
    }
    if bases:
        sentences.append(f"Tied on the base, too: {_listed(bases)}.")
    if others := len(many) - 1:
        where = counted_items(others, "other test set")
        sentences.append(f"On {where}, too, more than {100 * WORTH_WARNING:g} % of the items are tied.")
    return " ".join(sentences)


def _tied(model: ModelResults, result: TestSetResult, count: int) -> str:
    labels = _scored_labels(model, result)
    if model.run.two_labels:
        lie = "lies" if count == 1 else "lie"
        lower = " (a lower --threshold predicts entailment)" if "threshold" in model.run.details else ""
        return f"{lie} exactly on the threshold; {_predicted(labels)} is predicted{lower}."
    have = "has" if count == 1 else "have"
    return f"{have} two or more equally probable labels, of which {_predicted(labels)} is predicted."


def _scored_labels(model: ModelResults, result: TestSetResult) -> Sequence[Gold]:
    if model.run.two_labels and result.labels == LABELS:
        return ENTAILMENT_OR_NOT.labels
    return result.labels


def _predicted(labels: Sequence[Gold]) -> str:
    """Return which of the *labels* that tie is predicted.

    >>> _predicted(LABELS), _predicted(ENTAILMENT_OR_NOT.labels)
    ('the first of neutral, contradiction, entailment', 'not_entailment')
    """
    ordered = [label for label in TIE_ORDER if label in labels]
    return ordered[0] if len(ordered) == 2 else f"the first of {', '.join(ordered)}"
