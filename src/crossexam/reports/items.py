"""The items that the page shows: a stratified sample of each test set, packed for the page's script."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from crossexam.core.dataset import Dataset, Run
from crossexam.core.example import (
    ANNOTATOR_LABELS,
    CAPTION_ID,
    CLUSTER,
    Edit,
    Example,
    Side,
    located_in_result,
    undo_edits,
)
from crossexam.core.files import FORMULA
from crossexam.core.labels import GOLD_INDEX, PROJECTIONS, projection_of
from crossexam.core.randomness import rng_for
from crossexam.evaluation.scores import NOT_ENTAILED, predicted_labels
from crossexam.reports.results import Results

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: At most this many items per test set are shown, so that the page of a suite stays below about 5 MB.
ITEMS_PER_SET: Final = 400

#: Keys of ``info`` that are of no interest to readers or are shown elsewhere.
_NOT_SHOWN: Final = frozenset({CLUSTER, ANNOTATOR_LABELS, CAPTION_ID, "pairID"})
_LONGEST_FACT: Final = 60  # characters

Segment = str | list[str]  # unchanged text, or [new, old]


@dataclass
class _Texts:
    """The texts of the page by number, each stored once although several test sets share it."""

    numbers: dict[str, int] = field(default_factory=dict)

    def number(self, text: str) -> int:
        return self.numbers.setdefault(text, len(self.numbers))


def segments(text: str, edits: Sequence[Edit], side: Side) -> list[Segment]:
    """Return *text* in pieces: a string if unchanged, ``[new, old]`` for an edit.

    >>> segments("It is cold.", [Edit("hypothesis", 6, 9, "hot", "cold")], "hypothesis")
    ['It is ', ['cold', 'hot'], '.']
    """
    pieces: list[Segment] = []
    position = 0
    for placed in located_in_result(edits, side):
        if placed.start > position:
            pieces.append(text[position : placed.start])
        pieces.append([placed.old, placed.new])
        position = placed.end
    if position < len(text):
        pieces.append(text[position:])
    return pieces


def base_index(results: Results, dataset: Dataset) -> tuple[Dataset | None, list[int]]:
    """Return the base of *dataset* among the test sets, and the position of each item's base (-1: none)."""
    base = results.test_sets.get(str(dataset.entry.base_set))
    if base is None:
        return None, [-1] * len(dataset)
    place = {example.id: number for number, example in enumerate(base)}
    return base, [-1 if item.base is None else place.get(item.base, -1) for item in dataset]


def stratified_sample(strata: NDArray[np.int64], limit: int | None, seed_text: str) -> list[int]:
    """Return at most *limit* item numbers, with every stratum represented and rare ones over-represented.

    The sample from a stratum of size s is proportional to sqrt(s): the k-th item of each, in random order,
    has the rank k / sqrt(s), and the items of lowest rank are chosen.  *strata* [n] are numbers of strata.
    The sample depends only on *seed_text* and *strata*.
    """
    import numpy as np

    n = len(strata)
    if limit is None or n <= limit:
        return list(range(n))
    shuffled = np.array(rng_for(0, "report", seed_text).sample(range(n), n), dtype=np.int64)
    order = shuffled[np.argsort(strata[shuffled], kind="stable")]  # [n], grouped by stratum
    _, first, size = np.unique(strata[order], return_index=True, return_counts=True)
    within = np.arange(n) - np.repeat(first, size)
    rank = within / np.sqrt(np.repeat(size, size))
    chosen = order[np.argsort(rank, kind="stable")[:limit]]
    return sorted(int(number) for number in chosen)


def _strata(
    runs: Sequence[Run], dataset: Dataset, base: Dataset | None, places: list[int]
) -> NDArray[np.int64]:
    """Return a stratum per item [n]: its gold label, each model's prediction, and whether that flipped."""
    import numpy as np

    number = np.array([_gold(item) + 1 for item in dataset], dtype=np.int64)
    at = np.array(places, dtype=np.int64)
    for run in runs:
        if dataset.name not in run.datasets:
            continue
        answers = predicted_labels(run, dataset.name)
        number = number * (NOT_ENTAILED + 1) + answers
        if base is not None and base.name in run.datasets and len(base):
            before = predicted_labels(run, base.name)[at]  # where at is -1, the last one: masked below
            number = number * 2 + ((before != answers) & (at >= 0))
    return np.unique(number, return_inverse=True)[1].astype(np.int64)


def _gold(example: Example) -> int:
    return -1 if example.label is None else GOLD_INDEX[example.label]


def _starting_pair(example: Example) -> tuple[str, str] | None:
    """Return the sentences before the edits of *example*; None if the edits do not fit its text.

    `crossexam check` reports edits that do not fit; a report shows the item without its base.
    """
    if example.change is None:
        return None
    edits = example.change.edits
    try:
        return undo_edits(example.premise, edits, "premise"), undo_edits(
            example.hypothesis, edits, "hypothesis"
        )
    except ValueError:
        return None


def _answers(runs: Sequence[Run], name: str, rows: list[int]) -> list[list[list[int] | None]]:
    """Return the predictions of each run for *rows* of *name*: label and three probabilities in thousandths.

    The label is included since it cannot always be recovered from rounded probabilities.  None if a row is
    -1, or if the run does not have the test set.
    """
    import numpy as np

    asked = np.array([row for row in rows if row >= 0], dtype=np.int64)
    answers: list[list[list[int] | None]] = []
    for run in runs:
        if name not in run.datasets:
            answers.append([None] * len(rows))
            continue
        thousandths = np.rint(np.nan_to_num(run.probabilities[name][asked]) * 1000).astype(np.int64)
        given = iter(np.column_stack([predicted_labels(run, name)[asked], thousandths]).tolist())
        answers.append([next(given) if row >= 0 else None for row in rows])
    return answers


def _facts(example: Example) -> str:
    """Return the short values of ``info`` in one line, such as ``genre: fiction · pair: hot/cold``."""
    facts = []
    for key, value in example.info.items():
        if isinstance(value, list | tuple) and all(isinstance(part, str) for part in value):
            value = "/".join(value)
        if key not in _NOT_SHOWN and isinstance(value, str | int | float) and len(str(value)) < _LONGEST_FACT:
            facts.append(f"{key}: {value}")
    return " · ".join(facts)


def pack_items(results: Results) -> dict[str, Any]:
    """Return the items for the page's script, as plain lists and numbers.

    ``formula`` holds what begins a formula in a spreadsheet, for the CSV that the page writes.
    ``texts`` holds every sentence once.  An item is ``[set, id, gold, premise, hypothesis, base premise,
    base hypothesis, base gold, predictions, base predictions, info]``: gold is -1 if there is none, a
    sentence is the number of a text or its :func:`segments`, and a prediction is None or its label (3 is
    ``NOT_ENTAILED``) and three probabilities in thousandths.
    """
    runs = results.runs
    texts = _Texts()
    sets: list[dict[str, Any]] = []
    items: list[list[Any]] = []
    for number, (name, dataset) in enumerate(results.test_sets.items()):
        base, places = base_index(results, dataset)
        strata = _strata(runs, dataset, base, places)
        chosen = stratified_sample(strata, results.items_per_set, name)
        items.extend(_pack(runs, dataset, base, places, chosen, number, texts))
        projection = projection_of(dataset.manifest, (item.label for item in dataset))
        two = projection is PROJECTIONS["two labels"]
        short = results.short_names[name]
        shown, total = len(chosen), len(dataset)
        sets.append({"name": name, "short": short, "shown": shown, "total": total, "two": two})
    return {
        "models": [model.name for model in results.models],
        "twoLabels": [run.two_labels for run in runs],
        "formula": FORMULA,
        "sets": sets,
        "texts": list(texts.numbers),
        "items": items,
    }


def _pack(
    runs: Sequence[Run],
    dataset: Dataset,
    base: Dataset | None,
    places: list[int],
    chosen: list[int],
    number: int,
    texts: _Texts,
) -> Iterator[list[Any]]:
    answers = _answers(runs, dataset.name, chosen)
    bases = [places[index] for index in chosen]
    before = _answers(runs, base.name if base is not None else "", bases)
    for shown, index in enumerate(chosen):
        item, place = dataset.examples[index], places[index]
        pair = _starting_pair(item)
        edits = item.change.edits if item.change is not None and pair is not None else ()
        sides: list[Any] = []
        for side in ("premise", "hypothesis"):
            changed = any(edit.side == side for edit in edits)
            text = item.text(side)
            sides.append(segments(text, edits, side) if changed else texts.number(text))
        base_gold = -1
        if base is not None and place >= 0:
            pair, base_gold = _texts_of(base.examples[place]), _gold(base.examples[place])
        yield [
            number,
            item.id,
            _gold(item),
            *sides,
            *((texts.number(pair[0]), texts.number(pair[1])) if pair else (None, None)),
            base_gold,
            [given[shown] for given in answers],
            [given[shown] for given in before],
            _facts(item),
        ]


def _texts_of(example: Example) -> tuple[str, str]:
    return example.premise, example.hypothesis
