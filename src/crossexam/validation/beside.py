"""What was published of human judgement, beside what the judges of a study find."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from crossexam.suites.published import published

# Construction and question, and where what was published of them stands: study, table, row.
# fmt: off
_PUBLISHED: Final[dict[tuple[str, str], tuple[str, str, str]]] = {
    ("antonymy",            "label"):       ("naik2018", "human", "label_agreed"),
    ("antonymy",            "grammatical"): ("naik2018", "human", "grammatical"),
    ("numerical_reasoning", "label"):       ("naik2018", "human", "label_agreed"),
    ("numerical_reasoning", "grammatical"): ("naik2018", "human", "grammatical"),
    ("numerical_reasoning", "trivial"):     ("naik2018", "human", "trivial"),
    ("word_overlap",        "label"):       ("naik2018", "human", "label_agreed"),
    ("length_mismatch",     "label"):       ("naik2018", "human", "label_agreed"),
    ("so_swap",             "label"):       ("nie2019", "accuracy", "Human"),
    ("add_amod",            "label"):       ("nie2019", "accuracy", "Human"),
}
# fmt: on


class Published(NamedTuple):
    """A *figure* in percent that a *study* printed at a *place*."""

    figure: float
    study: str
    place: str


def published_beside(entry: Mapping[str, Any], name: str, question: str) -> Published | None:
    """Return what was published of *question* for the construction of a test set; None where nothing was.

    *entry* is that of the test set *name* in the study's manifest.
    """
    construction = str(entry.get("construction") or name).partition(".")[0]
    place = _PUBLISHED.get((construction, question))
    if place is None:
        return None
    study, key, row = place
    table = published(study).table(key)
    parts = (entry.get("part"), "snli")  # Nie et al. judged items from SNLI alone
    figures = (table.value(row, construction, part) for part in parts)
    figure = next((each for each in figures if each is not None), None)
    return None if figure is None else Published(figure, study, table.place)
