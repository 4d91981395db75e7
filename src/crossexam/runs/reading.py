"""What a model read of the items of a test set: which were truncated, and of which no edit was read.

A truncated item counts as one whose edit the model never saw if every changed character lies beyond what was
read: a model that stops reading before the edit gives the prediction of the unchanged text.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from crossexam.core.columns import examples_at
from crossexam.core.dataset import Dataset, ReadItems
from crossexam.core.example import SIDES, Edit, Example, Side, located_in_result
from crossexam.models.model import CharactersRead, Pair, Parts

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: The characters of each side that were read: (start, end) of each stretch.
Spans = Mapping[Side, Sequence[tuple[int, int]]]

_START: Final = (0, 0)


def spans_read(parts: Parts, read: Sequence[CharactersRead | None]) -> Spans:
    """Return what was *read* of a pair of which *parts* were asked; None is all of a part.

    >>> spans_read(whole(("It rains.", "Wet.")), [CharactersRead(2, 4)])
    {'premise': [(0, 2)], 'hypothesis': [(0, 4)]}
    """
    spans: dict[Side, list[tuple[int, int]]] = {side: [] for side in SIDES}
    for pair, starts, each in zip(parts.pairs, parts.starts, read, strict=True):
        lengths = each or (len(pair[0]), len(pair[1]))
        for side, start, length in zip(SIDES, starts, lengths, strict=True):
            spans[side].append((start, start + length))
    return spans


def whole(pair: Pair) -> Parts:
    """Return *pair* as its only part."""
    return Parts([pair], [_START], 1)


def reading_of(
    dataset: Dataset,
    numbers: NDArray[np.uint32],
    truncated: NDArray[np.bool_],
    spans: Callable[[int, Pair], Spans],
) -> ReadItems:
    """Return what was read of the items of *dataset*, whose pairs have these *numbers* [n].

    *truncated* [pairs] says which pairs were, and *spans* returns what was read of the pair of a number.
    Only truncated items are looked at.
    """
    is_truncated = truncated[numbers]
    unseen = np.zeros(len(dataset), dtype=bool)
    rows = np.flatnonzero(is_truncated)
    for row, item in zip(rows.tolist(), examples_at(dataset.examples, rows), strict=True):
        unseen[row] = edit_unseen(item, spans(int(numbers[row]), (item.premise, item.hypothesis)))
    return ReadItems(is_truncated, unseen)


def edit_unseen(item: Example, spans: Spans) -> bool:
    """Return whether *item* was edited and no changed character is in *spans*.

    What was deleted was read if the place where it stood was.

    >>> from crossexam.core.example import Change
    >>> insertion = Change("x.v1", "premise", "hypothesis", (Edit("premise", 9, 9, "", " Or not."),))
    >>> item = Example("a", "It rains. Or not.", "Wet.", None, change=insertion)
    >>> edit_unseen(item, {"premise": [(0, 9)]}), edit_unseen(item, {"premise": [(0, 12)]})
    (True, False)
    """
    if item.change is None or not item.change.edits:
        return False
    return not any(
        _was_read(edit, len(item.text(side)), spans.get(side, ()))
        for side in SIDES
        for edit in located_in_result(item.change.edits, side)
    )


def _was_read(edit: Edit, length: int, spans: Sequence[tuple[int, int]]) -> bool:
    """Return whether a stretch in *spans* touches *edit*, which is located in a text of *length*."""
    if edit.start == edit.end:  # a deletion
        return any(start <= edit.start < end or edit.start == end == length for start, end in spans)
    return any(start < edit.end and edit.start < end for start, end in spans)
