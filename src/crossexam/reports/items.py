"""The items that the page shows: a stratified sample of each test set, its errors or all; as plain lists."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from crossexam.core.columns import Places, examples_at
from crossexam.core.dataset import Dataset, Run
from crossexam.core.example import (
    ANNOTATOR_LABELS,
    CAPTION_ID,
    CLUSTER,
    SIDES,
    Edit,
    Example,
    Side,
    located_in_result,
    undo_edits,
)
from crossexam.core.labels import GOLD_INDEX, GOLDS
from crossexam.core.outcome import ANSWERED, CODES
from crossexam.core.randomness import rng_for
from crossexam.reports.results import Results

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Keys of ``info`` that are of no interest to readers or are shown elsewhere.
_NOT_SHOWN: Final = frozenset({CLUSTER, ANNOTATOR_LABELS, CAPTION_ID, "pairID"})
_LONGEST_FACT: Final = 60  # characters

Segment = str | list[str]  # unchanged text, or [new, old]


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


def stratified_sample(strata: NDArray[np.int64], limit: int, seed_text: str) -> list[int]:
    """Return at most *limit* item numbers, with every stratum represented and rare ones over-represented.

    The sample from a stratum of size s is proportional to sqrt(s): the k-th item of each, in random order,
    has the rank k / sqrt(s), and the items of lowest rank are chosen.  *strata* [n] are numbers of strata.
    The sample depends only on *seed_text* and *strata*.
    """
    n = len(strata)
    if n <= limit:
        return list(range(n))
    shuffled = np.array(rng_for(0, "report", seed_text).sample(range(n), n), dtype=np.int64)
    order = shuffled[np.argsort(strata[shuffled], kind="stable")]  # [n], grouped by stratum
    _, first, size = np.unique(strata[order], return_index=True, return_counts=True)
    within = np.arange(n) - np.repeat(first, size)
    rank = within / np.sqrt(np.repeat(size, size))
    chosen = order[np.argsort(rank, kind="stable")[:limit]]
    return sorted(int(number) for number in chosen)


@dataclass(frozen=True)
class Shown:
    """The items of *dataset* that the page shows: those at *rows*, in order.

    *places* [n] is where the base of each item of the test set is in *base* (-1: nowhere).
    """

    dataset: Dataset
    rows: list[int]
    base: Dataset | None
    places: NDArray[np.int64]


class _Answers:
    """The predictions of *run* in the numbers that the page has."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._known: dict[str, NDArray[np.int64] | None] = {}

    def on(self, name: str) -> NDArray[np.int64] | None:
        """Return label and probabilities in thousandths for test set *name* [n, 1 + k]; None without it.

        They are those of the labels that are scored
        (:class:`~crossexam.core.labels.ItemLabels`).  The label is included since it cannot always
        be recovered from rounded probabilities.  Without an answer it is -1 less the code of the status
        (:data:`~crossexam.core.outcome.CODES`), which is over 0.
        """
        if name not in self._known:
            self._known[name] = None
            if name in self._run.datasets:
                scored = self._run.scored(name)
                thousandths = np.rint(np.nan_to_num(scored.shares) * 1000).astype(np.int64)
                codes = self._run.outcomes_of(name).codes.astype(np.int64)
                labels = np.where(codes == CODES[ANSWERED], scored.predicted, -1 - codes)
                self._known[name] = np.column_stack([labels, thousandths])
        return self._known[name]

    def errors(self, name: str) -> NDArray[np.bool_] | None:
        """Return which items of test set *name* were answered wrongly [n]; None without it."""
        if name not in self._run.datasets:
            return None
        scored = self._run.scored(name)
        wrong: NDArray[np.bool_] = scored.judged & ~scored.correct
        return wrong

    def at(self, name: str, rows: NDArray[np.int64]) -> list[list[int] | None]:
        """Return the predictions for *rows* of test set *name*; None if a row is -1, or without *name*."""
        table = self.on(name)
        if table is None:
            return [None] * len(rows)
        given = iter(table[rows[rows >= 0]].tolist())
        return [next(given) if row >= 0 else None for row in rows.tolist()]


class PageItems:
    """The items that the page of *results* shows, and how its script reads them."""

    def __init__(self, results: Results) -> None:
        self._results = results
        self._answers = [_Answers(run) for run in results.runs]
        self._places: dict[str, Places] = {}

    @cached_property
    def shown(self) -> list[Shown]:
        """What is shown of each test set of the results, in their order."""
        return [self._shown(dataset) for dataset in self._results.test_sets.values()]

    def _shown(self, dataset: Dataset) -> Shown:
        base = self._results.test_sets.get(str(dataset.entry.base_set))
        places = self._places_in(base, dataset)
        wanted, n = self._results.options.items, len(dataset)
        if wanted == "errors":
            rows = self._errors(dataset)
        elif wanted == "all" or n <= wanted:
            rows = list(range(n))
        else:
            rows = stratified_sample(
                self._strata(dataset, base, places), wanted, dataset.name.partition(".")[0]
            )
        return Shown(dataset, rows, base, places)

    def _places_in(self, base: Dataset | None, dataset: Dataset) -> NDArray[np.int64]:
        """Return the position in *base* of the base of each item of *dataset*: [n], -1 if it is not there."""
        if base is None:
            return np.full(len(dataset), -1, dtype=np.int64)
        if base.name not in self._places:
            self._places[base.name] = Places(base.examples)
        return self._places[base.name].of_bases(dataset.examples)

    def _errors(self, dataset: Dataset) -> list[int]:
        """Return which items of *dataset* with a gold label some model got wrong."""
        wrong = np.zeros(len(dataset), dtype=np.bool_)
        for answers in self._answers:
            if (errors := answers.errors(dataset.name)) is not None:
                wrong |= errors
        rows: list[int] = np.flatnonzero(wrong).tolist()
        return rows

    def _strata(self, dataset: Dataset, base: Dataset | None, places: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return a stratum per item [n]: its gold label, each model's prediction, whether that flipped."""
        number = _golds(dataset) + 1
        for answers in self._answers:
            if (given := answers.on(dataset.name)) is None:
                continue
            number = number * (len(GOLDS) + 1) + np.maximum(given[:, 0], -1) + 1
            before = None if base is None else answers.on(base.name)
            if before is not None and len(before):
                was = before[places, 0]  # where the place is -1, that of the last one: masked below
                number = number * 2 + ((was != given[:, 0]) & (places >= 0))
        return np.unique(number, return_inverse=True)[1].astype(np.int64)

    def packed(self, number: int, start: int, end: int) -> dict[str, list[Any]]:
        """Return what is shown of test set *number* from *start* to before *end*, as lists and numbers.

        ``texts`` holds every sentence once.  One of ``items`` is ``[set, id, gold, premise, hypothesis, base
        premise, base hypothesis, base gold, predictions, base predictions, info]``: gold is -1 if there is
        none, a sentence is the number of a text or its :func:`segments`, and a prediction is None or its
        label (less than -1 says why there is no answer) and the probabilities of the labels that are scored,
        in thousandths.
        """
        texts: defaultdict[str, int] = defaultdict(lambda: len(texts))  # each is stored once, by number
        items = list(self._pack(self.shown[number], number, slice(start, end), texts))
        return {"texts": list(texts), "items": items}

    def _pack(self, shown: Shown, number: int, part: slice, texts: dict[str, int]) -> Iterator[list[Any]]:
        rows = np.array(shown.rows[part], dtype=np.int64)
        places = shown.places[rows]
        base = shown.base
        said = [answers.at(shown.dataset.name, rows) for answers in self._answers]
        before = [answers.at("" if base is None else base.name, places) for answers in self._answers]
        items, origins = _examples_at(shown.dataset, rows), _examples_at(base, places)
        for nth, (row, place) in enumerate(zip(rows.tolist(), places.tolist(), strict=True)):
            item = items[row]
            pair = starting_pair(item)
            edits = item.change.edits if item.change is not None and pair is not None else ()
            base_gold = -1
            if origin := origins.get(place):
                pair, base_gold = (origin.premise, origin.hypothesis), _gold(origin)
            yield [
                number,
                item.id,
                _gold(item),
                *(_sentence(item, edits, side, texts) for side in SIDES),
                *((texts[pair[0]], texts[pair[1]]) if pair else (None, None)),
                base_gold,
                [given[nth] for given in said],
                [given[nth] for given in before],
                _facts(item),
            ]


def _examples_at(dataset: Dataset | None, places: NDArray[np.int64]) -> dict[int, Example]:
    """Return the examples of *dataset* at those *places* that are not negative, by place."""
    if dataset is None:
        return {}
    wanted = np.unique(places[places >= 0])
    return dict(zip(wanted.tolist(), examples_at(dataset.examples, wanted), strict=True))


def _gold(example: Example) -> int:
    return -1 if example.label is None else GOLD_INDEX[example.label]


def _golds(dataset: Dataset) -> NDArray[np.int64]:
    """Return the gold label of each item as its index in GOLDS, -1 for none: [n]."""
    return dataset.labels().astype(np.int64)


def _sentence(item: Example, edits: Sequence[Edit], side: Side, texts: dict[str, int]) -> int | list[Segment]:
    text = item.text(side)
    return segments(text, edits, side) if any(edit.side == side for edit in edits) else texts[text]


def starting_pair(example: Example) -> tuple[str, str] | None:
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


def _facts(example: Example) -> str:
    """Return the short values of ``info`` in one line, such as ``genre: fiction · pair: hot/cold``."""
    facts = []
    for key, value in example.info.items():
        if isinstance(value, list | tuple) and all(isinstance(part, str) for part in value):
            value = "/".join(value)
        if key not in _NOT_SHOWN and isinstance(value, str | int | float) and len(str(value)) < _LONGEST_FACT:
            facts.append(f"{key}: {value}")
    return " · ".join(facts)
