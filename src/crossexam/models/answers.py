"""What a function returns, or a file holds, as probabilities: checked, and in the order of ``LABELS``.

The answers of a batch are of one kind: names of labels, True and False, class indices, probabilities.  True
means that the premise entails the hypothesis, False that it does not, unless ``--labels`` says otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from shlex import quote
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from crossexam.core.dataset import counted_items
from crossexam.core.errors import CrossexamError, FormatError
from crossexam.core.labels import COLUMN, LABELS
from crossexam.core.outcome import ANSWERED, UNANSWERED, Outcome
from crossexam.core.output.escapes import quoted
from crossexam.corpora.label_names import labels_text, name_of
from crossexam.models.answer_words import AnswerWords
from crossexam.models.label_order import TWO_LABELS, NamedLabels, is_two_label, to_label_columns
from crossexam.models.model import Pair
from crossexam.models.threshold import at_threshold, missing_threshold, refuse_threshold

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: How far from 1 a row of probabilities may sum, for functions that compute in 16 bits.
_TOLERANCE: Final = 1e-2
_WANTED: Final = (
    "a label, a mapping from label to probability, True or False, or a row of three probabilities per pair, "
    "in the order of the pairs"
)
_ONE_KIND: Final = "answers of one kind: all labels, all True or False, all numbers, or all mappings"
_AS_USUAL: Final = AnswerWords()


def pair_named(pair: Pair) -> str:
    """Return how an error names *pair*.

    >>> pair_named(("It rains.", "It is wet."))
    "premise 'It rains.' and hypothesis 'It is wet.'"
    """
    return f"premise {quoted(pair[0])} and hypothesis {quoted(pair[1])}"


@dataclass(frozen=True)
class AnswerPlaces:
    """The *count* of questions, and how errors name their answers.

    *where* is the place of all answers together, and *place* returns that of the answer of a number, of which
    *said* returns what an error says of a value in it.
    """

    count: int
    where: str
    place: Callable[[int], str]
    said: Callable[[int, object], str]

    @classmethod
    def about(cls, pairs: Sequence[Pair], where: str) -> AnswerPlaces:
        """Return the questions about *pairs* to *where*, a model that answers in their order."""
        return cls(
            len(pairs),
            where,
            lambda _: where,
            lambda number, value: f"the answer for {pair_named(pairs[number])} is {quoted(value)}",
        )


def to_answers(
    answers: Any,
    places: AnswerPlaces,
    words: AnswerWords = _AS_USUAL,
    *,
    threshold: float | None = None,
    named: NamedLabels | None = None,
) -> tuple[NDArray[np.float64], list[Outcome]]:
    """Return *answers*, which are at *places*, as probabilities [n, 3], and the outcomes.

    *words* are those in which answers name labels.  Single numbers with a decimal point are probabilities of
    entailment, which need a *threshold*.  The names of labels in the answers are added to *named*.

    An answer ``{"status": "refused"}``, with one of the statuses of :mod:`crossexam.core.outcome`, says that
    there is none: its probabilities are NaN.  There are no outcomes if all were answered.  Raises
    FormatError.

    >>> places = AnswerPlaces.about([("It rains.", "It is wet."), ("It rains.", "It snows.")], "f")
    >>> to_answers([True, False], places)[0].tolist()
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
    >>> table, outcomes = to_answers(["neutral", {"status": "refused"}], places)
    >>> table.tolist(), outcomes[1].status
    ([[0.0, 1.0, 0.0], [nan, nan, nan]], 'refused')
    """
    rows = _as_rows(answers, places)
    statuses = {
        number: _status(row, number, places)
        for number, row in enumerate(rows)
        if isinstance(row, Mapping) and "status" in row
    }
    told = [Outcome(statuses.get(number, ANSWERED)) for number in range(len(rows))] if statuses else []
    if len(statuses) == len(rows):
        return np.full((len(rows), len(LABELS)), np.nan), told
    # Rows without an answer are filled with any that has one, so that row numbers in errors stay right.
    first = next(row for number, row in enumerate(rows) if number not in statuses)
    given = [first if number in statuses else row for number, row in enumerate(rows)]
    table = _probabilities(given, places, words, threshold, NamedLabels() if named is None else named)
    table[list(statuses)] = np.nan
    return table, told


def _status(row: Mapping[Any, Any], number: int, places: AnswerPlaces) -> str:
    status = row["status"]
    if status not in UNANSWERED or len(row) > 1:
        raise FormatError(
            places.said(number, dict(row)),
            where=places.place(number),
            wanted='{"status": STATUS} for a pair without an answer; '
            f"the statuses are {', '.join(UNANSWERED)}",
        )
    return str(status)


def _probabilities(
    rows: Sequence[Any], places: AnswerPlaces, words: AnswerWords, threshold: float | None, named: NamedLabels
) -> NDArray[np.float64]:
    """Return *rows*, at least one and each with an answer, as probabilities [n, 3]."""
    missing = next((number for number, row in enumerate(rows) if row is None), None)
    if missing is not None:
        raise FormatError(
            places.said(missing, None),
            where=places.place(missing),
            wanted='an answer for each pair; for one without, {"status": STATUS}, such as "refused"',
        )
    first = rows[0]
    if isinstance(first, float):
        return _from_scores(rows, threshold, places)
    if isinstance(first, str | int):
        table = _from_labels(rows, words, places, named)
    elif isinstance(first, Mapping):
        table = _from_mappings(rows, words, places, named)
    else:
        table = _from_table(rows, words, places)
    return table if threshold is None else _thresholded(table, threshold, words, named, places.where)


def _from_scores(rows: Sequence[Any], threshold: float | None, places: AnswerPlaces) -> NDArray[np.float64]:
    """Return probabilities of entailment as probabilities of labels."""
    if threshold is None:
        raise missing_threshold("the answers are single numbers", where=places.where)
    for number, row in enumerate(rows):
        if not isinstance(row, float) or not 0 <= row <= 1:
            raise FormatError(
                places.said(number, row),
                where=places.place(number),
                wanted="a probability of entailment, from 0 to 1",
            )
    return at_threshold(np.asarray(rows, dtype=np.float64), threshold)


def _thresholded(
    table: NDArray[np.float64], threshold: float, words: AnswerWords, named: NamedLabels, where: str
) -> NDArray[np.float64]:
    if not (named.two_label or (words.order and is_two_label(words.order))):
        raise refuse_threshold("the answers have three labels", where=where)
    return at_threshold(table[:, LABELS.index("entailment")], threshold)


def _as_rows(answers: Any, places: AnswerPlaces) -> list[Any]:
    if hasattr(answers, "detach"):  # a torch tensor, perhaps on a GPU and in 16 bits
        answers = answers.detach().cpu().double().numpy() if answers.is_floating_point() else answers.cpu()
    if hasattr(answers, "tolist"):
        answers = answers.tolist()
    if isinstance(answers, str | Mapping) or not isinstance(answers, Sequence):
        try:
            answers = None if isinstance(answers, str | Mapping) else list(answers)
        except TypeError:
            answers = None
    if answers is None:
        raise FormatError(
            "the function did not return a list or an array",
            where=places.where,
            wanted=_WANTED,
            hint="with one parameter it gets a list of pairs; with two, (premise, hypothesis), a single pair",
        )
    if len(answers) != places.count:
        raise FormatError(
            f"{counted_items(len(answers), 'answer')} for {counted_items(places.count, 'pair')}",
            where=places.where,
            wanted=_WANTED,
        )
    return [row.tolist() if hasattr(row, "tolist") else row for row in answers]


def one_hot(indices: Sequence[int]) -> NDArray[np.float64]:
    """Return rows with a single 1, at *indices* [n] of ``LABELS``: [n, 3]."""
    hot: NDArray[np.float64] = np.eye(len(LABELS))[np.asarray(indices, dtype=np.int64)]
    return hot


def _from_labels(
    rows: Sequence[Any], words: AnswerWords, places: AnswerPlaces, named: NamedLabels
) -> NDArray[np.float64]:
    """Return the labels that *rows* name: in words, by class indices, or as True and False.

    True is entailment and False not_entailment, unless one of them is declared.
    """
    kind = type(rows[0]) if isinstance(rows[0], bool | int) else str
    _refuse_others(rows, kind, places)
    if kind is int:
        _refuse_undeclared(rows, words, places)
    if kind is bool and not {"true", "false"} & words.declared.keys():
        labels = [TWO_LABELS[0 if row else 1] for row in rows]
    else:
        labels = words.labels_of(rows, lambda number: places.said(number, rows[number]), places.place)
    named.add(labels, where=places.where)
    return one_hot([COLUMN[label] for label in labels])


def _refuse_others(rows: Sequence[Any], kind: type, places: AnswerPlaces) -> None:
    """Raise FormatError unless all *rows* are of the *kind* of the first; True and False are not numbers."""
    for number, row in enumerate(rows):
        if not isinstance(row, kind) or isinstance(row, bool) != (kind is bool):
            raise FormatError(
                f"{places.said(0, rows[0])}, and {places.said(number, row)}",
                where=places.place(number),
                wanted=_ONE_KIND,
            )


def _refuse_undeclared(rows: Sequence[int], words: AnswerWords, places: AnswerPlaces) -> None:
    """Raise FormatError if nothing declares what the class indices *rows* mean, or one is none."""
    if words.order is None and not any(name.isdigit() for name in words.declared):
        raise _undeclared_classes(max(rows), words, places.where)
    classes = len(words.order or ())
    for number, row in enumerate(rows):
        if classes and not 0 <= row < classes and name_of(row) not in words.declared:
            raise FormatError(
                places.said(number, row),
                where=places.place(number),
                wanted=f"a number from 0 to {classes - 1}",
            )


def _undeclared_classes(greatest: int, words: AnswerWords, where: str) -> FormatError:
    """Return the error that class indices up to the *greatest* need a meaning, with ways to declare it."""
    declared = set(words.declared.values())
    mapping = labels_text({**words.declared, "1": "entailment", "0": "not_entailment"})
    two = f"--labels {quote(mapping)} if 1 means entailment"
    three = "--label-order entailment,neutral,contradiction (in the order of your classes) for three labels"
    has_two = greatest < len(TWO_LABELS) and not declared & {"neutral", "contradiction"}
    has_three = "not_entailment" not in declared or not has_two
    return FormatError(
        "the answers are class indices, but nothing says what they mean",
        where=where,
        wanted="names of labels, or a declaration of what each number means",
        hint="; ".join([two] * has_two + [three] * has_three)
        + "; or return True and False, or the names of labels",
    )


def _from_mappings(
    rows: Sequence[Any], words: AnswerWords, places: AnswerPlaces, named: NamedLabels
) -> NDArray[np.float64]:
    """Return the probabilities in *rows*; the label that a pipeline calls the best one has all."""
    _refuse_others(rows, Mapping, places)
    shares = [{row["label"]: 1.0} if "label" in row else row for row in rows]
    table = [_shares(row, number, words, places, named) for number, row in enumerate(shares)]
    return _from_table(table, _AS_USUAL, places)


def _shares(
    row: Mapping[Any, Any], number: int, words: AnswerWords, places: AnswerPlaces, named: NamedLabels
) -> list[float]:
    """Return the probabilities of LABELS in *row*, the answer of this *number*."""
    names = list(row)
    labels = words.labels_of(names, lambda k: places.said(number, names[k]), lambda _: places.place(number))
    named.add(labels, where=places.where)
    shares = [0.0] * len(LABELS)
    for label, share in zip(labels, row.values(), strict=True):
        if not isinstance(share, int | float):
            raise FormatError(
                places.said(number, row), where=places.place(number), wanted="a number per label"
            )
        shares[COLUMN[label]] += float(share)
    return shares


def _from_table(rows: Sequence[Any], words: AnswerWords, places: AnswerPlaces) -> NDArray[np.float64]:
    columns = len(words.order) if words.order else len(LABELS)
    try:
        table = np.asarray(rows, dtype=np.float64)
    except (TypeError, ValueError):
        table = np.zeros(0)
    if table.shape != (len(rows), columns):
        raise _wrong_shape(
            table.shape, (len(rows), columns), is_declared=words.order is not None, where=places.where
        )
    wrong = not_probabilities(table, tolerance=_TOLERANCE)
    if wrong.any():
        number = int(wrong.argmax())
        raise FormatError(
            f"{places.said(number, table[number].tolist())}; {int(wrong.sum()):,} of {len(table):,} "
            "answers are not probabilities",
            where=places.place(number),
            wanted="finite, non-negative numbers that sum to 1",
            hint="apply a softmax to logits",
        )
    exact: NDArray[np.float64] = table / table.sum(axis=1, keepdims=True)
    return to_label_columns(exact, words.order) if words.order else exact


def _wrong_shape(
    shape: tuple[int, ...], wanted: tuple[int, int], *, is_declared: bool, where: str
) -> FormatError:
    is_two = shape == (wanted[0], len(TWO_LABELS)) and not is_declared
    return FormatError(
        "the answers are ragged or not numeric" if shape == (0,) else f"the answers are of shape {shape}",
        where=where,
        wanted=f"shape {wanted}",
        hint="--label-order entailment,not_entailment (in the order of your columns)" if is_two else None,
    )


def refuse_unanswered(table: NDArray[np.float64], *, where: str) -> NDArray[np.float64]:
    """Return *table* [n, 3]; raises CrossexamError if rows are NaN, for what needs all predictions."""
    missing = int(np.isnan(table[:, 0]).sum())
    if missing:
        raise CrossexamError(
            f"the model did not answer {missing:,} of {len(table):,} pairs",
            where=where,
            wanted="a prediction for every pair, as examples are chosen by their predictions",
            hint="choose another model, or leave the examples out of the base",
        )
    return table


def not_probabilities(table: NDArray[np.float64], *, tolerance: float) -> NDArray[np.bool_]:
    """Return which rows [n] of *table* [n, k] are not finite, non-negative, and 1 in sum up to *tolerance*.

    >>> import numpy as np
    >>> not_probabilities(np.array([[0.5, 0.5], [0.5, 0.6], [1.5, -0.5]]), tolerance=1e-6).tolist()
    [False, True, True]
    """
    with np.errstate(invalid="ignore", over="ignore"):
        near_one = np.abs(table.sum(axis=1) - 1) <= tolerance
    wrong: NDArray[np.bool_] = ~(np.isfinite(table).all(axis=1) & (table >= 0).all(axis=1) & near_one)
    return wrong
