"""The predictions of a model for a stream of items: each distinct pair, or each part of one, is asked once.

The stream is read once, and a second time if pairs are asked in parts.  What is held of it is a number per
item, which says which of the distinct pairs it has, and the probabilities of each of these.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from crossexam.core.errors import CrossexamError, UnfinishedError
from crossexam.core.manifest import PairCounts, loaded_packages
from crossexam.core.progress import AtMost, Progress
from crossexam.models.ensemble import MEMBERS
from crossexam.models.model import Batch, Model, Pair
from crossexam.models.precision import ROUNDING, combined_rounding
from crossexam.runs.answer_store import FILE_NAME, AnswerStore
from crossexam.runs.answers import Answers, entered
from crossexam.runs.pair_hashes import DistinctPairs
from crossexam.runs.reading import Spans, spans_read, whole
from crossexam.runs.windows import LARGEST_WINDOW, Asking, Piece, Window, cut_into_windows

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: The details of a model that it has only once it was asked.
_LEARNT: Final = (
    "two_label",
    "probe",
    ROUNDING,
    "device",
    "max_length",
    "tags_from",
    "one_by_one",
    "moved_since_conversion",
    # what an encoder or a language model does to save time and memory
    "first_token_only",
    "packed_layers",
    "batch_tokens",
    "halved_batches",
    "chat",
    "labels_continue_prompts",
    "tokens_read_once",
)
#: What is learnt of a model by asking it: the packages that it then had loaded.
PACKAGES: Final = "packages"
#: So many pairs are read ahead of those that are asked; if that is all, their number is known exactly.
_PAIRS_AHEAD: Final = LARGEST_WINDOW
#: Beyond so many bytes, the probabilities are in a temporary file until all pairs are answered.
_MOST_IN_MEMORY: Final = 64 * 2**20

Stretches = Iterable[Sequence[Pair]]


@dataclass(frozen=True)
class Predictions:
    """The answers to the distinct pairs of a stream of items.

    *numbers* [items] says which of the *answers* each item has.  *truncated* [pairs] says which pairs were,
    and *spans* returns what was read of the pair of a number.  *chunks* [pairs] is the number of chunks of
    each, None if the model is not asked in parts.  *counts* are for the manifest, and *facts* are what was
    learnt of the model by asking it, now or before.
    """

    numbers: NDArray[np.uint32]
    answers: Answers
    truncated: NDArray[np.bool_]
    spans: Callable[[int, Pair], Spans]
    counts: PairCounts
    facts: Mapping[str, Any]
    chunks: NDArray[np.int32] | None = None


def predictions_of(
    model: Model,
    stretches: Callable[[], Stretches],
    items: int,
    store: Path | None,
    options: Mapping[str, Any],
    progress: Progress,
    ask: Asking,
) -> Predictions:
    """Return the predictions of *model* for the pairs of *items*, which *stretches* returns in pieces.

    *store* is the folder of the store, and *ask* has windows answered.  Raises CrossexamError.
    """
    if model.inner is not None:
        return _in_parts(model, model.inner, stretches, items, store, options, progress, ask)
    found = _whole(model, stretches(), items, store, options, progress, ask)
    counts = found.counts._replace(distinct=len(found.answers), truncated=int(found.truncated.sum()))
    return replace(found, counts=counts)


def _in_parts(
    model: Model,
    inner: Model,
    stretches: Callable[[], Stretches],
    items: int,
    store: Path | None,
    options: Mapping[str, Any],
    progress: Progress,
    ask: Asking,
) -> Predictions:
    """Return predictions that are combined from those for parts of the pairs.

    A pair with a part without an answer has none either, for the reason of its first such part; its label
    mass is the least of its parts.  The parts are not kept: they are computed again when their predictions
    are combined.
    """
    pairs = DistinctPairs(stretches(), items)
    parts = ([part for pair in new for part in model.parts(pair).pairs] for new, _ in pairs)
    found = _whole(inner, parts, None, store, options, progress, ask)
    numbers, of_parts = pairs.numbers(), found.answers
    answers = Answers.to_fill(np.full((pairs.count, 3), np.nan))
    truncated, chunks = np.zeros(pairs.count, dtype=bool), np.empty(pairs.count, dtype=np.int32)
    starts = np.zeros(pairs.count + 1, dtype=np.int64)  # of the parts of each pair
    for number, pair in enumerate(_first_occurrences(stretches(), numbers)):
        divided = model.parts(pair)
        starts[number + 1] = starts[number] + len(divided.pairs)
        places = found.numbers[starts[number] : starts[number + 1]]
        chunks[number], truncated[number] = divided.chunks, found.truncated[places].any()
        codes = of_parts.outcomes.codes[places]
        if codes.any():
            answers.outcomes.codes[number] = codes[codes > 0][0]
        else:
            answers.probabilities[number] = model.combined(divided, of_parts.probabilities[places])
            answers.outcomes.label_mass[number] = of_parts.outcomes.label_mass[places].min()  # NaN if one is

    def spans(number: int, pair: Pair) -> Spans:
        places = found.numbers[starts[number] : starts[number + 1]].tolist()
        return spans_read(model.parts(pair), [of_parts.read_of(place) for place in places])

    counts = found.counts._replace(
        distinct=pairs.count,
        chunks=len(of_parts) if pairs.count else None,
        truncated=int(truncated.sum()),
    )
    return Predictions(numbers, answers, truncated, spans, counts, found.facts, chunks)


def _first_occurrences(stretches: Stretches, numbers: NDArray[np.uint32]) -> Iterator[Pair]:
    """Yield each distinct pair of *stretches* once, in the order of their *numbers*, which are by item."""
    start = count = 0
    for pairs in stretches:
        for pair, number in zip(pairs, numbers[start : start + len(pairs)].tolist(), strict=True):
            if number == count:
                yield pair
                count += 1
        start += len(pairs)


def _whole(
    model: Model,
    stretches: Stretches,
    items: int | None,
    store: Path | None,
    options: Mapping[str, Any],
    progress: Progress,
    ask: Asking,
) -> Predictions:
    """Return the answers of *model* for the pairs of *stretches*: those that are stored, and new ones.

    *items* is the number of all these pairs, None if it is not known.
    """
    pairs = DistinctPairs(stretches, items, model.parses)
    with AnswerStore(store / FILE_NAME if store else None, model.key, model.name) as stored:
        collector = _Collector(model, pairs, stored, progress)
        windows = collector.windows()
        try:
            for start, batch, details in ask(model, windows, options):
                collector.take(start, batch, details)
        except UnfinishedError as error:
            missing, kept = collector.missing(windows), None
            if store is not None:
                kept = _kept(model, anything=missing < pairs.count)
            raise _unfinished(error, missing, pairs.count, kept) from None
        finally:
            collector.keep_facts()
    return collector.predictions()


def _kept(model: Model, *, anything: bool) -> str:
    """Return what is stored of an unfinished run of *model*, which answered *anything* or not."""
    if anything:
        return "what was answered is stored"
    usage = model.details.get("usage")
    used = isinstance(usage, Mapping) and any(usage.values())
    return "what was used up so far is stored" if used else "nothing was answered yet"


def _unfinished(error: UnfinishedError, missing: int, count: int, kept: str | None) -> UnfinishedError:
    """Return *error* with the number of pairs that are *missing* of *count*, and what is *kept*."""
    left = f"{error.what}; {missing:,} of {count:,} distinct pairs are still to be asked"
    command = f"the command with {error.changed}" if error.changed else "the same command"
    hints = [hint for hint in (error.hint, kept and f"{kept}: repeat {command} to resume") if hint]
    return UnfinishedError(
        left, where=error.where, wanted=error.wanted, hint="; ".join(hints) or None, changed=error.changed
    )


def _learnt(details: Mapping[str, Any], names: Sequence[str], before: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the *details* say under *names*, of the members of an ensemble too.

    *before* is what is known already, which a False of a model that was not asked yet does not replace.
    """
    said = {name: details[name] for name in names if details.get(name) not in (None, "", {})}
    learnt = {name: value for name, value in said.items() if value is not False or name not in before}
    if ROUNDING in learnt:
        learnt[ROUNDING] = combined_rounding(before.get(ROUNDING), learnt[ROUNDING])
    known = before.get(MEMBERS, {})
    members = {
        member: _learnt(each, _LEARNT, known.get(member, {}))
        for member, each in details.get(MEMBERS, {}).items()
    }
    return {**learnt, MEMBERS: members} if any(members.values()) else learnt


def with_learnt(details: Mapping[str, Any], learnt: Mapping[str, Any]) -> dict[str, Any]:
    """Return *details* of a model with what was *learnt* of it, or of its members, by asking it.

    >>> with_learnt({"dtype": "bfloat16", "members": {"a": {"x": 1}}}, {"members": {"a": {"device": "cpu"}}})
    {'dtype': 'bfloat16', 'members': {'a': {'x': 1, 'device': 'cpu'}}}
    """
    found = {**details, **learnt}
    if MEMBERS in details and MEMBERS in learnt:
        both = details[MEMBERS], learnt[MEMBERS]
        found[MEMBERS] = {name: with_learnt(each, both[1].get(name, {})) for name, each in both[0].items()}
    return found


@dataclass
class _Open:
    """A window that is asked, and how many answers are still missing."""

    window: Window
    left: int


class _Collector:
    """Collects the answers to the distinct *pairs*: those that are stored, and what *model* is asked."""

    def __init__(self, model: Model, pairs: DistinctPairs, stored: AnswerStore, progress: Progress) -> None:
        self._model, self._pairs, self._stored, self._progress = model, pairs, stored, progress
        self._facts = stored.facts
        model.recall(self._facts)
        self._open: dict[int, _Open] = {}
        self._probabilities = SpooledTemporaryFile(_MOST_IN_MEMORY)  # noqa: SIM115  (read by predictions)
        self._noted: list[tuple[NDArray[np.intp], Answers]] = []  # of which more is known, with their numbers
        self._known = self._done = 0

    def windows(self) -> Iterator[Window]:
        """Yield the windows that have pairs to ask; the answers for the others are taken from the store."""
        start = 0
        for pairs, hashes in _ahead(cut_into_windows(self._pairs), _PAIRS_AHEAD):
            known, answers = self._stored.look_up(hashes)
            found = int(known.sum())
            self._known += found
            self._advance(found)
            if found == len(pairs):
                self._keep(start, answers)
            else:
                window = Window(start, list(pairs), hashes, known.tolist())
                self._open[start] = _Open(window, len(pairs) - found)
                yield window
            start += len(pairs)
        if not start:
            self._advance(0)

    def take(self, start: int, batch: Batch, details: Mapping[str, Any]) -> None:
        """Store a *batch* of the window that starts at *start*; raises CrossexamError if it is malformed.

        *details* are those of the model that was asked.
        """
        answers = entered(batch, self._model.name)
        self._learn(details)
        asked = self._open[start]
        self._stored.add(asked.window.hashes[list(batch.indices)], answers)
        asked.left -= len(batch.indices)
        self._advance(len(batch.indices))
        if asked.left <= 0:
            # Read back: if two processes predicted the same pair, both report the prediction that was stored.
            known, answers = self._stored.look_up(asked.window.hashes)
            if known.all():
                self._keep(start, answers)
                del self._open[start]

    def missing(self, windows: Iterator[Window]) -> int:
        """Return the number of pairs still to be asked, in windows that are open and in further *windows*."""
        left = sum(each.left for each in self._open.values())
        for window in windows:
            left += self._open.pop(window.start).left
        return left

    def predictions(self) -> Predictions:
        """Return all answers, when all windows were asked; raises CrossexamError if some are missing."""
        if self._open:
            missing = sum(each.left for each in self._open.values())
            raise CrossexamError(
                f"the model left {missing:,} pairs without a prediction",
                where=self._model.name,
                wanted="a prediction for each pair",
            )
        with self._probabilities as stream:
            stream.seek(0)
            table = np.frombuffer(stream.read(), dtype=np.float64).reshape(-1, 3)
        answers = Answers.to_fill(table) if self._noted else Answers.plain(table)
        for numbers, noted in self._noted:
            answers.put(numbers, noted)
        counts = PairCounts(asked=self._pairs.count - self._known, from_store=self._known)

        def spans(number: int, pair: Pair) -> Spans:
            return spans_read(whole(pair), [answers.read_of(number)])

        return Predictions(self._pairs.numbers(), answers, answers.truncated, spans, counts, self._facts)

    def keep_facts(self) -> None:
        """Record what the model learnt and counted, once it was asked as much as it can be."""
        if self._model.kept is not None:
            self._learn(self._model.details)

    def _keep(self, start: int, answers: Answers) -> None:
        if self._model.kept is not None:
            self._model.count(map(answers.details.get, range(len(answers))))
            answers.details.clear()  # they are counted only
        self._probabilities.seek(start * answers.probabilities.strides[0])
        self._probabilities.write(answers.probabilities.tobytes())
        noted = np.flatnonzero(answers.noted)
        if len(noted):
            self._noted.append((noted + start, answers.at(noted)))

    def _learn(self, details: Mapping[str, Any]) -> None:
        """Record in the store what was learnt of the model by asking it."""
        names = (*_LEARNT, *(self._model.kept or ()))
        learnt = _learnt(details, names, self._facts)
        learnt[PACKAGES] = {**self._facts.get(PACKAGES, {}), **loaded_packages()}
        if learnt != {name: self._facts.get(name) for name in learnt}:
            self._stored.note(learnt)
            self._facts = self._stored.facts

    def _advance(self, count: int) -> None:
        self._done += count
        total = self._pairs.at_most
        if self._pairs.finished:
            total = self._pairs.count
        elif total is not None:
            total = AtMost(total)
        self._progress(stage_of(self._model), self._done, total)


def stage_of(model: Model) -> str:
    """Return how a progress bar calls the run of *model*: equal pairs of its items are asked about once."""
    return f"running {model.name} on distinct pairs"


def _ahead(windows: Iterable[Piece], most: int) -> Iterator[Piece]:
    """Yield *windows*, with pairs and hashes, each when *most* pairs, or all, were read that follow it."""
    waiting: deque[Piece] = deque()
    pairs = 0
    for window in windows:
        waiting.append(window)
        pairs += len(window[0])
        while pairs - len(waiting[0][0]) >= most:
            pairs -= len(waiting[0][0])
            yield waiting.popleft()
    yield from waiting
