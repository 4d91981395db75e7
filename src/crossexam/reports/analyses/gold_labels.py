"""What the drop of a test set hides: large changes of the accuracy for single gold labels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from crossexam.core.estimate import p_value_text
from crossexam.reports.names import named_together
from crossexam.reports.results import ModelResults, Results, once
from crossexam.reports.sentences.leading import none_drops

if TYPE_CHECKING:
    from crossexam.evaluation.gold_labels import OfGold

#: A change of the accuracy for one gold label that differs so much from the drop is worth a sentence.
_LARGE: Final = 0.1
#: So many other test sets are named; of more, the number is given.
_MOST_NAMED: Final = 3


@once
def hidden_changes(results: Results) -> dict[tuple[str, str], tuple[OfGold, ...]]:
    """Return by model and test set the gold labels whose accuracy changes much more than the drop says.

    The change differs from the drop by at least 10 points, and is significant: p of McNemar's test by cluster
    on the pairs of this label, times the number of such tests in the report, is at most its level.
    """
    level = results.options.alpha / _count_of_tests(results)
    found = {}
    for name, model, result in results.by_test_set():
        drop = 0.0 if result.loss is None else result.loss.value
        changed = tuple(
            each for each in result.by_gold if abs(each.drop - drop) >= _LARGE and each.p_value <= level
        )
        if changed:
            found[model.name, name] = changed
    return found


def _count_of_tests(results: Results) -> int:
    """Return how many gold labels of test sets are tested, at least 1."""
    return max(1, sum(len(each.by_gold) for _, _, each in results.by_test_set()))


def hidden_warnings(results: Results) -> list[str]:
    """Return a sentence per model (:func:`hidden_change`), but for those whose headline begins with it."""
    told = (hidden_change(model, results) for model in results.models if not none_drops(model))
    return [sentence for sentence in told if sentence]


def most_hidden(model: ModelResults, results: Results) -> str | None:
    """Return the test set on which the accuracy of *model* for a gold label changes most behind its drop."""
    changes = {name: found for (whose, name), found in hidden_changes(results).items() if whose == model.name}
    return max(changes, key=lambda each: max(abs(change.drop) for change in changes[each]), default=None)


def hidden_change(model: ModelResults, results: Results) -> str:
    """Return a sentence on the largest change of *model* behind a drop, and where others are, or nothing."""
    name = most_hidden(model, results)
    result = None if name is None else model.result(name)
    if name is None or result is None or result.loss is None:
        return ""
    changes = sorted(hidden_changes(results)[model.name, name], key=lambda change: -change.drop)
    first, last = changes[0], changes[-1]
    short, tests = results.short_names[name], _count_of_tests(results)
    told = f"{_moved(first, ' right')} on the base (corrected p {_corrected(first, tests)})"
    if last is not first and last.drop < 0:
        told += f", and {_moved(last)} (p {_corrected(last, tests)})"
    alike = [other for whose, other in hidden_changes(results) if whose == model.name and other != name]
    rest = named_together(alike, results.test_sets, results.short_names)
    if len(alike) > _MOST_NAMED:
        rest = f"{len(alike)} other test sets"
    also = f"; see also {rest}" if rest else ""
    return f"On {short}, {model.name} gets {told}{also}."


def _moved(change: OfGold, right: str = "") -> str:
    way = "down" if change.after < change.before else "up"
    return f"{change.after:,} of {change.n:,} {change.gold} items{right}, {way} from {change.before:,}"


def _corrected(change: OfGold, tests: int) -> str:
    return p_value_text(min(1.0, tests * change.p_value))
