"""What is judged, and its row in the study's file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from crossexam.core.labels import Gold, parse_label


@dataclass(frozen=True)
class Item:
    """What is judged.  *asked* are keys of questions; *predicted* and *suggested* are of error studies."""

    number: int
    test_set: str
    example: str
    premise: str
    hypothesis: str
    gold: Gold | None
    predicted: Gold | None
    cluster: str
    asked: tuple[str, ...]
    suggested: tuple[tuple[str, str], ...] = ()

    @property
    def name(self) -> str:
        """Return the name that judges and files see; it says nothing of test set or label."""
        return f"i{self.number:05d}"


def row_of(item: Item) -> tuple[object, ...]:
    """Return *item* as a row of the table of items."""
    shown = (_storable(item.premise), _storable(item.hypothesis))
    return (
        item.number, item.test_set, _storable(item.example), *shown, item.gold, item.predicted, item.cluster,
        json.dumps(item.asked), json.dumps(item.suggested),
    )  # fmt: skip


def _storable(text: str) -> str:
    """Return *text* with lone surrogates, which SQLite cannot hold, as question marks."""
    return text.encode("utf-8", "replace").decode("utf-8")


def item_of(row: Sequence[Any]) -> Item:
    """Return the item in *row*, columns as :func:`row_of` gives them."""
    number, test_set, example, premise, hypothesis, gold, predicted, cluster, asked, suggested = row
    return Item(
        number, test_set, example, premise, hypothesis, parse_label(gold), parse_label(predicted), cluster,
        tuple(json.loads(asked)), tuple((category, why) for category, why in json.loads(suggested)),
    )  # fmt: skip
