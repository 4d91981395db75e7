"""The labels of natural language inference: their spellings, and projections on fewer labels.

Models predict three labels; some corpora have only two.  A projection turns the three probabilities of a
model into those of the labels of a corpus.  A corpus declares its projection in the table of readers
(``corpora/readers/table.py``), a test set in its manifest.  Without a declaration, a test set with the gold
label ``not_entailment`` has two labels, any other three.

Which label a model predicts is decided here alone, by :func:`most_probable`: of equally probable labels, the
first of :data:`TIE_ORDER`.  Entailment is therefore only predicted if it is more probable than every other
label, on two labels as on three.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import astuple, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Literal, Self, get_args

from crossexam.core.errors import FormatError, UnknownNameError
from crossexam.core.output.escapes import quoted

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Label = Literal["entailment", "neutral", "contradiction"]
Gold = Literal["entailment", "neutral", "contradiction", "not_entailment"]

#: In the order of the Hugging Face hub: 0, 1, 2.  Columns of arrays of probabilities are in this order.
LABELS: Final[tuple[Label, ...]] = get_args(Label)
LABEL_INDEX: Final[dict[str, int]] = {label: index for index, label in enumerate(LABELS)}

#: What a gold label may be: one of the three, or not_entailment in corpora with two labels.
GOLDS: Final[tuple[Gold, ...]] = get_args(Gold)
GOLD_INDEX: Final[dict[str, int]] = {label: index for index, label in enumerate(GOLDS)}

#: The column of the probabilities of a label in the order of LABELS.  Of a model that does not divide
#: not_entailment into neutral and contradiction, it is that of neutral, so that rows still sum to 1 and the
#: probability of entailment does not change.
COLUMN: Final[dict[Gold, int]] = {
    gold: LABELS.index("neutral" if gold == "not_entailment" else gold) for gold in GOLDS
}

#: Of equally probable labels, the first of these is predicted.  The labels of every projection are in this
#: order, but for entailment, which is their first and comes last here.
TIE_ORDER: Final[tuple[Gold, ...]] = ("neutral", "contradiction", "not_entailment", "entailment")

#: Probabilities that differ by no more are equal, so that a prediction does not depend on rounding: numbers
#: that were rounded to six decimals, and sums of them, differ by up to 1e-6 if they were equal; means, sums
#: and single precision add some 1e-7.
TIE: Final = 2e-6

# Spellings in published corpora and in the configurations of published checkpoints.  Words that mean
# different labels in different corpora (yes, no, true, supported) are left out on purpose.
# fmt: off
SYNONYMS: Final[dict[str, Label]] = {
    "entailment":    "entailment",    "entails":  "entailment",    "entail":  "entailment",
    "entailed":      "entailment",    "e":        "entailment",
    "neutral":       "neutral",       "n":        "neutral",
    "contradiction": "contradiction", "contradicts": "contradiction", "contradict": "contradiction",
    "contradictory": "contradiction", "c":        "contradiction",
}
# No gold label: "-" in SNLI (no majority), -1 on the hub, "hidden" in MultiNLI's test set.
NO_GOLD: Final[frozenset[str]] = frozenset({"-", "", "-1", "none", "null", "hidden"})

#: Spellings of not_entailment in corpora and models with two labels.
NOT_ENTAILMENT: Final[frozenset[str]] = frozenset(
    {"not_entailment", "not entailment", "non_entailment", "non-entailment", "not-entailment",
     "not_entailed", "not-entailed", "not entailed"}
)
# fmt: on


def parse_label(text: object, *, where: str | None = None) -> Gold | None:
    """Return the gold label that *text* names, or None if it marks the absence of one.

    Raises FormatError for anything else.

    >>> parse_label("Entails"), parse_label(2), parse_label("-"), parse_label("not entailed")
    ('entailment', 'contradiction', None, 'not_entailment')
    """
    if text is None:
        return None
    if isinstance(text, int) and not isinstance(text, bool) and 0 <= text < len(LABELS):
        return LABELS[text]
    name = str(text).strip().lower()
    if name in SYNONYMS:
        return SYNONYMS[name]
    if name in NO_GOLD:
        return None
    if name in NOT_ENTAILMENT:
        return "not_entailment"
    if name in {"0", "1", "2"}:
        return LABELS[int(name)]
    raise FormatError(
        f"unknown label {quoted(text)}",
        where=where,
        wanted="entailment, neutral, contradiction or not_entailment, or 0, 1, 2 for the first three; "
        "'-' or -1 for no gold label",
    )


@dataclass(frozen=True)
class Projection:
    """The *labels* of a corpus and, for each, the *columns* of LABELS whose probabilities are added up.

    Columns may be left out.  If they have all the probability of a row (from a model that gives labels only),
    the row counts as *fallback*.
    """

    name: str
    labels: tuple[Gold, ...]
    columns: tuple[tuple[int, ...], ...]
    says: str
    source: str
    fallback: Gold = "neutral"

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the name only: a projection is compared by identity, so there is one of each per process.

        >>> import pickle
        >>> pickle.loads(pickle.dumps(THREE_LABELS)) is THREE_LABELS
        True
        """
        return projection_named, (self.name,)

    def shares(self, probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return *probabilities* [n, 3] projected on the labels and normalised: [n, k].

        Rows without an answer (NaN) remain so.

        >>> import numpy as np
        >>> PROJECTIONS["two labels"].shares(np.array([[0.4, 0.3, 0.3]])).tolist()
        [[0.4, 0.6]]
        >>> answers = np.array([[0.1, 0.3, 0.6], [0.0, 0.0, 1.0]])
        >>> PROJECTIONS["no contradiction"].shares(answers).round(6).tolist()
        [[0.25, 0.75], [0.0, 1.0]]
        """
        import numpy as np

        given = np.asarray(probabilities, dtype=np.float64)
        added = np.stack([given[:, list(group)].sum(axis=1) for group in self.columns], axis=1)
        total = added.sum(axis=1, keepdims=True)
        nothing = np.zeros(len(self.labels))
        nothing[self.labels.index(self.fallback) if self.fallback in self.labels else -1] = 1.0
        shares: NDArray[np.float64] = np.where(total == 0, nothing, added / np.where(total == 0, 1.0, total))
        return shares

    def predictions(self, probabilities: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the most probable label of each row of *probabilities* [n, 3], as its index in GOLDS: [n].

        Of equally probable labels, it is the first of :data:`TIE_ORDER`: of two labels, entailment is
        predicted if its share exceeds 1/2.  Without an answer (NaN) it is -1.

        >>> import numpy as np
        >>> answers = np.array([[0.4, 0.3, 0.3], [0.6, 0.4, 0.0], [0.5, 0.0, 0.5]])
        >>> [each.predictions(answers).tolist() for each in (THREE_LABELS, PROJECTIONS["two labels"])]
        [[0, 0, 2], [3, 0, 3]]
        """
        import numpy as np

        places = np.array([GOLD_INDEX[label] for label in self.labels], dtype=np.int64)
        shares = self.scored_shares(probabilities)
        predicted: NDArray[np.int64] = places[most_probable(shares)]
        predicted[np.isnan(shares[:, 0])] = -1
        return predicted

    def scored_shares(self, probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the shares among which the most probable label is predicted: [n, k].

        They are :meth:`shares`, but the three labels are not normalised anew.
        """
        import numpy as np

        if self is THREE_LABELS:
            return np.asarray(probabilities, dtype=np.float64)
        return self.shares(probabilities)

    def ties(self, probabilities: NDArray[np.float64], gold: NDArray[np.int8]) -> Ties:
        """Return the ties among the items with these *probabilities* [n, 3] and *gold* labels [n].

        *gold* are indices in GOLDS; items without a gold label (-1) or an answer (NaN) do not count.

        >>> import numpy as np
        >>> answers = np.array([[0.5, 0.5, 0.0], [0.5, 0.5, 0.0], [0.4, 0.3, 0.3]])
        >>> THREE_LABELS.ties(answers, np.array([0, 1, 0], dtype=np.int8))
        Ties(n=3, count=2, correct=2, right=1, possible=2)
        """
        return Ties.among(self.scored_shares(probabilities), self.places[gold])

    @cached_property
    def places(self) -> NDArray[np.int8]:
        """The place among the labels of the one that stands for each of GOLDS, then that of -1; -1 for none.

        >>> PROJECTIONS["two labels"].places.tolist(), THREE_LABELS.places.tolist()
        ([0, 1, 1, 1, -1], [0, 1, 2, -1, -1])
        """
        import numpy as np

        rest = self.labels.index("not_entailment") if "not_entailment" in self.labels else -1
        places = (self.labels.index(label) if label in self.labels else rest for label in GOLDS)
        return np.array([*places, -1], dtype=np.int8)

    def places_of(self, golds: NDArray[np.integer[Any]]) -> NDArray[np.int8]:
        """Return the :attr:`places` of *golds* [n], indices in GOLDS or -1; raises FormatError without one.

        >>> import numpy as np
        >>> PROJECTIONS["two labels"].places_of(np.array([2, -1], dtype=np.int8)).tolist()
        [1, -1]
        """
        places: NDArray[np.int8] = self.places[golds]
        for index in set(golds[(places < 0) & (golds >= 0)].tolist()):
            self.gold(GOLDS[index])
        return places

    def gold(self, label: Gold | None) -> Gold | None:
        """Return the label of this projection that stands for *label*; raises FormatError if none does.

        >>> PROJECTIONS["two labels"].gold("contradiction"), THREE_LABELS.gold("contradiction")
        ('not_entailment', 'contradiction')
        """
        if label is None or label in self.labels:
            return label
        if "not_entailment" in self.labels:
            return "not_entailment"
        raise FormatError(f"the label '{label}' is not one of the {self.name}", wanted=", ".join(self.labels))

    def read(self, label: Gold | None) -> Gold | None:
        """Return how *label*, given by a person among the three, counts; *fallback* if none stands for it.

        >>> PROJECTIONS["no contradiction"].read("contradiction"), THREE_LABELS.read("contradiction")
        ('neutral', 'contradiction')
        """
        if label is None or label in self.labels or "not_entailment" in self.labels:
            return self.gold(label)
        return self.fallback

    def class_of(self, label: Gold | None) -> int:
        """Return the class of *label* in a model with these labels: its index, -1 for no label.

        A model of three labels has no class for not_entailment, which is 3: its predictions are projected.

        >>> THREE_LABELS.class_of("contradiction"), PROJECTIONS["two labels"].class_of("contradiction")
        (2, 1)
        """
        if label is None:
            return -1
        return GOLD_INDEX[label] if self is THREE_LABELS else self.labels.index(self.gold(label) or label)

    def golds(self, labels: NDArray[np.int8]) -> NDArray[np.int8]:
        """Return the gold *labels* [n], indices in GOLDS or -1, as labels of this projection.

        With two labels, neutral and contradiction are not_entailment.

        >>> import numpy as np
        >>> PROJECTIONS["two labels"].golds(np.array([0, 1, 2, 3, -1], dtype=np.int8)).tolist()
        [0, 3, 3, 3, -1]
        """
        import numpy as np

        if "not_entailment" not in self.labels:
            return labels
        return np.where(labels > _E, GOLD_INDEX["not_entailment"], labels).astype(np.int8)

    def scored(self, *, two_labels: bool) -> Projection:
        """Return the projection by which a model of *two_labels*, or of three, is scored on these labels.

        A model that only tells entailment from the rest is scored on two labels where there are three.

        >>> THREE_LABELS.scored(two_labels=True).name, THREE_LABELS.scored(two_labels=False).name
        ('two labels', 'three labels')
        """
        return ENTAILMENT_OR_NOT if two_labels and self is THREE_LABELS else self

    @property
    def declaration(self) -> str | None:
        """The name of the projection as manifests declare it; None for the three labels."""
        return None if self is THREE_LABELS else self.name

    @property
    def of_new_labels(self) -> Projection:
        """The projection of items whose labels a construction assigns, in a corpus with this projection.

        Without three labels these items have two: an item that is built as a contradiction is right if
        entailment is rejected, even if the corpus itself never distinguishes contradiction.

        >>> PROJECTIONS["no contradiction"].of_new_labels.name
        'two labels'
        """
        return self if self is THREE_LABELS else ENTAILMENT_OR_NOT


_E, _N, _C = (LABEL_INDEX[label] for label in LABELS)
_PAPER: Final = "Zhang et al. 2020, section 2.2"
THREE_LABELS: Final = Projection(
    "three labels", LABELS, ((_E,), (_N,), (_C,)), "as they are", "the labels of SNLI"
)
ENTAILMENT_OR_NOT: Final = Projection(
    "two labels",
    ("entailment", "not_entailment"),
    ((_E,), (_N, _C)),
    "P(not_entailment) is P(neutral) + P(contradiction)",
    _PAPER,
)
PROJECTIONS: Final[dict[str, Projection]] = {
    each.name: each
    for each in (
        THREE_LABELS,
        ENTAILMENT_OR_NOT,
        Projection(
            "no contradiction",
            ("entailment", "neutral"),
            ((_E,), (_N,)),
            "the probability of contradiction is dropped and the others are renormalised; "
            "if the model gives only a label, contradiction counts as neutral",
            _PAPER,
        ),
    )
}


@dataclass(frozen=True)
class Ties:
    """The ties of a model on a test set: the items for which it finds several labels most probable.

    Of *n* items with a gold label and an answer, *count* are tied.  *correct* of the *n* predictions are
    right, and *right* of those for tied items; *possible* would be if every tie were broken in favour of the
    gold label.
    """

    n: int = 0
    count: int = 0
    correct: int = 0
    right: int = 0
    possible: int = 0

    @classmethod
    def among(cls, shares: NDArray[np.float64], gold: NDArray[np.int8]) -> Self:
        """Return the ties of *shares* [n, k] with the columns of the *gold* labels [n], -1 for none."""
        import numpy as np

        floor = _tie_floor(shares)
        judged = (gold >= 0) & ~np.isnan(floor)
        at_top = [shares[:, column] >= floor for column in range(shares.shape[1])]
        tied = judged & (np.add.reduce(at_top, dtype=np.int8) > 1)
        right = judged & (most_probable(shares) == gold)
        rows = np.flatnonzero(tied)
        possible = np.stack(at_top, axis=1)[rows, gold[rows]]
        counted = (judged, tied, right, right[rows], possible)
        return cls(*(int(np.count_nonzero(each)) for each in counted))

    def __add__(self, other: Ties) -> Ties:
        """Return the ties of these items and of the *other* ones."""
        return Ties(*(a + b for a, b in zip(astuple(self), astuple(other), strict=True)))

    @property
    def share(self) -> float:
        """The share of the items that are tied."""
        return self.count / self.n

    @property
    def least(self) -> float:
        """The accuracy if every tie were broken against the gold label.

        >>> ties = Ties(n=10, count=4, correct=6, right=2, possible=3)
        >>> ties.least, ties.most
        (0.4, 0.7)
        """
        return (self.correct - self.right) / self.n

    @property
    def most(self) -> float:
        """The accuracy if every tie were broken in favour of the gold label, where that is among the tied."""
        return (self.correct - self.right + self.possible) / self.n


def most_probable(shares: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the column of the label that each row of *shares* [n, k] predicts: [n].

    The columns are those of a projection: entailment, then the others in the order of :data:`TIE_ORDER`.
    Entailment is predicted if its share is larger than every other, and else the first of the largest; shares
    that differ by no more than :data:`TIE` are equally large.  What is returned for NaN means nothing.

    >>> import numpy as np
    >>> most_probable(np.array([[0.4, 0.3, 0.3], [0.5, 0.0, 0.5], [0.2, 0.4, 0.4]])).tolist()
    [0, 2, 1]
    >>> most_probable(np.array([[0.5, 0.5], [0.500002, 0.499998]])).tolist()
    [1, 0]
    """
    import numpy as np

    floor = _tie_floor(shares)
    columns = np.zeros(len(shares), dtype=np.int8)
    for column in range(shares.shape[1] - 1, 0, -1):
        np.copyto(columns, column, where=shares[:, column] >= floor)
    return columns.astype(np.int64)


def _tie_floor(shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the least share of each row that is as large as the largest: [n]."""
    import numpy as np

    floor: NDArray[np.float64] = shares[:, 0].copy()
    for column in range(1, shares.shape[1]):
        np.maximum(floor, shares[:, column], out=floor)
    floor -= TIE
    return floor


def label_indices(
    probabilities: NDArray[np.float64], projection: Projection, *, two_labels: bool = False
) -> NDArray[np.int64]:
    """Return the label that each row of *probabilities* [n, 3] predicts, as its index in GOLDS: [n].

    It is -1 where the row is NaN, because there is no answer.  A model of *two_labels* predicts entailment or
    not_entailment under the three labels (:meth:`Projection.scored`).

    >>> import numpy as np
    >>> label_indices(np.array([[0.4, 0.3, 0.3]]), THREE_LABELS, two_labels=True).tolist()
    [3]
    """
    return projection.scored(two_labels=two_labels).predictions(probabilities)


@dataclass(frozen=True)
class ItemLabels:
    """The labels of the items of a test set, and what a model predicted for them, as they are scored.

    *given* [n] are the gold labels of the test set, indices in GOLDS or -1, whose projection is *declared*;
    *probabilities* [n, 3] are those of the model in the order of LABELS, NaN without an answer.  A model of
    *two_labels* only tells entailment from the rest.

    Files of predictions, :meth:`~crossexam.core.dataset.Run.to_arrow` and the items of a page all show these
    labels: the share of items whose prediction is their gold label is the accuracy of the report.

    >>> import numpy as np
    >>> table = np.array([[0.4, 0.3, 0.3], [0.6, 0.2, 0.2]])
    >>> scored = ItemLabels(np.array([2, 0], dtype=np.int8), table, THREE_LABELS, two_labels=True)
    >>> scored.gold.tolist(), scored.predicted.tolist(), scored.correct.tolist()
    ([3, 0], [3, 0], [True, True])
    """

    given: NDArray[np.int8]
    probabilities: NDArray[np.float64]
    declared: Projection
    two_labels: bool

    @property
    def projection(self) -> Projection:
        """The labels on which the items are scored, and how probabilities are mapped to them."""
        return self.declared.scored(two_labels=self.two_labels)

    @cached_property
    def gold(self) -> NDArray[np.int8]:
        """The gold label as it is scored: [n], an index in GOLDS, -1 without one."""
        return self.projection.golds(self.given)

    @cached_property
    def predicted(self) -> NDArray[np.int64]:
        """The predicted label: [n], an index in GOLDS, -1 without an answer."""
        return self.projection.predictions(self.probabilities)

    @property
    def correct(self) -> NDArray[np.bool_]:
        """Which predictions are right: [n]; False without an answer or a gold label."""
        right: NDArray[np.bool_] = (self.gold == self.predicted) & (self.gold >= 0)
        return right

    @property
    def judged(self) -> NDArray[np.bool_]:
        """Which items have an answer and a gold label: [n]."""
        found: NDArray[np.bool_] = (self.gold >= 0) & (self.predicted >= 0)
        return found

    @cached_property
    def shares(self) -> NDArray[np.float64]:
        """The probabilities of the labels of *projection*: [n, k], NaN without an answer.

        Those of a model of two labels are as it gave them: nothing is normalised.
        """
        import numpy as np

        table = self.probabilities
        if self.two_labels:
            return np.stack([table[:, 0], table[:, 1] + table[:, 2]], axis=1)
        return table if self.projection is THREE_LABELS else self.projection.shares(table)

    @cached_property
    def has_own_shares(self) -> bool:
        """Whether the model has three probabilities that *shares* do not show."""
        if self.projection is THREE_LABELS:
            return False
        return not self.two_labels or bool((self.probabilities[:, len(LABELS) - 1] > 0).any())


def projection_named(name: str) -> Projection:
    """Return the projection called *name*; raises UnknownNameError."""
    if name not in PROJECTIONS:
        raise UnknownNameError("projection", name, PROJECTIONS)
    return PROJECTIONS[name]


def projection_for(declared: Projection, golds: Iterable[Gold | None]) -> Projection:
    """Return the projection of a corpus whose reader declares *declared*; *golds* are read as far as needed.

    A corpus has the three labels if it has both neutral and contradiction, even if another copy of it has
    fewer; otherwise it has those that are declared.  Without a declaration, not_entailment shows that there
    are two.

    >>> projection_for(PROJECTIONS["no contradiction"], ["entailment", "neutral"]).name
    'no contradiction'
    """
    seen: set[Gold | None] = set()
    rejected = set(LABELS[1:])
    enough = 1 if declared is THREE_LABELS else len(rejected)
    for gold in golds:
        seen.add(gold)
        if gold == "not_entailment":
            return ENTAILMENT_OR_NOT
        if len(seen & rejected) >= enough:
            return THREE_LABELS
    return declared


def projection_of(declared: str | None, golds: Iterable[Gold | None]) -> Projection:
    """Return the projection that a test set has *declared*, else the one that *golds* need.

    >>> projection_of(None, ["entailment", "not_entailment"]).name
    'two labels'
    """
    if declared is not None:
        return projection_named(declared)
    return ENTAILMENT_OR_NOT if "not_entailment" in set(golds) else THREE_LABELS
