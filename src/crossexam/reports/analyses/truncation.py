"""What models did not read of the items: the table, and the warning at the head of a report."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from crossexam.core.dataset import counted_items
from crossexam.models.chunking import WHOLE
from crossexam.reports.analysis import Analysis, Section
from crossexam.reports.figures import MODEL_OF_SEVERAL, TEST_SET, FigureColumn, FigureTable, Row
from crossexam.reports.results import ModelResults, Results, once
from crossexam.reports.table import number_text

if TYPE_CHECKING:
    from crossexam.evaluation.truncation import Truncation

#: The share of truncated items of a test set from which a report says how to avoid truncation.
WORTH_MENDING: Final = 0.01

_NAMED: Final = 3  # test sets in the warning
_USUAL_TOKENS: Final = 512  # of BERT and its like

_NOTES: Final = (
    "Truncated: the model did not read the item to its end. Edit unseen: everything that the construction "
    "changed is in the part that was not read, so the prediction says nothing about the change.",
    "Accuracy in percent of the items with a gold label, with 95 % confidence intervals.",
)


@once
def truncations(model: ModelResults) -> tuple[Truncation, ...]:
    """Return the test sets that the model did not read to the end; empty if it read all, or nobody knows."""
    from crossexam.evaluation.truncation import truncations

    return truncations(model.run, max_unanswered=model.options.max_unanswered)


def _rows(results: Results) -> Iterator[Row[Truncation]]:
    return (Row(model.name, each.name, each) for model in results.models for each in truncations(model))


_TABLE: Final = FigureTable["Truncation"](
    "Truncated items",
    _rows,
    (
        FigureColumn("Items", "count", lambda each: each.items),
        FigureColumn("Truncated", "count", lambda each: each.truncated, "truncated"),
        FigureColumn("Truncated, %", "percent", lambda each: each.share, "truncated_share"),
        FigureColumn("Edit unseen", "count", lambda each: each.edit_unseen, "edit_unseen"),
        FigureColumn("Accuracy", "percent", lambda each: each.accuracy),
        FigureColumn(
            "without edit unseen",
            "percent",
            lambda each: each.accuracy_seen,
            "accuracy",
            of="without edit unseen",
        ),
        FigureColumn(
            "without truncated",
            "percent",
            lambda each: each.accuracy_read,
            "accuracy",
            of="without truncated",
        ),
    ),
    lambda _, __: _NOTES,
    first=(MODEL_OF_SEVERAL, TEST_SET),
    n=lambda each: each.items,
)


def truncation_warnings(results: Results) -> list[str]:
    """Return a warning per model that did not read all items to their end."""
    warnings = (truncation_warning(model) for model in results.models)
    return [warning for warning in warnings if warning is not None]


def truncation_warning(model: ModelResults) -> str | None:
    """Return which share of which test sets *model* did not read to the end, and how to avoid it.

    None if it read all.  Of more than a few test sets, those of which it read least are named.
    """
    found = truncations(model)
    if not found:
        return None
    items = sum(len(dataset) for dataset in model.run.datasets.values())
    cut, unseen = sum(each.truncated for each in found), sum(each.edit_unseen for each in found)
    least_read = sorted(found, key=lambda each: -each.share)[:_NAMED] if len(found) > _NAMED else found
    sets = ", ".join(f"{each.name} {_percent(each.share)}" for each in least_read)
    if rest := len(found) - len(least_read):
        sets += f", and less of {counted_items(rest, 'other test set')}"
    sentences = [
        f"{model.name} did not read {cut:,} of {items:,} items to the end ({_percent(cut / items)}): {sets}."
    ]
    if unseen:
        sentences.append(f"For {unseen:,} of them it read none of the changed text.")
    if any(each.share > WORTH_MENDING for each in found):
        sentences.append(_mend(model))
    return " ".join(sentences)


def _mend(model: ModelResults) -> str:
    details = model.run.details
    words, by = details.get("most_words"), details.get("most_words_by")
    if words is not None:  # of a sentence, so that shorter premises alone do not help
        return f"It reads the first {words} words of a sentence: `{by}` sets their number."
    chunk = model.run.manifest.chunk or WHOLE
    if chunk == WHOLE:
        return (
            "To have every item read to the end, run the model with --chunk, as in "
            f"--chunk words:{_fitting_words(model)}."
        )
    return f"The chunks are too long for the model: choose smaller ones than {chunk}."


def _fitting_words(model: ModelResults) -> int:
    """Return a number of words that fits into the model's maximum length, with room for a hypothesis.

    A word has one or two tokens; without a known maximum it is taken to be 512 tokens.
    """
    tokens = model.run.details.get("max_length")
    return max(10, (tokens if isinstance(tokens, int) else _USUAL_TOKENS) * 6 // 100 * 10)


def _percent(share: float) -> str:
    return f"{number_text(share, 'percent')} %" if share >= 0.001 else "under 0.1 %"


TRUNCATION: Final = Analysis(
    "truncation",
    (Section("truncation", "Truncation", _TABLE),),
    lambda results: any(each.truncated.any() for run in results.runs for each in run.reading.values()),
    warnings=truncation_warnings,
)
