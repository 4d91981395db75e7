"""What the drop of a test set hides: large changes of the accuracy for single gold labels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from crossexam.reports.names import named_together
from crossexam.reports.results import ModelResults, Results, once
from crossexam.reports.table import number_text

if TYPE_CHECKING:
    from crossexam.evaluation.gold_labels import OfGold
    from crossexam.evaluation.measures import TestSetResult

#: So large a change of the accuracy for one gold label is worth a sentence.
_LARGE: Final = 0.2


@once
def hidden_changes(results: Results) -> dict[tuple[str, str], tuple[OfGold, ...]]:
    """Return by model and test set the gold labels whose accuracy changes although the drop does not show it.

    It changes by at least 20 points, and significantly: p of McNemar's test by cluster on the pairs of this
    label, times the number of such tests in the report, is at most its level.  The drop of the test set is
    not significant, or the accuracy for another label changes so in the other direction.
    """
    level = results.options.alpha / max(1, sum(len(each.by_gold) for _, _, each in results.by_test_set()))
    found = {}
    for name, model, result in results.by_test_set():
        changed = tuple(each for each in result.by_gold if abs(each.drop) >= _LARGE and each.p_value <= level)
        if changed and not _is_shown(changed, result, results):
            found[model.name, name] = changed
    return found


def _is_shown(changed: Sequence[OfGold], result: TestSetResult, results: Results) -> bool:
    """Return whether the drop of *result* is significant, and all that *changed* went the same way."""
    tested = result.p_holm is not None and result.p_holm <= results.options.alpha
    return tested and result.loss is not None and all(each.drop * result.loss.value > 0 for each in changed)


def hidden_warnings(results: Results) -> list[str]:
    """Return a sentence per model on the largest of its changes that a drop hides, and where others are."""
    return [sentence for model in results.models for sentence in _of_model(model, results)]


def _of_model(model: ModelResults, results: Results) -> Iterator[str]:
    changes = {name: found for (whose, name), found in hidden_changes(results).items() if whose == model.name}
    if not changes:
        return
    name = max(changes, key=lambda each: max(abs(change.drop) for change in changes[each]))
    result = model.result(name)
    if result is None or result.loss is None:
        return
    first, *others = sorted(changes[name], key=lambda change: -change.drop)
    told = [
        f"{first.after:,} of {first.n:,} items with the gold label {first.gold} right, and {first.before:,} "
        "of them on the base",
        *(
            f"{each.after:,} of {each.n:,} with the gold label {each.gold}, and {each.before:,} on the base"
            for each in others
        ),
    ]
    points = number_text(result.loss, "points").replace("-", "−")
    rest = named_together([each for each in changes if each != name], results.test_sets, results.short_names)
    alike = f" Drops hide such changes on {rest}, too." if rest else ""
    short = results.short_names[name]
    yield f"On {short}, {model.name} gets {'; '.join(told)}. The drop, {points} points, hides this.{alike}"
